"""A figure as a page: its SVG in one HTML file without network requests, which names what the
pointer is on and finds documents by name."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexfield.plots.figure import render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TEMPLATE = Path(__file__).with_name("svg_page.html")


def make_svg_page(title: str, drawing: Figure, facts: dict[str, Any]) -> str:
    """Return the HTML of a page. ``facts``: what is said of elements by their id (``leaves``), of
    the dots of the collection ``nodes`` in turn, and of the cells of the image ``cells``."""
    svg = render(drawing, "svg").decode()
    svg = svg[svg.index("<svg") :]
    data = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
    page = _TEMPLATE.read_text("utf-8")
    parts = {"TITLE": html.escape(title), "FIGURE": svg, "DATA": data}
    return re.sub("TITLE|FIGURE|DATA", lambda found: parts[found[0]], page)
