"""Make a study: with the suggestions of search methods, or with suggestions from a file.

As in Hare et al. (section 4.4.1), each method suggests five sentences per query. Sentences that are
too short or too long are not suggested, and neither are the query itself and repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexfield.engine.threads import map_blocks
from lexfield.errors import InputError, check, list_names
from lexfield.index.filter import allowed_rows
from lexfield.progress import Progress, silent
from lexfield.search.index import Index
from lexfield.search.method import format_method
from lexfield.search.registry import parse, read_query
from lexfield.study.database import Study, create
from lexfield.study.design import (
    BASELINES,
    PAPER_BASELINES,
    PAPER_TARGETS,
    TARGETS,
    Design,
)
from lexfield.study.sentences import SUGGESTIONS, StudyQuery, drop_repeats, read_suggestions


@dataclass(frozen=True)
class Lengths:
    """The allowed number of words of a suggestion."""

    least: int = 3
    most: int = 15

    def __post_init__(self) -> None:
        check(1 <= self.least <= self.most <= 200, "lengths", "1 ≤ least ≤ most ≤ 200", self)


def new_study(
    index: Index,
    queries: Sequence[StudyQuery],
    path: str | Path,
    kind: str = "choose3",
    *,
    targets: Sequence[str] = TARGETS,
    baselines: Sequence[str] = BASELINES,
    by: str | None = None,
    lengths: Lengths | None = None,
    allow_unknown: bool = False,
    seed: int = 0,
    progress: Progress = silent,
) -> Study:
    """Search an index for every query with every method, and write the questionnaire.

    With ``by``, a metadata field, a query is answered from documents whose value is its level.
    With ``allow_unknown``, vectors are used even if most words of the index have none.
    """
    names = [tuple(format_method(parse(spec)) for spec in specs) for specs in (targets, baselines)]
    design = Design(kind, names[0], names[1], seed)
    levels = sorted({query.level for query in queries})
    if by is None and levels != [""]:
        raise InputError(
            f"The queries have levels ({list_names(levels)}).",
            "Name the metadata field that holds them: --by FIELD",
        )
    lists: list[dict[str, list[str]]] = [{} for _ in queries]
    done, total = 0, len(levels) * len(design.methods)
    for level in levels:
        places = [i for i, query in enumerate(queries) if query.level == level]
        texts = [queries[i].text for i in places]
        where = {by: level} if by and level else None
        for spec in design.methods:
            found = suggest(
                index, texts, spec, where, lengths or Lengths(), allow_unknown=allow_unknown
            )
            for i, sentences in zip(places, found, strict=True):
                lists[i][spec] = sentences
            done += 1
            progress(done, total)
    about = {
        "source": Path(index.path).name,
        "generation": index.generation,
        "vectors": str(index.info()["vectors"]["name"]),
    }
    return create(path, design, queries, lists, about)


def import_study(
    source: str | Path,
    path: str | Path,
    kind: str = "choose3",
    *,
    targets: Sequence[str] = PAPER_TARGETS,
    baselines: Sequence[str] = PAPER_BASELINES,
    seed: int = 0,
) -> Study:
    """Write a questionnaire about the suggestions in a file (``sentences.read_suggestions``)."""
    design = Design(kind, tuple(targets), tuple(baselines), seed)
    queries, lists = read_suggestions(source, design.methods)
    return create(path, design, queries, lists, {"source": Path(source).name})


def suggest(
    index: Index,
    texts: Sequence[str],
    spec: str,
    where: dict[str, str] | None,
    lengths: Lengths,
    allow_unknown: bool = False,
) -> list[list[str]]:
    """Return the best sentences of the index for each text, all different."""
    rows = index.rows("sentence")
    fit = (rows.lengths >= lengths.least) & (rows.lengths <= lengths.most)
    allowed = allowed_rows(rows, where)
    mask = fit if allowed is None else fit & allowed
    if not mask.any():
        raise InputError(
            f"No sentence of the index has {lengths.least} to {lengths.most} words"
            + (f" where {where}." if where else "."),
            "Try --longest with more words.",
        )
    method = parse(spec)
    most = int(np.count_nonzero(mask))

    def search(text: str) -> list[str]:
        query = read_query(index, method, text, allow_unknown=allow_unknown)
        wanted = 4 * SUGGESTIONS
        while True:  # copies of one sentence may fill the first places
            found = method.search(rows, query, min(wanted, most), mask)
            sentences = drop_repeats(text, [rows.text(row) for row in found.rows])
            if len(sentences) >= SUGGESTIONS or wanted >= most or len(found.rows) < wanted:
                return sentences[:SUGGESTIONS]
            wanted *= 4

    return list(map_blocks(search, texts))
