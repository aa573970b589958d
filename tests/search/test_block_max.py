"""Block-max pruning returns what adding up every list returns, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.search.block_max import BlockSums, Lists, ValueList

ROWS = 20_000


def add_up(lists: Lists, among: Array | None) -> Array:
    """Return the sums of all rows, in the order of the lists; -inf for rows to leave out."""
    sums = np.zeros(ROWS)
    for weight, one in lists:
        sums[one.rows] += weight * one.values
    out = sums == 0 if among is None else (sums == 0) | ~among
    sums[out] = -np.inf
    return sums


@pytest.mark.parametrize("seed", range(12))
def test_highest_sums_equal_those_of_all_lists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(int(rng.integers(1, 9))):
        holding = int(10 ** rng.uniform(0, 4))
        rows = np.sort(rng.choice(ROWS, holding, replace=False)).astype(np.int32)
        values = rng.random(holding) + 1e-3
        if seed % 3 == 0:
            values = np.ceil(3 * values) / 7  # ties
        lists.append((float(rng.integers(1, 4)), ValueList.of(rows, values)))
    among = rng.random(ROWS) < 0.3 if seed % 2 else None
    expected = add_up(lists, among)
    sums = BlockSums(ROWS, lists, among)
    for k in (1, 5, 100, 3000):
        found, scores = sums.find_highest(k)
        best = top_k(expected, k)
        assert found.tolist() == best.tolist()
        assert scores.tolist() == expected[best].tolist()
    floor = float(np.sort(expected)[-50])
    if floor > 0:
        found, scores = sums.find_over(floor)
        assert found.tolist() == np.flatnonzero(expected >= floor).tolist()
        assert scores.tolist() == expected[found].tolist() == sums.of(found).tolist()
        assert len(found) <= sums.count_over(floor)


def test_few_rows_and_no_lists() -> None:
    rows, scores = BlockSums(3, [], None).find_highest(5)
    assert not len(rows) and not len(scores)
    one = ValueList.of(np.array([2], np.int32), np.array([0.5]))
    rows, scores = BlockSums(3, [(2.0, one)], None).find_highest(5)
    assert (rows.tolist(), scores.tolist()) == ([2], [1.0])
