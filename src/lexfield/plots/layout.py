"""Hare et al., Figures 2 and 5: words in the plane, coloured by part of speech."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import COLOURS, figure, save
from lexfield.plots.page import Panel, page_path, save_page
from lexfield.ranks.layout import LayoutResult
from lexfield.ranks.speech import CLASSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 3
_NAMED = 40  # words written out in a static figure
_APART = 0.07  # of the figure's width, so that they can be read
_METHODS = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}


def draw(results: Sequence[LayoutResult], path: str | Path) -> Path:
    """Draw layouts side by side, as png, svg, pdf, or html to zoom into."""
    path = page_path(path)
    methods = ", ".join(sorted({_METHODS[result.method] for result in results}))
    title = f"Words by part of speech ({methods})"
    if path.suffix.lower() == ".html":
        return save_page(title, [_panel(result) for result in results], path)
    columns = min(len(results), _COLUMNS)
    lines = -(-len(results) // columns)
    size = 7.0 if len(results) == 1 else 5.0
    with figure(size * columns, (size * 0.92) * lines + 0.5) as drawing:
        drawing.suptitle(title)
        for number, result in enumerate(results):
            _words(drawing.add_subplot(lines, columns, number + 1), result)
        handles, labels = drawing.axes[0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside lower center", ncols=6, markerscale=3)
        return save(drawing, path)


def _words(axes: Axes, result: LayoutResult) -> None:
    size = float(np.clip(20_000 / len(result.words), 1.5, 14))
    for number, name in enumerate(CLASSES):
        own = result.classes == number
        axes.scatter(
            result.places[own, 0],
            result.places[own, 1],
            s=size,
            color=COLOURS[number],
            alpha=0.6,
            linewidths=0,
            label=name,
            rasterized=True,  # an svg of 50,000 circles helps nobody
        )
    for number in named(result.places):
        axes.annotate(
            result.words[number],
            tuple(result.places[number].tolist()),
            fontsize=7,
            color="#222222",
            xytext=(2, 2),
            textcoords="offset points",
        )
    axes.set(title=f"{result.name}: {len(result.words):,} words", xticks=[], yticks=[])
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)


def named(places: NDArray[np.float32]) -> list[int]:
    """Which words to write out: the most frequent of every neighbourhood."""
    span = float(np.ptp(places, axis=0).max()) or 1.0
    chosen: list[int] = []
    for number in range(len(places)):
        if len(chosen) == _NAMED:
            break
        gaps = np.abs(places[chosen] - places[number]) / span
        if not (gaps < (2 * _APART, _APART)).all(axis=1).any():
            chosen.append(number)
    return chosen


def _panel(result: LayoutResult) -> Panel:
    return Panel(
        result.name,
        f"{len(result.words):,} words, vectors {result.vectors!r}",
        result.places[:, 0],
        result.places[:, 1],
        result.words,
        CLASSES,
        result.classes,
        [("count", result.counts)],
    )
