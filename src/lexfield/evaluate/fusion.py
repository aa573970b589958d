"""Fusion of rankings: Comb* of Shaw and Fox (1994) and reciprocal rank fusion.

The normalised scores s₁ … s_m of a document in the m lists that contain it are combined as

    min, max, sum
    anz  Σ s / m         the mean
    mnz  Σ s · m
    rrf  Σ 1 / (60 + rank), ignoring scores (Cormack, Clarke and Büttcher 2009)

Scores are normalised per list by ``minmax``, (s − min) / (max − min) (eq. 8 of Krstovski et al.),
or by ``rank``, 1 − (rank − 1) / retrieved (eq. 9).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lexfield.errors import InputError, check, shorten
from lexfield.evaluate.trec import Run
from lexfield.results import Table

HOW = ("min", "max", "sum", "anz", "mnz", "rrf")
NORMALISE = ("rank", "minmax", "none")
RRF_CONSTANT = 60


@dataclass(frozen=True)
class Part:
    """The rank and score of a document in one list, and what they add to the fused score."""

    list: str
    rank: int
    score: float
    normalised: float
    contribution: float


@dataclass(frozen=True)
class FusedHit:
    """A document in the fused ranking, and what each list adds to its score."""

    rank: int
    id: Any
    score: float
    parts: tuple[Part, ...]


class Fused(Table[FusedHit]):
    """The fused ranking, best first; ties keep the order of the lists."""

    @property
    def ids(self) -> list[Any]:
        return [hit.id for hit in self]


def fuse(
    rankings: Sequence[object],
    how: str = "mnz",
    *,
    normalise: str = "rank",
    names: Sequence[str] | None = None,
) -> Fused:
    """Fuse rankings: results of ``Index.search``, pairs (id, score) best first, or {id: score}.

    >>> fuse([[("a", 9.0), ("b", 5.0)], [("b", 0.7)]], "sum", normalise="rank").ids
    ['b', 'a']
    """
    check(how in HOW, "how", " or ".join(map(repr, HOW)), how)
    check(normalise in NORMALISE, "normalise", " or ".join(map(repr, NORMALISE)), normalise)
    if not rankings:
        raise InputError("There is nothing to fuse.", "Give at least one ranking.")
    names = list(names or [getattr(r, "method", f"list {i}") for i, r in enumerate(rankings, 1)])
    check(len(names) == len(rankings), "names", f"{len(rankings)} names", len(names))
    parts_of: dict[Hashable, list[Part]] = {}
    for name, ranking in zip(names, rankings, strict=True):
        pairs = _read_pairs(ranking, name)
        values = _normalise([score for _, score in pairs], normalise)
        for rank, ((identity, score), value) in enumerate(zip(pairs, values, strict=True), 1):
            share = 1 / (RRF_CONSTANT + rank) if how == "rrf" else value
            parts_of.setdefault(identity, []).append(Part(name, rank, score, value, share))
    scored = [
        (identity, math.fsum(part.contribution for part in parts), parts)
        for identity, listed in parts_of.items()
        for parts in [_weigh(listed, how)]
    ]
    scored.sort(key=lambda entry: -entry[1])  # stable: ties keep the order of the lists
    hits = [FusedHit(rank, *entry) for rank, entry in enumerate(scored, 1)]
    return Fused(hits, f"{how} of {', '.join(names)} ({normalise}): {len(hits):,} documents")


def fuse_runs(
    runs: Sequence[Run], how: str = "mnz", *, normalise: str = "rank"
) -> dict[str, Fused]:
    """Fuse runs query by query; a query that only some runs have is fused from those."""
    queries = dict.fromkeys(query for run in runs for query in run.queries)
    return {
        query: fuse(
            [run.queries[query] for run in runs if query in run.queries],
            how,
            normalise=normalise,
            names=[run.name for run in runs if query in run.queries],
        )
        for query in queries
    }


def _read_pairs(ranking: object, name: str) -> list[tuple[Hashable, float]]:
    if isinstance(ranking, Mapping):
        pairs = sorted(ranking.items(), key=lambda pair: -pair[1])
    elif isinstance(ranking, Iterable) and not isinstance(ranking, str):
        try:
            pairs = [
                (item.id, item.score) if hasattr(item, "score") else (item[0], float(item[1]))
                for item in ranking
            ]
        except (TypeError, ValueError, IndexError, KeyError) as error:
            raise InputError(f"{name} does not consist of pairs of an id and a score.") from error
    else:
        raise InputError(
            f"{name} must be a ranking: hits, pairs (id, score) or {{id: score}}."
            f" Got {shorten(repr(ranking), 60)} instead."
        )
    if any(not math.isfinite(score) for _, score in pairs):
        raise InputError(f"{name} contains a score that is not a finite number.")
    if len({identity for identity, _ in pairs}) < len(pairs):
        raise InputError(f"{name} contains a document twice.")
    return pairs


def _normalise(scores: list[float], normalise: str) -> list[float]:
    if normalise == "none" or not scores:
        return scores
    if normalise == "rank":
        return [1 - place / len(scores) for place in range(len(scores))]
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _weigh(parts: list[Part], how: str) -> tuple[Part, ...]:
    """Return the parts with contributions that sum to the fused score."""
    if how in ("sum", "rrf"):
        return tuple(parts)
    if how in ("min", "max"):
        values = [part.contribution for part in parts]
        chosen = values.index(min(values) if how == "min" else max(values))
        factors = [float(i == chosen) for i in range(len(parts))]
    else:
        factors = [len(parts) if how == "mnz" else 1 / len(parts)] * len(parts)
    return tuple(
        Part(part.list, part.rank, part.score, part.normalised, part.contribution * factor)
        for part, factor in zip(parts, factors, strict=True)
    )
