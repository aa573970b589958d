"""Figures about words: expected neighbours and their threshold, uncertainty, keyness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lexfield.plots.figure import COLOURS, Picture, figure

if TYPE_CHECKING:
    from lexfield.bags.keyness import KeyWord
    from lexfield.results import Table
    from lexfield.vectors.models import Uncertainty
    from lexfield.vectors.threshold import NeighbourCurve, Threshold

_BARS = 60
_PAIRS = 20  # means of fewer are not drawn


def draw_threshold(
    found: Mapping[str, Threshold], words: Mapping[str, NeighbourCurve] | None = None
) -> Picture:
    """Draw expected neighbours by similarity, and where they equal the number of synonyms.

    ``words``: curves of single words, which are drawn dashed.
    """
    first = next(iter(found.values()))
    values = np.linspace(0, 1, 501)
    lowest = max(0.05, 0.5 * min(1.0, first.synonyms))
    with figure(7.5, 4.8) as drawing:
        axes = drawing.subplots()
        axes.axhline(first.synonyms, color="black", linewidth=0.9, linestyle="--")
        axes.annotate(
            f"{first.synonyms:g} synonyms per word", (0.0, first.synonyms), (4, 4),
            textcoords="offset points", fontsize=8,
        )  # fmt: skip
        for number, (name, one) in enumerate(found.items()):
            colour = COLOURS[number % len(COLOURS)]
            expected = [one.curve.neighbours(value) for value in values]
            low, high = one.interval
            label = f"{name}: {one.threshold:.3f}  ({low:.3f} to {high:.3f})"
            axes.plot(values, np.maximum(expected, 1e-9), color=colour, label=label)
            axes.plot([one.threshold], [first.synonyms], "o", color=colour)
            axes.plot([one.threshold] * 2, [lowest / 10, first.synonyms], ":", color=colour)
            if len(found) == 1:
                axes.axvspan(low, high, color=colour, alpha=0.12, linewidth=0)
        for number, (name, curve) in enumerate((words or {}).items(), len(found)):
            colour = COLOURS[number % len(COLOURS)]
            expected = [max(curve.neighbours(value), 1e-9) for value in values]
            label = f"{name}: {curve.similarity(first.synonyms):.3f}"
            axes.plot(values, expected, color=colour, linestyle="--", label=label)
        axes.set_yscale("log")
        axes.set_ylim(lowest / 10, None)
        axes.set_xlim(0, 1)
        axes.set_xlabel("similarity (cosine)")
        axes.set_ylabel("expected neighbours above it, per word")
        axes.set_title("Above which similarity words count as related")
        axes.legend(title="threshold (interval)", fontsize=8, title_fontsize=8)
    return Picture(drawing)


def draw_uncertainty(curves: Mapping[str, Table[Uncertainty]]) -> Picture:
    """Draw how much models disagree, by similarity; one curve per number of dimensions."""
    with figure(7.5, 4.5) as drawing:
        axes = drawing.subplots()
        for number, (name, curve) in enumerate(curves.items()):
            shown = [point for point in curve if point.pairs >= _PAIRS] or list(curve)
            width = round(curve[1].similarity - curve[0].similarity, 6) if len(curve) > 1 else 0
            axes.plot(
                [point.similarity + width / 2 for point in shown],
                [point.uncertainty for point in shown],
                marker="o", markersize=3, color=COLOURS[number % len(COLOURS)], label=name,
            )  # fmt: skip
        axes.set_ylim(0, None)
        axes.set_xlabel("similarity (cosine) in one model")
        axes.set_ylabel("mean difference from another model")
        axes.set_title("How much models of the same text disagree")
        axes.legend(fontsize=8)
    return Picture(drawing)


def draw_keyness(words: Sequence[KeyWord], names: tuple[str, str]) -> Picture:
    """Draw the log ratios of words as bars; the words are given by falling certainty."""
    shown = sorted(words[:_BARS], key=lambda word: word.log_ratio)
    with figure(8, 1.1 + 0.26 * max(4, len(shown))) as drawing:
        axes = drawing.subplots()
        for place, word in enumerate(shown):
            colour = COLOURS[0] if word.log_ratio >= 0 else COLOURS[1]
            axes.barh(place, word.log_ratio, color=colour)
            axes.annotate(
                f"{word.count_a:,} : {word.count_b:,}", (word.log_ratio, place),
                (4 if word.log_ratio >= 0 else -4, 0), textcoords="offset points", fontsize=7,
                va="center", ha="left" if word.log_ratio >= 0 else "right",
            )  # fmt: skip
        axes.set_yticks(range(len(shown)), [word.word for word in shown], fontsize=8)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.margins(x=0.15)
        axes.set_xlabel(
            f"log ratio: doublings of frequency, towards {names[1]} (left) or {names[0]} (right)"
        )
        axes.set_title(
            f"Words that distinguish {names[0]} from {names[1]}  (counts beside the bars)"
        )
    return Picture(drawing)
