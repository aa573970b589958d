"""How well a run answers its queries, by ir_measures (trec_eval's own code), and whether one run is
better than another.

    map  p@k  r@k  rprec  11pt  iprec@r  ndcg  ndcg@k  mrr

Judged queries that a run does not answer count as 0; answers to unjudged queries do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.results import Table
from lexfield.trec import Qrels, Run

DEFAULT = ("map", "p@5", "p@10", "r@10", "rprec", "11pt", "ndcg@10")
_KINDS = {"p": "P", "r": "R", "ndcg": "nDCG"}
_WHOLE = {"map": "AP", "rprec": "Rprec", "ndcg": "nDCG", "mrr": "RR"}
_FLIPS = 10_000


@dataclass(frozen=True)
class Score:
    """A measure of a run: its mean over the judged queries."""

    run: str
    measure: str
    value: float
    queries: int


@dataclass(frozen=True)
class Comparison:
    """Two runs by one measure. p values are two-sided: paired t test and randomisation test."""

    measure: str
    value: float
    other: float
    difference: float
    better: int  # queries
    worse: int
    p_t: float
    p_randomisation: float


def by_query(run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT) -> dict[str, NDArray[Any]]:
    """Each measure's value for every judged query, in the order of the qrels."""
    import ir_measures

    places = {query: place for place, query in enumerate(qrels)}
    wanted = {name: _parts(name) for name in measures}
    parts = {part: ir_measures.parse_measure(part) for some in wanted.values() for part in some}
    names = {measure: part for part, measure in parts.items()}
    values = {part: np.zeros(len(qrels)) for part in parts}
    scores = {query: dict(pairs) for query, pairs in run.queries.items()}
    judged = {query: dict(found) for query, found in qrels.items()}
    for metric in ir_measures.iter_calc(list(parts.values()), judged, scores):
        if metric.query_id in places:
            values[names[metric.measure]][places[metric.query_id]] = metric.value
    return {name: np.mean([values[part] for part in some], axis=0) for name, some in wanted.items()}


def evaluate(run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT) -> Table[Score]:
    """Means over the judged queries."""
    answered = sum(query in run.queries for query in qrels)
    notes = []
    if not answered:
        raise InputError(
            f"{run.name} answers none of the {len(qrels):,} judged queries.",
            "Check that both files name their queries alike.",
        )
    if answered < len(qrels):
        notes.append(f"{len(qrels) - answered:,} judged queries have no answer and count as 0")
    if other := len(run.queries) - answered:
        notes.append(f"{other:,} queries of the run were not judged and do not count")
    values = by_query(run, qrels, measures)
    rows = [
        Score(run.name, name, float(found.mean()), len(qrels)) for name, found in values.items()
    ]
    return Table(rows, run.name, notes)


def compare(
    run: Run, other: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT, seed: int = 0
) -> Table[Comparison]:
    """Is ``run`` better than ``other``? The chance of such a difference if neither were."""
    ours, theirs = by_query(run, qrels, measures), by_query(other, qrels, measures)
    rows = []
    for name in measures:
        gap = ours[name] - theirs[name]
        rows.append(
            Comparison(
                name,
                float(ours[name].mean()),
                float(theirs[name].mean()),
                float(gap.mean()),
                int((gap > 0).sum()),
                int((gap < 0).sum()),
                paired_t(gap),
                randomisation(gap, seed),
            )
        )
    return Table(rows, f"{run.name} against {other.name}")


def paired_t(gaps: NDArray[Any]) -> float:
    """Student's paired t test of a mean difference of zero; 1 where there is no difference."""
    from scipy.stats import ttest_1samp

    if len(gaps) < 2 or not gaps.any():
        return 1.0
    if np.ptp(gaps) == 0:
        return 0.0
    return float(ttest_1samp(gaps, 0.0).pvalue)


def randomisation(gaps: NDArray[Any], seed: int = 0) -> float:
    """Fisher's randomisation test: how often random signs give as large a mean difference."""
    moving = gaps[gaps != 0]
    if not len(moving):
        return 1.0
    observed = abs(moving.sum()) * (1 - 1e-12)
    if len(moving) <= 13:  # all signs there are
        bits = np.arange(1 << len(moving))[:, None] >> np.arange(len(moving)) & 1
        return float((np.abs((2 * bits - 1) @ moving) >= observed).mean())
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, (_FLIPS, len(moving)), np.int8) * 2 - 1
    reached = int((np.abs(signs @ moving) >= observed).sum())
    return (reached + 1) / (_FLIPS + 1)


def parse_measures(text: str) -> list[str]:
    """``"map,p@10"`` → names, each checked."""
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("No measure is named.", f"For example: {','.join(DEFAULT)}")
    for name in names:
        _parts(name)
    return list(dict.fromkeys(names))


def _parts(name: str) -> list[str]:
    """What ir_measures calls a measure; 11pt is the mean of eleven."""
    if name in _WHOLE:
        return [_WHOLE[name]]
    if name == "11pt":
        return [f"IPrec@{tenth / 10}" for tenth in range(11)]
    if match := re.fullmatch(r"(p|r|ndcg)@([1-9]\d{0,5})", name):
        return [f"{_KINDS[match[1]]}@{match[2]}"]
    if match := re.fullmatch(r"iprec@(0\.\d|1\.0|0|1)", name):
        return [f"IPrec@{float(match[1])}"]
    raise InputError(
        f"There is no measure {name!r}.",
        "There are: map, p@K, r@K, rprec, 11pt, iprec@0.1, ndcg, ndcg@K, mrr.",
    )
