"""A study on disk: who takes part, what each is asked, and every answer as it is given."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from lexfield.errors import CorruptError, InputError, check
from lexfield.store.files import private_files, replace_file
from lexfield.store.folder import FileCheck
from lexfield.study.design import BACKGROUND, Design, plan, usable
from lexfield.study.queries import StudyQuery
from lexfield.study.schema import (
    check_sum,
    damaged,
    fixed_sum,
    new_database,
    open_database,
    seal,
    told,
    unseal,
)

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
MOST_PARTICIPANTS = 100_000


@dataclass(frozen=True)
class Participant:
    id: int
    code: str
    seed: int
    group: str
    background: dict[str, int]
    simulated: bool


@dataclass(frozen=True)
class Question:
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
    about: Mapping[str, Any],
) -> Study:
    """Write a new study; queries of which no question can be made are left out and counted."""
    target = Path(path)
    if target.exists():
        raise InputError(f"There is a file at {target} already; it was left as it is.")
    kept = [
        (query, found)
        for query, found in zip(queries, lists, strict=True)
        if usable(design, {m: [(0, text) for text in found.get(m, ())] for m in design.methods})
    ]
    if not kept:
        raise InputError(
            "No question can be made: for no query do the methods give enough different sentences."
        )
    connection = new_database()
    facts = {
        "kind": design.kind,
        "targets": design.targets,
        "baselines": design.baselines,
        "seed": design.seed,
        "about": {**about, "queries": len(queries), "left_out": len(queries) - len(kept)},
    }
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
    connection.execute("INSERT INTO study VALUES ('sum', ?)", (fixed_sum(connection),))
    seal(connection)
    with private_files():  # it will hold the codes by which participants are known
        replace_file(target, connection.serialize())
    connection.close()
    return Study(target)


class Study:
    """An open study. Every change is one transaction, on the disk when the call returns."""

    def __init__(self, path: str | Path, *, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = RLock()
        self._durable = durable
        self._changed = False
        self._connection = open_database(self.path, durable)

    def close(self) -> None:
        with self._lock, closing(self._connection), told(self.path):
            if self._changed:  # without a seal since then
                self._connection.execute("BEGIN IMMEDIATE")
                seal(self._connection)
                self._connection.execute("COMMIT")
                self._changed = False

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, told(self.path):
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                before = connection.total_changes
                yield connection
                if connection.total_changes != before:
                    self._seal(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _seal(self, connection: sqlite3.Connection) -> None:
        """After each change; where speed counts more, when the study is closed."""
        if self._durable:
            seal(connection)
        else:
            unseal(connection)
            self._changed = True

    @cached_property
    def facts(self) -> dict[str, Any]:
        with self._reading() as connection:
            rows = connection.execute("SELECT key, value FROM study WHERE key <> 'sum'").fetchall()
        return {key: json.loads(value) for key, value in rows}

    @cached_property
    def design(self) -> Design:
        facts = self.facts
        return Design(
            facts["kind"], tuple(facts["targets"]), tuple(facts["baselines"]), facts["seed"]
        )

    @property
    def about(self) -> dict[str, Any]:
        about: dict[str, Any] = self.facts["about"]
        return about

    @cached_property
    def queries(self) -> dict[int, StudyQuery]:
        with self._reading() as connection:
            rows = connection.execute("SELECT id, text, level FROM query ORDER BY id").fetchall()
        return {number: StudyQuery(text, level) for number, text, level in rows}

    @cached_property
    def suggestions(self) -> dict[int, dict[str, list[tuple[int, str]]]]:
        """Query → method → (id, text), best first."""
        found: dict[int, dict[str, list[tuple[int, str]]]] = {
            query: {method: [] for method in self.design.methods} for query in self.queries
        }
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, query, method, text FROM suggestion ORDER BY query, method, place"
            ).fetchall()
        for number, query, method, text in rows:
            found[query][method].append((number, text))
        return found

    @cached_property
    def _of(self) -> dict[int, tuple[str, str]]:
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
        """A new participant, in the group that has fewer; all questions are drawn and kept."""
        answers = dict(background or {})
        for name, place in answers.items():
            check(name in BACKGROUND, "background", f"of {', '.join(BACKGROUND)}", name)
            options = BACKGROUND[name][1]
            check(place in range(len(options)), name, f"from 0 to {len(options) - 1}", place)
        with self._writing() as connection:
            rows = connection.execute(
                "SELECT grp, simulated, count(*) FROM participant GROUP BY grp, simulated"
            ).fetchall()
            if any(bool(kind) != simulated for _, kind, _ in rows):
                raise InputError(
                    "People and simulated participants do not go into one study.",
                    "Copy the file before its first participant, or make a new one.",
                )
            sizes = [sum(n for name, _, n in rows if name == g) for g in self.design.groups]
            most = MOST_PARTICIPANTS
            check(sum(sizes) < most, "participants", f"fewer than {most:,}", sum(sizes))
            number = sum(sizes) + 1
            group = self.design.groups[sizes.index(min(sizes))]
            seed = int(check_sum(self.design.seed, number), 16) >> 11  # fits SQLite and JSON
            code = f"simulated-{number}" if simulated else _code()
            began = "" if simulated else _now()
            text = json.dumps(answers, sort_keys=True)
            row = (number, code, seed, group, text, began, int(simulated))
            connection.execute(
                "INSERT INTO participant VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, check_sum(*row))
            )
            connection.executemany(
                "INSERT INTO question VALUES (?, ?, ?, ?, ?)",
                [
                    (*row, check_sum(*row))
                    for place, planned in enumerate(plan(self.design, self.suggestions, seed))
                    for row in [(number, place, planned.query, json.dumps(planned.shown))]
                ],
            )
        return Participant(number, code, seed, group, answers, simulated)

    def resume(self, code: str) -> Participant:
        """The participant with this code; case, spaces and hyphens do not count."""
        plain = "".join(c for c in code.lower()[:100] if c.isalnum())
        for participant in self.participants(plain):
            return participant
        raise InputError("No participant has this code.", "Check its letters, or begin anew.")

    def participants(self, code: str | None = None) -> list[Participant]:
        """All who joined, or the one with this code (without hyphens)."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT * FROM participant WHERE ?1 IS NULL OR replace(code, '-', '') = ?1"
                " ORDER BY id",
                (code,),
            ).fetchall()
        for row in rows:
            if check_sum(*row[:-1]) != row[-1]:
                raise damaged(self.path, f"participant {row[0]} has changed")
        return [
            Participant(number, code, seed, group, json.loads(background), bool(simulated))
            for number, code, seed, group, background, _, simulated, _ in rows
        ]

    def question(self, participant: Participant) -> Question | None:
        """The first question without an answer; None when all have one."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT place, query, shown, sum FROM question WHERE participant = ? AND place ="
                " (SELECT count(*) FROM answer WHERE participant = ?)",
                (participant.id, participant.id),
            ).fetchone()
            total = connection.execute(
                "SELECT count(*) FROM question WHERE participant = ?", (participant.id,)
            ).fetchone()[0]
        if row is None:
            return None
        place, query, shown, kept = row
        self._check("question", participant.id, place, (query, shown), kept)
        offers = tuple(tuple(self._of[i][1] for i in one) for one in json.loads(shown))
        return Question(place, total, participant.group, self.queries[query].text, offers)

    def answered(self, participant: Participant) -> int:
        with self._reading() as connection:
            count: int = connection.execute(
                "SELECT count(*) FROM answer WHERE participant = ?", (participant.id,)
            ).fetchone()[0]
        return count

    def answer(self, participant: Participant, place: int, chosen: Sequence[int]) -> bool:
        """Keep an answer; it is on the disk when this returns.

        False, and nothing kept, where the question is not the one to be answered now: it has an
        answer already (a form sent twice), and that stands.
        """
        places = sorted(set(chosen))
        fit = len(places) == len(chosen) == self.design.choose
        inside = all(place_ in range(self.design.size) for place_ in places)
        check(fit and inside, "chosen", f"{self.design.choose} of the offers", list(chosen)[:10])
        with self._writing() as connection:
            row = connection.execute(
                "SELECT 1 FROM question WHERE participant = ? AND place = ? AND place ="
                " (SELECT count(*) FROM answer WHERE participant = ?)",
                (participant.id, place, participant.id),
            ).fetchone()
            if row is None:
                return False
            given = "" if participant.simulated else _now()
            values = (participant.id, place, json.dumps(places), given)
            connection.execute(
                "INSERT INTO answer VALUES (?, ?, ?, ?, ?)", (*values, check_sum(*values))
            )
        return True

    def answers(self) -> list[Answer]:
        """All answers, by participant and place, each checked."""
        groups = {participant.id: participant.group for participant in self.participants()}
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT participant, place, chosen, given, answer.sum, query, shown, question.sum"
                " FROM answer JOIN question USING (participant, place) ORDER BY participant, place"
            ).fetchall()
        found = []
        for participant, place, chosen, given, kept, query, shown, asked in rows:
            self._check("question", participant, place, (query, shown), asked)
            self._check("answer", participant, place, (chosen, given), kept)
            offers = tuple(tuple(one) for one in json.loads(shown))
            methods = tuple(self._of[one[0]][0] for one in offers)
            found.append(
                Answer(
                    participant, groups[participant], query, methods, offers,
                    tuple(json.loads(chosen)),
                )
            )  # fmt: skip
        return found

    def _check(self, what: str, who: int, place: int, values: tuple[Any, ...], kept: str) -> None:
        if check_sum(who, place, *values) != kept:
            raise damaged(self.path, f"{what} {place} of participant {who} has changed")


def verify(path: str | Path) -> list[FileCheck]:
    """Check every byte and every row of a study."""
    problem, size = "", Path(path).stat().st_size
    try:
        with Study(path) as study:
            for one in study.participants():
                study.question(one)
            study.answers()
    except CorruptError as error:
        problem = error.message.partition("damaged: ")[2].rstrip(".") or error.message
    return [FileCheck(Path(path).name, size, problem)]


def _code() -> str:
    letters = "".join(secrets.choice(_LETTERS) for _ in range(12))
    return "-".join((letters[:4], letters[4:8], letters[8:]))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
