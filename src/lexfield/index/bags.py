"""The bags of all rows of an index: terms, the rows that hold them, and their totals.

A term is a word, stopwords too, or the stem of words where the index has a stemmer. The list of a
stem is put together from those of its words.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.index.rows import Key, Rows
from lexfield.index.segment import Segment
from lexfield.index.units import token_starts
from lexfield.text.normalise import NONE, stem_words

T = TypeVar("T")
_SOME = 1 << 16  # sentences that are searched for a phrase at a time
_KEPT = 30_000_000  # entries of derived lists that are kept in memory
_SMALL = 1 << 18  # words of a collection whose lists are all read at once
_ENTRY = 50  # as many entries as an empty list takes
_NOTHING: NDArray[np.int32] = np.empty(0, np.int32)


@dataclass(frozen=True)
class Occurrences:
    """The rows that hold an n-gram, ascending, and how often each does.

    ``holding`` and ``total`` are counts over the collection: of such rows, and of occurrences.
    """

    rows: NDArray[np.int32]
    counts: Array
    holding: int
    total: float


class Bags:
    """The bags of rows; ``Bags.of(rows)`` makes them once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.stemmer = rows.normalisation.stemmer
        self._remembered: dict[Hashable, Any] = {}
        self._lists: dict[Hashable, dict[tuple[str, ...], Any]] = {}
        self._size = 0
        self._own = threading.local()

    @classmethod
    def of(cls, rows: Rows) -> Bags:
        return rows.cached("bags", cls)

    def terms(self, words: list[str]) -> tuple[str, ...]:
        """Return the terms of words: themselves, or their stems."""
        return tuple(words if self.stemmer == NONE else stem_words(words, self.stemmer))

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each term, in the order of the first word that it stands for."""
        return self.rows.lexicon.number_terms(self.stemmer)

    @cached_property
    def names(self) -> list[str]:
        """The term of each id."""
        return list(self.ids)

    @cached_property
    def _stems(self) -> tuple[list[str], NDArray[np.int32]]:
        return self.rows.lexicon.find_stems(self.stemmer)

    @cached_property
    def term_of(self) -> NDArray[np.int32]:
        """The term of each word of the lexicon."""
        if self.stemmer == NONE:
            return np.arange(len(self.rows.lexicon), dtype=np.int32)
        return self._stems[1]

    def words_of(self, term: int) -> list[int]:
        """Return the words of the lexicon that a term stands for, ascending."""
        if self.stemmer == NONE:
            return [term]
        words, starts = self._words_by_term
        found: list[int] = words[starts[term] : starts[term + 1]].tolist()
        return found

    @cached_property
    def _words_by_term(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All words in the order of their terms, and where each term begins."""
        words = np.argsort(self.term_of, kind="stable")
        return words, np.searchsorted(self.term_of[words], np.arange(len(self.ids) + 1))

    def occurrences(self, gram: tuple[str, ...]) -> Occurrences:
        """Return the rows that hold a term, or an n-gram of terms; those of a term are kept."""
        found: Occurrences | None = self.lists("occurrences").get(gram)
        if found is not None:
            return found
        ids = [self.ids.get(term, -1) for term in gram]
        if len(ids) == 1:
            return self.collect(ids)[0] if ids[0] >= 0 else Occurrences(_NOTHING, _NOTHING, 0, 0)
        rows = counts = _NOTHING
        if min(ids) >= 0:
            parts = [self._find_phrase(number, ids) for number in range(len(self.rows.segments))]
            rows, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        return self._count(("gram", *gram), rows, counts)

    def count_rows(self, term: str) -> int:
        """Return how many rows of the collection hold a term; it is seldom looked up in a list."""
        number, sizes = self.ids.get(term, -1), self._stored_sizes
        if number < 0:
            return 0
        if self.rows.is_part:
            return self.rows.statistics.count(("term", number), 0, 0)[0]
        return self.occurrences((term,)).holding if sizes is None else int(sizes[number])

    @cached_property
    def _stored_sizes(self) -> Array | None:
        """How many rows hold each term; None if that has to be counted."""
        if len(self.rows.segments) > 1 or self.rows.live is not None:
            return None
        (postings,) = self.rows.postings_by_segment
        return postings.sizes if self.stemmer == NONE else postings.term_sizes

    def collect(self, terms: list[int]) -> list[Occurrences]:
        """Return the occurrences of several terms, which are read at once, and keep them."""
        kept, names = self.lists("occurrences"), self.names
        found: dict[int, Occurrences] = {}
        for term in terms:
            one = kept.get((names[term],))
            if one is not None:
                found[term] = one
        new = [term for term in dict.fromkeys(terms) if term not in found]
        if new:
            is_small = self.rows.statistics.tokens <= _SMALL
            rows, counts, ends = self._every if is_small else self._read(new)
            places = new if is_small else range(len(new))
            for term, place in zip(new, places, strict=True):
                part = slice(ends[place], ends[place + 1])
                found[term] = one = self._count(("term", term), rows[part], counts[part])
                self.keep("occurrences", (names[term],), one, len(one.rows))
        return [found[term] for term in terms]

    def _read(self, terms: Iterable[int]) -> tuple[Array, Array, list[int]]:
        """Return the rows that hold each of some terms, one after another, how often each does, and
        0 and where those of each term end."""
        rows, counts, sizes = self.rows.postings_of_groups([self.words_of(term) for term in terms])
        return rows, counts, [0, *np.cumsum(sizes).tolist()]

    @cached_property
    def _every(self) -> tuple[Array, Array, list[int]]:
        """What ``_read`` returns of all terms of a small collection: that is read at once."""
        return self._read(range(len(self.ids)))

    def _count(self, key: Key, rows: Array, counts: Array) -> Occurrences:
        live = self.rows.live
        living = counts if live is None else counts[live[rows]]
        holding, total = self.rows.statistics.count(key, len(living), int(living.sum()))
        return Occurrences(rows, counts, holding, total)

    def _find_phrase(self, number: int, gram: list[int]) -> tuple[Array, Array]:
        """Return the rows of a segment that hold a phrase, ascending, and how often."""
        segment, inverse = self.rows.segments[number], self.rows.lexicon.inverse[number]
        postings = segment.postings("sentence")
        words = [[w for w in inverse[self.words_of(term)].tolist() if w >= 0] for term in gram]
        if not all(words):
            return _NOTHING, _NOTHING
        sizes = [int(postings.sizes[some].sum()) for some in words]
        rarest = words[int(np.argmin(sizes))]
        holding, *_ = postings.find_any(np.array(rarest), np.array([len(rarest)]))
        parts = [
            self._match(segment, self._terms(number), gram, holding[first : first + _SOME])
            for first in range(0, len(holding), _SOME)
        ]
        found = np.concatenate([_NOTHING, *parts])
        if self.rows.unit == "document":
            ends = segment.corpus.sentence_offsets[1:]
            found = np.searchsorted(ends, found, "right").astype(np.int32)
        rows, counts = np.unique(found, return_counts=True)
        return rows + np.int32(self.rows.starts[number]), counts.astype(np.int32)

    def _match(self, segment: Segment, terms: Array, gram: list[int], sentences: Array) -> Array:
        """Return the sentences among some in which a phrase begins, once per occurrence."""
        arrays = segment.corpus.arrays
        starts = arrays["token_offsets"][sentences].astype(np.int64)
        sizes = arrays["token_offsets"][sentences + 1].astype(np.int64) - starts
        own = terms[arrays["tokens"][join_ranges(starts, sizes)]]
        where = np.repeat(sentences, sizes)
        last = max(0, len(own) - len(gram) + 1)
        matches = where[:last] == where[len(own) - last :]
        for place, term in enumerate(gram):
            matches &= own[place : place + last] == term
        found: Array = where[:last][matches]
        return found

    def _terms(self, number: int) -> NDArray[np.int32]:
        """Return the term of each word of a segment."""
        own = self.rows.lexicon.maps[number]
        return own if self.stemmer == NONE else self.term_of[own]

    def count_words(self, row: int) -> NDArray[np.int64]:
        """Return how often each word of the lexicon occurs in a row; the last one is kept."""
        last: tuple[int, NDArray[np.int64]] | None = self._own.__dict__.get("counted")
        if last is None or last[0] != row:
            words = self.rows.tokens_of(np.array([row]))[1]
            last = row, np.bincount(words, minlength=len(self.rows.lexicon))
            self._own.counted = last
        return last[1]

    def sizes(self, n: int) -> NDArray[np.int64]:
        """Return how many n-grams each row has."""
        if n == 1:
            return self.rows.lengths.astype(np.int64)
        return self.remember(("sizes", n), lambda: self._sizes(n))

    def _sizes(self, n: int) -> NDArray[np.int64]:
        parts = []
        for number, segment in enumerate(self.rows.segments):
            lengths = np.diff(token_starts(segment.corpus, "sentence")).astype(np.int64)
            grams = np.maximum(lengths - n + 1, 0)
            if self.rows.unit == "document":
                sums = np.append(0, np.cumsum(grams))
                grams = np.diff(sums[segment.corpus.sentence_offsets])
            parts.append(grams.astype(np.int64))
            assert len(grams) == self.rows.units[number].rows
        return np.concatenate(parts)

    def total(self, n: int) -> int:
        """Return the number of all n-grams of the collection."""

        def total() -> int:
            sizes, live = self.sizes(n), self.rows.live
            return int(sizes.sum() if live is None else sizes[live].sum())

        if n == 1:
            return self.rows.statistics.tokens
        return self.rows.statistics.count(("total", n), 0, self.remember(("total", n), total))[1]

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return something derived from the rows, made once."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: T = self._remembered[key]
        return found

    def read_once(self, query: object, read: Callable[[Bags, Any], T]) -> T:
        """Return what is read from a query; that of the last one is kept."""
        last: tuple[object, T] | None = self._own.__dict__.get(read.__name__)
        if last is None or last[0] is not query:
            last = query, read(self, query)
            setattr(self._own, read.__name__, last)
        return last[1]

    def lists(self, method: Hashable) -> dict[tuple[str, ...], Any]:
        """Return what a method has made of n-grams so far."""
        return self._lists.setdefault(method, {})

    def keep(self, method: Hashable, gram: tuple[str, ...], made: Any, size: int) -> None:
        """Keep what a method made of an n-gram; everything is dropped when it gets too much."""
        self._size += size + _ENTRY
        if self._size > _KEPT:
            self._lists, self._size = {}, size + _ENTRY
        self.lists(method)[gram] = made

    def borrow_sums(self) -> NDArray[np.float64]:
        """Return a buffer with a zero for every row; hand it back zeroed with ``return_sums``.

        Clearing all of it would take as long as a query.
        """
        sums: NDArray[np.float64] | None = self._own.__dict__.pop("sums", None)
        return np.zeros(len(self.rows)) if sums is None else sums

    def return_sums(self, sums: NDArray[np.float64]) -> None:
        self._own.sums = sums


def count_holding(rows: Rows, words: list[str], allowed: NDArray[np.bool_] | None = None) -> int:
    """Return how many rows hold one of some words, in any of its forms."""
    bags = Bags.of(rows)
    holds = np.zeros(len(rows), bool)
    for term in dict.fromkeys(bags.terms(words)):
        holds[bags.occurrences((term,)).rows] = True
    return int(np.count_nonzero(holds if allowed is None else holds & allowed))
