"""Searching a collection in parts: what each part answers, and how that becomes one ranking.

A method that implements ``search`` alone returns the best rows of every part, of which the best are
the best of all; ties go to the earlier row. Where that is not enough a method may implement

    partial(rows, query, k, allowed, hint) → answer     what a part knows, as JSON
    merge(parts, query, k) → Found                      a ranking from the answers of all parts

and, where a first look at all parts helps,

    wants_preview(query) → bool
    preview(rows, query, k, allowed) → preview          as JSON; asks for all statistics needed
    combine(previews, k) → hint                         from those of all parts, for ``partial``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.explain import Explanation, no_reasons
from lexfield.index.lexicon import Lexicon
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows, Statistics
from lexfield.results import JsonObject

Allowed = NDArray[np.bool_] | None
Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # words, counts and shares of a row
_NOTES = 3  # of parts that differ


@dataclass(frozen=True)
class Parts:
    """The answers of all parts to one query, and what merging them may ask."""

    answers: list[Any]
    firsts: list[int]  # the number of each part's first row in the collection
    unit: str
    lexicon: Lexicon
    statistics: Statistics
    entries: Callable[[int], Entries]
    explain: Callable[[Any, int, int], Explanation]  # from a method, k and a row that it returned

    def take(self, choose: Callable[[Any], Any]) -> Parts:
        """Return the same with a part of every answer."""
        return replace(self, answers=[choose(answer) for answer in self.answers])


def wants_preview(method: Any, query: Query) -> bool:
    """Return whether a first round over all parts is needed."""
    ask = getattr(method, "wants_preview", None)
    return bool(ask and ask(query))


def preview(method: Any, rows: Rows, query: Query, k: int, allowed: Allowed) -> Any:
    """Return a part's preview for the first round."""
    look = getattr(method, "preview", None)
    return look(rows, query, k, allowed) if look else None


def combine(method: Any, previews: Sequence[Any], k: int) -> Any:
    """Return the hint that all parts get in the second round."""
    join = getattr(method, "combine", None)
    return join(previews, k) if join else None


def answer(method: Any, rows: Rows, query: Query, k: int, allowed: Allowed, hint: Any) -> Any:
    """Return a part's answer: its best rows."""
    partial = getattr(method, "partial", None)
    if partial:
        return partial(rows, query, k, allowed, hint)
    return describe(method.search(rows, query, min(k, len(rows)), allowed))


def describe(found: Found) -> JsonObject:
    """Return rows, scores and notes as JSON."""
    return {"rows": found.rows, "scores": found.scores, "notes": found.notes}


def merge(method: Any, parts: Parts, query: Query, k: int) -> Found:
    """Return the best rows of all parts."""
    join = getattr(method, "merge", None)
    if join:
        merged: Found = join(parts, query, k)
        return merged
    best = sorted(
        (-score, row + first)
        for found, first in zip(parts.answers, parts.firsts, strict=True)
        for row, score in zip(found["rows"], found["scores"], strict=True)
    )[:k]
    rows = [row for _, row in best]

    def explain(place: int) -> Explanation:
        return parts.explain(method, k, rows[place])

    notes = _merge_notes([found["notes"] for found in parts.answers])
    return Found(rows, [-negative for negative, _ in best], explain if rows else no_reasons, notes)


def _merge_notes(lists: list[list[str]]) -> list[str]:
    """Return the distinct notes of all parts; of those not common to all, only a few."""
    notes = list(dict.fromkeys(note for some in lists for note in some))
    common = [note for note in notes if all(note in some for some in lists)]
    rest = [note for note in notes if note not in common]
    if len(rest) > _NOTES:
        rest[_NOTES:] = [f"… and {len(rest) - _NOTES:,} such notes of other parts"]
    return [*common, *rest]
