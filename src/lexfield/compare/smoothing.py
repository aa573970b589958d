"""Frequencies of words, smoothed where a measure needs q > 0 wherever p > 0.

    shared       only the words of both texts, their frequencies divided by their sum, as in the
                 code of Hare et al.; a note says what is ignored
    additive(λ)  (c + λ) / (n + λV), V the number of types in all texts
    jm(λ)        (1−λ) c/n + λ g, g the frequencies in the whole collection (Jelinek–Mercer)

A smoothed frequency is a sparse part on the words of the text, and elsewhere a number that belongs
to the text times a number that belongs to the word. So every sum over the vocabulary is one sparse
product and a few sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.errors import InputError, check
from lexfield.specs import parse_spec

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]
BLOCK = 64  # rows of the second matrix that are dense at a time
_DEFAULTS = {"additive": 0.1, "jm": 0.5}


@dataclass(frozen=True)
class Smoothing:
    """How to treat words that a text lacks; made by ``parse_smoothing``."""

    kind: str
    amount: float = 0.0


@lru_cache
def parse_smoothing(text: str) -> Smoothing:
    """Return the smoothing of ``"shared"``, ``"additive(0.1)"`` or ``"jm(0.5)"``."""
    hint = "Write shared, additive, additive(0.1), jm or jm(0.5)."
    try:
        spec = parse_spec(text, "smoothing")
    except InputError as error:
        raise InputError(error.message, hint) from None
    most = 1 if spec.name in _DEFAULTS else 0
    if spec.name not in ("shared", *_DEFAULTS) or len(spec.values) > most or spec.parameters:
        raise InputError(f"There is no smoothing {text!r}.", hint)
    if spec.name == "shared":
        return Smoothing("shared")
    try:
        amount = float(spec.values[0]) if spec.values else _DEFAULTS[spec.name]
    except ValueError:
        amount = float("nan")
    top = 1.0 if spec.name == "jm" else float("inf")
    check(0 < amount < top, f"the amount of {spec.name}", f"over 0 and under {top:g}", text)
    return Smoothing(spec.name, amount)


@dataclass(frozen=True)
class SmoothedTexts:
    """Smoothed frequencies: ``on`` where the text has the word, ``text`` × ``word`` elsewhere."""

    on: csr_matrix
    text: Matrix
    word: Matrix

    def off(self) -> Matrix:
        """Return what each entry of ``on`` would be if the text lacked the word."""
        off: Matrix = np.repeat(self.text, np.diff(self.on.indptr)) * self.word[self.on.indices]
        return off

    def to_dense(self, rows: slice = slice(None)) -> Matrix:
        part = SmoothedTexts(self.on[rows], self.text[rows], self.word)
        if not part.text.any():  # not smoothed
            return np.asarray(part.on.toarray())
        extra = replace_data(part.on, part.on.data - part.off())
        return np.asarray(np.outer(part.text, part.word) + extra)


def smooth(counts: csr_matrix, smoothing: Smoothing, collection: Array) -> SmoothedTexts:
    """Smooth the frequencies of every row; ``collection`` holds the counts of all texts."""
    if smoothing.kind == "shared":
        on = find_frequencies(counts)
        return SmoothedTexts(on, np.zeros(on.shape[0]), np.zeros(on.shape[1]))
    collection = np.asarray(collection, np.float64)
    totals = np.asarray(counts.sum(axis=1)).ravel().astype(np.float64)
    used = collection > 0
    if smoothing.kind == "additive":
        text = smoothing.amount / (totals + smoothing.amount * used.sum())
        word = used.astype(np.float64)
        own = text / smoothing.amount
    else:
        text = np.full(len(totals), smoothing.amount)
        word = collection / collection.sum()
        own = (1 - smoothing.amount) / np.maximum(totals, 1)  # a text without words has no data
    off = SmoothedTexts(counts, text, word).off()
    data = counts.data * np.repeat(own, np.diff(counts.indptr)) + off
    return SmoothedTexts(replace_data(counts, data), text, word)


def find_frequencies(counts: csr_matrix) -> csr_matrix:
    """Divide each count by the total of its row."""
    from scipy.sparse import csr_matrix

    counts = csr_matrix(counts)
    counts.eliminate_zeros()
    totals = np.asarray(counts.sum(axis=1)).ravel().astype(np.float64)
    return replace_data(counts, counts.data / np.repeat(totals, np.diff(counts.indptr)))


def replace_data(matrix: csr_matrix, data: Array) -> csr_matrix:
    """Return a matrix with the same places and other values."""
    from scipy.sparse import csr_matrix

    return csr_matrix((data, matrix.indices, matrix.indptr), matrix.shape)


def sum_rows(matrix: csr_matrix) -> Matrix:
    return np.asarray(matrix.sum(axis=1)).ravel()


def multiply(left: csr_matrix, right: csr_matrix) -> Matrix:
    """Return ``left @ right.T``. Blocks are dense, as the inner loop then runs over full rows."""

    def multiply_block(start: int) -> Matrix:
        return np.asarray(left @ np.asarray(right[start : start + BLOCK].T.toarray()))

    parts = map_blocks(multiply_block, range(0, right.shape[0], BLOCK))
    return np.hstack([np.zeros((left.shape[0], 0)), *parts])


def find_entropy(counts: csr_matrix) -> Matrix:
    """Return −Σ p ln p of each row, in nats."""
    p = find_frequencies(counts)
    return -sum_rows(replace_data(p, p.data * np.log(p.data)))


def find_shared_mass(left: csr_matrix, right: csr_matrix) -> Matrix:
    """Return the share of each left text that lies on words of the right text."""
    return multiply(find_frequencies(left), replace_data(right, np.ones(len(right.data))))
