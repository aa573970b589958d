"""Which words tell one text from another: log-likelihood with effect sizes.

For a word with count a in A (of n₁ tokens) and b in B (of n₂), Dunning's (1993) ratio over the
four cells of the table word or not × A or B:

    G² = 2 Σ observed · ln(observed / expected),     χ² with one degree of freedom if A and B agree

It says how sure a difference is, not how large. That say the log ratio (Hardie 2014), how many
times the frequency doubles from B to A, and %DIFF (Gabrielatos and Marchi 2011):

    log ratio = log₂((a/n₁) / (b/n₂))      %DIFF = 100 · (a/n₁ − b/n₂) / (b/n₂)

Both have a count of 0 replaced by ½. Many words are tested at once, so p values are corrected.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.bag import Bag
from lexfield.bags.matrix import BagMatrix
from lexfield.errors import InputError, check
from lexfield.results import Table
from lexfield.text.corpus import Corpus

Correction = Literal["holm", "bh", "bonferroni", "none"]
CORRECTIONS = ("holm", "bh", "bonferroni", "none")
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeyWord:
    """A word that is more frequent in one text: ``more_in`` says in which.

    million_a, million_b: occurrences in a million tokens. p: corrected for the number of words.
    """

    word: str
    more_in: str
    count_a: int
    count_b: int
    million_a: float
    million_b: float
    g2: float
    p: float
    log_ratio: float
    diff: float


def keyness(
    a: Corpus | Bag,
    b: Corpus | Bag,
    *,
    n: int = 1,
    least: int = 5,
    correction: Correction = "holm",
    names: tuple[str, str] = ("A", "B"),
) -> Table[KeyWord]:
    """All words (or n-grams) that occur at least ``least`` times in both together, surest first.

    ``correction``: holm or bonferroni keep the chance of a single false alarm below p, bh
    (Benjamini and Hochberg) the share of false alarms; none leaves p as it is.
    """
    check(least >= 1, "least", "at least 1", least)
    check(correction in CORRECTIONS, "correction", f"one of {', '.join(CORRECTIONS)}", correction)
    counts = [_counts(text, n) for text in (a, b)]
    totals = [sum(one.values()) for one in counts]
    for name, total in zip(names, totals, strict=True):
        if not total:
            raise InputError(f"{name} has no {'words' if n == 1 else f'{n}-grams'}.")
    every = sorted(counts[0].keys() | counts[1].keys(), key=str)
    words = [word for word in every if counts[0].get(word, 0) + counts[1].get(word, 0) >= least]
    observed = np.array([[one.get(word, 0) for word in words] for one in counts], np.float64)
    observed = observed.reshape(2, len(words))
    g2 = log_likelihood(observed[0], observed[1], *totals)
    p = corrected(_tail(g2), correction)
    shares = observed / np.array(totals)[:, None]
    mended = np.maximum(observed, 0.5) / np.array(totals)[:, None]
    found = [
        KeyWord(
            str(words[i]),
            names[0] if shares[0, i] >= shares[1, i] else names[1],
            int(observed[0, i]),
            int(observed[1, i]),
            1e6 * float(shares[0, i]),
            1e6 * float(shares[1, i]),
            float(g2[i]),
            float(p[i]),
            math.log2(mended[0, i] / mended[1, i]),
            100 * float(mended[0, i] / mended[1, i] - 1),
        )
        for i in np.argsort(-g2, kind="stable").tolist()
    ]
    left = len(every) - len(words)
    notes = [f"{left:,} of {len(every):,} occur less than {least} times and are left out"]
    return Table(found, f"{names[0]} against {names[1]}", notes if left else [])


def log_likelihood(a: Floats, b: Floats, total_a: float, total_b: float) -> Floats:
    """G² of words with counts ``a`` and ``b`` in texts of so many tokens."""
    total = total_a + total_b
    both = a + b
    value = np.zeros(len(a))
    for observed, row, column in (
        (a, both, total_a),
        (b, both, total_b),
        (total_a - a, total - both, total_a),
        (total_b - b, total - both, total_b),
    ):
        some = observed > 0
        ratio = observed[some] * total / (row[some] * column)
        value[some] += 2 * observed[some] * np.log(ratio)
    return np.maximum(value, 0)  # rounding can fall below by a hair


def corrected(p: Floats, correction: Correction) -> Floats:
    """p values adjusted for their number."""
    if correction == "none" or not len(p):
        return p
    if correction == "bonferroni":
        return np.minimum(1, p * len(p))
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    if correction == "holm":
        adjusted[order] = np.maximum.accumulate(p[order] * (len(p) + 1 - ranks))
    else:
        adjusted[order] = np.minimum.accumulate((p[order] * len(p) / ranks)[::-1])[::-1]
    return np.minimum(1, adjusted)


def _tail(g2: Floats) -> Floats:
    from scipy.stats import chi2

    return np.asarray(chi2.sf(g2, 1), np.float64)


def _counts(text: Corpus | Bag, n: int) -> dict[Hashable, int]:
    bag = text if isinstance(text, Bag) else BagMatrix.of(text, n).total()
    if any(count < 0 or count != int(count) for count in bag.values()):
        raise InputError("Keyness needs counts: whole numbers that are not negative.")
    return {word: int(count) for word, count in bag.items() if count}
