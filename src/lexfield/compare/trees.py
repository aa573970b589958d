"""Documents as trees: one dendrogram, or the consensus of many, and the network of neighbours.

A dendrogram joins the two nearest groups of documents again and again, nearness being Ward's: the
usual choice in stylometry, although it assumes Euclidean distances.

A dendrogram of one list of frequent words can owe a group to chance. So, as in Eder's bootstrap
consensus tree (2013), trees are made for many lists: the 100 most frequent words, some more, and so
on. A group of documents that more than half of the trees contain is part of the consensus tree
(majority rule: Margush and McMorris 1981); its support is the share of the trees. Two such groups
are never in conflict: some tree contains both.

The network (Eder 2017) joins each document with its nearest three in every one of the comparisons;
the nearest gets weight 3, the second 2, the third 1, and weights add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.counts import Counts
from lexfield.compare.delta import FREQUENT, choose_types
from lexfield.compare.estimate import check_rankable
from lexfield.compare.hubs import correct_hubs
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import compare_count_rows
from lexfield.errors import check
from lexfield.progress import Progress, silent

Matrix = NDArray[np.float64]
FEWEST_WORDS = 100  # in the first of many comparisons
_WEIGHTS = (3, 2, 1)  # of the nearest, the second and the third


@dataclass(frozen=True)
class Node:
    """A leaf (``leaf`` is its document) or a group. ``children`` are places in the list of nodes;
    ``height`` is where it is joined, ``support`` the share of trees that contain it."""

    children: tuple[int, ...] = ()
    leaf: int | None = None
    height: float = 0.0
    support: float | None = None


@dataclass(frozen=True)
class Tree:
    """Nodes, children before parents, the root last; ``order`` lists documents as they are drawn.

    ``made_of``: the numbers of words behind each of the trees of a consensus; none otherwise.
    """

    nodes: list[Node]
    order: list[int]
    made_of: tuple[int, ...] = ()


def symmetric(matrix: Matrix) -> Matrix:
    """Return the mean of both directions, shifted so that the least is 0."""
    both = (check_rankable(matrix) + matrix.T) / 2
    top = both[np.isfinite(both)].max(initial=0.0)
    both = np.where(np.isfinite(both), both, 2 * top)
    others = ~np.eye(len(both), dtype=bool)
    both = both - min(0.0, float(both[others].min(initial=0.0)))
    np.fill_diagonal(both, 0)
    return np.asarray(both)


def link(matrix: Matrix, ordered: bool = True) -> Array:
    """Return SciPy's linkage by Ward's method; ``ordered`` puts similar leaves side by side."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    distances = squareform(symmetric(matrix), checks=False)
    ordered = ordered and len(matrix) <= 1500  # takes the square of the number, and more
    return np.asarray(linkage(distances, "ward", optimal_ordering=ordered))


def make_dendrogram(matrix: Matrix) -> Tree:
    """Return the tree of a matrix of distances."""
    from scipy.cluster.hierarchy import leaves_list

    joined = link(matrix)
    nodes = [Node(leaf=leaf) for leaf in range(len(matrix))]
    for left, right, height, _ in joined.tolist():
        nodes.append(Node((int(left), int(right)), height=height))
    return Tree(nodes, leaves_list(joined).tolist())


@dataclass(frozen=True)
class Consensus:
    """What many comparisons agree on: a tree, and how often documents are each other's nearest."""

    tree: Tree
    links: Matrix


def find_consensus(
    counts: Counts, options: ComparisonOptions, trees: int, progress: Progress = silent
) -> Consensus:
    """Compare documents by more and more of their most frequent types: from 100, or half of them if
    that is less, to ``options.mfw``. If there are too few types, there are fewer trees."""
    check(trees >= 2, "consensus", "at least 2 trees", trees)
    rows = np.arange(len(counts.ids))
    most = len(choose_types(counts.matrix, options.mfw or FREQUENT, options.culling))
    sizes = np.unique(
        np.linspace(min(FEWEST_WORDS, -(-most // 2)), most, trees).astype(int)
    ).tolist()
    times: Counter[int] = Counter()
    links = np.zeros((len(rows), len(rows)))
    for number, size in enumerate(sizes, 1):
        chosen = replace(options, mfw=size)
        matrix = compare_count_rows(counts, chosen, rows, rows)
        if options.hubs:
            matrix = correct_hubs(matrix, rows, options.hubs)
        both = symmetric(matrix)
        times.update(_list_groups(link(both, ordered=False)))
        links += _weigh_nearest(both)
        progress(number, len(sizes))
    reference = make_dendrogram(both).order
    groups = {group: n / len(sizes) for group, n in times.items() if 2 * n > len(sizes)}
    tree = _build(groups, reference)
    return Consensus(replace(tree, made_of=tuple(sizes)), links)


def _list_groups(joined: Array) -> list[int]:
    """Return the groups that a tree contains, without single leaves and the root: numbers whose
    bits stand for documents."""
    groups = [1 << leaf for leaf in range(len(joined) + 1)]
    for left, right in joined[:, :2].astype(int).tolist():
        groups.append(groups[left] | groups[right])
    return groups[len(joined) + 1 : -1]


def _weigh_nearest(distances: Matrix) -> Matrix:
    """Return the weights of links from each document to its nearest, in both directions."""
    others = np.where(np.eye(len(distances), dtype=bool), np.inf, distances)
    near = np.argsort(others, axis=1, kind="stable")
    weights = np.zeros_like(distances)
    for rank, weight in enumerate(_WEIGHTS[: len(distances) - 1]):
        weights[np.arange(len(near)), near[:, rank]] += weight
    return np.asarray(weights + weights.T)


def _build(groups: dict[int, float], reference: list[int]) -> Tree:
    """Return the tree of groups that are never in conflict, leaves ordered as in another tree."""
    place = {leaf: number for number, leaf in enumerate(reference)}
    nodes = [Node(leaf=leaf) for leaf in range(len(reference))]
    tops = {1 << leaf: leaf for leaf in range(len(reference))}  # groups without a parent: nodes
    first = {1 << leaf: place[leaf] for leaf in place}
    everyone = (1 << len(reference)) - 1
    for group in [*sorted(groups, key=lambda one: (one.bit_count(), one)), everyone]:
        inside = sorted((one for one in tops if one & group == one), key=first.__getitem__)
        children = tuple(tops.pop(one) for one in inside)
        first[group] = first[inside[0]]
        height = 1 + max(nodes[child].height for child in children)
        nodes.append(Node(children, height=height, support=groups.get(group)))
        tops[group] = len(nodes) - 1
    return Tree(nodes, _order_leaves(nodes))


def _order_leaves(nodes: list[Node]) -> list[int]:
    """Return the documents from the first child of the root to the last."""
    waiting, order = [len(nodes) - 1], []
    while waiting:
        node: Any = nodes[waiting.pop()]
        if node.leaf is not None:
            order.append(node.leaf)
        waiting.extend(reversed(node.children))
    return order
