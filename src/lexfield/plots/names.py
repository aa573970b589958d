"""Names beside points that cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.errors import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_DISTANCES = (4.0, 10.0, 18.0)  # points between a mark and its name; from the second on with a line


def shorten_name(name: str, most: int) -> str:
    """Return the name of a document, shortened in front of the number of its part."""
    start, mark, part = name.rpartition("#")
    if len(name) <= most or not mark or len(part) > most // 2:
        return shorten(name, most)
    return f"{shorten(start, most - len(part) - 1)}#{part}"


def place_names(
    axes: Axes, places: Array, names: Sequence[str], colours: Sequence[str], size: float
) -> list[int]:
    """Write the names that have room, those of lonely points first; return which these are.

    The layout of the figure is fixed by this.
    """
    from matplotlib.backends.backend_agg import RendererAgg

    renderer_type: Callable[..., RendererAgg] = RendererAgg
    drawing: Any = axes.figure
    drawing.draw_without_rendering()
    drawing.set_layout_engine("none")
    pixel = drawing.dpi / 72
    marks = axes.transData.transform(places)
    frame = axes.get_window_extent()
    texts = [
        axes.annotate(
            name, place, (0, 0), textcoords="offset points", fontsize=size, color=colour,
            ha="left", va="bottom",
        )
        for name, place, colour in zip(names, places, colours, strict=True)
    ]  # fmt: skip
    renderer = renderer_type(*drawing.bbox.size, drawing.dpi)  # else every text makes its own
    boxes = [text.get_window_extent(renderer) for text in texts]
    reach = 3.2 * pixel
    taken = [np.column_stack([marks - reach, marks + reach])]
    written = []
    for row in _order_by_room(marks):
        width, height = boxes[row].width, boxes[row].height
        spot = _find_spot(marks[row], width, height, pixel, np.vstack(taken), row, frame)
        if spot is None:
            texts[row].remove()
            continue
        left, low, is_far = spot
        offset = (left - marks[row, 0]) / pixel, (low - marks[row, 1]) / pixel
        texts[row].set_position(offset)
        if is_far:
            _draw_line(axes, places[row], offset, (width / pixel, height / pixel), colours[row])
        taken.append(np.array([[left, low, left + width, low + height]]))
        written.append(row)
    return sorted(written)


def _order_by_room(marks: Array) -> list[int]:
    """Return the points, those far from their neighbours first."""
    from scipy.spatial import KDTree

    count = min(4, len(marks))
    room = KDTree(marks).query(marks, count)[0].reshape(len(marks), -1).mean(axis=1)
    order: list[int] = np.argsort(-room, kind="stable").tolist()
    return order


def _find_spot(
    mark: Array, width: float, height: float, pixel: float, taken: Array, own: int, frame: Any
) -> tuple[float, float, bool] | None:
    """Return the lower left corner of a free spot beside a mark, and whether it is far away."""
    for number, distance in enumerate(_DISTANCES):
        gap = distance * pixel
        for right, up in _SIDES:
            left = mark[0] + right * gap - (width if right < 0 else 0 if right else width / 2)
            low = mark[1] + up * gap - (height if up < 0 else 0 if up else height / 2)
            if not (frame.x0 <= left and left + width <= frame.x1):
                continue
            if not (frame.y0 <= low and low + height <= frame.y1):
                continue
            overlaps = (taken[:, 0] < left + width) & (taken[:, 2] > left)
            overlaps &= (taken[:, 1] < low + height) & (taken[:, 3] > low)
            if number == 0:
                overlaps[own] = False  # its own mark is beside it
            if not overlaps.any():
                return float(left), float(low), number > 0
    return None


def _draw_line(
    axes: Axes,
    place: Array,
    offset: tuple[float, float],
    size: tuple[float, float],
    colour: str,
) -> None:
    """Join a mark with the nearest point of the box of its name."""
    end = [min(max(0.0, low), low + wide) for low, wide in zip(offset, size, strict=True)]
    axes.annotate(
        "", (place[0], place[1]), (end[0], end[1]), textcoords="offset points", zorder=1,
        arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "alpha": 0.7, "shrinkA": 0,
                    "shrinkB": 0},
    )  # fmt: skip
