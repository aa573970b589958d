"""Trees of documents, with a name on every leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.trees import Tree
from lexfield.errors import list_names
from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.plots.groups import Groups
from lexfield.plots.names import shorten_name
from lexfield.plots.svg_page import make_svg_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MIXED = COLOURS[-1]  # branches with documents of several groups
_LONGEST = 60  # characters of a name
_MANY = 120  # leaves from which on they are closer together


def draw_tree(tree: Tree, names: Sequence[str], groups: Groups, title: str) -> Picture:
    """Draw a dendrogram or a consensus tree; as a page, documents and groups can be pointed at."""
    return Picture(
        lambda: _draw(tree, names, groups, title),
        lambda drawn: make_svg_page(title, drawn.figure, _describe(tree, names, groups)),
    )


def place_nodes(tree: Tree) -> Array:
    """Return the height at which each node is drawn: leaves in their order, groups in between."""
    y = np.zeros(len(tree.nodes))
    place = {leaf: number for number, leaf in enumerate(tree.order)}
    for number, node in enumerate(tree.nodes):
        ends = [y[child] for child in node.children]
        y[number] = place[node.leaf] if node.leaf is not None else (min(ends) + max(ends)) / 2
    return y


def draw_branches(axes: Axes, tree: Tree, groups: Groups) -> Array:
    """Draw the branches, coloured where all documents are of one group; return the heights."""
    from matplotlib.collections import LineCollection

    y, kinds = place_nodes(tree), _find_kinds(tree, groups)
    lines, colours, styles = [], [], []
    for number, node in enumerate(tree.nodes):
        ends = [y[child] for child in node.children]
        if ends:
            lines.append([(node.height, min(ends)), (node.height, max(ends))])
            colours.append(_colour(groups, kinds[number]))
            styles.append(_find_style(groups, kinds[number]))
        for child in node.children:
            lines.append([(tree.nodes[child].height, y[child]), (node.height, y[child])])
            colours.append(_colour(groups, kinds[child]))
            styles.append(_find_style(groups, kinds[child]))
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=1.1, linestyles=styles))
    top = tree.nodes[-1].height or 1.0
    axes.set_xlim(top * 1.02, 0)
    axes.set_ylim(len(tree.order) - 0.4, -0.6)
    axes.grid(False)
    return y


def _find_kinds(tree: Tree, groups: Groups) -> list[int]:
    """Return the group of each node whose documents are all of one group; −1 for others."""
    kinds: list[int] = []
    for node in tree.nodes:
        if node.leaf is not None:
            kinds.append(int(groups.of[node.leaf]))
        else:
            inside = {kinds[child] for child in node.children}
            kinds.append(inside.pop() if len(inside) == 1 else -1)
    return kinds


def _colour(groups: Groups, kind: int) -> str:
    is_group = kind >= 0 and groups.by and not groups.is_other(kind)
    return groups.colour(kind) if is_group else _MIXED


def _find_style(groups: Groups, kind: int) -> Any:
    return (0, (3, 1.2)) if kind >= 0 and groups.is_second(kind) else "solid"


def _draw(tree: Tree, names: Sequence[str], groups: Groups, title: str) -> Figure:
    leaves = len(tree.order)
    step, size = (0.165, 8.0) if leaves <= _MANY else (0.115, 6.5)
    is_consensus = bool(tree.made_of)
    depth = tree.nodes[-1].height if is_consensus else 0
    legend = 0.2 * -(-len(groups.names) // 5) + 0.3 if groups.by else 0
    with figure(8.5 + 0.12 * max(0, depth - 12), 1.3 + step * leaves + legend) as drawing:
        axes = drawing.subplots()
        y = draw_branches(axes, tree, groups)
        for group in range(len(groups.names)):
            own = [place for place, leaf in enumerate(tree.order) if groups.of[leaf] == group]
            axes.scatter(
                np.zeros(len(own)), own, s=14, color=groups.colour(group), clip_on=False, zorder=3,
                marker=groups.mark(group),
            )  # fmt: skip
        axes.yaxis.tick_right()
        axes.set_yticks(range(leaves), [shorten_name(names[i], _LONGEST) for i in tree.order])
        axes.tick_params("y", length=0, pad=5, labelsize=size)
        for label, leaf in zip(axes.get_yticklabels(), tree.order, strict=True):
            label.set_gid(f"leaf{leaf}")
            groups.style_name(label, int(groups.of[leaf]))
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        inner = [number for number, node in enumerate(tree.nodes) if node.children]
        heights = [tree.nodes[number].height for number in inner]
        dots = axes.scatter(heights, y[inner], s=30, alpha=0.0, linewidths=0)
        dots.set_gid("nodes")
        if is_consensus:
            axes.spines["bottom"].set_visible(False)
            axes.set_xticks([])
            _write_support(axes, tree, y)
        else:
            axes.set_xlabel("distance at which groups are joined (Ward)", fontsize=8)
            axes.tick_params("x", labelsize=8)
        axes.set_title(title, loc="left", fontsize=10, wrap=True)
        groups.add_legend(drawing, 5)
    return drawing


def _write_support(axes: Axes, tree: Tree, y: Array) -> None:
    for number, node in enumerate(tree.nodes):
        if node.support is not None:
            axes.annotate(
                f"{100 * node.support:.0f}", (node.height, y[number]), (-2, 1.5), fontsize=6,
                textcoords="offset points", ha="right", va="bottom", color="#333333",
            )  # fmt: skip


def _describe(tree: Tree, names: Sequence[str], groups: Groups) -> dict[str, Any]:
    """Return what the page says of each document and each group of them."""
    members: list[list[int]] = []
    nodes = []
    for node in tree.nodes:
        if node.leaf is not None:
            members.append([node.leaf])
            continue
        members.append([leaf for child in node.children for leaf in members[child]])
        own = members[-1]
        support = "" if node.support is None else f"support {node.support:.0%}: "
        text = f"{support}{len(own):,} documents: {list_names((names[i] for i in own), 12)}"
        nodes.append({"text": text, "leaves": own})
    leaves = {
        f"leaf{leaf}": " · ".join(filter(None, [names[leaf], groups.names[groups.of[leaf]]]))
        for leaf in tree.order
    }
    return {"leaves": leaves, "nodes": nodes}
