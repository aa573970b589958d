"""TREC's files: runs (what a system found) and qrels (what is relevant), in and out."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from lexfield.errors import InputError, ReadError
from lexfield.store.files import replace_file

Scored = tuple[str, float]
Qrels = dict[str, dict[str, int]]
_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Run:
    """What one system found: for each query its documents with scores, best first."""

    name: str
    queries: dict[str, list[Scored]]

    @classmethod
    def of(cls, name: str, queries: Mapping[str, Iterable[Scored]]) -> Run:
        """A run from pairs in any order; ties keep the order they have."""
        return cls(
            name,
            {
                query: sorted(pairs, key=lambda pair: -pair[1])
                for query, pairs in ((str(q), list(p)) for q, p in queries.items())
            },
        )


def read_run(path: str | Path) -> Run:
    """``query Q0 document rank score name`` a line; the score decides, then the rank."""
    path = Path(path)
    queries: dict[str, list[Scored]] = {}
    ranks: dict[str, array[int]] = {}
    name = ""
    for number, parts in _lines(path):
        try:
            query, _, document, rank, text, *rest = parts
            score, place = float(text), int(rank)
            ranks.setdefault(query, array("q")).append(place)
        except (ValueError, OverflowError) as error:
            raise ReadError(
                f"{path}, line {number}: {' '.join(parts)[:60]!r} is no line of a TREC run.",
                "A line is: query Q0 document rank score name.",
            ) from error
        if not math.isfinite(score):
            raise ReadError(f"{path}, line {number}: the score {text} is not a finite number.")
        queries.setdefault(query, []).append((document, score))
        name = name or (rest[0] if rest else "")
    if not queries:
        raise ReadError(f"{path} holds no results.")
    for query, pairs in queries.items():
        if len({document for document, _ in pairs}) < len(pairs):
            _tell_twice(path, query)
        keys = zip((-score for _, score in pairs), ranks[query], pairs, strict=True)
        pairs[:] = [pair for _, _, pair in sorted(keys)]
    return Run(name or path.stem, queries)


def _tell_twice(path: Path, query: str) -> NoReturn:
    """Where a query has a document for the second time."""
    seen: set[str] = set()
    for number, parts in _lines(path):
        if parts[0] == query and parts[2] in seen:
            raise ReadError(f"{path}, line {number}: query {query} has {parts[2]} twice.")
        seen |= {parts[2]} if parts[0] == query else set()
    raise ReadError(f"{path} has changed while it was read.")


def run_lines(run: Run) -> Iterator[str]:
    """A run as lines of a TREC file."""
    name = "_".join(run.name.split()) or "run"
    for query, pairs in run.queries.items():
        for rank, (document, score) in enumerate(pairs, 1):
            if len(document.split()) != 1:
                raise InputError(
                    f"The id {document!r} cannot stand in a TREC file: it has spaces or is empty."
                )
            yield f"{query} Q0 {document} {rank} {score:.9g} {name}"


def write_run(path: str | Path, run: Run) -> None:
    replace_file(Path(path), "".join(f"{line}\n" for line in run_lines(run)).encode())


def read_qrels(path: str | Path) -> Qrels:
    """``query 0 document relevance`` a line, or three columns with or without a header."""
    path = Path(path)
    judged: Qrels = {}
    for number, parts in _lines(path):
        if number == 1 and not parts[-1].lstrip("+-").isdigit():
            continue  # a header
        try:
            query, *_, document, relevance = parts
            if len(parts) not in (3, 4):
                raise ValueError
            judged.setdefault(query, {})[document] = int(relevance)
        except ValueError as error:
            raise ReadError(
                f"{path}, line {number}: {' '.join(parts)[:60]!r} is no line of qrels.",
                "A line is: query 0 document relevance.",
            ) from error
    if not judged:
        raise ReadError(f"{path} holds no judgements.")
    return judged


def _lines(path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    try:
        with open(path, encoding="utf-8") as file:
            number = 0
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise ReadError(f"{path}, line {number} has over {_LONGEST_LINE:,} characters.")
                if parts := line.split():
                    yield number, parts
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8 text (byte {error.start:,}).") from error
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror}.", "Check the path.") from error


def read_queries(
    path: str | Path, id_field: str | None = None, text_field: str = "text"
) -> dict[str, str]:
    """Queries from JSON lines: id → text, in order. Without ``id_field`` the id is ``_id`` or
    ``id``, and where there is none the number of the line."""
    path = Path(path)
    queries: dict[str, str] = {}
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8 text (byte {error.start:,}).") from error
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror}.", "Check the path.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = _record(path, number, line)
        names = (id_field,) if id_field else ("_id", "id")
        identity = str(next((record[name] for name in names if name in record), number))
        text = record.get(text_field)
        if not isinstance(text, str):
            known = ", ".join(record) or "none"
            raise ReadError(
                f"{path}, line {number}: there is no text in the field {text_field!r}.",
                f"Its fields are: {known}. Name another with --text-field.",
            )
        if len(identity.split()) != 1 or identity in queries:
            why = "is used twice" if identity in queries else "has spaces or is empty"
            raise ReadError(f"{path}, line {number}: the id {identity!r} {why}.")
        queries[identity] = text
    if not queries:
        raise ReadError(f"{path} holds no queries.", 'A line is: {"_id": "1", "text": "…"}')
    return queries


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ReadError(
            f"{path}, line {number}: {line[:60]!r} is no JSON object.",
            'A line is: {"_id": "1", "text": "…"}',
        )
    return record
