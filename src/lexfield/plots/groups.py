"""Groups of documents, such as authors, as colours and marks that everybody can tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import COLOURS

_COLOURS, OTHER = COLOURS[:6], "#767676"
MARKS = ("o", "s")  # circles first, then squares: twelve groups in all
_OTHERS = "others"


@dataclass(frozen=True)
class Groups:
    """The largest groups, then all others in grey. ``of`` holds the group of each document."""

    names: list[str]
    of: NDArray[np.int64]
    by: str = ""

    def is_other(self, group: int) -> bool:
        return group == len(self.names) - 1 and self.names[group] == _OTHERS

    def colour(self, group: int) -> str:
        return OTHER if self.is_other(group) else _COLOURS[group % len(_COLOURS)]

    def mark(self, group: int) -> str:
        return MARKS[group // len(_COLOURS) % len(MARKS)]

    def is_second(self, group: int) -> bool:
        """Has another group the same colour? Then squares, dashed lines and italics differ."""
        return self.mark(group) == MARKS[1] and not self.is_other(group)

    def style_name(self, name: Any, group: int) -> None:
        """Write a name, which is matplotlib's text, in the style of its group."""
        if self.by:
            name.set_color(self.ink(group))
            name.set_fontstyle("italic" if self.is_second(group) else "normal")

    def ink(self, group: int) -> str:
        """Return the colour for text: darker, to be readable on white."""
        colour = self.colour(group)
        parts = [int(int(colour[place : place + 2], 16) * 0.72) for place in (1, 3, 5)]
        return "#" + "".join(f"{part:02x}" for part in parts)

    def add_legend(self, drawing: Any, ncols: int) -> None:
        """Name the groups above the figure."""
        from matplotlib.lines import Line2D

        if not self.by:
            return
        sizes = np.bincount(self.of, minlength=len(self.names))
        handles = [
            Line2D(
                [], [], linestyle="", marker=self.mark(group), color=self.colour(group),
                markersize=6, label=f"{name} ({sizes[group]:,})",
            )
            for group, name in enumerate(self.names)
        ]  # fmt: skip
        legend = drawing.legend(
            handles=handles, loc="outside upper left", ncols=ncols, fontsize=8, title=self.by,
            title_fontsize=8, alignment="left",
        )  # fmt: skip
        for group, text in enumerate(legend.get_texts()):
            text.set_fontstyle("italic" if self.is_second(group) else "normal")


def choose_groups(labels: Sequence[str] | None, documents: int, by: str = "") -> Groups:
    """Return the groups of documents by their labels; without labels all are one group. Documents
    without a label, and all but the twelve largest groups, are others."""
    if labels is None:
        return Groups([""], np.zeros(documents, np.int64))
    sizes = Counter(label for label in labels if label)
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    names = names[: len(_COLOURS) * len(MARKS)]
    place = {name: number for number, name in enumerate(names)}
    of = np.array([place.get(label, len(names)) for label in labels], np.int64)
    if (of == len(names)).any():
        names = [*names, _OTHERS]
    return Groups(names, of, by or "group")
