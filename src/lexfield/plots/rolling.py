"""The author of each part of a text, as a figure."""

from __future__ import annotations

from collections.abc import Sequence

from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.plots.svg_page import add_facts, list_facts, make_svg_page
from lexfield.results import JsonObject


def draw_rolling(windows: list[JsonObject], name: str, changes: Sequence[int]) -> Picture:
    """Draw the probability of each author along a text; dashed lines where the hand changes.
    The page says which words a window has, and its likeliest authors."""
    middles = [(one["start"] + one["end"]) / 2 for one in windows]
    lines: dict[str, list[float]] = {}
    for one in windows:
        for candidate in one["candidates"]:
            lines.setdefault(candidate["label"], []).append(candidate["probability"])
    shown = sorted(lines, key=lambda label: -max(lines[label]))[: len(COLOURS) - 1]
    texts = [
        f"words {one['start']:,} to {one['end']:,}: "
        + ", ".join(f"{c['label']} {c['probability']:.2f}" for c in one["candidates"][:3])
        for one in windows
    ]
    with figure(8.0, 3.8) as drawing:
        axis = drawing.subplots()
        for label, colour in zip(shown, COLOURS, strict=False):
            axis.plot(middles, lines[label], "o-", ms=3, color=colour, label=label)
        for change in changes:
            axis.axvline(change, ls="--", lw=1, color=COLOURS[-1])
        axis.set(ylim=(-0.03, 1.03), title=name, xlabel="word", ylabel="probability")
        axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        heights = [p for label in shown for p in lines[label]]
        add_facts(axis, middles * len(shown), heights)
    facts = list_facts(texts * len(shown))
    return Picture(drawing, lambda: make_svg_page(name, drawing, facts))
