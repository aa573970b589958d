"""Do the intervals of the exponent contain it? Texts drawn from known laws, beside other fits.

    python benchmarks/run.py exponent

For each law, a hundred texts of 40,000 words: how many intervals contain the exponent, and the mean
exponent by ``lexfield zipf``, by its curve through the observed ranks, and by the line in logs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded

LAWS = ((1.0, 0.0, 20_000), (1.2, 0.0, 50_000), (1.5, 0.0, 100_000), (1.1, 2.7, 50_000))
TEXTS, WORDS = 100, 40_000


def run(data: Path) -> dict[str, Any]:
    return {"laws": [measure(*law) for law in LAWS], "texts": TEXTS, "words": WORDS}


def measure(exponent: float, shift: float, vocabulary: int) -> dict[str, Any]:
    from lexfield.ranks.exponent import estimate_exponent
    from lexfield.ranks.fit import fit_line, fit_mandelbrot

    rng = np.random.default_rng(12)
    shares = (np.arange(1.0, vocabulary + 1) + shift) ** -exponent
    inside, found, curves, lines = 0, [], [], []
    for _ in range(TEXTS):
        counts = rng.multinomial(WORDS, shares / shares.sum())
        counts = np.sort(counts[counts > 0])[::-1]
        one = estimate_exponent(counts)
        assert one is not None
        inside += one.interval[0] <= exponent <= one.interval[1]
        found.append(one.value)
        curves.append(fit_mandelbrot(counts).parameters["alpha"])
        lines.append(-fit_line(counts).parameters["slope"])
    return {
        "intervals_with_the_truth": inside,
        "exponent": exponent,
        "shift": shift,
        "vocabulary": vocabulary,
        "estimate": rounded(float(np.mean(found))),
        "curve": rounded(float(np.mean(curves))),
        "line": rounded(float(np.mean(lines))),
    }
