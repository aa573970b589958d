"""The bounds of Word Mover's Distance never exceed it, and a search finds the nearest rows."""

from __future__ import annotations

import numpy as np
import pytest
from ot.lp import emd2

from lexfield.search import wmd
from lexfield.search.index import Index
from lexfield.search.wmd import bound_transport, measure_costs
from lexfield.text.corpus import Corpus


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


@pytest.fixture(scope="module")
def index(sample: Corpus) -> Index:
    return Index(sample)


@pytest.mark.parametrize("text", ["The boat came home before the storm.", "tide", "a sleepy cat"])
def test_every_way_to_choose_rows_finds_the_nearest(
    index: Index, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = index.rows()
    problem = wmd._Problem(rows, index.query(text))
    known = np.flatnonzero(problem.bound(np.arange(len(rows))) < np.inf)
    expected = sorted((problem.solve(row)[0], row) for row in known.tolist())[:7]
    for first, part, share in [(64, 1 << 17, 0.5), (1, 13, 0.0), (1, 13, 1e9), (1 << 30, 50, 0.0)]:
        monkeypatch.setattr(wmd, "_FIRST", first)
        monkeypatch.setattr(wmd, "_PART", part)
        monkeypatch.setattr(wmd, "_SHARE", share)
        found = index.search(text, "wmd", 7)
        assert [*zip((-score for score in found.scores), found.rows, strict=True)] == expected
