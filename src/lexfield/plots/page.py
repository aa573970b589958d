"""Figures to zoom into: one HTML file that holds its data and asks nothing of any network.

Points are two 16-bit numbers each, so that 50,000 words with their names fit into about a megabyte.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import COLOURS, FORMATS, plot_path
from lexfield.store.files import replace_file

_TEMPLATE = Path(__file__).with_name("page.html")
_STEPS = 65535


@dataclass(frozen=True)
class Axis:
    """One axis: what it shows, and whether it is logarithmic. Without a label it is not drawn."""

    label: str = ""
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """A line through given points."""

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """Points with names, in groups, the most important first; curves; axes.

    details: what is shown of a point under the pointer, each a name and a number for every point.
    """

    title: str
    subtitle: str
    x: NDArray[Any]
    y: NDArray[Any]
    names: Sequence[str]
    groups: Sequence[str]
    group: NDArray[Any]
    details: Sequence[tuple[str, NDArray[Any]]]
    axes: tuple[Axis, Axis] = (Axis(), Axis())
    curves: Sequence[Curve] = field(default_factory=list)


def page_path(path: str | Path) -> Path:
    """Check where a figure is to go that may be a page, too."""
    return plot_path(path, (*FORMATS, ".html"))


def save_page(title: str, panels: Sequence[Panel], path: Path) -> Path:
    """Write panels as one HTML file."""
    data = json.dumps({"panels": [_data(panel) for panel in panels]}, ensure_ascii=False)
    # a script ends at the first "</", whatever it stands in
    page = _TEMPLATE.read_text("utf-8").replace("TITLE", html.escape(title))
    page = page.replace("DATA", data.replace("<", "\\u003c"), 1)
    replace_file(path, page.encode())
    return path


def _data(panel: Panel) -> dict[str, Any]:
    x, y = (_placed(v, a.log) for v, a in zip((panel.x, panel.y), panel.axes, strict=True))
    names = [" ".join(name.split()) for name in panel.names]
    return {
        "title": panel.title,
        "subtitle": panel.subtitle,
        "x": _packed(_steps(x, x), "<u2"),
        "y": _packed(_steps(y, y), "<u2"),
        "names": "\n".join(names),
        "groups": [
            {"name": name, "colour": COLOURS[number % len(COLOURS)]}
            for number, name in enumerate(panel.groups)
        ],
        "group": _packed(panel.group, "u1"),
        "details": [
            {"name": name, "values": _packed(np.minimum(values, 2**32 - 1), "<u4")}
            for name, values in panel.details
        ],
        "axes": [
            {"label": axis.label, "log": axis.log, "low": _end(v, 0), "high": _end(v, 1)}
            for axis, v in zip(panel.axes, (x, y), strict=True)
        ],
        "curves": [
            {
                "name": curve.name,
                "colour": COLOURS[(number + len(panel.groups)) % len(COLOURS)],
                "x": _shares(_placed(curve.x, panel.axes[0].log), x),
                "y": _shares(_placed(curve.y, panel.axes[1].log), y),
            }
            for number, curve in enumerate(panel.curves)
        ],
    }


def _placed(values: NDArray[Any], log: bool) -> NDArray[np.float64]:
    placed: NDArray[np.float64] = np.log10(values) if log else np.asarray(values, np.float64)
    return placed


def _end(values: NDArray[np.float64], which: int) -> float:
    return float(values.max() if which else values.min()) if len(values) else float(which)


def _scaled(values: NDArray[np.float64], base: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = _end(base, 0), _end(base, 1)
    return (values - low) / ((high - low) or 1.0)


def _steps(values: NDArray[np.float64], base: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.round(_scaled(values, base) * _STEPS).astype(np.int64)


def _shares(values: NDArray[np.float64], base: NDArray[np.float64]) -> list[float]:
    return [round(value, 5) for value in _scaled(values, base).tolist()]


def _packed(values: NDArray[Any], kind: str) -> str:
    return base64.b64encode(np.asarray(values).astype(kind).tobytes()).decode()
