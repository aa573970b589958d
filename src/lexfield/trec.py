"""TREC's files: runs (what a system found) and qrels (what is relevant), in and out."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lexfield.errors import InputError, ReadError, list_names
from lexfield.store.bounds import bounded_json
from lexfield.store.files import replace_file

Scored = tuple[str, float]
Qrels = Mapping[str, Mapping[str, int]]
T = TypeVar("T")
_LONGEST_LINE = 10_000
_LONGEST_QUERY = 10_000_000  # as JSON: a book may be one


@dataclass(frozen=True)
class Run:
    """What one system found: for each query its documents with scores, best first."""

    name: str
    queries: Mapping[str, Sequence[Scored]]

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


class _Rows:
    """Lines of a file as they are read: a query, a document, its value and its rank.

    Names are bytes and the rest numbers: a file of many small lists would be many times larger as
    Python's objects.
    """

    def __init__(self, kind: str) -> None:
        self.names = bytearray()
        self.ends = array("q", [0])
        self.queries = array("q")  # their hashes
        self.values: array[Any] = array(kind)
        self.ranks = array("q")

    def add(self, query: str, document: str, value: float, rank: int = 0) -> None:
        self.values.append(value)
        self.ranks.append(rank)
        self.queries.append(hash(query))
        self.names += f"{query} {document}".encode()
        self.ends.append(len(self.names))

    def name(self, row: int) -> list[str]:
        """Query and document of a row."""
        return self.names[self.ends[row] : self.ends[row + 1]].decode().split(" ")


class _ByQuery(Mapping[str, T]):
    """Rows by query, in the order in which queries first come; what ``make`` makes of a query's
    rows (document, value, rank) is made when it is asked for."""

    def __init__(self, rows: _Rows, make: Callable[[Iterable[tuple[str, Any, int]]], T]) -> None:
        self._rows = rows
        self._make = make
        hashes = np.frombuffer(rows.queries, np.int64)
        self._order = np.argsort(hashes, kind="stable")
        hashes = hashes[self._order]
        self._starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
        self._hashes = hashes[self._starts]

    def _group(self, query: object) -> int:
        """Its number by hash, or -1."""
        place = int(np.searchsorted(self._hashes, hash(query)))
        if place < len(self) and self._hashes[place] == hash(query):
            return place if self._rows.name(self._order[self._starts[place]])[0] == query else -1
        return -1

    def __contains__(self, query: object) -> bool:
        return self._group(query) >= 0

    def __getitem__(self, query: str) -> T:
        group = self._group(query)
        if group < 0:
            raise KeyError(query)
        end = self._starts[group + 1] if group + 1 < len(self) else len(self._order)
        rows, order = self._rows, self._order[self._starts[group] : end].tolist()
        return self._make((rows.name(row)[1], rows.values[row], rows.ranks[row]) for row in order)

    def __iter__(self) -> Iterator[str]:
        first = np.sort(self._order[self._starts])
        return (self._rows.name(row)[0] for row in first.tolist())

    def __len__(self) -> int:
        return len(self._starts)


def read_run(path: str | Path) -> Run:
    """``query Q0 document rank score name`` a line; the score decides, then the rank."""
    path = Path(path)
    rows, seen = _Rows("d"), array("q")
    name = ""
    for number, parts in _fields(path):
        try:
            query, _, document, rank, text, *rest = parts
            score = float(text)
            rows.add(query, document, score, int(rank))
        except (ValueError, OverflowError) as error:
            raise ReadError(
                f"{path}, line {number}: {' '.join(parts)[:60]!r} is no line of a TREC run.",
                "A line is: query Q0 document rank score name.",
            ) from error
        if not math.isfinite(score):
            raise ReadError(f"{path}, line {number}: the score {text} is not a finite number.")
        seen.append(hash((query, document)))
        name = name or (rest[0] if rest else "")
    if not seen:
        raise ReadError(f"{path} holds no results.")
    _refuse_twice(path, seen)
    return Run(name or path.stem, _ByQuery(rows, _ranked))


def _ranked(rows: Iterable[tuple[str, float, int]]) -> Sequence[Scored]:
    """Best first; of equal scores the lower rank, of equal ranks the smaller name."""
    ordered = sorted((-score, rank, document) for document, score, rank in rows)
    return [(document, -score) for score, _, document in ordered]


def _refuse_twice(path: Path, seen: array[int]) -> None:
    """Is there a line whose query had its document before? ``seen`` are hashes of both."""
    hashes = np.sort(seen)
    twice = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
    first: set[tuple[str, str]] = set()
    for number, parts in _fields(path) if twice else ():
        pair = parts[0], parts[2]
        if pair in first:
            raise ReadError(f"{path}, line {number}: query {pair[0]} has {pair[1]} twice.")
        if hash(pair) in twice:
            first.add(pair)


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
    rows = _Rows("q")
    for number, parts in _fields(path):
        if number == 1 and not parts[-1].lstrip("+-").isdigit():
            continue  # a header
        try:
            query, *_, document, relevance = parts
            if len(parts) not in (3, 4):
                raise ValueError
            rows.add(query, document, int(relevance))
        except (ValueError, OverflowError) as error:
            raise ReadError(
                f"{path}, line {number}: {' '.join(parts)[:60]!r} is no line of qrels.",
                "A line is: query 0 document relevance.",
            ) from error
    if not rows.values:
        raise ReadError(f"{path} holds no judgements.")
    return _ByQuery(rows, _judged)


def _judged(rows: Iterable[tuple[str, int, int]]) -> Mapping[str, int]:
    return {document: relevance for document, relevance, _ in rows}


def _fields(path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    """The numbers and fields of lines that have any."""
    return ((number, line.split()) for number, line in _lines(path, _LONGEST_LINE))


def _lines(path: Path, longest: int) -> Iterator[tuple[int, str]]:
    """The numbers and text of lines that are not empty."""
    try:
        with open(path, encoding="utf-8") as file:
            number = 0
            while line := file.readline(longest + 1):
                number += 1
                if len(line) > longest:
                    raise ReadError(f"{path}, line {number} has over {longest:,} characters.")
                if not line.isspace():
                    yield number, line
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
    for number, line in _lines(path, _LONGEST_QUERY):
        record = _record(path, number, line)
        names = (id_field,) if id_field else ("_id", "id")
        identity = str(next((record[name] for name in names if name in record), number))
        text = record.get(text_field)
        if not isinstance(text, str):
            known = list_names(record)
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
    form = 'A line is: {"_id": "1", "text": "…"}'
    try:
        record = bounded_json(line)
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"{path}, line {number}: not JSON that can be read: {error}.", form
        ) from error
    if not isinstance(record, dict):
        raise ReadError(f"{path}, line {number}: {line[:60]!r} is no JSON object.", form)
    return record
