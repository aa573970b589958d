"""Every measure in one table: its formula, how it is computed for many texts, and its range.

With p and q the relative frequencies of two texts (natural logarithms throughout):

    KL         Σ p ln(p/q)
    Rényi-α    ln(Σ p^α q^(1−α)) / (α − 1)
    JS         ½ KL(p‖m) + ½ KL(q‖m),  m = (p + q)/2
    Hellinger  √(1 − Σ √(p q)),  which is a distance

KL and Rényi need q > 0 wherever p > 0; see ``smoothing.py``. The estimators for clouds are in
``knn.py``; Delta, its relatives and min–max are in ``delta.py``.

To add a measure of word counts, register a function of two arrays of frequencies:

    def total_variation(p, q):
        return abs(p - q) / 2

    MEASURES.register("total_variation", total_variation)

p and q hold the frequencies of all words of the two texts, in the same order; each sums to 1. The
function returns the value, or one part per word: then the value is their sum, and the parts explain
it. NaN means that there is no value, and a note says so. A package can name the function in the
entry point group ``lexfield.measures`` instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from lexfield.arrays import Array
from lexfield.compare import delta, knn
from lexfield.compare.count_table import CountTable, Measure
from lexfield.compare.smoothing import (
    BLOCK,
    Matrix,
    find_entropy,
    multiply,
    replace_data,
    sum_rows,
)
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.errors import check
from lexfield.registry import Registry

Formula: TypeAlias = Callable[[Array, Array], Array | float]
_STEEP = 2.0  # orders of Rényi up to which sums of powers keep their digits
_NEAR_ONE = 1e-5  # KL is also the mean of Rényi at α = 1 ± this


def find_measure(name: str) -> Measure:
    """Return a measure by name. Raise InputError if there is none."""
    found = MEASURES.get(name)
    if isinstance(found, Measure):
        return found
    formula = found

    def find_parts(p: Array, q: Array, alpha: float) -> Array:
        value = formula(p, q)
        parts = np.asarray(value)
        is_number = parts.dtype.kind in "biuf" and parts.shape in ((), p.shape)
        expected = "a number, or a part per word"
        check(is_number, f"What the measure {name!r} returns", expected, value)
        return parts.astype(np.float64)

    return Measure(name, find_parts, least=-math.inf)


def _hellinger_parts(p: Array, q: Array, alpha: float) -> Array:
    """Each word's term of the square, divided by the value."""
    squares = (np.sqrt(p) - np.sqrt(q)) ** 2 / 2
    value = math.sqrt(float(squares.sum()))
    return np.asarray(squares / value if value else squares)


def _compute_hellinger(table: CountTable) -> Matrix:
    p, q = table.find_frequencies()
    affinity = multiply(replace_data(p, np.sqrt(p.data)), replace_data(q, np.sqrt(q.data)))
    return np.sqrt(np.clip(1 - affinity, 0, 1))


def _js_parts(p: Array, q: Array, alpha: float) -> Array:
    m = (p + q) / 2
    halves = [np.where(x > 0, x * np.log(x / m), 0) for x in (p, q)]
    return np.asarray((halves[0] + halves[1]) / 2)


def _compute_js(table: CountTable) -> Matrix:
    p, q = table.find_frequencies()
    half_p, half_q = replace_data(p, p.data / 2), replace_data(q, q.data / 2)
    rows = (half_p.indptr, half_p.indices, half_p.data)
    own_p, own_q = (replace_data(h, h.data * np.log(h.data)) for h in (half_p, half_q))

    def compute_block(start: int) -> Matrix:
        halves = np.asarray(half_q[start : start + BLOCK].T.toarray())
        logs = np.asarray(own_q[start : start + BLOCK].T.toarray())
        out = np.zeros((p.shape[0], halves.shape[1]))
        _add_shared_words(rows, own_p.data, halves, logs, out)
        return out

    # Σ m ln m over the words of either text; without shared words, the sums of the two halves
    mixed = np.hstack(list(map_blocks(compute_block, range(0, q.shape[0], BLOCK))))
    mixed += sum_rows(own_p)[:, None] + sum_rows(own_q)[None, :]
    own = -(find_entropy(p)[:, None] + find_entropy(q)[None, :]) / 2
    return np.clip(own - mixed, 0, np.log(2))


@kernel
def _add_shared_words(rows: Any, logs: Array, other: Array, others: Array, out: Array) -> None:
    """Add (a+b) ln(a+b) − a ln a − b ln b for shared words, a and b half their frequencies."""
    starts, words, halves = rows
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            a, word = halves[at], words[at]
            for column in range(other.shape[1]):
                b = other[word, column]
                if b > 0:
                    c = a + b
                    out[row, column] += c * np.log(c) - logs[at] - others[word, column]


def _kl_parts(p: Array, q: Array, alpha: float) -> Array:
    return np.where((p > 0) & (q > 0), p * np.log(p / q), 0)


def _compute_kl(table: CountTable) -> Matrix:
    """Σ p ln p − Σ p ln q, over shared words or the whole vocabulary.

    On shared words p and q are divided by their sums P and Q there: Σ p ln(p/q) / P + ln(Q/P).
    """
    p, q = table.smooth()
    if table.smoothing.kind == "shared":
        own = replace_data(p.on, p.on.data * np.log(p.on.data))
        shared = multiply(own, replace_data(q.on, np.ones(q.on.nnz)))
        shared -= multiply(p.on, replace_data(q.on, np.log(q.on.data)))
        p_sum, q_sum = table.find_shared_masses()
        with np.errstate(divide="ignore", invalid="ignore"):  # infinite if no word is shared
            value = shared / p_sum + np.log(q_sum / p_sum)
        return np.where(p_sum > 0, np.maximum(value, 0), np.inf)
    used = q.word > 0
    log_word = np.log(q.word[used])
    # off its words q is text × word: the sum as if q had no words, and what its words change
    extra_p = replace_data(p.on, p.on.data - p.off())
    extra_q = replace_data(q.on, np.log(q.on.data) - np.log(q.off()))
    word = np.where(used, np.log(np.where(used, q.word, 1)), 0)
    plain = p.text * (p.word[used] @ log_word) + extra_p @ word
    cross = plain[:, None] + np.log(q.text)[None, :]
    cross += multiply(extra_p, extra_q) + np.outer(p.text, extra_q @ p.word)
    own = p.text * np.log(p.text) * p.word.sum() + p.text * (p.word[used] @ log_word)
    on, off = p.on.data, p.off()
    own += sum_rows(replace_data(p.on, on * np.log(on) - off * np.log(off)))
    return np.asarray(own[:, None] - cross)


def _renyi_parts(p: Array, q: Array, alpha: float) -> Array:
    """Each word's term of 1 − Σ p^α q^(1−α) with the sign of the value; large sums are scaled."""
    logs = alpha * np.log(p) + (1 - alpha) * np.log(q)
    logs = np.where((p > 0) & (q > 0), logs, -np.inf)
    top = max(float(logs.max()), 0.0) if alpha > _STEEP else 0.0
    sign = 1 if alpha < 1 else -1
    return np.asarray((p * math.exp(-top) - np.exp(logs - top)) * sign)


def _compute_renyi(table: CountTable) -> Matrix:
    """ln Σ p^α q^(1−α), over shared words or the whole vocabulary, divided by α − 1."""
    alpha = table.alpha
    if alpha > _STEEP:
        return _compute_steep_renyi(table)
    p, q, beta = *table.smooth(), 1 - alpha
    if table.smoothing.kind == "shared":
        total = multiply(replace_data(p.on, p.on.data**alpha), replace_data(q.on, q.on.data**beta))
        return _finish_shared_renyi(table, total, np.log)
    used = p.word > 0
    word_p = np.where(used, p.word**alpha, 0)
    word_q = np.where(used, np.where(used, q.word, 1) ** beta, 0)
    extra_p = replace_data(p.on, p.on.data**alpha - p.off() ** alpha)
    extra_q = replace_data(q.on, q.on.data**beta - q.off() ** beta)
    total = np.outer(p.text**alpha, q.text**beta) * (word_p @ word_q)
    total += np.outer(p.text**alpha, extra_q @ word_p) + np.outer(extra_p @ word_q, q.text**beta)
    return np.asarray(np.log(total + multiply(extra_p, extra_q)) / (alpha - 1))


def _compute_steep_renyi(table: CountTable) -> Matrix:
    """The same where powers would overflow or cancel: by logarithms, over the words of both."""
    from scipy.special import logsumexp

    left, right = table.smooth()
    alpha = table.alpha
    values = np.empty((len(left.text), len(right.text)))
    for start in range(0, len(right.text), BLOCK):
        q = right.to_dense(slice(start, start + BLOCK))
        for row in range(len(left.text)):
            p = left.to_dense(slice(row, row + 1)).ravel()
            mine = p > 0
            both = q[:, mine] > 0
            logs = np.log(np.where(both, q[:, mine], 1.0))
            powers = np.where(both, alpha * np.log(p[mine]) + (1 - alpha) * logs, -np.inf)
            values[row, start : start + BLOCK] = (
                logsumexp(powers, axis=1) if mine.any() else -np.inf
            )
    if table.smoothing.kind == "shared":
        return _finish_shared_renyi(table, values, np.asarray)
    return np.where(np.isfinite(values), values / (alpha - 1), np.inf)


def _finish_shared_renyi(table: CountTable, total: Matrix, log: Callable[..., Matrix]) -> Matrix:
    """Return Rényi's divergence on shared words, where p and q are divided by their sums, from
    Σ p^α q^(1−α). It is infinite if no word is shared."""
    p_sum, q_sum = table.find_shared_masses()
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = log(total) - table.alpha * np.log(p_sum) - (1 - table.alpha) * np.log(q_sum)
    return np.where(p_sum > 0, np.maximum(logs / (table.alpha - 1), 0), np.inf)


def _make_delta(title: str, compute: Callable[[Matrix, Matrix], Matrix], most: float) -> Measure:
    """Return a measure of standardised frequencies. Two texts alone have none, and no parts."""

    def compute_table(table: CountTable) -> Matrix:
        return compute(*delta.standardise(table.left, table.right, table.known, table.types))

    return Measure(title, delta.refuse_parts, compute_table, is_standardised=True, most=most)


MEASURES: Registry[Measure | Formula] = Registry(
    "measure",
    "lexfield.measures",
    {
        "kl": Measure(
            "Kullback–Leibler divergence",
            _kl_parts,
            _compute_kl,
            knn.estimate_kl,
            orders=lambda alpha, limit: () if limit else (1 + _NEAR_ONE, 1 - _NEAR_ONE),
            is_logarithmic=True,
            is_smoothed=True,
        ),
        "js": Measure(
            "Jensen–Shannon divergence",
            _js_parts,
            _compute_js,
            knn.estimate_js,
            uses_mixture=True,
            is_logarithmic=True,
            most=math.log(2),
            range="between 0 and ln 2",
        ),
        "renyi": Measure(
            "Rényi divergence",
            _renyi_parts,
            _compute_renyi,
            knn.estimate_renyi,
            orders=lambda alpha, limit: (alpha,),
            is_additive=False,
            is_logarithmic=True,
            is_smoothed=True,
        ),
        "hellinger": Measure(
            "Hellinger distance",
            _hellinger_parts,
            _compute_hellinger,
            knn.estimate_hellinger,
            orders=lambda alpha, limit: (0.5,),
            most=1.0,
            range="between 0 and 1",
        ),
        "minmax": Measure(
            "min–max (Ružička) distance",
            delta.find_minmax_parts,
            lambda table: delta.compute_minmax(*table.find_frequencies()),
            most=1.0,
            range="between 0 and 1",
        ),
        "delta": _make_delta("Burrows’ Delta", delta.compute_delta, math.inf),
        "cosine-delta": _make_delta("cosine Delta", delta.compute_cosine_delta, 2.0),
        "eder-delta": _make_delta("Eder’s Delta", delta.compute_eder_delta, math.inf),
        "quadratic-delta": _make_delta("quadratic Delta", delta.compute_quadratic_delta, math.inf),
    },
)
