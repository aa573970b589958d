"""One look for every figure, and one way to keep it: the same data give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def save(drawing: Figure, path: str | Path) -> Path:
    """Write a figure as PNG, SVG or PDF, by the ending of ``path``."""
    import matplotlib

    path = plot_path(path)
    kind = path.suffix.lower().lstrip(".")
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    out = BytesIO()
    with matplotlib.rc_context(_STYLE):
        drawing.savefig(out, format=kind, metadata=dates)
    replace_file(path, out.getvalue())
    return path
