"""``plot`` for results, separate from the figures: results must not import upward.

Figures are drawn by ``lexfield.plots``, which is above all results and knows how to draw each.
``lexfield/__init__.py`` sets ``Plottable.draw``. This module imports nothing heavy, so that
``import lexfield`` stays cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path


class Plottable:
    """A result that can be drawn."""

    draw: ClassVar[Callable[..., Any]]

    def plot(self, path: str | Path | None = None, *arguments: Any, **options: Any) -> Any:
        """Write a png, svg or pdf file (ranks and layouts also html) and return its path.

        Without a path, return a ``Picture``: the figure and the data it shows.
        """
        picture = Plottable.draw(self, *arguments, **options)
        return picture if path is None else picture.save(path)
