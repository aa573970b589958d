"""Which figure shows a result: ``result.plot()`` calls ``draw``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lexfield.compare.estimate import Estimate
from lexfield.compare.pairs import Pairs
from lexfield.plots.divergence import draw_bars, draw_pairs
from lexfield.plots.figure import Picture
from lexfield.plots.ranks import draw_layouts, draw_zipf
from lexfield.plots.words import draw_threshold
from lexfield.ranks.layout import LayoutResult
from lexfield.ranks.zipf import ZipfResult
from lexfield.vectors.threshold import Threshold


def draw(result: object, *arguments: Any, **options: Any) -> Picture:
    """Return the picture of a result."""
    return _DRAWINGS[type(result)](result, *arguments, **options)


def _draw_one_threshold(result: Threshold, name: str = "vectors") -> Picture:
    return draw_threshold({name: result})


_DRAWINGS: dict[type, Callable[..., Picture]] = {
    Estimate: draw_bars,
    LayoutResult: lambda result: draw_layouts([result]),
    Pairs: draw_pairs,
    Threshold: _draw_one_threshold,
    ZipfResult: lambda result: draw_zipf([result]),
}
