"""One look for every figure, and one way to keep it: the same data give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexfield.engine.processes import call
from lexfield.errors import InputError
from lexfield.store.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any kind of colour vision
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
FORMATS = (".png", ".svg", ".pdf")
_STYLE: dict[Any, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.dpi": 150,
    "font.size": 10,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "lexfield",
}


@contextmanager
def figure(width: float = 7.0, height: float = 4.5) -> Iterator[Figure]:
    """An empty figure, in inches, to be drawn on in the house's style; it belongs to no window."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def plot_path(path: str | Path, formats: Sequence[str] = FORMATS) -> Path:
    """Check where a figure is to go before the work that it shows begins."""
    path = Path(path)
    if path.suffix.lower() not in formats:
        raise InputError(
            f"{str(path)!r} does not name a figure.",
            f"End the name with one of: {', '.join(formats)}",
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r}.", "Make it, or name another.")
    return path


@dataclass(frozen=True)
class Picture:
    """A figure (matplotlib's) and the data that it draws, for a notebook or a script.

    data: for each panel its title, the names of its axes, and its series with x and y.
    """

    figure: Figure
    data: list[dict[str, Any]]

    def save(self, path: str | Path) -> Path:
        """Write it as PNG, SVG or PDF, by the ending of ``path``."""
        return save(self.figure, path)

    def _repr_png_(self) -> bytes:
        return _bytes(self.figure, "png")

    def __repr__(self) -> str:
        names = ", ".join(repr(panel["title"]) for panel in self.data)
        return f"<Picture: {len(self.data)} panels: {names}>"


# where ``save`` puts figures while ``drawn`` wants them instead of a file
_KEPT: ContextVar[list[Figure] | None] = ContextVar("kept", default=None)


def drawn(function: str, path: str | Path | None, arguments: dict[str, Any]) -> Path | Picture:
    """What ``module:function(**arguments, path=…)`` draws: in a file, or without one a Picture."""
    if path is not None:
        written: Path = call(function, {**arguments, "path": path})
        return written
    kept: list[Figure] = []
    token = _KEPT.set(kept)
    try:
        call(function, {**arguments, "path": "picture.png"})
    finally:
        _KEPT.reset(token)
    return Picture(kept[-1], [_panel(axes) for axes in kept[-1].axes])


def _panel(axes: Any) -> dict[str, Any]:
    """What one pair of axes shows: lines, points and bars."""
    series = [(line.get_label(), *line.get_data()) for line in axes.lines]
    series += [
        (points.get_label(), *points.get_offsets().T)
        for points in axes.collections
        if len(points.get_offsets())
    ]
    for bars in axes.containers:
        boxes = [bar.get_bbox() for bar in bars]
        series.append((bars.get_label(), [b.x1 or b.x0 for b in boxes], [b.y1 for b in boxes]))
    return {
        "title": axes.get_title(),
        "x": axes.get_xlabel(),
        "y": axes.get_ylabel(),
        "series": [
            {
                "label": "" if str(label).startswith("_") else str(label),
                "x": [float(value) for value in x],
                "y": [float(value) for value in y],
            }
            for label, x, y in series
        ],
    }


def save(drawing: Figure, path: str | Path) -> Path:
    """Write a figure as PNG, SVG or PDF, by the ending of ``path``."""
    kept = _KEPT.get()
    if kept is not None:
        kept.append(drawing)
        return Path(path)
    path = plot_path(path)
    replace_file(path, _bytes(drawing, path.suffix.lower().lstrip(".")))
    return path


def _bytes(drawing: Figure, kind: str) -> bytes:
    """The same figure gives the same bytes."""
    import matplotlib

    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    out = BytesIO()
    with matplotlib.rc_context(_STYLE):
        drawing.savefig(out, format=kind, metadata=dates)
    return out.getvalue()
