"""Keyword in context: every occurrence of a word or phrase with the words around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check, list_names
from lexfield.results import Table
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import stem_words
from lexfield.text.spelling import note_words

Sort = Literal["text", "left", "right"]
Group = tuple[str, int]  # document, phrase
_KEPT = 4096  # sentences whose words are remembered: matches are often close together
_NAMED = 5  # texts whose cut lists get a note each; more of them share one


@dataclass(frozen=True, slots=True)
class Context:
    """A match with the text to its left and right; ``sentence`` is its number in the document."""

    document: str
    sentence: int
    left: str
    match: str
    right: str


class Contexts(Table[Context]):
    """Matches in context, and how often they really occur in each text.

    ``totals`` counts all matches per document id, shown or not; it is 0 for a text without any.
    """

    def __init__(
        self, rows: Sequence[Context], totals: Counter[str], title: str, notes: Sequence[str]
    ) -> None:
        super().__init__(rows, title, notes)
        self.totals = totals


def kwic(
    corpus: Corpus,
    phrases: str | Sequence[str],
    *,
    window: int = 8,
    sort: Sort = "text",
    k: int | None = None,
    start: int = 0,
    forms: bool = False,
) -> Contexts:
    """Return all occurrences of words or phrases, as written, with ``window`` words on each side.

    A phrase lies within one sentence; its context may extend beyond it within the document.
    ``sort`` orders by the text, or by the words to the left (the nearest first) or to the right.
    ``k`` limits how many matches of a phrase are returned per document, from number ``start`` on;
    ``totals`` has the real numbers.
    ``forms``: find every form of a word, "whales" for "whale", if the corpus has a stemmer.
    """
    phrases = [phrases] if isinstance(phrases, str) else list(phrases)
    check(len(phrases) >= 1, "phrases", "at least one", phrases)
    check(0 <= window <= 1000, "window", "between 0 and 1000", window)
    check(sort in ("text", "left", "right"), "sort", "text, left or right", sort)
    check(k is None or k >= 1, "k", "at least 1", k)
    found: dict[tuple[int, int], int] = {}  # place → phrase
    notes = []
    every = _Forms(corpus) if forms else None
    for number, phrase in enumerate(phrases):
        words = corpus.normalisation.words(phrase)
        places = _places(corpus, every(words) if every else _find_ids(corpus, words))
        if not len(places):
            notes.append(f"{phrase!r} does not occur")
        notes += note_words(words, corpus.vocabulary)
        found |= {(place, place + len(words)): number for place in places.tolist()}
    reader = _Reader(corpus, window)
    ordered = sorted(found)
    if sort != "text":
        ordered.sort(key=lambda match: reader.key(match[0], match[1], sort))
    owners = reader.documents([start for start, _ in ordered])
    totals = Counter({corpus.ids[one]: count for one, count in sorted(Counter(owners).items())})
    if k is not None or start:
        seen: Counter[Group] = Counter()
        shown = []
        for owner, match in zip(owners, ordered, strict=True):
            group = corpus.ids[owner], found[match]
            seen[group] += 1
            if start < seen[group] and (k is None or seen[group] <= start + k):
                shown.append(match)
        ordered = shown
        notes += _cut_notes(seen, phrases, start, k) if k is not None else []
    title = f"{len(found):,} places of {list_names(phrases)}"
    return Contexts([reader.context(*match) for match in ordered], totals, title, notes)


def _cut_notes(
    counts: Mapping[Group, int], phrases: Sequence[str], start: int, k: int
) -> list[str]:
    """Return notes on the texts that hold more places than are shown."""
    cut = {group: count for group, count in counts.items() if count > start + k}
    shown = f"{start + 1:,} to {start + k:,}" if start else f"the first {k:,}"
    if len(cut) > _NAMED:
        texts = len({document for document, _ in cut})
        return [f"{shown} {'of the ' if start else ''}places per text; {texts:,} texts hold more"]
    of = len(phrases) > 1
    return [
        f"{document}: {shown} of {count:,} places" + (f" of {phrases[phrase]!r}" if of else "")
        for (document, phrase), count in cut.items()
    ]


def _find_ids(corpus: Corpus, words: Sequence[str]) -> list[list[int]]:
    """Return the numbers of words, each alone; none of a word that does not occur."""
    ids = (corpus.vocabulary.id(word) for word in words)
    return [[one] if one >= 0 else [] for one in ids]


class _Forms:
    """The numbers of all words of a corpus that have the stem of a word."""

    def __init__(self, corpus: Corpus) -> None:
        self._stemmer = corpus.normalisation.stemmer
        self._stems = np.array(stem_words(list(corpus.vocabulary.words), self._stemmer))

    def __call__(self, words: Sequence[str]) -> list[list[int]]:
        stems = stem_words(words, self._stemmer)
        return [np.flatnonzero(self._stems == stem).tolist() for stem in stems]


def _places(corpus: Corpus, ids: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return where a sequence of words begins, within a sentence; each may be one of several."""
    if not ids or not all(ids):
        return np.empty(0, np.int64)
    tokens = corpus.tokens
    places = np.flatnonzero(np.isin(tokens[: len(tokens) - len(ids) + 1], ids[0]))
    for step, own in enumerate(ids[1:], 1):
        places = places[np.isin(tokens[places + step], own)]
    ends = corpus.token_offsets[np.searchsorted(corpus.token_offsets, places, "right")]
    return np.asarray(places[places + len(ids) <= ends])


class _Reader:
    """The text around tokens, with punctuation and capitals as written."""

    def __init__(self, corpus: Corpus, window: int) -> None:
        self._corpus = corpus
        self._window = window
        self._cut = lru_cache(_KEPT)(self._cut_sentence)

    def documents(self, tokens: Sequence[int]) -> list[int]:
        """Return the row of the document that holds each token."""
        starts = self._corpus.token_offsets[self._corpus.sentence_offsets]
        found: list[int] = (np.searchsorted(starts, tokens, "right") - 1).tolist()
        return found

    def context(self, start: int, end: int) -> Context:
        first, last = self._around(start, end)
        row = self._sentence(start)
        begin, stop = self._place(start)[1], self._place(end - 1)[2]
        left, place, _ = self._place(first)
        right, _, final = self._place(last - 1)
        document = self._corpus.document_of(row)
        return Context(
            self._corpus.ids[document],
            row - int(self._corpus.sentence_offsets[document]),
            self._between(left, place, row, begin),
            self._between(row, begin, row, stop),
            self._between(row, stop, right, final),
        )

    def key(self, start: int, end: int, sort: Sort) -> list[str]:
        first, last = self._around(start, end)
        side = range(start - 1, first - 1, -1) if sort == "left" else range(end, last)
        return [self._corpus.vocabulary.words[int(self._corpus.tokens[i])] for i in side]

    def _around(self, start: int, end: int) -> tuple[int, int]:
        """Return the first token and the end of the context, within the document."""
        offsets = self._corpus.sentence_offsets
        document = self._corpus.document_of(self._sentence(start))
        low, high = self._corpus.token_offsets[offsets[document : document + 2]]
        return max(int(low), start - self._window), min(int(high), end + self._window)

    def _sentence(self, token: int) -> int:
        return int(np.searchsorted(self._corpus.token_offsets, token, "right")) - 1

    def _place(self, token: int) -> tuple[int, int, int]:
        """Return the sentence of a token, and where in its text it begins and ends."""
        row = self._sentence(token)
        begin, end = self._cut(row)[1][token - int(self._corpus.token_offsets[row])]
        return row, begin, end

    def _between(self, first: int, begin: int, last: int, end: int) -> str:
        """Return the text from a place in one sentence to a place in the same or a later one."""
        texts = [self._cut(row)[0] for row in range(first, last + 1)]
        texts[-1] = texts[-1][:end]
        texts[0] = texts[0][begin:]
        return " ".join(" ".join(texts).split())

    def _cut_sentence(self, row: int) -> tuple[str, list[tuple[int, int]]]:
        """Return the text of a sentence and the spans of its words."""
        corpus = self._corpus
        text = str(corpus.sentences[row])
        spans = corpus.normalisation.word_spans(text)
        tokens = corpus.sentence_tokens(row).tolist()
        if len(spans) != len(tokens):  # normalising joined or split words: show the normalised ones
            text = " ".join(corpus.vocabulary.words[i] for i in tokens)
            ends = np.cumsum([len(corpus.vocabulary.words[i]) + 1 for i in tokens]) - 1
            starts = np.append(0, ends[:-1] + 1)
            spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
        return text, spans
