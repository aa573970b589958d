"""Hare et al., Figures 3, 4 and 6: counts by rank with their fits; slopes by number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import COLOURS, figure, save
from lexfield.plots.page import Axis, Curve, Panel, page_path, save_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexfield.ranks.zipf import ZipfResult

_POINTS = 2000  # drawn in a panel: all of the first ranks, then evenly in logs
_COLUMNS = 3


def draw(results: Sequence[ZipfResult], path: str | Path) -> Path:
    """Draw results side by side, as png, svg, pdf, or html to zoom into."""
    path = page_path(path)
    if path.suffix.lower() == ".html":
        return save_page(_title(results), [_panel(result) for result in results], path)
    columns = min(len(results), _COLUMNS)
    lines = -(-len(results) // columns)
    robust = [result for result in results if result.robustness]
    height = 3.8 * lines + (3.2 if robust else 0) + 0.4
    with figure(max(5.5, 4.4 * columns), height) as drawing:
        drawing.suptitle(_title(results))
        grid = drawing.add_gridspec(lines + bool(robust), columns)
        for number, result in enumerate(results):
            _ranks(drawing.add_subplot(grid[number // columns, number % columns]), result)
        if robust:
            _robustness(drawing.add_subplot(grid[lines, :]), robust)
        return save(drawing, path)


def _title(results: Sequence[ZipfResult]) -> str:
    units = {result.unit for result in results}
    if units == {"cluster"}:
        return "Sizes of clusters of sentences, by rank"
    return f"How often {units.pop() if len(units) == 1 else 'item'}s occur, by rank"


def _labels(result: ZipfResult) -> tuple[str, str]:
    if result.space == "latent":
        return "rank of the cluster", "sentences in it"
    return f"rank of the {result.unit}", "count"


def _subtitle(result: ZipfResult) -> str:
    return f"slope {result.slope:.2f}, R² {result.r2:.2f}"


def shown_ranks(n: int, most: int = _POINTS) -> NDArray[np.int64]:
    """Places to draw: all if few, else the first hundred and the rest evenly in logs."""
    if n <= most:
        return np.arange(n)
    spread = np.geomspace(1, n, most).round().astype(np.int64) - 1
    return np.unique(np.concatenate([np.arange(100), spread]))


def curves(result: ZipfResult) -> list[Curve]:
    """The line and Zipf–Mandelbrot, over all ranks."""
    ranks = np.geomspace(1, len(result.counts), 100)
    line, bent = result.fits["line"].parameters, result.fits["mandelbrot"].parameters
    logs = np.log(bent["c"]) - bent["alpha"] * np.log(bent["beta"] + ranks)
    return [
        Curve("line of best fit", ranks, np.exp(line["intercept"] + line["slope"] * np.log(ranks))),
        Curve("Zipf–Mandelbrot", ranks, np.exp(logs)),
    ]


def _ranks(axes: Axes, result: ZipfResult) -> None:
    places = shown_ranks(len(result.counts))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.plot(places + 1, result.counts[places], ".", color=COLOURS[0], markersize=4)
    for curve, style, colour in zip(curves(result), ("-", "--"), COLOURS[1:3], strict=True):
        axes.plot(curve.x, curve.y, style, color=colour, label=curve.name, linewidth=1.5)
    axes.set_ylim(0.7 * result.counts[-1], 2.2 * result.counts[0])
    across, up = _labels(result)
    axes.set(title=f"{result.name}: {_subtitle(result)}", xlabel=across, ylabel=up)
    _plain_ticks(axes)
    axes.legend(loc="lower left", fontsize="small")


def _plain_ticks(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    def plain(value: float, _: Any) -> str:
        return f"{value:,.0f}"

    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        steps = (1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)
        axis.set_major_locator(LogLocator(subs=steps, numticks=12))
        axis.set_major_formatter(FuncFormatter(plain))
        axis.set_minor_formatter(NullFormatter())


def _robustness(axes: Axes, results: Sequence[ZipfResult]) -> None:
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


def _panel(result: ZipfResult) -> Panel:
    places = shown_ranks(len(result.counts))
    counts = result.counts[places]
    across, up = _labels(result)
    return Panel(
        result.name,
        f"{_subtitle(result)}. {result.verdict}",
        places + 1,
        counts,
        [result.labels[int(place)] for place in places],
        [f"{len(result.counts):,} {result.unit}s"],
        np.zeros(len(places), np.int64),
        [("rank", places + 1), (up, counts)],
        (Axis(across, log=True), Axis(up, log=True)),
        curves(result),
    )
