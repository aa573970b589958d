"""Measures of a run, and tests of whether one run is better than another.

    map  map@k  p@k  r@k  rprec  11pt  iprec@r  ndcg  ndcg@k  mrr  mrr@k  success@k

Other usual spellings mean the same: ``recall@100``, ``precision@5``, ``AP``, ``nDCG@10``, and those
of trec_eval, such as ``recall_100``, ``P_5`` and ``ndcg_cut_10``.

Values come from ir_measures, which runs trec_eval's own code. Judged queries that a run does not
answer count as 0; answers to queries without judgements do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.evaluate.trec import Qrels, Run
from lexfield.results import Table, pluralise

Array = NDArray[np.float64]
DEFAULT = ("map", "p@5", "p@10", "r@10", "rprec", "11pt", "ndcg@10")
_WITHOUT_CUTOFF = {
    "map": "AP", "ap": "AP", "rprec": "Rprec", "r-precision": "Rprec", "ndcg": "nDCG", "mrr": "RR",
    "rr": "RR", "recip_rank": "RR",
}  # fmt: skip
_WITH_CUTOFF = {
    "p": "P", "precision": "P", "r": "R", "recall": "R", "ndcg": "nDCG", "ndcg_cut": "nDCG",
    "map": "AP", "map_cut": "AP", "ap": "AP", "mrr": "RR", "rr": "RR", "success": "Success",
    "hit": "Success",
}  # fmt: skip
_FLIPS = 10_000


@dataclass(frozen=True)
class Score:
    """The mean of a measure over the judged queries."""

    run: str
    measure: str
    value: float
    queries: int


@dataclass(frozen=True)
class RunComparison:
    """Two runs by one measure. p values are two-sided: paired t test and randomisation test."""

    measure: str
    value: float
    other: float
    difference: float
    better: int  # queries
    worse: int
    p_t: float
    p_randomisation: float


def by_query(run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT) -> dict[str, Array]:
    """Return the values of each measure for every judged query, in the order of the qrels."""
    import ir_measures

    rows = {query: row for row, query in enumerate(qrels)}
    parts = {
        name: [ir_measures.parse_measure(part) for part in _components(name)] for name in measures
    }
    values = {part: np.zeros(len(qrels)) for some in parts.values() for part in some}
    scores = {query: dict(pairs) for query, pairs in run.queries.items()}
    judged = {query: dict(documents) for query, documents in qrels.items()}
    for metric in ir_measures.iter_calc(list(values), judged, scores):
        if metric.query_id in rows:
            values[metric.measure][rows[metric.query_id]] = metric.value
    return {name: np.mean([values[part] for part in some], axis=0) for name, some in parts.items()}


def evaluate(run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT) -> Table[Score]:
    """Return the mean of each measure over the judged queries."""
    answered = sum(query in run.queries for query in qrels)
    if not answered:
        raise InputError(
            f"{run.name} answers none of the judged queries.",
            "Check that both files use the same ids for queries.",
        )
    notes = []
    if answered < len(qrels):
        one = "judged query has no answer and counts as 0"
        several = "judged queries have no answer and count as 0"
        notes.append(pluralise(len(qrels) - answered, one, several))
    if other := len(run.queries) - answered:
        one = "query of the run was not judged and does not count"
        several = "queries of the run were not judged and do not count"
        notes.append(pluralise(other, one, several))
    notes += _note_foreign_ids(run, qrels)
    rows = [
        Score(run.name, name, float(values.mean()), len(qrels))
        for name, values in by_query(run, qrels, measures).items()
    ]
    return Table(rows, run.name, notes)


def _note_foreign_ids(run: Run, qrels: Qrels) -> list[str]:
    """Return a note if no judged document occurs in the run: its ids may be of another kind."""
    found = [id for query in qrels for id, _ in run.queries.get(query, ())]
    judged = {id for documents in qrels.values() for id in documents}
    if not found or not judged or not judged.isdisjoint(found):
        return []
    note = (
        f"no judged document occurs in the run, so every value is 0: its ids are like {found[0]!r},"
        f" those of the judgements like {min(judged)!r}"
    )
    is_sentence = found[0].rpartition("#")[0] in judged
    return [f"{note}; search for documents, not sentences" if is_sentence else note]


def compare(
    run: Run, other: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT
) -> Table[RunComparison]:
    """Test whether ``run`` and ``other`` differ."""
    ours, theirs = by_query(run, qrels, measures), by_query(other, qrels, measures)
    rows = []
    for name in measures:
        gaps = ours[name] - theirs[name]
        rows.append(
            RunComparison(
                name,
                float(ours[name].mean()),
                float(theirs[name].mean()),
                float(gaps.mean()),
                int((gaps > 0).sum()),
                int((gaps < 0).sum()),
                paired_t(gaps),
                randomisation(gaps),
            )
        )
    return Table(rows, f"{run.name} against {other.name}")


def paired_t(gaps: Array) -> float:
    """Return the p value of Student's paired t test; 1 if there is no difference."""
    from scipy.stats import ttest_1samp

    if len(gaps) < 2 or not gaps.any():
        return 1.0
    if np.ptp(gaps) == 0:
        return 0.0
    return float(ttest_1samp(gaps, 0.0).pvalue)


def randomisation(gaps: Array) -> float:
    """Return the p value of Fisher's randomisation test.

    It is the share of random signs whose mean difference is as large as the observed one. Up to 13
    differences, all signs are tried.
    """
    moving = gaps[gaps != 0]
    if not len(moving):
        return 1.0
    observed = abs(moving.sum()) * (1 - 1e-12)
    if len(moving) <= 13:
        bits = np.arange(1 << len(moving))[:, None] >> np.arange(len(moving)) & 1
        return float((np.abs((2 * bits - 1) @ moving) >= observed).mean())
    rng = np.random.default_rng(0)
    signs = rng.integers(0, 2, (_FLIPS, len(moving)), np.int8) * 2 - 1
    reached = int((np.abs(signs @ moving) >= observed).sum())
    return (reached + 1) / (_FLIPS + 1)


def parse_measures(text: str) -> list[str]:
    """Parse ``"map,p@10"``. Raise InputError if a measure is unknown."""
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("No measure is named.", f"For example: {','.join(DEFAULT)}")
    for name in names:
        _components(name)
    return list(dict.fromkeys(names))


def _components(name: str) -> list[str]:
    """Return the names that ir_measures uses; 11pt is the mean of eleven."""
    if name in _WITHOUT_CUTOFF:
        return [_WITHOUT_CUTOFF[name]]
    if name == "11pt":
        return [f"IPrec@{tenth / 10}" for tenth in range(11)]
    if match := re.fullmatch(rf"({'|'.join(_WITH_CUTOFF)})[@_]([1-9]\d{{0,5}})", name):
        return [f"{_WITH_CUTOFF[match[1]]}@{match[2]}"]
    if match := re.fullmatch(r"iprec@(0\.\d|1\.0|0|1)", name):
        return [f"IPrec@{float(match[1])}"]
    raise InputError(
        f"There is no measure {name!r}.",
        "There are: map, map@K, p@K, recall@K, rprec, 11pt, iprec@0.1, ndcg, ndcg@K, mrr, mrr@K"
        " and success@K.",
    )
