"""Hare et al., Figures 2 to 6: counts by rank with their fits, slopes by number of clusters, and
words in the plane coloured by part of speech."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.plots.page import Axis, Curve, Panel, make_page
from lexfield.ranks.layout import LayoutResult
from lexfield.ranks.zipf import ZipfResult
from lexfield.text.taggers import CLASSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 2000  # drawn per panel
_COLUMNS = 3
_NAMED = 40  # words written out in a static figure
_GAP = 0.07  # between them, as a share of the figure's width
_METHODS = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}


def draw_zipf(results: Sequence[ZipfResult]) -> Picture:
    """Draw counts by rank side by side, with slopes by number of clusters where there are any."""
    units = {result.unit for result in results}
    title = f"How often {units.pop() if len(units) == 1 else 'item'}s occur, by rank"
    if all(result.unit == "cluster" for result in results):
        title = "Sizes of clusters of sentences, by rank"
    return Picture(
        lambda: _draw_zipf_figure(results, title),
        lambda _: make_page(title, [_make_zipf_panel(result) for result in results]),
    )


def _draw_zipf_figure(results: Sequence[ZipfResult], title: str) -> Figure:
    columns = min(len(results), _COLUMNS)
    lines = -(-len(results) // columns)
    robust = [result for result in results if result.robustness]
    height = 3.8 * lines + (3.2 if robust else 0) + 0.4
    with figure(max(5.5, 4.4 * columns), height) as drawing:
        drawing.suptitle(title)
        grid = drawing.add_gridspec(lines + bool(robust), columns)
        for number, result in enumerate(results):
            _draw_ranks(drawing.add_subplot(grid[number // columns, number % columns]), result)
        if robust:
            _draw_robustness(drawing.add_subplot(grid[lines, :]), robust)
    return drawing


def _label(result: ZipfResult) -> tuple[str, str, str]:
    """Return the labels of both axes, and a subtitle."""
    subtitle = f"slope {result.slope:.2f}, R² {result.r2:.2f}"
    if result.space == "latent":
        return "rank of the cluster", "sentences in it", subtitle
    return f"rank of the {result.unit}", "count", subtitle


def select_ranks(n: int, most: int = _POINTS) -> NDArray[np.int64]:
    """Return the ranks to draw, from 0: all if few, else the first 100 and more evenly in logs."""
    if n <= most:
        return np.arange(n)
    spread = np.geomspace(1, n, most).round().astype(np.int64) - 1
    return np.unique(np.concatenate([np.arange(100), spread]))


def fit_curves(result: ZipfResult) -> list[Curve]:
    """Return the line and the Zipf–Mandelbrot curve over all ranks."""
    ranks = np.geomspace(1, len(result.counts), 100)
    line, bent = result.fits["line"].parameters, result.fits["mandelbrot"].parameters
    logs = np.log(bent["c"]) - bent["alpha"] * np.log(bent["beta"] + ranks)
    return [
        Curve("line of best fit", ranks, np.exp(line["intercept"] + line["slope"] * np.log(ranks))),
        Curve("Zipf–Mandelbrot", ranks, np.exp(logs)),
    ]


def _draw_ranks(axes: Axes, result: ZipfResult) -> None:
    places = select_ranks(len(result.counts))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.plot(places + 1, result.counts[places], ".", color=COLOURS[0], markersize=4)
    for curve, style, colour in zip(fit_curves(result), ("-", "--"), COLOURS[1:3], strict=True):
        axes.plot(curve.x, curve.y, style, color=colour, label=curve.name, linewidth=1.5)
    axes.set_ylim(0.7 * result.counts[-1], 2.2 * result.counts[0])
    x, y, subtitle = _label(result)
    axes.set(title=f"{result.name}: {subtitle}", xlabel=x, ylabel=y)
    _set_plain_ticks(axes)
    axes.legend(loc="lower left", fontsize="small")


def _set_plain_ticks(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        steps = (1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)
        axis.set_major_locator(LogLocator(subs=steps, numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.set_minor_formatter(NullFormatter())


def _draw_robustness(axes: Axes, results: Sequence[ZipfResult]) -> None:
    for number, result in enumerate(results):
        colour = COLOURS[number % len(COLOURS)]
        rows = result.robustness
        k = [row.k for row in rows]
        axes.fill_between(
            k, [row.low for row in rows], [row.high for row in rows], color=colour, alpha=0.15
        )
        axes.plot(k, [row.slope for row in rows], "o-", color=colour, label=result.name)
        axes.plot(len(result.counts), result.slope, "*", color=colour, markersize=12)
    axes.set(
        title="Slope by number of clusters: mean and range over seeds; the star is drawn above",
        xlabel="number of clusters",
        ylabel="slope",
    )
    axes.legend(fontsize="small")


def _make_zipf_panel(result: ZipfResult) -> Panel:
    places = select_ranks(len(result.counts))
    counts = result.counts[places]
    x, y, subtitle = _label(result)
    return Panel(
        result.name,
        f"{subtitle}. {result.verdict}",
        places + 1,
        counts,
        [result.labels[int(place)] for place in places],
        [f"{len(result.counts):,} {result.unit}s"],
        np.zeros(len(places), np.int64),
        [("rank", places + 1), (y, counts)],
        (Axis(x, log=True), Axis(y, log=True)),
        fit_curves(result),
    )


def draw_layouts(results: Sequence[LayoutResult]) -> Picture:
    """Draw words in the plane, one layout beside the other."""
    methods = ", ".join(sorted({_METHODS[result.method] for result in results}))
    title = f"Words by part of speech ({methods})"
    return Picture(
        lambda: _draw_layout_figure(results, title),
        lambda _: make_page(title, [_make_layout_panel(result) for result in results]),
    )


def _draw_layout_figure(results: Sequence[LayoutResult], title: str) -> Figure:
    columns = min(len(results), _COLUMNS)
    lines = -(-len(results) // columns)
    size = 7.0 if len(results) == 1 else 5.0
    with figure(size * columns, (size * 0.92) * lines + 0.5) as drawing:
        drawing.suptitle(title)
        for number, result in enumerate(results):
            _draw_words(drawing.add_subplot(lines, columns, number + 1), result)
        handles, labels = drawing.axes[0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside lower center", ncols=6, markerscale=3)
    return drawing


def _draw_words(axes: Axes, result: LayoutResult) -> None:
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
            rasterized=True,  # an svg of 50,000 circles is too slow to open
        )
    for number in select_names(result.places):
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


def select_names(places: NDArray[np.float32]) -> list[int]:
    """Return the words to write out: the most frequent of every neighbourhood."""
    span = float(np.ptp(places, axis=0).max()) or 1.0
    chosen: list[int] = []
    for number in range(len(places)):
        if len(chosen) == _NAMED:
            break
        gaps = np.abs(places[chosen] - places[number]) / span
        if not (gaps < (2 * _GAP, _GAP)).all(axis=1).any():
            chosen.append(number)
    return chosen


def _make_layout_panel(result: LayoutResult) -> Panel:
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
