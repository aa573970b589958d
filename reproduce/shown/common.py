"""What all papers' tables are written with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from page import Picture

RESULTS = Path(__file__).parents[1] / "results"
Result = dict[str, Any]


def beside(ours: float | None, paper: float | None, digits: int = 3) -> str:
    """Ours, with the paper's in brackets."""
    shown = "" if ours is None else f"{ours:.{digits}f}"
    return shown if paper is None else f"{shown} ({paper:.{digits}f})"


def line(ours: Sequence[float], paper: Sequence[float] | None, digits: int = 3) -> list[str]:
    theirs = paper if paper is not None else [None] * len(ours)
    return [beside(a, b, digits) for a, b in zip(ours, theirs, strict=True)]


def picture(name: str, shows: str) -> list[Picture]:
    """A picture of the results, if it has been drawn."""
    path = RESULTS / name
    return [Picture(path, shows)] if path.is_file() else []


def difference(text: str) -> str:
    return f"**Difference.** {text}"
