"""Nearest neighbours in the probability simplex.

    certified  exact, with a proof: ``topics/certified.py``
    scan       exact: computes every row

Any other structure can supply candidates (``Candidates``), which are then ordered by the requested
measure; ``reproduce/approximate.py`` has k-d trees, hashing and faiss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.errors import InputError, check
from lexfield.topics.certified import CertifiedSearch
from lexfield.topics.kernels import HELLINGER_SQUARED, JS, KL, divergences
from lexfield.topics.mixtures import check_mixture, check_mixtures, check_width

MEASURES = {"js": JS, "hellinger": HELLINGER_SQUARED, "he": HELLINGER_SQUARED, "kl": KL}
METHODS = ("certified", "scan")
_BLOCK = 16  # queries per task
_MANY = 1000  # for more neighbours every row is computed: few could be left out


class Candidates(Protocol):
    """An approximate structure over √p.

    Since h² = ½ |√p − √q|², Euclidean neighbours of square roots are Hellinger neighbours.
    """

    def candidates(self, roots: Array, k: int) -> Array:
        """Return rows that are probably among the ``k`` nearest to √q, in any order."""


@dataclass(frozen=True)
class Certificate:
    """Why a result can be trusted.

    candidates: the number of rows whose distance was computed, of ``rows``.
    kth: the distance of the last row returned.
    bound: no row that was not computed can be nearer than this; None if nothing is known.
    exact: whether the result is proved to be exact: ``bound`` is at least ``kth``.
    """

    method: str
    rows: int
    candidates: int
    kth: float | None
    bound: float | None
    exact: bool

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


class Nearest(NamedTuple):
    """Rows, nearest first and ties by row, their distances, and the certificate.

    For several queries rows and distances have a line per query (padded with -1 and infinity where
    fewer than k were found), and there is a list of certificates.
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]
    certificate: Any  # a Certificate, or a list of them


class Neighbours:
    """``Neighbours(mixtures).query(q, k=10, measure="js")`` → rows, distances, certificate.

    mixtures: a row per document, each a distribution (see ``check_mixtures``).
    method: one of ``METHODS``, or a function that builds ``Candidates`` from the square roots of
        the mixtures.
    """

    def __init__(
        self, mixtures: ArrayLike, method: str | Callable[[Array], Candidates] = "certified"
    ) -> None:
        self._approximate: Candidates | None = None
        self._certified: CertifiedSearch | None = None
        if isinstance(method, str):
            check(method in METHODS, "method", " or ".join(map(repr, METHODS)), method)
        self.mixtures, self.notes = check_mixtures(mixtures)
        if not isinstance(method, str):
            self._approximate = method(np.sqrt(self.mixtures))
            method = type(self._approximate).__name__
        elif method == "certified":
            self._certified = CertifiedSearch(self.mixtures)
        self.method = method

    def __len__(self) -> int:
        return len(self.mixtures)

    @property
    def topics(self) -> int:
        return int(self.mixtures.shape[1])

    def query(
        self, q: ArrayLike, k: int = 10, measure: str = "js", *, allowed: ArrayLike | None = None
    ) -> Nearest:
        """Return the ``k`` rows nearest to a mixture, or to each of several.

        measure: js, hellinger, he or kl (of q from the row; only scan, and certified, which then
            scans). allowed: a boolean per row; the others are skipped.
        """
        check(measure in MEASURES, "measure", " or ".join(map(repr, MEASURES)), measure)
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        mask = None if allowed is None else np.asarray(allowed, bool)
        if mask is not None:
            check(len(mask) == len(self), "allowed", f"{len(self)} truth values", len(mask))
        k = min(int(k), len(self))
        array = np.asarray(q)
        if array.ndim == 1:
            return self._query(check_mixture(array, self.topics, "the query"), k, measure, mask)
        queries, _ = check_mixtures(array, "the queries")
        check_width(queries.shape[1], self.topics, "the query")
        return self._query_many(queries.astype(np.float64), k, measure, mask)

    def _query_many(self, queries: Array, k: int, measure: str, allowed: Array | None) -> Nearest:
        rows = np.full((len(queries), k), -1, np.int64)
        distances = np.full((len(queries), k), np.inf)
        blocks = [queries[i : i + _BLOCK] for i in range(0, len(queries), _BLOCK)]

        def query_block(block: Array) -> list[Nearest]:
            return [self._query(q, k, measure, allowed) for q in block]

        results = [nearest for part in map_blocks(query_block, blocks) for nearest in part]
        for place, nearest in enumerate(results):
            rows[place, : len(nearest.rows)] = nearest.rows
            distances[place, : len(nearest.rows)] = nearest.distances
        return Nearest(rows, distances, [nearest.certificate for nearest in results])

    def _query(self, q: Array, k: int, measure: str, allowed: Array | None) -> Nearest:
        if self._approximate is not None:
            return self._rank(q, k, measure, self._candidates(q, k, measure, allowed), exact=False)
        if self._certified is None or measure == "kl" or k > _MANY:
            everything = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
            return self._rank(q, k, measure, everything, exact=True)
        rows, values, computed, bound = self._certified.query(q, k, MEASURES[measure], allowed)
        distances = _to_distance(np.append(values, bound), measure)
        kth = float(distances[-2]) if len(rows) else None
        lowest = float(distances[-1])
        exact = kth is None or lowest >= kth
        proof = Certificate(self.method, len(self), int(computed), kth, lowest, exact)
        return Nearest(rows, distances[:-1], proof)

    def _candidates(self, q: Array, k: int, measure: str, allowed: Array | None) -> Array:
        if measure == "kl":
            raise InputError(
                f"{self.method} finds neighbours by Hellinger, which says nothing about KL.",
                "Use the method 'scan', or the measure 'js'.",
            )
        assert self._approximate is not None
        # JS orders rows a little differently from Hellinger, so more than k are reordered.
        wanted = k if measure in ("hellinger", "he") else 4 * k + 10
        if allowed is not None:
            wanted *= int(np.ceil(len(self) / max(1, int(allowed.sum()))))
        rows = self._approximate.candidates(np.sqrt(q), min(wanted, len(self)))
        return rows if allowed is None else rows[allowed[rows]]

    def _rank(self, q: Array, k: int, measure: str, rows: Array, *, exact: bool) -> Nearest:
        """Order rows by their true distance."""
        rows = np.asarray(rows, np.int64)
        values = divergences(MEASURES[measure], q, self.mixtures, rows)
        order = np.lexsort((rows, values))[:k]
        distances = _to_distance(values[order], measure)
        kth = float(distances[-1]) if len(distances) else None
        bound = float("inf") if exact else None
        proof = Certificate(self.method, len(self), len(rows), kth, bound, exact)
        return Nearest(rows[order], distances, proof)


def _to_distance(values: Array, measure: str) -> Array:
    """Convert the kernel's h² to the requested measure."""
    if measure == "hellinger":
        return np.sqrt(np.maximum(values, 0))
    return 2 * values if measure == "he" else values
