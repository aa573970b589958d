"""The bounds of Word Mover's Distance never exceed it."""

from __future__ import annotations

import numpy as np
import pytest
from ot.lp import emd2

from lexfield.search.wmd import bound_transport, measure_costs


@pytest.mark.parametrize("seed", range(20))
def test_flows_within_both_shares_cost_no_more_than_the_transport(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 12, 2).tolist()
    left, right = rng.dirichlet(np.ones(m)), rng.dirichlet(np.ones(n))
    vectors = rng.normal(size=(m, 5)), rng.normal(size=(n, 5)).astype(np.float32)
    costs = measure_costs(*vectors)
    assert costs == pytest.approx(np.linalg.norm(vectors[0][:, None] - vectors[1][None], axis=2))
    bound, exact = bound_transport(costs, left, right), emd2(left, right, costs)
    relaxed = max(left @ costs.min(axis=1), right @ costs.min(axis=0))
    assert relaxed - 1e-12 <= bound <= exact + 1e-12
