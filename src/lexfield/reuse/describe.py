"""Passages for people and programs: spans in characters, a kind, and the alignment word by word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lexfield.reuse.find import Shared
from lexfield.reuse.passages import ReusedPassage, compute_chance
from lexfield.reuse.scoring import IDENTICAL, STEM
from lexfield.reuse.words import CorpusWords

Kind = Literal["verbatim", "edited", "reworded"]
Operation = Literal["identical", "stem", "similar", "only in a", "only in b"]
Range = tuple[int, int]
_VERBATIM, _EDITED = 0.9, 0.6  # shares of identical words


@dataclass(frozen=True)
class Span:
    """Part of a document: its characters from ``start`` to before ``end``, and its sentences.

    sentences: the numbers of the first and the last one, from 0.
    """

    document: str
    start: int
    end: int
    sentences: Range
    words: int
    text: str


@dataclass(frozen=True)
class Step:
    """Consecutive words that are aligned in the same way, as characters of both documents.

    similarity: the cosine of two similar words. moved: are they in a different order in b?
    """

    op: Operation
    a: Range | None
    b: Range | None
    similarity: float | None = None
    moved: bool = False


@dataclass(frozen=True)
class PassagePair:
    """A passage that two documents share.

    score: shared information in nats. chance: how many passages with this score or more chance
    alone would yield in everything that was compared. identical: the share of identical words.
    cluster: passages with the same number overlap in a document: they may have one source.
    """

    a: Span
    b: Span
    kind: Kind
    score: float
    chance: float
    identical: float
    cluster: int
    alignment: list[Step]


def describe(shared: Shared, clusters: list[int]) -> list[PassagePair]:
    """Return the passages with their spans, kinds and alignments."""
    words = shared.words

    found = []
    for passage, cluster in zip(shared.passages, clusters, strict=True):
        first, last, low, high = passage.box
        spans = words.find_spans(passage.a, first, last), words.find_spans(passage.b, low, high)
        found.append(
            PassagePair(
                _make_span(words, passage.a, first, last, spans[0]),
                _make_span(words, passage.b, low, high, spans[1]),
                choose_kind(passage),
                passage.score,
                compute_chance(passage.score, shared.area),
                passage.identical,
                cluster,
                list(_list_steps(passage, *spans)),
            )
        )
    return found


def choose_kind(passage: ReusedPassage) -> Kind:
    """Return how closely a passage follows the other, by its share of identical words.

    Their order does not matter: the alignment says which were moved.
    """
    if passage.identical >= _VERBATIM:
        return "verbatim"
    return "edited" if passage.identical >= _EDITED else "reworded"


def _make_span(
    words: CorpusWords, document: int, first: int, last: int, spans: NDArray[np.int64]
) -> Span:
    start, end = int(spans[0, 0]), int(spans[-1, 1])
    sentences = words.find_sentences(document, np.array([first, last])).tolist()
    corpus = words.corpus
    text = corpus.texts[document][start:end]
    return Span(corpus.ids[document], start, end, tuple(sentences), last - first + 1, text)


_Entry = tuple[Operation, int, int, float | None, bool]  # with places of words, -1 for none


def _list_steps(
    passage: ReusedPassage, a: NDArray[np.int64], b: NDArray[np.int64]
) -> Iterator[Step]:
    """Yield the steps of an alignment in the order of a; words only in b follow those before.

    ``a`` and ``b`` are the characters of all words of the passage.
    """
    begin_a, _, begin_b, _ = passage.box

    def locate(spans: NDArray[np.int64], first: int, last: int) -> Range | None:
        return None if first < 0 else (int(spans[first, 0]), int(spans[last, 1]))

    first = last = None
    for entry in (*_list_entries(passage), None):
        if first is not None and last is not None:
            if entry is not None and _continues(last, entry):
                last = entry
                continue
            op, i, j, similarity, moved = first
            left = locate(a, i - begin_a, last[1] - begin_a)
            right = locate(b, j - begin_b, last[2] - begin_b)
            yield Step(op, left, right, similarity, moved)
        first = last = entry


def _continues(last: _Entry, entry: _Entry) -> bool:
    op, i, j, _, moved = last
    following = (op, i + (op != "only in b"), j + (op != "only in a"), None, moved)
    return op != "similar" and entry == following


def _list_entries(passage: ReusedPassage) -> Iterator[_Entry]:
    """Yield every word of both sides once."""
    first, last, low, high = passage.box
    aligned: dict[int, tuple[int, int, float, bool]] = {}
    used: set[int] = set()
    for part, marks in zip(passage.parts, passage.moved, strict=True):
        columns = (*part.pairs.T, part.relations, part.cosines, marks)
        for i, j, relation, cosine, moved in zip(*(c.tolist() for c in columns), strict=True):
            aligned[i] = (j, relation, cosine, moved)
            used.add(j)

    def list_only_b(place: int) -> Iterator[_Entry]:
        while place <= high and place not in used:
            yield ("only in b", -1, place, None, False)
            place += 1

    yield from list_only_b(low)
    for i in range(first, last + 1):
        if i not in aligned:
            yield ("only in a", i, -1, None, False)
            continue
        j, relation, cosine, moved = aligned[i]
        if relation == IDENTICAL:
            yield ("identical", i, j, None, moved)
        elif relation == STEM:
            yield ("stem", i, j, None, moved)
        else:
            yield ("similar", i, j, round(cosine, 3), moved)
        yield from list_only_b(j + 1)
