"""Figures of divergences: a matrix in the order of its dendrogram, a map, bars of words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.estimate import Estimate, check_rankable
from lexfield.compare.pairs import Pairs
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.results import JsonObject

_NAMED = 90  # documents at most for each to be named
_BARS = 12


def symmetric(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of both directions, shifted so that the least is 0."""
    both = (check_rankable(matrix) + matrix.T) / 2
    top = both[np.isfinite(both)].max(initial=0.0)
    both = np.where(np.isfinite(both), both, 2 * top)
    others = ~np.eye(len(both), dtype=bool)
    both = both - min(0.0, float(both[others].min(initial=0.0)))
    np.fill_diagonal(both, 0)
    return np.asarray(both)


def draw_pairs(found: Pairs, kind: str = "map", k: int | None = None) -> Picture:
    """Draw documents as a ``map``, or their matrix as ``heat``."""
    check(kind in ("map", "heat"), "kind", "map or heat", kind)
    return draw_map(found, k) if kind == "map" else draw_heat(found, k)


def draw_heat(found: Pairs, k: int | None = None) -> Picture:
    """Draw the matrix, with documents in the order of a dendrogram."""
    from scipy.cluster.hierarchy import dendrogram, linkage
    from scipy.spatial.distance import squareform

    matrix = found.matrix if k is None else found[k]
    count = len(found.ids)
    tree = linkage(
        squareform(symmetric(matrix), checks=False), "average", optimal_ordering=count <= 1000
    )
    side = float(np.clip(2.5 + 0.14 * count, 6, 16))
    with figure(side + 1.5, side) as drawing:
        left, right = drawing.subplots(1, 2, width_ratios=(1, 6))
        drawn = dendrogram(
            tree, orientation="left", ax=left, no_labels=True, color_threshold=0,
            above_threshold_color=COLOURS[-1],
        )  # fmt: skip
        order = drawn["leaves"][::-1]
        left.axis("off")
        shown = np.ma.masked_array(matrix[np.ix_(order, order)], np.eye(count, dtype=bool))
        image = right.imshow(shown, cmap="viridis_r", aspect="auto")
        right.grid(False)
        names = [found.ids[i] for i in order]
        if count <= _NAMED:
            size = float(np.clip(260 / count, 4, 9))
            right.set_yticks(range(count), names, fontsize=size)
            right.set_xticks(range(count), names, fontsize=size, rotation=90)
        right.yaxis.tick_right()
        right.set_title(f"{title(found, k)}: of each row from each column")
        bar = drawing.colorbar(image, ax=right, shrink=0.6, pad=0.01)
        bar.set_label(_unit(found))
    return Picture(drawing)


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


def draw_map(found: Pairs, k: int | None = None, labels: Sequence[str] | None = None) -> Picture:
    """Draw similar documents near each other, coloured by label."""
    places = map_places(found.matrix if k is None else found[k])
    kinds = list(dict.fromkeys(labels or []))
    with figure(9, 7) as drawing:
        axes = drawing.subplots()
        for number, kind in enumerate(kinds or [None]):
            own = [i for i in range(len(places)) if labels is None or labels[i] == kind]
            axes.scatter(
                places[own, 0],
                places[own, 1],
                s=28,
                color=COLOURS[number % len(COLOURS)],
                marker="osD^vP*X"[number // len(COLOURS) % 8],
                label=kind,
            )
        if len(places) <= _NAMED:
            for (x, y), name in zip(places, found.ids, strict=True):
                axes.annotate(
                    textwrap.shorten(name, 30, placeholder="…"), (x, y), (3, 3),
                    textcoords="offset points", fontsize=6.5, alpha=0.85,
                )  # fmt: skip
        if 1 < len(kinds) <= 30:
            axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_aspect("equal")
        axes.set_title(f"{title(found, k)}, as distances in the plane (MDS)")
    return Picture(drawing)


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


def title(found: Pairs, k: int | None = None) -> str:
    """Return what the numbers are."""
    chosen = found.options
    name = chosen.definition.title
    if chosen.compares_counts:
        extra = "" if chosen.n == 1 else f" of {chosen.n}-grams"
        return f"{name}{extra}, {chosen.space} space"
    return f"{name}, latent space, k = {k or next(iter(found.matrices))}"


def _unit(found: Pairs) -> str:
    return found.options.unit if found.options.definition.is_logarithmic else ""


def draw_reliability(found: JsonObject) -> Picture:
    """Draw predicted probabilities against the share that was right."""
    bins = found["bins"]
    with figure(5.2, 4.6) as drawing:
        axis = drawing.subplots()
        axis.plot([0, 1], [0, 1], "--", color=COLOURS[-1], lw=1, label="perfectly calibrated")
        sizes = [20 + 180 * b["documents"] / found["documents"] for b in bins]
        said, right = [b["said"] for b in bins], [b["right"] for b in bins]
        axis.plot(said, right, color=COLOURS[0], lw=1)
        axis.scatter(said, right, sizes, color=COLOURS[0], label="texts (area: number)")
        axis.set(xlim=(0, 1.03), ylim=(-0.03, 1.03))
        axis.set_xlabel("predicted probability")
        axis.set_ylabel("share that was right")
        axis.set_title(
            f"{found['documents']:,} texts, {found['accuracy']:.0%} right,"
            f" off by {found['error']:.1%} on average"
        )
        axis.legend(loc="upper left")
    return Picture(drawing)
