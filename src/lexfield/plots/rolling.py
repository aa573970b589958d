"""The author of each part of a text, as a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.plots.svg_page import add_facts, list_facts, make_svg_page
from lexfield.results import JsonObject

_LIKELY = 0.05  # probability from which on an author is drawn


def draw_rolling(
    windows: list[JsonObject], name: str, changes: Sequence[tuple[int, int]]
) -> Picture:
    """Draw the probability of the authors that are likely somewhere along a text, with gaps where
    it was not judged, and shade where the hand changes. The page says which words a window has,
    and its likeliest authors."""
    middles = [(one["start"] + one["end"]) / 2 for one in windows]
    lines: dict[str, list[float]] = {}
    for one in windows:
        for candidate in one["candidates"]:
            p = candidate["probability"] if one["label"] else math.nan
            lines.setdefault(candidate["label"], []).append(p)
    highest = {label: float(np.nanmax([0, *lines[label]])) for label in lines}
    order = sorted(lines, key=lambda label: -highest[label])[: len(COLOURS) - 1]
    shown = [label for label in order if highest[label] >= _LIKELY] or order
    texts = [
        f"words {one['start']:,} to {one['end']:,}: "
        + ", ".join(f"{c['label']} {c['probability']:.2f}" for c in one["candidates"][:3])
        for one in windows
    ]
    with figure(8.0, 3.8) as drawing:
        axis = drawing.subplots()
        for label, colour in zip(shown, COLOURS, strict=False):
            axis.plot(middles, lines[label], "o-", ms=3, color=colour, label=label)
        for number, (low, high) in enumerate(changes):
            label = "" if number else "the hand changes"
            axis.axvspan(low, high, alpha=0.3, lw=0, color=COLOURS[-1], label=label)
        axis.set(ylim=(-0.03, 1.03), title=name, xlabel="word", ylabel="probability")
        axis.set_xlim(windows[0]["start"], windows[-1]["end"])
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        places = [
            (middle, p, text)
            for label in shown
            for middle, p, text in zip(middles, lines[label], texts, strict=True)
            if not math.isnan(p)
        ]
        add_facts(axis, [x for x, _, _ in places], [y for _, y, _ in places])
    facts = list_facts([text for _, _, text in places])
    return Picture(drawing, lambda _: make_svg_page(name, drawing, facts))
