"""Dendrograms, consensus trees and networks: against slow definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist, squareform

from lexfield.compare.counts import Counts
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.trees import Tree, find_consensus, make_dendrogram
from lexfield.errors import InputError


def list_groups(tree: Tree) -> dict[frozenset[int], float | None]:
    """The documents below every inner node but the root, and its support."""
    inside: list[frozenset[int]] = []
    found = {}
    for node in tree.nodes:
        own = [frozenset([node.leaf])] if node.leaf is not None else []
        inside.append(frozenset().union(*own, *(inside[child] for child in node.children)))
        if node.children:
            found[inside[-1]] = node.support
    del found[inside[-1]]
    return found


def make_counts(rows: int, seed: int = 0, types: int = 150) -> Counts:
    """Documents of two styles: even ones like each other, and odd ones."""
    rng = np.random.default_rng(seed)
    styles = rng.dirichlet(np.full(types, 0.5), 2)
    table = np.array([rng.multinomial(3000, styles[row % 2]) for row in range(rows)])
    return Counts(csr_matrix(table), [f"w{i}" for i in range(types)], [str(i) for i in range(rows)])


def test_a_dendrogram_joins_what_scipy_joins() -> None:
    points = np.random.default_rng(0).normal(size=(12, 3))
    tree = make_dendrogram(squareform(pdist(points)))
    groups = [frozenset([i]) for i in range(12)]
    for left, right, *_ in linkage(pdist(points), "ward"):
        groups.append(groups[int(left)] | groups[int(right)])
    assert set(list_groups(tree)) == set(groups[12:-1])
    assert sorted(tree.order) == list(range(12))
    heights = [node.height for node in tree.nodes]
    assert all(heights[child] <= node.height for node in tree.nodes for child in node.children)


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 9), st.integers(2, 12), st.integers(0, 1000))
def test_the_consensus_holds_the_groups_of_most_trees(rows: int, trees: int, seed: int) -> None:
    counts = make_counts(rows, seed)
    options = ComparisonOptions(measure="cosine-delta", mfw=140)
    found = find_consensus(counts, options, trees)
    times: dict[frozenset[int], int] = {}
    links = np.zeros((rows, rows))
    for size in found.tree.made_of:
        z = counts.matrix.toarray() / counts.totals[:, None]
        order = np.argsort(-counts.matrix.toarray().sum(axis=0), kind="stable")[:size]
        z = z[:, order]
        z = z[:, z.std(axis=0) > 0]
        z = (z - z.mean(axis=0)) / z.std(axis=0, ddof=1)
        far = squareform(pdist(z, "cosine"))
        for group in list_groups(make_dendrogram(far)):
            times[group] = times.get(group, 0) + 1
        for row in range(rows):
            near = sorted((other for other in range(rows) if other != row),
                          key=lambda other: (far[row, other], other))  # fmt: skip
            for other, weight in zip(near, (3, 2, 1), strict=False):
                links[row, other] += weight
                links[other, row] += weight
    made = len(found.tree.made_of)
    want = {group: n / made for group, n in times.items() if 2 * n > made}
    assert list_groups(found.tree) == pytest.approx(want)
    assert found.links == pytest.approx(links)
    assert sorted(found.tree.order) == list(range(rows))
    for a, b in combinations(want, 2):
        assert not a & b or a <= b or b <= a


def test_styles_are_separated_and_supported() -> None:
    found = find_consensus(make_counts(10), ComparisonOptions(measure="delta", hubs="centre"), 10)
    groups = list_groups(found.tree)
    even = frozenset(range(0, 10, 2))
    assert groups[even] == 1.0
    assert found.tree.made_of[0] == 75 < found.tree.made_of[-1] == 149
    assert found.links[0, 1] == 0 < found.links[0].max()
    with pytest.raises(InputError, match="at least 2 trees"):
        find_consensus(make_counts(5), ComparisonOptions(measure="delta"), 1)
