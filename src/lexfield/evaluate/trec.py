"""Files of retrieval experiments: queries, TREC runs (what was found) and qrels (what is relevant).

Queries are JSON lines (the first character is ``{``, or the name ends in ``.jsonl`` or
``.ndjson``), ``id<TAB>text`` lines, or one query per line. A query without an id is named by the
number of its line.

Measures come from ir_measures, but the readers here are our own. Those of ir_measures drop the rank
(which orders equal scores) and the name of the run, refuse qrels of three columns, and report no
line numbers. They also need more memory than the four times its size that any input may take
(``docs/reliability.md``): a run of one million lines (27 to 36 MB) takes 85 MB here and 116 to
366 MB as their dictionaries, most if every line is a query of its own.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from lexfield.errors import InputError, ReadError, list_names
from lexfield.store.bounds import bounded_json
from lexfield.store.files import replace_file
from lexfield.text.source import Source

Scored = tuple[str, float]
Qrels = Mapping[str, Mapping[str, int]]
T = TypeVar("T")
MOST_BYTES = 100_000_000  # of a file of queries, which is kept in memory
_LONGEST_LINE = 10_000  # characters, of a run or of qrels
_LONGEST_QUERY = 10_000_000  # a query may be a book
_JSON_SUFFIXES = (".jsonl", ".ndjson")
_FORMS = 'A line is: one query, id<TAB>query, or {"_id": "1", "text": "…"}'


@dataclass(frozen=True)
class Run:
    """What one system found: for each query its documents with scores, best first."""

    name: str
    queries: Mapping[str, Sequence[Scored]]

    @classmethod
    def of(cls, name: str, queries: Mapping[str, Iterable[Scored]]) -> Run:
        """Build a run from pairs in any order; ties keep their order."""
        return cls(
            name,
            {str(q): sorted(pairs, key=lambda pair: -pair[1]) for q, pairs in queries.items()},
        )


class _Grouped(Mapping[str, T]):
    """Rows (query, document, value, rank) grouped by query, in order of first appearance.

    Names are kept as bytes and numbers in arrays. ``build`` makes the value of a query from its
    rows (document, value, rank) when it is needed.
    """

    def __init__(
        self,
        rows: Iterable[tuple[str, str, float, float]],
        build: Callable[[Iterable[tuple[str, float, float]]], T],
    ) -> None:
        self._build = build
        self._names, self._ends = bytearray(), array("q", [0])
        self._values, self._ranks, keys = array("d"), array("d"), array("q")
        for query, document, value, rank in rows:
            self._names += f"{query} {document}".encode()
            self._ends.append(len(self._names))
            self._values.append(value)
            self._ranks.append(rank)
            keys.append(hash(query))
        self._order = np.argsort(keys, kind="stable")
        hashes = np.asarray(keys)[self._order]
        self._bounds = np.flatnonzero(np.diff(hashes, prepend=~hashes[:1], append=~hashes[-1:]))
        self._hashes = hashes[self._bounds[:-1]]

    def _split(self, row: int) -> list[str]:
        """Return the query and the document of a row."""
        return self._names[self._ends[row] : self._ends[row + 1]].decode().split(" ")

    def _rows_of(self, query: object) -> list[int]:
        group = int(np.searchsorted(self._hashes, hash(query)))
        if group == len(self):
            return []
        rows: list[int] = self._order[self._bounds[group] : self._bounds[group + 1]].tolist()
        return rows if self._split(rows[0])[0] == query else []

    def __contains__(self, query: object) -> bool:
        return bool(self._rows_of(query))

    def __getitem__(self, query: str) -> T:
        rows = self._rows_of(query)
        if not rows:
            raise KeyError(query)
        return self._build((self._split(i)[1], self._values[i], self._ranks[i]) for i in rows)

    def __iter__(self) -> Iterator[str]:
        return (self._split(row)[0] for row in np.sort(self._order[self._bounds[:-1]]).tolist())

    def __len__(self) -> int:
        return len(self._hashes)


def read_run(path: str | Path) -> Run:
    """Read lines ``query Q0 document rank score name``.

    Documents are ordered by score, then by rank, then by name.
    """
    pairs = array("q")
    names: list[str] = []

    def parse() -> Iterator[tuple[str, str, float, float]]:
        for number, parts in _read_fields(path):
            try:
                query, _, document, rank, text, *rest = parts
                score, position = float(text), float(int(rank))
            except (ValueError, OverflowError) as error:
                raise ReadError(
                    f"{path}, line {number}: {' '.join(parts)[:60]!r} is not a line of a TREC run.",
                    "A line is: query Q0 document rank score name.",
                ) from error
            if not math.isfinite(score):
                raise ReadError(f"{path}, line {number}: the score {text} is not a finite number.")
            pairs.append(hash((query, document)))
            if not names:
                names.extend(rest[:1])
            yield query, document, score, position

    queries = _Grouped(parse(), _sort_documents)
    if not queries:
        raise ReadError(f"{path} contains no results.")
    _refuse_repeats(path, pairs)
    return Run(names[0] if names else Path(path).stem, queries)


def _sort_documents(rows: Iterable[tuple[str, float, float]]) -> Sequence[Scored]:
    ordered = sorted((-score, rank, document) for document, score, rank in rows)
    return [(document, -score) for score, _, document in ordered]


def _refuse_repeats(path: str | Path, pairs: array[int]) -> None:
    """Raise ReadError if a query has a document twice; ``pairs`` are hashes of both."""
    hashes = np.sort(pairs)
    repeated = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
    seen: set[tuple[str, str]] = set()
    for number, parts in _read_fields(path) if repeated else ():
        pair = parts[0], parts[2]
        if pair in seen:
            raise ReadError(f"{path}, line {number}: query {pair[0]} has {pair[1]} twice.")
        if hash(pair) in repeated:
            seen.add(pair)


def run_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a TREC file."""
    name = "_".join(run.name.split()) or "run"
    for query, pairs in run.queries.items():
        for rank, (document, score) in enumerate(pairs, 1):
            if len(document.split()) != 1:
                raise InputError(
                    f"The id {document!r} cannot be written to a TREC file:"
                    " it has spaces or is empty."
                )
            yield f"{query} Q0 {document} {rank} {score:.9g} {name}"


def write_run(path: str | Path, run: Run) -> None:
    replace_file(Path(path), "".join(f"{line}\n" for line in run_lines(run)).encode())


def read_qrels(path: str | Path) -> Qrels:
    """Read lines ``query 0 document relevance``, or three columns with or without a header."""

    def parse() -> Iterator[tuple[str, str, float, float]]:
        for number, parts in _read_fields(path):
            if number == 1 and not parts[-1].lstrip("+-").isdigit():
                continue  # a header
            try:
                if len(parts) not in (3, 4):
                    raise ValueError
                relevance = float(int(parts[-1]))
            except (ValueError, OverflowError) as error:
                raise ReadError(
                    f"{path}, line {number}: {' '.join(parts)[:60]!r} is not a line of qrels.",
                    "A line is: query 0 document relevance.",
                ) from error
            yield parts[0], parts[-2], relevance, 0

    qrels = _Grouped(
        parse(), lambda rows: {document: int(relevance) for document, relevance, _ in rows}
    )
    if not qrels:
        raise ReadError(f"{path} contains no judgements.")
    return qrels


def _read_fields(path: str | Path) -> Iterator[tuple[int, Sequence[str]]]:
    return ((number, line.split()) for number, line in read_lines(path, _LONGEST_LINE))


def read_queries(
    path: str | Path, id_field: str | None = None, text_field: str = "text"
) -> dict[str, str]:
    """Return the texts of queries by their ids, in order; the path ``-`` is standard input.

    In JSON lines, the id is in ``id_field``; by default in ``_id`` or ``id``.
    """
    queries = dict(iterate_queries(path, id_field, text_field))
    if not queries:
        raise ReadError(f"{_name(path)} contains no queries.", _FORMS)
    return queries


def iterate_queries(
    path: str | Path, id_field: str | None = None, text_field: str = "text"
) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each query, as ``read_queries`` returns them."""
    name = _name(path)
    is_json = name.lower().endswith(_JSON_SUFFIXES)
    seen: set[str] = set()
    source = None if str(path) == "-" else path
    for number, line in read_lines(source, _LONGEST_QUERY, MOST_BYTES):
        is_json = is_json or (not seen and line.lstrip().startswith("{"))
        where = f"{name}, line {number}"
        if is_json:
            identity, text = _parse_record(where, line, id_field, text_field)
        else:
            identity, text = split_line(line)
        identity = identity or str(number)
        if len(identity.split()) != 1 or identity in seen:
            why = "is used twice" if identity in seen else "has spaces or is empty"
            raise ReadError(f"{where}: the id {identity!r} {why}.")
        seen.add(identity)
        yield identity, text


def _name(path: str | Path) -> str:
    return "The input" if str(path) == "-" else str(path)


def read_lines(
    path: str | Path | None, longest: int, most_bytes: int | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is not blank; ``path`` None is standard input.

    Raise ReadError if the file is not text or cannot be read, if a line has more than ``longest``
    characters, or if the file is larger than ``most_bytes``.
    """
    size, source = 0, Source(None if path is None else Path(path))
    for number, line in enumerate(source.lines(longest, utf8_only=True), 1):
        size += len(line)
        if most_bytes is not None and size > most_bytes:
            raise ReadError(
                f"{source} is larger than {most_bytes // 1_000_000} MB.",
                "Split it, or check that it is the file you meant.",
            )
        if not line.isspace():
            yield number, line


def split_line(line: str) -> tuple[str, str]:
    """Split ``id<TAB>text``; the id is empty if there is none. An id has no spaces."""
    text = line.strip()
    identity, tab, rest = text.partition("\t")
    return (identity, rest.strip()) if tab and len(identity.split()) == 1 else ("", text)


def _parse_record(where: str, line: str, id_field: str | None, text_field: str) -> tuple[str, str]:
    try:
        record = bounded_json(line)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{where}: not JSON that can be read: {error}.", _FORMS) from error
    if not isinstance(record, dict):
        raise ReadError(f"{where}: {line[:60]!r} is not a JSON object.", _FORMS)
    text = record.get(text_field)
    if not isinstance(text, str):
        known = list_names(record)
        raise ReadError(
            f"{where}: there is no text in the field {text_field!r}.",
            f"Its fields are: {known}. Name another as --text-field.",
        )
    names = (id_field,) if id_field else ("_id", "id")
    return str(next((record[name] for name in names if name in record), "")), text
