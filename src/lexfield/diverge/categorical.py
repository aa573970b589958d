"""Divergences of counts, for all rows of one matrix against all rows of another.

With p and q the relative frequencies of two texts (natural logarithms throughout):

    KL         Σ p ln(p/q)
    Rényi-α    ln(Σ p^α q^(1−α)) / (α − 1)
    JS         ½ KL(p‖m) + ½ KL(q‖m),  m = (p + q)/2
    Hellinger  √(1 − Σ √(p q)),  which is a distance

KL and Rényi need q > 0 wherever p > 0. ``smoothing`` says how:

    shared       sum over the words both texts hold, as Hare et al. do; what that ignores is told
    additive(λ)  (c + λ) / (n + λV), V the types of all texts
    jm(λ)        (1−λ) c/n + λ g, g the frequencies of the whole collection (Jelinek–Mercer)

Smoothed frequencies are a sparse part on the words of a text, and off it a number of the text times
a number of the word; so every sum over the vocabulary is one sparse product and a few sums.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError, check

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]
MEASURES = ("kl", "js", "renyi", "hellinger")
_STEEP = 2.0  # orders of Rényi up to which sums of powers keep their digits
_BLOCK = 64  # rows of the second matrix that are dense at a time
_SPEC = re.compile(r"(shared)|(additive|jm)(?:\(\s*([0-9.eE+-]+)\s*\))?")
_DEFAULTS = {"additive": 0.1, "jm": 0.5}


@dataclass(frozen=True)
class Smoothing:
    """How words that a text lacks are treated; made by ``smoothing_of``."""

    kind: str
    amount: float = 0.0


def smoothing_of(spec: str) -> Smoothing:
    """``"shared"``, ``"additive(0.1)"`` or ``"jm(0.5)"``."""
    match = _SPEC.fullmatch(spec.strip())
    if not match:
        raise InputError(
            f"{spec!r} is no smoothing.", "Write shared, additive, additive(0.1), jm or jm(0.5)."
        )
    if match[1]:
        return Smoothing("shared")
    try:
        amount = float(match[3]) if match[3] else _DEFAULTS[match[2]]
    except ValueError:
        amount = float("nan")
    top = 1.0 if match[2] == "jm" else float("inf")
    check(0 < amount < top, f"the amount of {match[2]}", f"over 0 and under {top:g}", match[3])
    return Smoothing(match[2], amount)


def entropy(counts: csr_matrix) -> Matrix:
    """−Σ p ln p of each row, in nats."""
    p = _frequencies(counts)
    return -_sums(_with(p, p.data * np.log(p.data)))


def divergences(
    left: csr_matrix,
    right: csr_matrix,
    measure: str,
    *,
    smoothing: str = "jm",
    alpha: float = 0.5,
    collection: NDArray[Any] | None = None,
) -> Matrix:
    """``measure`` of every row of ``left`` against every row of ``right``, in nats.

    ``collection`` holds the counts behind ``jm``; by default those of both matrices.
    """
    check(measure in MEASURES, "measure", f"one of {', '.join(MEASURES)}", measure)
    how = smoothing_of(smoothing)
    for matrix in (left, right):
        if (np.asarray(matrix.sum(axis=1)).ravel() == 0).any():
            raise InputError("A text without words has no divergence.", "Leave it out.")
    p, q = _frequencies(left), _frequencies(right)
    if measure == "hellinger":
        return hellinger(p, q)
    if measure == "js":
        return _jensen_shannon(p, q)
    if measure == "renyi":
        check(alpha > 0 and alpha != 1, "alpha", "over 0 and not 1", alpha)
    if how.kind == "shared" and (measure == "kl" or alpha <= _STEEP):
        values = _shared(p, q, None if measure == "kl" else alpha)
    elif how.kind == "shared":
        values = _steep_renyi(p, q, alpha, lambda rows: np.asarray(rows.toarray()))
    else:
        both = np.asarray(left.sum(axis=0)).ravel() + np.asarray(right.sum(axis=0)).ravel()
        words = both if collection is None else np.asarray(collection, np.float64)
        words = np.where((words == 0) & (both > 0), 1, words)  # so rare that it was not met
        if measure == "renyi" and alpha > _STEEP:
            return _steep_renyi(left, right, alpha, lambda rows: smoothed(rows, how, words))
        a, b = (_smoothed(counts, how, words) for counts in (left, right))
        values = _kl(a, b) if measure == "kl" else _renyi(a, b, alpha)
    return values


def smoothed(counts: csr_matrix, how: Smoothing, collection: NDArray[Any]) -> Matrix:
    """Smoothed frequencies in full, for a few rows."""
    side = _smoothed(counts, how, np.asarray(collection, np.float64))
    return np.asarray(np.outer(side.text, side.word) + _with(side.on, side.on.data - side.off()))


def shared_mass(left: csr_matrix, right: csr_matrix) -> Matrix:
    """The share of each left text that lies on words the right text holds too."""
    p = _frequencies(left)
    return _product(p, _with(right, np.ones(len(right.data))))


def hellinger(p: csr_matrix, q: csr_matrix) -> Matrix:
    affinity = _product(_with(p, np.sqrt(p.data)), _with(q, np.sqrt(q.data)))
    return np.sqrt(np.clip(1 - affinity, 0, 1))


def _shared(p: csr_matrix, q: csr_matrix, alpha: float | None) -> Matrix:
    if alpha is None:
        ones = _with(q, np.ones(len(q.data)))
        logs = _with(q, np.log(q.data))
        return _product(_with(p, p.data * np.log(p.data)), ones) - _product(p, logs)
    total = _product(_with(p, p.data**alpha), _with(q, q.data ** (1 - alpha)))
    with np.errstate(divide="ignore"):  # no word in common: as different as can be
        return np.where(total > 0, np.log(total) / (alpha - 1), np.inf)


@dataclass(frozen=True)
class _Side:
    """Smoothed frequencies: ``on`` where the text has the word, ``text`` × ``word`` elsewhere."""

    on: csr_matrix
    text: Matrix
    word: Matrix

    def off(self) -> Matrix:
        """What each entry of ``on`` would be if the text lacked the word."""
        off: Matrix = np.repeat(self.text, np.diff(self.on.indptr)) * self.word[self.on.indices]
        return off


def _smoothed(counts: csr_matrix, how: Smoothing, collection: Matrix) -> _Side:
    totals = np.asarray(counts.sum(axis=1)).ravel().astype(np.float64)
    used = collection > 0
    if how.kind == "additive":
        text = how.amount / (totals + how.amount * used.sum())
        word = used.astype(np.float64)
        own = text / how.amount
    else:
        text = np.full(len(totals), how.amount)
        word = collection / collection.sum()
        own = (1 - how.amount) / totals
    side = _Side(counts, text, word)
    data = counts.data * np.repeat(own, np.diff(counts.indptr)) + side.off()
    return _Side(_with(counts, data), text, word)


def _kl(p: _Side, q: _Side) -> Matrix:
    """Σ p ln p − Σ p ln q over the whole vocabulary."""
    used = q.word > 0
    log_word = np.log(q.word[used])
    # off its words q is text × word: the sum as if q held none, and what its words change
    extra_p = _with(p.on, p.on.data - p.off())
    extra_q = _with(q.on, np.log(q.on.data) - np.log(q.off()))
    word = np.where(q.word > 0, np.log(np.where(used, q.word, 1)), 0)
    plain = p.text * (p.word[used] @ log_word) + extra_p @ word
    cross = plain[:, None] + np.log(q.text)[None, :]
    cross += _product(extra_p, extra_q) + np.outer(p.text, extra_q @ p.word)
    own = p.text * np.log(p.text) * p.word.sum() + p.text * (p.word[used] @ log_word)
    on, off = p.on.data, p.off()
    own += _sums(_with(p.on, on * np.log(on) - off * np.log(off)))
    values: Matrix = own[:, None] - cross
    return values


def _renyi(p: _Side, q: _Side, alpha: float) -> Matrix:
    """ln Σ p^α q^(1−α) over the whole vocabulary, over α − 1."""
    beta = 1 - alpha
    used = p.word > 0
    word_p = np.where(used, p.word**alpha, 0)
    word_q = np.where(used, np.where(used, q.word, 1) ** beta, 0)
    extra_p = _with(p.on, p.on.data**alpha - p.off() ** alpha)
    extra_q = _with(q.on, q.on.data**beta - q.off() ** beta)
    total = np.outer(p.text**alpha, q.text**beta) * (word_p @ word_q)
    total += np.outer(p.text**alpha, extra_q @ word_p) + np.outer(extra_p @ word_q, q.text**beta)
    values: Matrix = np.log(total + _product(extra_p, extra_q)) / (alpha - 1)
    return values


def _steep_renyi(
    left: csr_matrix, right: csr_matrix, alpha: float, dense: Callable[[csr_matrix], Matrix]
) -> Matrix:
    """The same where powers would overflow or cancel: by logarithms, over the words of both."""
    from scipy.special import logsumexp

    values = np.empty((left.shape[0], right.shape[0]))
    for start in range(0, right.shape[0], _BLOCK):
        q = dense(right[start : start + _BLOCK])
        for row in range(left.shape[0]):
            p = dense(left[row]).ravel()
            mine = p > 0
            both = q[:, mine] > 0
            logs = np.log(np.where(both, q[:, mine], 1.0))
            powers = np.where(both, alpha * np.log(p[mine]) + (1 - alpha) * logs, -np.inf)
            total = logsumexp(powers, axis=1) if mine.any() else np.full(len(q), -np.inf)
            far = np.where(np.isfinite(total), total / (alpha - 1), np.inf)
            values[row, start : start + _BLOCK] = far
    return values


def _jensen_shannon(p: csr_matrix, q: csr_matrix) -> Matrix:
    half_p, half_q = _with(p, p.data / 2), _with(q, q.data / 2)
    own_p, own_q = (_with(h, h.data * np.log(h.data)) for h in (half_p, half_q))
    starts = range(0, q.shape[0], _BLOCK)

    def block(start: int) -> Matrix:
        halves = np.asarray(half_q[start : start + _BLOCK].T.toarray())
        logs = np.asarray(own_q[start : start + _BLOCK].T.toarray())
        out = np.zeros((p.shape[0], halves.shape[1]))
        _mixed(half_p.indptr, half_p.indices, half_p.data, own_p.data, halves, logs, out)
        return out

    # Σ m ln m over the words of either; without shared words it is the two halves' own sums
    mixed = np.hstack(list(map_blocks(block, starts)))
    mixed += _sums(own_p)[:, None] + _sums(own_q)[None, :]
    own = -(entropy(p)[:, None] + entropy(q)[None, :]) / 2
    return np.clip(own - mixed, 0, np.log(2))


@kernel
def _mixed(
    indptr: Any, indices: Any, halves: Any, logs: Any, other: Any, other_logs: Any, out: Any
) -> Any:
    """For shared words (a+b) ln(a+b) − a ln a − b ln b, a and b half their frequencies."""
    for row in range(len(indptr) - 1):
        for at in range(indptr[row], indptr[row + 1]):
            a, word = halves[at], indices[at]
            for column in range(other.shape[1]):
                b = other[word, column]
                if b > 0:
                    c = a + b
                    out[row, column] += c * np.log(c) - logs[at] - other_logs[word, column]


def _frequencies(counts: csr_matrix) -> csr_matrix:
    from scipy.sparse import csr_matrix

    counts = csr_matrix(counts)
    counts.eliminate_zeros()
    totals = np.asarray(counts.sum(axis=1)).ravel().astype(np.float64)
    return _with(counts, counts.data / np.repeat(totals, np.diff(counts.indptr)))


def _with(matrix: csr_matrix, data: NDArray[Any]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    return csr_matrix((data, matrix.indices, matrix.indptr), matrix.shape)


def _sums(matrix: csr_matrix) -> Matrix:
    return np.asarray(matrix.sum(axis=1)).ravel()


def _product(left: csr_matrix, right: csr_matrix) -> Matrix:
    """``left @ right.T`` as a dense matrix: quick because the inner loop runs over full rows."""
    starts = range(0, right.shape[0], _BLOCK)
    parts = map_blocks(partial(_part, left, right), starts)
    return np.hstack([np.zeros((left.shape[0], 0)), *parts])


def _part(left: csr_matrix, right: csr_matrix, start: int) -> Matrix:
    dense = np.asarray(right[start : start + _BLOCK].T.toarray())
    return np.asarray(left @ dense)
