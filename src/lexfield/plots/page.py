"""Interactive figures: one HTML file that contains its data and makes no network request.

Points are stored as two 16-bit numbers, so 50,000 words with their names take about a megabyte.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import COLOURS

_TEMPLATE = Path(__file__).with_name("page.html")
_SCRIPT = Path(__file__).parent / "static" / "scatter.js"  # the server serves it too
_STEPS = 65535
Numbers: TypeAlias = NDArray[np.number]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """The label of an axis and whether it is logarithmic. An axis without a label is not drawn."""

    label: str = ""
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """A line through given points."""

    name: str
    x: Floats
    y: Floats


@dataclass(frozen=True)
class Panel:
    """Named points in groups, the most important first; curves; axes. Without axes, both directions
    have one scale, so that distances can be seen.

    details: shown for the point under the pointer; each is a name and one number per point.
    colours, squares: of the groups; by default the usual colours. labels: how many names are
    written at most, where there is room.
    """

    title: str
    subtitle: str
    x: Numbers
    y: Numbers
    names: Sequence[str]
    groups: Sequence[str]
    group: Numbers
    details: Sequence[tuple[str, Numbers]]
    axes: tuple[Axis, Axis] = (Axis(), Axis())
    curves: Sequence[Curve] = field(default_factory=list)
    colours: Sequence[str] = COLOURS
    squares: Sequence[bool] = ()
    labels: int = 40


def make_page(title: str, panels: Sequence[Panel]) -> str:
    """Return the HTML of a page with these panels."""
    data = json.dumps({"panels": [_encode_panel(panel) for panel in panels]}, ensure_ascii=False)
    script = _SCRIPT.read_text("utf-8").replace("export class", "class")
    page = _TEMPLATE.read_text("utf-8").replace("SCATTER", script, 1)
    page = page.replace("TITLE", html.escape(title))
    # "</" would end the script, even inside a string
    return page.replace("DATA", data.replace("<", "\\u003c"), 1)


def _encode_panel(panel: Panel) -> dict[str, object]:
    x, y = (_scale(v, a.log) for v, a in zip((panel.x, panel.y), panel.axes, strict=True))
    square = not any(axis.label for axis in panel.axes)
    reach = max(high - low for low, high in map(_limits, (x, y))) if square else None
    return {
        "title": panel.title,
        "subtitle": panel.subtitle,
        "square": square,
        "x": pack(np.round(_share(x, x, reach) * _STEPS), "<u2"),
        "y": pack(np.round(_share(y, y, reach) * _STEPS), "<u2"),
        "names": "\n".join(" ".join(name.split()) for name in panel.names),
        "groups": [
            {"name": name, "colour": panel.colours[number % len(panel.colours)]}
            for number, name in enumerate(panel.groups)
        ],
        "round": [not square for square in panel.squares],
        "labels": panel.labels,
        "group": pack(panel.group, "u1"),
        "details": [
            {"name": name, "values": pack(np.minimum(values, 2**32 - 1), "<u4")}
            for name, values in panel.details
        ],
        "axes": [
            {"label": axis.label, "log": axis.log, "low": _limits(v)[0], "high": _limits(v)[1]}
            for axis, v in zip(panel.axes, (x, y), strict=True)
        ],
        "curves": [
            {
                "name": curve.name,
                "colour": COLOURS[(number + len(panel.groups)) % len(COLOURS)],
                "x": _share(_scale(curve.x, panel.axes[0].log), x).round(5).tolist(),
                "y": _share(_scale(curve.y, panel.axes[1].log), y).round(5).tolist(),
            }
            for number, curve in enumerate(panel.curves)
        ],
    }


def _scale(values: Numbers, log: bool) -> Floats:
    scaled: Floats = np.log10(values) if log else np.asarray(values, np.float64)
    return scaled


def _limits(values: Floats) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)


def _share(values: Floats, base: Floats, reach: float | None = None) -> Floats:
    """Return values as shares of the range of ``base``, or of a ``reach`` around its middle."""
    low, high = _limits(base)
    return (values - (low + high) / 2) / (reach or (high - low) or 1.0) + 0.5


def pack(values: Numbers, kind: str) -> str:
    return base64.b64encode(np.asarray(values).astype(kind).tobytes()).decode()
