"""One style for every figure, and one way to save it: the same data yield the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexfield.errors import InputError, need
from lexfield.results import JsonObject, pluralise
from lexfield.store.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which readers with any kind of colour vision can distinguish
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
FORMATS = (".png", ".svg", ".pdf")
PAGE_FORMATS = (*FORMATS, ".html")
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
    """Yield an empty figure of this size in inches, in lexfield's style; it opens no window."""
    need("matplotlib", "plots")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def check_plot_path(
    path: str | Path, formats: Sequence[str] = FORMATS, what: str = "figure"
) -> Path:
    """Raise an error if no figure can be written to ``path``; called before the work begins."""
    path = Path(path)
    if path.suffix.lower() not in formats:
        raise InputError(
            f"{str(path)!r} does not name a {what}.",
            f"End the name with one of: {', '.join(formats)}",
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r}.", "Create it, or name another.")
    if path.suffix.lower() in FORMATS:
        need("matplotlib", "plots")
    return path


class Picture:
    """A figure (matplotlib's) and the data it shows, for a notebook or a script.

    A figure given as a function is drawn on first use. ``page`` renders the same content as an
    HTML page, from the picture if it needs its figure; matplotlib is not needed otherwise.
    """

    def __init__(
        self, figure: Figure | Callable[[], Figure], page: Callable[[Picture], str] | None = None
    ) -> None:
        self._figure = figure
        self._page = page

    @property
    def figure(self) -> Figure:
        if callable(self._figure):
            self._figure = self._figure()
        return self._figure

    @property
    def data(self) -> list[JsonObject]:
        """Per panel: its title, the labels of its axes, and its series with x and y."""
        return [_read_panel(axes) for axes in self.figure.axes]

    def save(self, path: str | Path) -> Path:
        """Write a PNG, SVG, PDF or (if there is one) HTML file, by the ending of ``path``."""
        path = check_plot_path(path, PAGE_FORMATS if self._page else FORMATS)
        if self._page and path.suffix.lower() == ".html":
            replace_file(path, self._page(self).encode())
            return path
        return save(self.figure, path)

    def _repr_png_(self) -> bytes:
        return render(self.figure, "png")

    def __repr__(self) -> str:
        names = ", ".join(repr(panel["title"]) for panel in self.data)
        return f"<Picture: {pluralise(len(self.data), 'panel')}: {names}>"


def _read_panel(axes: Any) -> JsonObject:
    """Return the lines, points and bars of one pair of axes."""
    series = [(line.get_label(), *line.get_data()) for line in axes.lines]
    series += [
        (points.get_label(), *points.get_offsets().T)
        for points in axes.collections
        if len(points.get_offsets()) and points.get_gid() != "nodes"
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
    path = check_plot_path(path)
    replace_file(path, render(drawing, path.suffix.lower().lstrip(".")))
    return path


def render(drawing: Figure, kind: str) -> bytes:
    """Return the figure as a file, without the date, which would change the bytes."""
    import matplotlib

    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    out = BytesIO()
    with matplotlib.rc_context(_STYLE):
        drawing.savefig(out, format=kind, metadata=dates)
    return out.getvalue()
