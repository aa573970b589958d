"""A figure as a page: its SVG in one HTML file without network requests, which names what the
pointer is on and finds documents by name."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexfield.plots.figure import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TEMPLATE = Path(__file__).with_name("svg_page.html")


def add_facts(axes: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    """Mark elements that the page describes; see ``list_facts``."""
    axes.scatter(x, y, s=60, alpha=0.0, linewidths=0, zorder=5).set_gid("nodes")


def list_facts(texts: Sequence[str]) -> dict[str, Any]:
    """Return what the page says of the places of ``add_facts``, in turn."""
    return {"nodes": [{"text": text, "leaves": []} for text in texts]}


def make_svg_page(title: str, drawing: Figure, facts: dict[str, Any]) -> str:
    """Return the HTML of a page. ``facts``: what is said of elements by their id (``leaves``), of
    the dots of the collection ``nodes`` in turn, and of the cells of the image ``cells``."""
    svg = render(drawing, "svg").decode()
    svg = svg[svg.index("<svg") :]
    data = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
    page = _TEMPLATE.read_text("utf-8")
    parts = {"TITLE": html.escape(title), "FIGURE": svg, "DATA": data}
    return re.sub("TITLE|FIGURE|DATA", lambda found: parts[found[0]], page)
