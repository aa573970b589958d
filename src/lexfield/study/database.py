"""A study on disk: its participants, the questions of each, and every answer."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from lexfield.errors import CorruptError, InputError, check
from lexfield.results import JsonObject
from lexfield.store.files import private_files, replace_file
from lexfield.store.manifest import FileCheck
from lexfield.study.design import BACKGROUND, Design, StudyQuery, can_ask, plan
from lexfield.study.schema import (
    SCHEMA,
    compute_checksum,
    damage_error,
    new_database,
    open_database,
    sum_fixed_tables,
    translate_errors,
)

Suggestions = dict[int, dict[str, list[tuple[int, str]]]]
MOST_PARTICIPANTS = 100_000
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another


@dataclass(frozen=True)
class Participant:
    id: int
    code: str
    seed: int
    group: str
    background: dict[str, int]
    simulated: bool


@dataclass(frozen=True)
class StudyQuestion:
    """What a participant sees: no method is named."""

    place: int  # from 0
    total: int
    group: str
    query: str
    offers: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Answer:
    """What an analyst sees."""

    participant: int
    group: str
    query: int
    methods: tuple[str, ...]  # by place
    shown: tuple[tuple[int, ...], ...]
    chosen: tuple[int, ...]  # places


def create(
    path: str | Path,
    design: Design,
    queries: Sequence[StudyQuery],
    lists: Sequence[Mapping[str, Sequence[str]]],
    about: Mapping[str, object],
) -> Study:
    """Write a new study, readable by its owner only.

    ``lists`` holds the suggestions of each method for each query. Queries whose suggestions are too
    few or too similar for a question are left out and counted.
    """
    target = Path(path)
    if target.exists():
        raise InputError(f"There is a file at {target} already; it was left as it is.")
    kept = [
        (query, found)
        for query, found in zip(queries, lists, strict=True)
        if can_ask(design, {m: [(0, text) for text in found.get(m, ())] for m in design.methods})
    ]
    if not kept:
        raise InputError(
            "No question can be made: the methods suggest too few different sentences."
        )
    facts = {
        "kind": design.kind,
        "targets": design.targets,
        "baselines": design.baselines,
        "seed": design.seed,
        "about": {**about, "queries": len(queries), "left_out": len(queries) - len(kept)},
    }
    connection = new_database()
    connection.executemany(
        "INSERT INTO study VALUES (?, ?)", [(key, json.dumps(facts[key])) for key in facts]
    )
    for number, (query, found) in enumerate(kept, 1):
        connection.execute("INSERT INTO query VALUES (?, ?, ?)", (number, query.text, query.level))
        connection.executemany(
            "INSERT INTO suggestion (query, method, place, text) VALUES (?, ?, ?, ?)",
            [
                (number, method, place, text)
                for method in design.methods
                for place, text in enumerate(found[method])
            ],
        )
    connection.execute("INSERT INTO study VALUES ('sum', ?)", (sum_fixed_tables(connection),))
    with private_files():  # it will hold the codes by which participants are known
        replace_file(target, connection.serialize())
    connection.close()
    return Study(target)


class Study:
    """An open study. Every change is one transaction, on disk when the call returns."""

    def __init__(self, path: str | Path, *, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = RLock()
        self._connection = open_database(self.path, durable)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _select(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock, translate_errors(self.path):
            return self._connection.execute(sql, values).fetchall()

    def _select_checked(
        self, table: str, condition: str = "", *values: object
    ) -> list[tuple[Any, ...]]:
        """Return rows without their checksum. Raise CorruptError if a row does not match it."""
        rows = self._select(f"SELECT * FROM {table} {condition}", *values)
        for row in rows:
            if compute_checksum(*row[:-1]) != row[-1]:
                name = f"{table} {row[1]} of " if table != "participant" else ""
                raise damage_error(self.path, f"{name}participant {row[0]} has changed")
        return [row[:-1] for row in rows]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, translate_errors(self.path), self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")  # for files of lexfield 0.1
            yield connection

    @cached_property
    def facts(self) -> JsonObject:
        rows = self._select("SELECT key, value FROM study WHERE key <> 'sum'")
        return {key: json.loads(value) for key, value in rows}

    @cached_property
    def design(self) -> Design:
        facts = self.facts
        return Design(
            facts["kind"], tuple(facts["targets"]), tuple(facts["baselines"]), facts["seed"]
        )

    @property
    def about(self) -> JsonObject:
        about: JsonObject = self.facts["about"]
        return about

    @cached_property
    def queries(self) -> dict[int, StudyQuery]:
        rows = self._select("SELECT id, text, level FROM query ORDER BY id")
        return {number: StudyQuery(text, level) for number, text, level in rows}

    @cached_property
    def suggestions(self) -> Suggestions:
        """Query → method → (id, text), best first."""
        found: Suggestions = {q: {m: [] for m in self.design.methods} for q in self.queries}
        for number, query, method, text in self._select(
            "SELECT id, query, method, text FROM suggestion ORDER BY query, method, place"
        ):
            found[query][method].append((number, text))
        return found

    @cached_property
    def _suggestion(self) -> dict[int, tuple[str, str]]:
        """Suggestion → (method, text)."""
        return {
            number: (method, text)
            for lists in self.suggestions.values()
            for method, entries in lists.items()
            for number, text in entries
        }

    def join(
        self, background: Mapping[str, int] | None = None, *, simulated: bool = False
    ) -> Participant:
        """Add a participant to the smallest group, with all their questions."""
        answers = dict(background or {})
        for name, place in answers.items():
            check(name in BACKGROUND, "background", f"of {', '.join(BACKGROUND)}", name)
            options = BACKGROUND[name][1]
            check(place in range(len(options)), name, f"from 0 to {len(options) - 1}", place)
        with self._writing() as connection:
            rows = self._select(
                "SELECT grp, simulated, count(*) FROM participant GROUP BY grp, simulated"
            )
            if any(bool(kind) != simulated for _, kind, _ in rows):
                raise InputError(
                    "A study cannot have both people and simulated participants.",
                    "Copy the file before its first participant, or make a new one.",
                )
            sizes = {**dict.fromkeys(self.design.groups, 0), **{row[0]: row[2] for row in rows}}
            number, group = sum(sizes.values()) + 1, min(sizes, key=sizes.__getitem__)
            most = MOST_PARTICIPANTS
            check(number <= most, "participants", f"at most {most:,}", number)
            seed = int(compute_checksum(self.design.seed, number), 16) >> 11  # fits SQLite and JSON
            code = f"simulated-{number}" if simulated else _new_code()
            text = json.dumps(answers, sort_keys=True)
            began = "" if simulated else _now()
            row = (number, code, seed, group, text, began, int(simulated))
            _insert(connection, "participant", *row)
            for place, planned in enumerate(plan(self.design, self.suggestions, seed)):
                shown = json.dumps(planned.shown)
                _insert(connection, "question", number, place, planned.query, shown)
        return Participant(number, code, seed, group, answers, simulated)

    def resume(self, code: str) -> Participant:
        """Return the participant with this code, ignoring case, spaces and hyphens."""
        plain = "".join(c for c in code.lower()[:100] if c.isalnum())
        for participant in self.participants(plain):
            return participant
        raise InputError("No participant has this code.", "Check its letters, or start over.")

    def participants(self, code: str | None = None) -> list[Participant]:
        """Return all participants, or the one with this code (without hyphens)."""
        condition = "WHERE ?1 IS NULL OR replace(code, '-', '') = ?1 ORDER BY id"
        return [
            Participant(number, code, seed, group, json.loads(background), bool(simulated))
            for number, code, seed, group, background, _, simulated in self._select_checked(
                "participant", condition, code
            )
        ]

    def question(self, participant: Participant) -> StudyQuestion | None:
        """Return the first question without an answer; None if all are answered."""
        rows = self._select_checked(
            "question",
            "WHERE participant = ?1 AND place ="
            " (SELECT count(*) FROM answer WHERE participant = ?1)",
            participant.id,
        )
        if not rows:
            return None
        ((_, place, query, shown),) = rows
        total = self._count("question", participant)
        offers = tuple(tuple(self._suggestion[i][1] for i in ids) for ids in json.loads(shown))
        return StudyQuestion(place, total, participant.group, self.queries[query].text, offers)

    def count_answers(self, participant: Participant) -> int:
        """Count the answers of a participant."""
        return self._count("answer", participant)

    def _count(self, table: str, participant: Participant) -> int:
        sql = f"SELECT count(*) FROM {table} WHERE participant = ?"
        return int(self._select(sql, participant.id)[0][0])

    def answer(self, participant: Participant, place: int, chosen: Sequence[int]) -> bool:
        """Record an answer; it is on disk when this returns.

        Return False and record nothing if this is not the next question of the participant. A form
        that is sent twice therefore counts once, and the first answer stands.
        """
        places = sorted(set(chosen))
        fits = len(places) == len(chosen) == self.design.choose
        inside = set(places) <= set(range(self.design.size))
        check(fits and inside, "chosen", f"{self.design.choose} of the offers", list(chosen)[:10])
        with self._writing() as connection:
            following = self._count("answer", participant)
            if place != following or place >= self._count("question", participant):
                return False
            given = "" if participant.simulated else _now()
            _insert(connection, "answer", participant.id, place, json.dumps(places), given)
        return True

    def answers(self) -> list[Answer]:
        """Return all answers, by participant and place. Every row of the study is checked."""
        groups = {participant.id: participant.group for participant in self.participants()}
        questions = {
            (participant, place): (query, tuple(tuple(ids) for ids in json.loads(shown)))
            for participant, place, query, shown in self._select_checked("question")
        }
        answers = []
        for participant, place, chosen, _ in self._select_checked(
            "answer", "ORDER BY participant, place"
        ):
            query, shown = questions[participant, place]
            methods = tuple(self._suggestion[ids[0]][0] for ids in shown)
            group, places = groups[participant], tuple(json.loads(chosen))
            answers.append(Answer(participant, group, query, methods, shown, places))
        return answers


def verify(path: str | Path) -> list[FileCheck]:
    """Check the file and every row of a study."""
    problem, size = "", Path(path).stat().st_size
    try:
        with Study(path) as study:
            study.answers()
    except CorruptError as error:
        problem = error.message.partition("damaged: ")[2].rstrip(".") or error.message
    return [FileCheck(Path(path).name, size, problem)]


def _insert(connection: sqlite3.Connection, table: str, *values: object) -> None:
    """Insert a row with its checksum."""
    row = (*values, compute_checksum(*values))
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def _new_code() -> str:
    letters = "".join(secrets.choice(_LETTERS) for _ in range(12))
    return "-".join((letters[:4], letters[4:8], letters[8:]))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
