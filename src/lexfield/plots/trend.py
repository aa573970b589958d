"""Figure of how often words or topics occur over a field, or along a text."""

from __future__ import annotations

from datetime import date
from typing import Any

from lexfield.plots.figure import COLOURS, Picture, figure
from lexfield.results import JsonObject

_PER = 10_000  # words
_NAMES = 12  # more labels are turned


def draw_trend(points: list[JsonObject], about: str, kind: str) -> Picture:
    """Draw shares with their intervals, a line per series; plain values as dots."""
    series: dict[str, list[JsonObject]] = {}
    for point in points:
        series.setdefault(point["series"], []).append(point)
    labels = list(dict.fromkeys(point["label"] for point in points))
    with figure(8.0, 4.2) as drawing:
        axes = drawing.subplots()
        for number, (name, own) in enumerate(series.items()):
            colour = COLOURS[number % len(COLOURS)]
            shares, lows, highs = (
                [_PER * one[field] for one in own] for field in ("share", "low", "high")
            )
            if kind == "values":
                shift = (number - (len(series) - 1) / 2) * 0.7 / len(series)
                places = [labels.index(one["label"]) + shift for one in own]
                axes.vlines(places, lows, highs, color=colour, alpha=0.4)
                axes.plot(places, shares, "o", ms=4, color=colour, label=name)
            else:
                values: list[Any] = [
                    date.fromisoformat(one["value"]) if kind == "date" else one["value"]
                    for one in own
                ]
                axes.fill_between(values, lows, highs, color=colour, alpha=0.15, linewidth=0)
                axes.plot(values, shares, "o-", ms=3, color=colour, label=name)
        if kind == "values":
            turn = 60 if len(labels) > _NAMES else 0
            axes.set_xticks(range(len(labels)), labels, rotation=turn, fontsize=8)
        largest = _PER * max((point["share"] for point in points), default=0.0)
        if largest > 0:  # the interval of a few words would dwarf all else
            axes.set_ylim(0, min(axes.get_ylim()[1], 3 * largest))
        axes.set(xlabel=about, ylabel=f"per {_PER:,} words")
        axes.set_title("How often, with 95 % intervals")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return Picture(drawing)
