"""Words that distinguish one text from another: log-likelihood with effect sizes.

For a word with count a in A (of n₁ tokens) and b in B (of n₂), Dunning's (1993) log-likelihood
ratio over the four cells of the table (word or another word) × (A or B) is

    G² = 2 Σ observed · ln(observed / expected),     χ² with one degree of freedom if A and B agree

It measures how certain a difference is, not how large. Effect sizes are the log ratio (Hardie
2014), how many times the frequency doubles from B to A, and %DIFF (Gabrielatos and Marchi 2011):

    log ratio = log₂((a/n₁) / (b/n₂))      %DIFF = 100 · (a/n₁ − b/n₂) / (b/n₂)

For both, a count of 0 is replaced by ½. p values are corrected for the number of words tested.
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
from lexfield.errors import InputError
from lexfield.results import Table
from lexfield.text.corpus import Corpus

Correction = Literal["holm", "bh", "bonferroni", "none"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeyWord:
    """A word and how its frequency differs; ``more_in`` names the text in which it is higher.

    million_a, million_b: occurrences per million tokens. p: corrected for the number of words.
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
) -> Table[KeyWord]:
    """Return all words (or n-grams) with a joint count of at least ``least``, by falling G².

    ``correction``: holm and bonferroni bound the chance of any false positive, bh (Benjamini and
    Hochberg) bounds the share of false positives, none leaves p unchanged.
    """
    from scipy.special import chdtrc

    counts = [_count(text, n) for text in (a, b)]
    totals = [sum(one.values()) for one in counts]
    for name, total in zip("AB", totals, strict=True):
        if not total:
            raise InputError(f"{name} has no {'words' if n == 1 else f'{n}-grams'}.")
    every = sorted(counts[0].keys() | counts[1].keys(), key=str)
    words = [word for word in every if counts[0].get(word, 0) + counts[1].get(word, 0) >= least]
    observed = np.array([[one.get(word, 0) for word in words] for one in counts], np.float64)
    observed = observed.reshape(2, len(words))
    g2 = dunning_g2(observed[0], observed[1], *totals)
    p = correct_p_values(np.asarray(chdtrc(1, np.maximum(g2, 0)), np.float64), correction)
    shares = observed / np.array(totals)[:, None]
    ratios = np.maximum(observed, 0.5) / np.array(totals)[:, None]
    ratios = ratios[0] / ratios[1]
    rows = [
        KeyWord(
            str(words[i]),
            "A" if shares[0, i] >= shares[1, i] else "B",
            int(observed[0, i]),
            int(observed[1, i]),
            1e6 * float(shares[0, i]),
            1e6 * float(shares[1, i]),
            float(g2[i]),
            float(p[i]),
            math.log2(ratios[i]),
            100 * float(ratios[i] - 1),
        )
        for i in np.argsort(-g2, kind="stable").tolist()
    ]
    rare = len(every) - len(words)
    kind = "words" if n == 1 else f"{n}-grams"
    notes = [f"{rare:,} of {len(every):,} {kind} occur fewer than {least} times and are left out"]
    return Table(rows, "A against B", notes if rare else [])


def dunning_g2(a: Floats, b: Floats, total_a: float, total_b: float) -> Floats:
    """Return G² of words with counts ``a`` and ``b`` in texts with these totals."""
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
    return np.maximum(value, 0)  # rounding can make it slightly negative


def correct_p_values(p: Floats, correction: Correction) -> Floats:
    """Return p values adjusted for their number."""
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


def _count(text: Corpus | Bag, n: int) -> dict[Hashable, int]:
    bag = text if isinstance(text, Bag) else BagMatrix.of(text, n).total()
    if any(count < 0 or count != int(count) for count in bag.values()):
        raise InputError("Keyness needs counts: whole numbers of at least 0.")
    return {word: int(count) for word, count in bag.items() if count}
