"""Levenshtein distance, by characters or by words, exact top-k by pruning.

Two texts differ by at least the difference of their lengths, and by at least the larger of the two
one-sided differences of their letter counts. Rows with the lowest bounds are measured first; the
k-th best distance then excludes many of the others and cuts the measuring of the rest short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import cores
from lexfield.errors import check
from lexfield.explain import Explanation, Reason, no_reasons
from lexfield.search.query import Query
from lexfield.search.ranking import Found
from lexfield.search.rows import Rows, as_characters
from lexfield.search.segment import BINS, character_bins

_STAGES = (1_000, 10_000)  # how many of the most promising rows are measured before the rest
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
            text, strings = _word_string(rows, query), rows.word_strings
            bounds = np.abs(rows.lengths - np.int32(len(text)))
        else:
            text, strings = query.text, rows.texts
            bounds = _bounds(rows, text)
        if allowed is not None:
            bounds[~allowed] = _NEVER
        found, distances = _nearest(text, strings, bounds, k)

        def explain(place: int) -> Explanation:
            if self.by == "word":
                return _script(query.tokens, _tokens(rows, found[place]), " ")
            return _script(text, strings[found[place]], "")

        return Found(found, [float(-distance) for distance in distances], explain)


def _nearest(
    text: str, strings: Sequence[str], bounds: NDArray[np.int32], k: int
) -> tuple[list[int], list[int]]:
    """The ``k`` rows with the fewest edits, ties by row: the limit falls stage by stage."""
    rows = np.empty(0, np.int64)
    distances = np.empty(0, np.int32)
    limit = _NEVER - 1
    for size in (*_STAGES, len(strings)):
        left = np.flatnonzero(bounds <= limit)
        if len(left) > size:
            left = left[np.argpartition(bounds[left], size - 1)[:size]]
        if not len(left):
            break
        bounds[left] = _NEVER
        measured = _distances(text, [strings[row] for row in left.tolist()], limit)
        rows, distances = np.append(rows, left), np.append(distances, measured)
        order = np.lexsort((rows, distances))[:k]
        rows, distances = rows[order], distances[order]
        if len(rows) == k:
            limit = int(distances[-1])
    return rows.tolist(), distances.tolist()


def _distances(text: str, strings: list[str], limit: int) -> NDArray[np.int32]:
    """Edits to each string; more than ``limit`` where it is passed."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    cutoff = None if limit >= _NEVER - 1 else limit
    workers = cores() if len(strings) > 2_000 else 1
    distances: NDArray[np.int32] = cpdist(
        [text] * len(strings),
        strings,
        scorer=Levenshtein.distance,
        score_cutoff=cutoff,
        dtype=np.int32,
        workers=workers,
    )
    return distances


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


def _word_string(rows: Rows, query: Query) -> str:
    """The query with a character for each word, as ``Rows.word_strings`` has them."""
    ids = rows.lexicon.ids
    outside: dict[str, int] = {}
    numbers = [
        ids.get(token, -1) if token in ids else len(ids) + outside.setdefault(token, len(outside))
        for token in query.tokens
    ]
    return as_characters(np.array(numbers, np.int64))


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
