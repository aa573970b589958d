"""Levenshtein distance, by characters or by words, exact top-k by pruning.

Two texts differ by at least the difference of their lengths, and by at least the larger of the two
one-sided differences of their letter counts. Rows with the lowest bounds are measured first; the
k-th best distance then excludes many of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.errors import check
from lexfield.explain import Explanation, Reason, no_reasons
from lexfield.index.letters import BINS, character_bins
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.levenshtein import Pattern, number_distances, text_distances

Measure = Callable[[Array, int], tuple[Array, Array]]
_STAGES = (1_000, 10_000)  # how many of the most promising rows are measured before the rest
_PART = 4_096  # rows measured at a time by one core
_NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, kw_only=True)
class Edit:
    """The score is minus the number of edits. ``by="word"`` counts edited words, stopwords too."""

    by: str = "character"
    name = "edit"

    def __post_init__(self) -> None:
        check(self.by in ("character", "word"), "by", "'character' or 'word'", self.by)

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        if not query.tokens:
            return Found([], [], no_reasons)
        if self.by == "word":
            bounds = np.abs(rows.lengths - np.int32(len(query.tokens)))
            measure = _by_word(rows, query)
        else:
            bounds = _bounds(rows, query.text)
            measure = _by_character(rows, query)
        if allowed is not None:
            bounds[~allowed] = _NEVER
        found, distances = _nearest(measure, bounds, k)

        def explain(place: int) -> Explanation:
            if self.by == "word":
                return _script(query.tokens, _tokens(rows, found[place]), " ")
            return _script(query.text, rows.text(found[place]), "")

        return Found(found, [float(-distance) for distance in distances], explain)


def _nearest(measure: Measure, bounds: NDArray[np.int32], k: int) -> tuple[list[int], list[int]]:
    """The ``k`` rows with the fewest edits, ties by row: the limit falls stage by stage."""
    rows = np.empty(0, np.int64)
    distances = np.empty(0, np.int32)
    limit = _NEVER - 1
    for size in (*_STAGES, len(bounds)):
        left = np.flatnonzero(bounds <= limit)
        if len(left) > size:
            left = left[np.argpartition(bounds[left], size - 1)[:size]]
        if not len(left):
            break
        bounds[left] = _NEVER
        left, measured = measure(left, limit)
        near = measured <= limit
        rows, distances = np.append(rows, left[near]), np.append(distances, measured[near])
        order = np.lexsort((rows, distances))[:k]
        rows, distances = rows[order], distances[order]
        if len(rows) == k:
            limit = int(distances[-1])
    return rows.tolist(), distances.tolist()


def _by_character(rows: Rows, query: Query) -> Measure:
    pattern = Pattern.of([ord(character) for character in query.text])

    def part(number: int, own: Array, limit: int) -> Array:
        unit, spans = rows.units[number], rows.spans(number)
        data = rows.segments[number].corpus.texts.data
        starts, ends = spans[own].T
        return text_distances(pattern, data, starts, ends, unit.characters[own], limit)

    return partial(_measure, rows, lambda number: rows.units[number].characters, part)


def _by_word(rows: Rows, query: Query) -> Measure:
    ids = rows.lexicon.ids
    outside: dict[str, int] = {}
    pattern = Pattern.of(
        [
            ids[token] if token in ids else len(ids) + outside.setdefault(token, len(outside))
            for token in query.tokens
        ]
    )
    table = pattern.table(len(ids))

    def part(number: int, own: Array, limit: int) -> Array:
        starts, tokens = rows.token_offsets(number), rows.segments[number].corpus.tokens
        lengths = rows.units[number].lengths[own]
        places = table[rows.lexicon.maps[number]]
        return number_distances(pattern, places, tokens, starts[own], lengths, limit)

    return partial(_measure, rows, lambda number: rows.units[number].lengths, part)


def _measure(
    rows: Rows,
    lengths: Callable[[int], Array],
    part: Callable[[int, Array, int], Array],
    chosen: Array,
    limit: int,
) -> tuple[Array, Array]:
    """Chosen rows, by segment and length, with their distances; in parts on all cores."""
    tasks = []
    for number, (start, unit) in enumerate(rows.blocks()):
        own = chosen[(chosen >= start) & (chosen < start + unit.rows)] - start
        short = np.minimum(lengths(number)[own], np.iinfo(np.uint16).max).astype(np.uint16)
        own = own[np.argsort(short, kind="stable")]  # by counting, which is quick for small numbers
        tasks += [(number, own[at : at + _PART]) for at in range(0, len(own), _PART)]
    parts = map_blocks(lambda task: part(*task, limit), tasks)
    measured = np.concatenate(list(parts))
    return np.concatenate([own + rows.starts[number] for number, own in tasks]), measured


def _bounds(rows: Rows, text: str) -> NDArray[np.int32]:
    """A lower bound of the distance to every row, from lengths and letters."""
    kinds = character_bins()[np.frombuffer(text.encode(), np.uint8)]
    counts = np.minimum(np.bincount(kinds, minlength=BINS + 1)[:BINS], 255)
    parts = []
    for _, unit in rows.blocks():
        common = np.zeros(unit.rows, np.uint16)
        for kind in np.flatnonzero(counts):
            common += np.minimum(unit.letters[kind], np.uint8(counts[kind]))
        bounds = np.abs(unit.characters - np.int32(len(text)))
        np.maximum(bounds, int(counts.sum()) - common.astype(np.int32), out=bounds)
        # In a row this short no count was cut off, so its own side of the bound holds too.
        theirs = np.where(unit.characters <= 255, unit.characters - common, 0)
        parts.append(np.maximum(bounds, theirs).astype(np.int32))
    return np.concatenate(parts)


def _tokens(rows: Rows, row: int) -> list[str]:
    number, own = rows.locate(row)
    corpus = rows.segments[number].corpus
    ids = corpus.document_tokens(own) if rows.unit == "document" else corpus.sentence_tokens(own)
    return [corpus.vocabulary.words[i] for i in ids]


def _script(source: Sequence[str], target: Sequence[str], joint: str) -> Explanation:
    """The edits that turn the query into the row, each run of one kind as one reason."""
    from rapidfuzz.distance import Levenshtein

    reasons = []
    for code in Levenshtein.opcodes(source, target):
        if code.tag != "equal":
            old = joint.join(source[code.src_start : code.src_end])
            new = joint.join(target[code.dest_start : code.dest_end])
            cost = max(code.src_end - code.src_start, code.dest_end - code.dest_start)
            reasons.append(Reason(old, new, -float(cost)))
    return Explanation(reasons, additive=True)
