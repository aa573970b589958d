"""Figures of divergences: a matrix in the order of its dendrogram, a map, bars of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.delta import FREQUENT
from lexfield.compare.estimate import Estimate
from lexfield.compare.nearest_pairs import NearestPairs
from lexfield.compare.pairs import Pairs
from lexfield.compare.trees import Tree, make_dendrogram, symmetric
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.plots.groups import Groups, choose_groups
from lexfield.plots.names import place_names, shorten_name
from lexfield.plots.page import Panel, make_page, pack
from lexfield.plots.svg_page import add_facts, list_facts, make_svg_page
from lexfield.plots.tree import draw_branches, draw_tree
from lexfield.results import JsonObject, pluralise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMED = 250  # documents at most for each to be named in a matrix, and for a map to be small
_LONGEST = 45  # characters of a name in a matrix
_BARS = 12


def draw_pairs(
    found: Pairs,
    kind: str = "map",
    k: int | None = None,
    labels: Sequence[str] | None = None,
    by: str = "",
) -> Picture:
    """Draw documents as a ``map`` or a ``tree``, or their matrix as ``heat``."""
    check(kind in _DRAWINGS, "kind", "map, tree or heat", kind)
    if k is not None:
        found = replace(found, matrices={k: found[k]}, options=replace(found.options, k=k or 1))
    return _DRAWINGS[kind](found, choose_groups(labels, len(found.ids), by))


def draw_dendrogram(found: Pairs, groups: Groups) -> Picture:
    """Draw the documents as a tree."""
    return draw_tree(make_dendrogram(found.matrix), found.ids, groups, title(found))


def draw_heat(found: Pairs, groups: Groups) -> Picture:
    """Draw the matrix, with documents in the order of a dendrogram. As a page, it names every cell
    that is pointed at."""
    tree = make_dendrogram(found.matrix)
    heading = f"{title(found)}: of each row from each column"
    return Picture(
        lambda: _draw_heat(found, tree, groups, heading),
        lambda drawn: make_svg_page(heading, drawn.figure, _describe_cells(found, tree)),
    )


def _draw_heat(found: Pairs, tree: Tree, groups: Groups, heading: str) -> Figure:
    count, order, matrix = len(found.ids), tree.order, found.matrix
    is_named = count <= _NAMED
    side = float(np.clip(2.5 + 0.125 * count, 6, 40 if is_named else 14))
    with figure(side + 2, side + (0.8 if groups.by else 0)) as drawing:
        left, right = drawing.subplots(1, 2, width_ratios=(1, 7))
        draw_branches(left, tree, groups)
        left.axis("off")
        shown = np.ma.masked_array(matrix[np.ix_(order, order)], np.eye(count, dtype=bool))
        image = right.imshow(shown, cmap="viridis_r", aspect="auto", interpolation="none")
        right.grid(False)
        right.set_xticks([])
        right.set_yticks([])
        if is_named:
            names = [shorten_name(found.ids[i], _LONGEST) for i in order]
            right.set_yticks(range(count), names, fontsize=7)
            right.set_xticks(range(count), names, fontsize=7, rotation=90)
            right.yaxis.tick_right()
            for labels in (right.get_yticklabels(), right.get_xticklabels()):
                for label, leaf in zip(labels, order, strict=True):
                    label.set_gid(f"leaf{leaf}")
                    groups.style_name(label, int(groups.of[leaf]))
        else:
            right.set_xlabel(f"{count:,} documents; the HTML page names each")
        right.set_title(heading, loc="left", fontsize=10)
        bar = drawing.colorbar(image, ax=right, shrink=0.5, pad=0.01, aspect=40)
        bar.set_label(_unit(found))
        groups.add_legend(drawing, 6)
    return drawing


def _describe_cells(found: Pairs, tree: Tree) -> JsonObject:
    """Return what the page says of each cell: values as steps of 16 bits between two limits."""
    shown = np.nan_to_num(found.matrix[np.ix_(tree.order, tree.order)])
    others = shown[~np.eye(len(shown), dtype=bool)]
    low, high = float(others.min()), float(others.max())
    steps = np.clip((shown - low) / ((high - low) or 1.0), 0, 1) * 65535
    cells = {
        "names": [found.ids[i] for i in tree.order],
        "low": low,
        "high": high,
        "values": pack(steps.round(), "<u2"),
    }
    named = tree.order if len(found.ids) <= _NAMED else []
    return {"leaves": {f"leaf{i}": found.ids[i] for i in named}, "cells": cells}


def map_places(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places whose distances approximate the symmetric divergences (MDS)."""
    from sklearn.manifold import smacof
    from sklearn.utils import check_random_state

    distances = symmetric(matrix)
    places, _ = smacof(
        distances,
        n_components=2,
        init=_classical(distances),
        n_init=1,
        random_state=check_random_state(0),
    )
    return np.asarray(places).round(9)  # the same on any number of threads


def _classical(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return classical MDS, the start of SMACOF: the main axes of the doubly centred squares."""
    centre = np.eye(len(distances)) - 1 / len(distances)
    values, axes = np.linalg.eigh(-centre @ distances**2 @ centre / 2)
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(len(axes))])
    return np.asarray(axes[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0)))


def draw_map(found: Pairs, groups: Groups) -> Picture:
    """Draw similar documents near each other, coloured by group; names are written where there is
    room. The page names every document that is pointed at."""
    heading = f"{title(found)}, as distances in the plane (MDS)"
    return draw_places(found.ids, map_places(found.matrix), groups, heading)


def draw_places(
    ids: list[str], places: NDArray[np.float64], groups: Groups, heading: str
) -> Picture:
    """Draw documents at their places."""

    def make_panel() -> Panel:
        order = np.argsort(groups.of, kind="stable")  # the largest groups are named first
        return Panel(
            f"{len(ids):,} documents",
            "",
            places[order, 0],
            places[order, 1],
            [ids[i] for i in order],
            groups.names if groups.by else ["documents"],
            groups.of[order],
            [],
            colours=[groups.colour(group) for group in range(len(groups.names))],
            squares=[groups.mark(group) == "s" for group in range(len(groups.names))],
            labels=len(ids),
        )

    return Picture(
        lambda: _draw_map(ids, places, groups, heading),
        lambda _: make_page(heading, [make_panel()]),
    )


def _draw_map(ids: list[str], places: NDArray[np.float64], groups: Groups, heading: str) -> Figure:
    many = len(places) > _NAMED
    with figure(*((14, 11.5) if many else (10, 8))) as drawing:
        axes = drawing.subplots()
        for group in range(len(groups.names)):
            own = groups.of == group
            axes.scatter(
                places[own, 0], places[own, 1], s=16 if many else 28, color=groups.colour(group),
                marker=groups.mark(group), label=groups.names[group], linewidths=0,
            )  # fmt: skip
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.08)
        axes.set_title(heading, loc="left", fontsize=10)
        groups.add_legend(drawing, 6)
        colours = [groups.ink(group) if groups.by else "#222222" for group in groups.of.tolist()]
        names = [shorten_name(name, 32) for name in ids]
        axes.set_xlabel(" ", fontsize=8)  # so that there is room for it
        written = place_names(axes, places, names, colours, 6 if many else 7)
        if len(written) < len(names):
            axes.set_xlabel(
                f"{len(written):,} of {len(names):,} documents have room for their name;"
                " the HTML page names each"
            )
    return drawing


def draw_bars(estimate: Estimate, names: tuple[str, str] = ("A", "B")) -> Picture:
    """Draw the words that contribute most to the value."""
    reasons = estimate.explanation.reasons[:_BARS][::-1]
    with figure(8, 0.8 + 0.36 * len(reasons)) as drawing:
        axes = drawing.subplots()
        values = [reason.contribution for reason in reasons]
        colours = [COLOURS[0] if value >= 0 else COLOURS[1] for value in values]
        axes.barh(range(len(values)), values, color=colours)
        axes.set_yticks(range(len(values)), [_bar_name(reason) for reason in reasons], fontsize=8)
        axes.axvline(0, color="black", linewidth=0.8)
        unit = f" ({estimate.unit})" if estimate.unit else ""
        value = f"{estimate.value:.3g}{unit}" if estimate.possible else "(no value)"
        axes.set_xlabel(f"part in {estimate.measure} {value}")
        axes.set_title(f"Words that distinguish {names[0]} from {names[1]}")
    return Picture(drawing)


def _bar_name(reason: Reason) -> str:
    near = reason.match if reason.distance is not None and reason.match != reason.query else ""
    return f"{reason.query}  (near: {near})" if near else str(reason.query)


def title(found: Pairs | NearestPairs) -> str:
    """Return what the numbers are."""
    chosen = found.options
    name = chosen.definition.title
    hubs = f", hubs corrected ({chosen.hubs})" if chosen.hubs else ""
    if not chosen.compares_counts:
        return f"{name}, latent space, k = {chosen.k}{hubs}"
    extra = "" if chosen.n == 1 else f" of {chosen.n}-grams"
    extra += f" of {chosen.features}" if chosen.features else ""
    types = "types" if chosen.features else "words"
    most = chosen.mfw or (FREQUENT if chosen.definition.is_standardised else None)
    extra += f", {most:,} most frequent {types}" if most else ""
    extra += f", in {chosen.culling:g}% of the texts" if chosen.culling else ""
    space = "" if most or chosen.features else f", {chosen.space} space"
    return f"{name}{extra}{space}{hubs}"


def _unit(found: Pairs) -> str:
    return found.options.unit if found.options.definition.is_logarithmic else ""


def draw_reliability(found: JsonObject) -> Picture:
    """Draw predicted probabilities against the share that was right; the page names both."""
    bins = found["bins"]
    title = (
        f"{found['documents']:,} texts, {found['accuracy']:.0%} right,"
        f" off by {found['error']:.1%} on average"
    )
    with figure(5.2, 4.6) as drawing:
        axis = drawing.subplots()
        axis.plot([0, 1], [0, 1], "--", color=COLOURS[-1], lw=1, label="perfectly calibrated")
        sizes = [20 + 180 * b["documents"] / found["documents"] for b in bins]
        means, right = [b["mean_probability"] for b in bins], [b["right"] for b in bins]
        axis.plot(means, right, color=COLOURS[0], lw=1)
        axis.scatter(means, right, sizes, color=COLOURS[0], label="texts (area: number)")
        axis.set(xlim=(0, 1.03), ylim=(-0.03, 1.03))
        axis.set_xlabel("predicted probability")
        axis.set_ylabel("share that was right")
        axis.set_title(title)
        axis.legend(loc="upper left")
        facts = [
            f"{pluralise(b['documents'], 'text')} with a mean probability of {mean:.0%}:"
            f" {share:.0%} right"
            for b, mean, share in zip(bins, means, right, strict=True)
        ]
        add_facts(axis, means, right)
    return Picture(drawing, lambda _: make_svg_page(title, drawing, list_facts(facts)))


_DRAWINGS = {"map": draw_map, "tree": draw_dendrogram, "heat": draw_heat}
