"""Ranks, parts of speech and places of words, for one corpus or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lexfield.answers.answer import Answer, Record

if TYPE_CHECKING:
    from lexfield.ranks.layout import LayoutResult
    from lexfield.ranks.speech import SpeechResult
    from lexfield.ranks.zipf import ZipfResult

_POINTS = 300  # of the curve that is drawn


def zipf(results: Sequence[ZipfResult], notes: Sequence[str]) -> Answer:
    """Every result, with enough points of its ranks, and of the fits, to draw them."""
    records = [{**result.to_dict(), **_drawing(result)} for result in results]
    return Answer("zipf", records, notes)


def _drawing(result: ZipfResult) -> Record:
    from lexfield.plots.ranks import fit_curves, select_ranks

    places = select_ranks(len(result.counts), _POINTS).tolist()
    return {
        "points": [
            {"rank": i + 1, "count": int(result.counts[i]), "label": result.labels[i]}
            for i in places
        ],
        "curves": [
            {"name": curve.name, "rank": curve.x.tolist(), "count": curve.y.tolist()}
            for curve in fit_curves(result)
        ],
    }


def clusters(result: ZipfResult, notes: Sequence[str]) -> Answer:
    """The clusters of sentences of one result, a record each."""
    found = result.clusters.to_dicts() if result.clusters else []
    extra = {"name": result.name, "k": len(found), "slope": result.slope, "r2": result.r2}
    return Answer("clusters", found, notes, extra)


def speech(results: Sequence[SpeechResult], notes: Sequence[str]) -> Answer:
    return Answer("speech", [result.to_dict() for result in results], notes)


def layout(results: Sequence[LayoutResult], notes: Sequence[str], extra: Record) -> Answer:
    several = len(results) > 1
    records = [
        {"corpus": result.name, **record} if several else record
        for result in results
        for record in result.to_dicts()
    ]
    return Answer("layout", records, notes, extra)
