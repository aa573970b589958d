"""TREC files: runs (what a system found) and qrels (what is relevant).

Measures come from ir_measures, but the readers here are our own. Those of ir_measures drop the rank
(which orders equal scores) and the name of the run, refuse qrels of three columns, and report no
line numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lexfield.errors import InputError, ReadError
from lexfield.evaluate.queries import read_lines
from lexfield.store.files import replace_file

Scored = tuple[str, float]
Qrels = Mapping[str, Mapping[str, int]]
_LONGEST_LINE = 10_000


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


def read_run(path: str | Path) -> Run:
    """Read lines ``query Q0 document rank score name``.

    Documents are ordered by score, then by rank, then by name.
    """
    name = ""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for number, parts in _read_fields(path):
        try:
            query, _, document, rank, text, *rest = parts
            score, place = float(text), int(rank)
        except ValueError as error:
            raise ReadError(
                f"{path}, line {number}: {' '.join(parts)[:60]!r} is not a line of a TREC run.",
                "A line is: query Q0 document rank score name.",
            ) from error
        if not math.isfinite(score):
            raise ReadError(f"{path}, line {number}: the score {text} is not a finite number.")
        documents = found.setdefault(query, {})
        if document in documents:
            raise ReadError(f"{path}, line {number}: query {query} has {document} twice.")
        documents[document] = (-score, place)
        name = name or "".join(rest[:1])
    if not found:
        raise ReadError(f"{path} holds no results.")
    queries = {}
    for query, documents in found.items():
        ordered = sorted((*place, document) for document, place in documents.items())
        queries[query] = [(document, -score) for score, _, document in ordered]
    return Run(name or Path(path).stem, queries)


def run_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a TREC file."""
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
    """Read lines ``query 0 document relevance``, or three columns with or without a header."""
    qrels: dict[str, dict[str, int]] = {}
    for number, parts in _read_fields(path):
        if number == 1 and not parts[-1].lstrip("+-").isdigit():
            continue  # a header
        try:
            if len(parts) not in (3, 4):
                raise ValueError
            qrels.setdefault(parts[0], {})[parts[-2]] = int(parts[-1])
        except ValueError as error:
            raise ReadError(
                f"{path}, line {number}: {' '.join(parts)[:60]!r} is not a line of qrels.",
                "A line is: query 0 document relevance.",
            ) from error
    if not qrels:
        raise ReadError(f"{path} holds no judgements.")
    return qrels


def _read_fields(path: str | Path) -> Iterator[tuple[int, Sequence[str]]]:
    return ((number, line.split()) for number, line in read_lines(path, _LONGEST_LINE))
