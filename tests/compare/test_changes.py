"""Changes of hand beside every possible sequence."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from lexfield.compare.changes import find_changes


def test_changes_are_the_best_sequence() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.full(3, 0.4), 6)

    def value(path: tuple[int, ...]) -> float:
        steps = sum(a != b for a, b in pairwise(path))
        return float(np.log(np.maximum(p[np.arange(6), path], 1e-12)).sum() - 3 * steps)

    best = max(product(range(3), repeat=6), key=value)
    assert value(tuple(find_changes(p))) == pytest.approx(value(best))
