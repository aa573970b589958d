from __future__ import annotations

import numpy as np
from scipy.sparse import random as random_sparse

from lexfield.index.fitted import _solve


def test_conjugate_gradients_solve_the_ridge_problem() -> None:
    generator = np.random.default_rng(1)
    bag = random_sparse(60, 25, 0.2, "csr", np.float32, generator)
    target = generator.normal(size=(60, 4)).astype(np.float32)
    dense = bag.toarray()
    expected = np.linalg.solve(dense.T @ dense + 0.5 * np.eye(25), dense.T @ target)
    assert np.abs(_solve(bag, target, 0.5) - expected).max() < 1e-2
