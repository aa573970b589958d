"""Nearest neighbours in the probability simplex, by six methods with one contract.

    certified  exact, and proves it: ``topics/certified.py``
    scan       exact: every row
    kdtree     scipy's k-d tree over √p, approximate by ``eps`` (the paper's second method)
    lsh        p-stable hashing of √p: ``topics/lsh.py`` (its first)
    ivf, hnsw  faiss over √p

Since h² = ½ |√p − √q|², a Euclidean neighbour of square roots is a Hellinger neighbour. The last
four find candidates so; candidates are then ordered by the measure that was asked for.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import cores, map_blocks
from lexfield.errors import InputError, check, need
from lexfield.topics.mixtures import checked, one, same_topics

MEASURES = {"js": 0, "hellinger": 1, "he": 1, "kl": 2}  # → the kernel's number
OPTIONS = {
    "certified": (),
    "scan": (),
    "kdtree": ("eps",),
    "lsh": ("radius", "delta", "seed"),
    "ivf": ("probes", "cells"),
    "hnsw": ("effort", "links", "building"),
}
METHODS = tuple(OPTIONS)
_BLOCK = 16  # queries a task
_MOST = 1000  # for more neighbours everything is computed: little could be left out

Array = NDArray[Any]


@dataclass(frozen=True)
class Certificate:
    """Why an answer can be trusted.

    candidates: rows whose distance was computed, of ``rows``.
    kth: distance of the last row given.
    bound: no row that was not computed can be nearer than this; none where nothing is known.
    exact: the answer is proved: ``bound`` is at least ``kth``.
    """

    method: str
    rows: int
    candidates: int
    kth: float | None
    bound: float | None
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Nearest(NamedTuple):
    """Rows, nearest first and ties by row, their distances, and the certificate.

    For many queries at once rows and distances have a line a query (-1 and infinity where fewer
    than k were found), and there is a certificate for each.
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]
    certificate: Any


class Candidates(Protocol):
    """What an approximate structure does: rows that may be near √q, in any order."""

    def candidates(self, roots: Array, k: int) -> Array: ...


class Neighbours:
    """``Neighbours(mixtures).query(q, k=10, measure="js")`` → rows, distances, certificate.

    mixtures: a row a document, each a distribution (``mixtures.checked`` says what is refused).
    options: ``eps`` for kdtree; ``radius``, ``delta``, ``seed`` for lsh; ``probes`` for ivf;
        ``effort`` for hnsw.
    """

    def __init__(self, mixtures: Any, method: str = "certified", **options: Any) -> None:
        check(method in METHODS, "method", " or ".join(map(repr, METHODS)), method)
        for name in options:
            known = ", ".join(OPTIONS[method]) or "none"
            if name not in OPTIONS[method]:
                raise InputError(f"{method} has no option {name!r}.", f"It has: {known}.")
        self.mixtures, self.notes = checked(mixtures)
        self.method = method
        self._certified: Any = None
        self._approximate: Candidates | None = None
        if method == "certified":
            from lexfield.topics.certified import CertifiedSearch

            self._certified = CertifiedSearch(self.mixtures)
        elif method != "scan":
            self._approximate = _structure(method, np.sqrt(self.mixtures), options)

    def __len__(self) -> int:
        return len(self.mixtures)

    def query(
        self, q: Any, k: int = 10, measure: str = "js", *, allowed: Array | None = None
    ) -> Nearest:
        """The ``k`` rows nearest to a mixture, or to each of several.

        measure: js, hellinger, he or kl (of q from the row; only scan and certified, which then
            scans). allowed: a truth value a row; others are passed over.
        """
        check(measure in MEASURES, "measure", " or ".join(map(repr, MEASURES)), measure)
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        if allowed is not None:
            allowed = np.asarray(allowed, bool)
            check(len(allowed) == len(self), "allowed", f"{len(self)} truth values", len(allowed))
        k = min(int(k), len(self))
        array = np.asarray(q)
        if array.ndim == 1:
            return self._one(one(array, self.topics, "the query"), k, measure, allowed)
        queries, _ = checked(array, "the queries")
        same_topics(queries.shape[1], self.topics, "the query")
        return self._many(queries.astype(np.float64), k, measure, allowed)

    @property
    def topics(self) -> int:
        return int(self.mixtures.shape[1])

    def _many(self, queries: Array, k: int, measure: str, allowed: Array | None) -> Nearest:
        rows = np.full((len(queries), k), -1, np.int64)
        distances = np.full((len(queries), k), np.inf)
        blocks = [range(i, min(i + _BLOCK, len(queries))) for i in range(0, len(queries), _BLOCK)]

        def task(block: range) -> list[Nearest]:
            return [self._one(queries[i], k, measure, allowed) for i in block]

        found = [one_ for part in map_blocks(task, blocks) for one_ in part]
        for place, nearest in enumerate(found):
            rows[place, : len(nearest.rows)] = nearest.rows
            distances[place, : len(nearest.rows)] = nearest.distances
        return Nearest(rows, distances, [nearest.certificate for nearest in found])

    def _one(self, q: Array, k: int, measure: str, allowed: Array | None) -> Nearest:
        from lexfield.topics.kernels import KL

        number = MEASURES[measure]
        if self._approximate is not None:
            return self._rank(q, k, measure, self._near(q, k, measure, allowed), False)
        if self._certified is None or number == KL or k > _MOST:
            everything = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
            return self._rank(q, k, measure, everything, True)
        rows, values, looked, bound = self._certified.query(q, k, number, allowed)
        far = _as_distance(np.append(values, bound), measure)
        kth = float(far[-2]) if len(rows) else None
        exact = kth is None or bool(far[-1] >= kth)
        made = Certificate(self.method, len(self), int(looked), kth, float(far[-1]), exact)
        return Nearest(rows, far[:-1], made)

    def _near(self, q: Array, k: int, measure: str, allowed: Array | None) -> Array:
        if measure == "kl":
            raise InputError(
                f"{self.method} finds neighbours by Hellinger distance, which says nothing of KL.",
                "Use the method 'scan', or the measure 'js'.",
            )
        assert self._approximate is not None
        # JS orders a little otherwise than Hellinger: more candidates than k are ordered anew.
        wanted = k if measure in ("hellinger", "he") else 4 * k + 10
        if allowed is not None:
            wanted *= int(np.ceil(len(self) / max(1, int(allowed.sum()))))
        found = self._approximate.candidates(np.sqrt(q), min(wanted, len(self)))
        return found if allowed is None else found[allowed[found]]

    def _rank(self, q: Array, k: int, measure: str, rows: Array, exact: bool) -> Nearest:
        """Order rows by their true distance."""
        from lexfield.topics.kernels import values

        rows = np.asarray(rows, np.int64)
        found = values(MEASURES[measure], q, self.mixtures, rows)
        order = np.lexsort((rows, found))[:k]
        far = _as_distance(found[order], measure)
        kth = float(far[-1]) if len(far) else None
        bound = float("inf") if exact else None
        made = Certificate(self.method, len(self), len(rows), kth, bound, exact)
        return Nearest(rows[order], far, made)


def _as_distance(values: Array, measure: str) -> Array:
    """The kernel's h² as what was asked for."""
    if measure == "hellinger":
        return np.sqrt(np.maximum(values, 0))
    return 2 * values if measure == "he" else values


def _structure(method: str, roots: Array, options: dict[str, Any]) -> Candidates:
    from lexfield.topics.lsh import PStableHashes

    kinds = {"kdtree": KdTree, "lsh": PStableHashes, "ivf": Ivf, "hnsw": Hnsw}
    made: Candidates = kinds[method](roots, **options)
    return made


class KdTree:
    """scipy's k-d tree; a neighbour given is at most 1 + ``eps`` times as far as the true one."""

    def __init__(self, roots: Array, *, eps: float = 0.0) -> None:
        from scipy.spatial import cKDTree

        check(eps >= 0, "eps", "at least 0", eps)
        self._tree = cKDTree(roots)
        self._eps = eps

    def candidates(self, roots: Array, k: int) -> Array:
        rows: Array = self._tree.query(roots, k=np.arange(1, k + 1), eps=self._eps)[1]
        return rows


class Ivf:
    """faiss: rows in cells around centres; the ``probes`` cells nearest to the query are read."""

    def __init__(self, roots: Array, *, probes: int = 16, cells: int | None = None) -> None:
        faiss = need("faiss", "faiss")
        vectors = np.ascontiguousarray(roots, np.float32)
        cells = cells or max(1, min(int(4 * len(vectors) ** 0.5), len(vectors) // 40))
        check(probes >= 1, "probes", "at least 1", probes)
        faiss.omp_set_num_threads(cores())
        centres = faiss.IndexFlatL2(vectors.shape[1])
        self._index = faiss.IndexIVFFlat(centres, vectors.shape[1], cells)
        self._index.cp.seed = 1
        self._index.cp.niter = 10
        self._index.cp.max_points_per_centroid = 64
        self._index.cp.min_points_per_centroid = 1
        self._index.train(vectors)
        self._index.add(vectors)
        self._index.nprobe = min(probes, cells)

    def candidates(self, roots: Array, k: int) -> Array:
        rows: Array = self._index.search(roots[None].astype(np.float32), k)[1][0]
        return rows[rows >= 0]


class Hnsw:
    """faiss: a graph of near rows, walked from a fixed start with ``effort`` rows in hand."""

    def __init__(
        self, roots: Array, *, effort: int = 64, links: int = 16, building: int = 40
    ) -> None:
        faiss = need("faiss", "faiss")
        check(effort >= 1, "effort", "at least 1", effort)
        faiss.omp_set_num_threads(cores())
        self._index = faiss.IndexHNSWFlat(roots.shape[1], links)
        self._index.hnsw.efConstruction = building
        self._index.add(np.ascontiguousarray(roots, np.float32))
        self._effort = effort

    def candidates(self, roots: Array, k: int) -> Array:
        self._index.hnsw.efSearch = max(self._effort, k)
        rows: Array = self._index.search(roots[None].astype(np.float32), k)[1][0]
        return rows[rows >= 0]
