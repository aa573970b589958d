"""Distances between probability distributions, the bounds between them, and nearest neighbours.

    js          Jensen–Shannon divergence in nats (eqs. 2–3 of Krstovski et al. 2013): 0 to ln 2
    hellinger   √(½ Σ (√p − √q)²), a metric from 0 to 1; h in what follows
    he          Σ (√p − √q)², the paper's variant (eq. 4): 2 h², 0 to 2
    triangle    Σ (p − q)² / (p + q), the triangle divergence (eqs. 5–6): 0 to 2
    capacitory  KL(p‖m) + KL(q‖m) with m = (p + q)/2, Topsøe's capacitory discrimination: 2 JS
    kl          Kullback–Leibler divergence of q from p in nats; infinite where p > 0 = q

Topsøe's inequalities are ½ Δ ≤ C ≤ ln 2 · Δ (eq. 5) and He ≤ Δ ≤ 2 He (eq. 6), with C the
capacitory discrimination, so eq. 7, ½ He ≤ C ≤ 2 ln 2 · He, is a statement about C = 2 JS in nats.
``bounds`` returns what h implies for JS: ln 2 · h² ≤ JS ≤ h², both attained, which is tighter
(``docs/methods/topics.md``).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.errors import InputError, ReadError, check, need
from lexfield.topics.affinity import HELLINGER_SQUARED, JS, KL
from lexfield.topics.certified import CertifiedSearch, divergences

MEASURES = {
    "js": JS,
    "capacitory": JS,
    "hellinger": HELLINGER_SQUARED,
    "he": HELLINGER_SQUARED,
    "kl": KL,
    "triangle": None,  # no kernel: every row is computed
}
METHODS = ("certified", "scan")
TOLERANCE = 1e-6  # how far the sum of a row may be from one
_QUERIES = 16  # per task
_ROWS = 4096  # checked at a time
_MAX_BYTES = 1 << 34  # of a file of mixtures
_MANY = 1000  # for more neighbours every row is computed: few could be left out


def distance(p: ArrayLike, q: ArrayLike, measure: str = "js") -> float:
    """Return the distance between two distributions.

    >>> round(distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], "js"), 4)  # half of ln 2
    0.3466
    >>> round(distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], "hellinger"), 4)
    0.7071
    """
    check(measure in MEASURES, "measure", " or ".join(map(repr, MEASURES)), measure)
    first = check_mixture(p, what="p")
    second = check_mixture(q, len(first), "q")
    if measure == "kl":
        from scipy.special import rel_entr

        return max(0.0, float(rel_entr(first, second).sum()))
    if measure in ("js", "capacitory"):
        js = max(0.0, float(js_terms(first, second).sum()))
        return js if measure == "js" else 2 * js
    if measure == "triangle":
        return float(triangle_terms(first, second).sum())
    square = float(((np.sqrt(first) - np.sqrt(second)) ** 2).sum())
    return square if measure == "he" else float(np.sqrt(square / 2))


def js_terms(p: Array, q: Array) -> NDArray[np.float64]:
    """Return what each topic adds to the Jensen–Shannon divergence; no term is negative."""
    from scipy.special import rel_entr

    middle = (p + q) / 2
    terms: NDArray[np.float64] = (rel_entr(p, middle) + rel_entr(q, middle)) / 2
    return terms


def triangle_terms(p: Array, q: Array) -> NDArray[np.float64]:
    """Return what each topic adds to the triangle divergence; no term is negative."""
    total = np.asarray(p, np.float64) + q
    terms: NDArray[np.float64] = (p - q) ** 2 / np.where(total > 0, total, 1)
    return terms


def bounds(hellinger: float) -> tuple[float, float]:
    """Return the least and the greatest Jensen–Shannon divergence at a Hellinger distance."""
    check(0 <= hellinger <= 1, "hellinger", "from 0 to 1", hellinger)
    return float(np.log(2)) * hellinger**2, min(hellinger**2, float(np.log(2)))


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
    method: certified, exact with a proof (``topics/certified.py``), or scan, which computes every
        row. ``topics/approximate.py`` adds k-d trees, hashing and faiss.
    """

    def __init__(self, mixtures: ArrayLike, method: str = "certified") -> None:
        check(method in METHODS, "method", " or ".join(map(repr, METHODS)), method)
        self.method = method
        self.mixtures, self.notes = check_mixtures(mixtures)
        self._certified = CertifiedSearch(self.mixtures) if method == "certified" else None

    def __len__(self) -> int:
        return len(self.mixtures)

    def query(
        self, q: ArrayLike, k: int = 10, measure: str = "js", *, allowed: ArrayLike | None = None
    ) -> Nearest:
        """Return the ``k`` rows nearest to a mixture, or to each of several.

        measure: js, capacitory, hellinger or he; or triangle or kl (of q from the row), for which
            every row is computed.
        allowed: a boolean per row; the others are skipped.
        """
        check(measure in MEASURES, "measure", " or ".join(map(repr, MEASURES)), measure)
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        mask = None if allowed is None else np.asarray(allowed, bool)
        if mask is not None:
            check(len(mask) == len(self), "allowed", f"{len(self)} truth values", len(mask))
        k = min(int(k), len(self))
        topics = self.mixtures.shape[1]
        array = np.asarray(q)
        if array.ndim == 1:
            return self.find_nearest(check_mixture(array, topics, "the query"), k, measure, mask)
        checked, _ = check_mixtures(array, "the queries")
        check_width(checked.shape[1], topics, "the query")
        queries = checked.astype(np.float64)

        def query_block(start: int) -> list[Nearest]:
            block = queries[start : start + _QUERIES]
            return [self.find_nearest(q, k, measure, mask) for q in block]

        rows = np.full((len(queries), k), -1, np.int64)
        distances = np.full((len(queries), k), np.inf)
        blocks = map_blocks(query_block, range(0, len(queries), _QUERIES))
        results = [nearest for block in blocks for nearest in block]
        for place, nearest in enumerate(results):
            rows[place, : len(nearest.rows)] = nearest.rows
            distances[place, : len(nearest.rows)] = nearest.distances
        return Nearest(rows, distances, [nearest.certificate for nearest in results])

    def find_nearest(self, q: Array, k: int, measure: str, allowed: Array | None) -> Nearest:
        """Return the ``k`` rows nearest to a checked mixture."""
        kernel = MEASURES[measure]
        if self._certified is None or kernel in (KL, None) or k > _MANY:
            everything = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
            return self.rank_rows(q, k, measure, everything, exact=True)
        rows, values, computed, bound = self._certified.query(q, k, kernel, allowed)
        distances = _to_distance(np.append(values, bound), measure)
        kth = float(distances[-2]) if len(rows) else None
        lowest = float(distances[-1])
        exact = kth is None or lowest >= kth
        proof = Certificate(self.method, len(self), int(computed), kth, lowest, exact)
        return Nearest(rows, distances[:-1], proof)

    def rank_rows(self, q: Array, k: int, measure: str, rows: Array, *, exact: bool) -> Nearest:
        """Return the ``k`` nearest of some rows; ``exact`` if no other row can be nearer."""
        kernel = MEASURES[measure]
        if kernel is None:
            values = self._scan_triangle(q, rows)
        else:
            values = divergences(kernel, q, self.mixtures, rows)
        order = np.lexsort((rows, values))[:k]
        distances = _to_distance(values[order], measure)
        kth = float(distances[-1]) if len(distances) else None
        bound = float("inf") if exact else None
        proof = Certificate(self.method, len(self), len(rows), kth, bound, exact)
        return Nearest(rows[order], distances, proof)

    def _scan_triangle(self, q: Array, rows: Array) -> Array:
        parts = [
            triangle_terms(self.mixtures[rows[i : i + _ROWS]], q).sum(axis=1)
            for i in range(0, len(rows), _ROWS)
        ]
        return np.concatenate([np.empty(0), *parts])


def _to_distance(values: Array, measure: str) -> Array:
    """Convert the kernel's h² to the requested measure."""
    if measure == "hellinger":
        return np.sqrt(np.maximum(values, 0))
    return 2 * values if measure in ("he", "capacitory") else values


def check_mixtures(values: ArrayLike, what: str = "the mixtures") -> tuple[Array, list[str]]:
    """Return rows as float32 or float64 that sum to one, and a note if any had to be rescaled.

    Raise InputError for negative, missing or infinite values, rows of zeros, and sums further than
    1e-6 from one: these are not distributions, and there is no single right way to repair them.
    """
    try:
        matrix = np.asarray(values)
    except ValueError as error:
        raise InputError(f"Rows of {what} have different lengths.") from error
    if matrix.dtype.kind not in "fiu":
        raise InputError(f"{what.capitalize()} must be numbers, not {matrix.dtype}.")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise InputError(
            f"{what.capitalize()} must be a matrix with a row per document and a column per topic."
            f" Got shape {matrix.shape}."
        )
    exact = 1e-7 if matrix.dtype == np.float32 else 1e-12
    rescaled = 0
    for start in range(0, len(matrix), _ROWS):
        sums = _sum_rows(matrix[start : start + _ROWS], start, what)
        off = np.abs(sums - 1) > exact
        if off.any():
            if not rescaled:
                matrix = matrix.copy()
            rescaled += int(off.sum())
            rows = start + np.flatnonzero(off)
            matrix[rows] = matrix[rows] / sums[off, None]
    notes = []
    if rescaled:
        notes.append(
            f"{rescaled:,} rows of {what} summed to one only within 1e-6 and were rescaled"
        )
    return np.ascontiguousarray(matrix), notes


def _sum_rows(block: Array, start: int, what: str) -> NDArray[np.float64]:
    """Return the sums of rows; raise InputError for the first that is not a distribution."""
    sums: NDArray[np.float64] = block.sum(axis=1, dtype=np.float64)
    wrong = ~(np.abs(sums - 1) <= TOLERANCE) | (block < 0).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        values = block[row]
        if not np.isfinite(values).all():
            problem = "holds NaN or infinite values"
        elif (values < 0).any():
            problem = f"holds a negative value ({values.min():.4g})"
        elif not values.any():
            problem = "is all zeros: a document without words has no mixture"
        else:
            problem = f"sums to {sums[row]:.8g}"
        raise InputError(
            f"Row {start + row:,} of {what} is not a probability distribution: it {problem}.",
            "Every row must be non-negative and sum to one (within 1e-6).",
        )
    return sums


def check_mixture(
    values: ArrayLike, topics: int | None = None, what: str = "the mixture"
) -> NDArray[np.float64]:
    """Return a single mixture as float64, of ``topics`` topics if given."""
    vector = np.asarray(values)
    if vector.ndim != 1:
        raise InputError(f"{what.capitalize()} must be a row of numbers. Got shape {vector.shape}.")
    matrix, _ = check_mixtures(vector[None], what)
    check_width(matrix.shape[1], topics, what)
    mixture: NDArray[np.float64] = matrix[0].astype(np.float64)
    return mixture


def check_width(got: int, expected: int | None, what: str) -> None:
    if expected is not None and got != expected:
        raise InputError(
            f"{what.capitalize()} has {got:,} topics where {expected:,} are expected.",
            "Only mixtures over the same topics can be compared.",
        )


def read_mixtures(path: str | Path) -> tuple[Array, list[str] | None, list[str]]:
    """Read a ``.npy`` or ``.parquet`` file. Return the matrix, ids if the file has them, and notes.

    A parquet file has a column per topic and may have a column ``id`` that names the rows.
    """
    path = Path(path)
    if not path.is_file():
        raise ReadError(f"{path} does not exist.", "Check the path.")
    if path.stat().st_size > _MAX_BYTES:
        raise ReadError(f"{path} has more than {_MAX_BYTES >> 30} GB.")
    ids = None
    if path.suffix.lower() == ".npy":
        try:
            values = np.load(path, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ReadError(f"{path} cannot be read as a NumPy array: {error}.") from error
    elif path.suffix.lower() == ".parquet":
        values, ids = _read_parquet(path)
    else:
        raise ReadError(f"{path} is neither .npy nor .parquet.", "Write mixtures as one of these.")
    matrix, notes = check_mixtures(values, path.name)
    return matrix, ids, notes


def _read_parquet(path: Path) -> tuple[Array, list[str] | None]:
    parquet = need("pyarrow.parquet", "parquet")
    try:
        table = parquet.read_table(path)
        names = [name for name in table.schema.names if name != "id"]
        ids = None
        if "id" in table.schema.names:
            ids = [str(value) for value in table["id"].to_pylist()]
        return np.column_stack([table[name].to_numpy() for name in names]), ids
    except (ValueError, OSError, KeyError) as error:  # pyarrow's own errors derive from these
        raise ReadError(f"{path} cannot be read as a table of mixtures: {error}.") from error
