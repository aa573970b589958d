"""The bags of all rows of an index, over its segments: terms, their lists, and what they sum to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.search.lexicon import inverted, joined
from lexfield.search.rows import Rows
from lexfield.text.stem import NONE, stem_words

Array = NDArray[Any]
T = TypeVar("T")
_KEPT = 30_000_000  # entries of derived lists that are remembered


@dataclass(frozen=True)
class Occurrences:
    """The rows that hold an n-gram, ascending, and how often; of rows that live, how many and how
    often in all."""

    rows: NDArray[np.int32]
    counts: Array
    holding: int
    total: float


class Bags:
    """``Bags.of(rows)``; made once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.stemmer = rows.segments[0].corpus.normalisation.stem
        self._postings = [segment.postings(rows.unit) for segment in rows.segments]
        lexicon = rows.lexicon
        if self.stemmer == NONE:
            self.ids, self.maps, self._inverse = lexicon.ids, lexicon.maps, lexicon.inverse
        else:
            first = [] if rows.whole is None else rows.whole.stems  # the numbers of all rows
            self.ids, maps = joined([first, *(segment.stems() for segment in rows.segments)])
            self.maps = maps[1:]
            self._inverse = inverted(self.maps, len(self.ids))
        self._remembered: dict[Hashable, Any] = {}
        self._lists: dict[Hashable, dict[tuple[str, ...], Any]] = {}
        self._size = 0
        self._own = threading.local()

    @classmethod
    def of(cls, rows: Rows) -> Bags:
        return rows.cached("bags", cls)

    def terms(self, words: list[str]) -> tuple[str, ...]:
        """The terms of words: themselves, or their stems."""
        return tuple(words if self.stemmer == NONE else stem_words(words, self.stemmer))

    @cached_property
    def names(self) -> list[str]:
        """The term of each id."""
        return list(self.ids)

    @cached_property
    def term_of(self) -> NDArray[np.int32]:
        """The term of each word of the lexicon."""
        if self.stemmer == NONE:
            return np.arange(len(self.rows.lexicon), dtype=np.int32)
        stems = stem_words(self.rows.lexicon.words, self.stemmer)
        return np.array([self.ids[stem] for stem in stems], np.int32)

    @cached_property
    def words_of(self) -> dict[int, list[int]]:
        """The words of the lexicon that each term stands for."""
        words: dict[int, list[int]] = {}
        for word, term in enumerate(self.term_of.tolist()):
            words.setdefault(term, []).append(word)
        return words

    def occurrences(self, gram: tuple[str, ...]) -> Occurrences:
        """The list of a term, or of an n-gram of terms; that of a term is remembered."""
        if len(gram) > 1:
            return self._occurrences(gram)
        return self.remember(("occurrences", gram), lambda: self._occurrences(gram))

    def _occurrences(self, gram: tuple[str, ...]) -> Occurrences:
        ids = [self.ids.get(term, -1) for term in gram]
        parts = []
        if min(ids) >= 0:
            for number, start in enumerate(self.rows.starts[:-1].tolist()):
                own = [int(self._inverse[number][term]) for term in ids]
                if min(own) >= 0:
                    rows, counts = self._in_segment(number, own)
                    parts.append((rows + np.int32(start) if start else rows, counts))
        if len(parts) == 1:
            rows, counts = parts[0]
        else:
            empty = np.empty(0, np.int32)
            rows = np.concatenate([empty, *(rows for rows, _ in parts)])
            counts = np.concatenate([empty, *(counts for _, counts in parts)])
        live = self.rows.live
        living = counts if live is None else counts[live[rows]]
        return Occurrences(rows, counts, *self._in_all(gram, ids, len(living), int(living.sum())))

    def _in_all(
        self, gram: tuple[str, ...], ids: list[int], holding: int, total: int
    ) -> tuple[int, int]:
        """Of an n-gram in all rows, where these are a part of them."""
        whole = self.rows.whole
        if whole is None:
            return holding, total
        if len(ids) > 1:
            return whole.counted(("gram", *gram), holding, total)
        if ids[0] < 0:
            return 0, 0
        return int(whole.term_holding[ids[0]]), int(whole.term_totals[ids[0]])

    def holding_any(self, terms: list[int], holding: int) -> int:
        """How many of all rows hold any of these terms, ``holding`` of them here."""
        whole = self.rows.whole
        return holding if whole is None else whole.counted(("any", *terms), holding, 0)[0]

    def _in_segment(self, number: int, terms: list[int]) -> tuple[Array, Array]:
        postings = self._postings[number]
        if len(terms) == 1:
            part = slice(postings.offsets[terms[0]], postings.offsets[terms[0] + 1])
            return postings.rows[part], postings.counts[part]
        corpus = self.rows.segments[number].corpus
        sizes = [postings.position_offsets[t + 1] - postings.position_offsets[t] for t in terms]
        rarest = int(np.argmin(sizes))
        first = postings.position_offsets[terms[rarest]]
        found = postings.positions[first : first + sizes[rarest]].astype(np.int64) - rarest
        found = found[(found >= 0) & (found <= len(corpus.tokens) - len(terms))]
        for place, term in enumerate(terms):
            if place != rarest:
                found = found[postings.terms[corpus.tokens[found + place]] == term]
        ends = corpus.token_offsets[1:]
        sentences = np.searchsorted(ends, found, "right")
        inside = sentences == np.searchsorted(ends, found + len(terms) - 1, "right")
        found = found[inside]
        starts = self.rows.token_offsets(number)
        rows, counts = np.unique(
            np.searchsorted(starts[1:], found, "right").astype(np.int32), return_counts=True
        )
        return rows, counts.astype(np.int32)

    def sizes(self, n: int) -> NDArray[np.int64]:
        """How many n-grams each row has: the tokens of its bag."""
        if n == 1:
            return self.rows.lengths.astype(np.int64)
        return self.remember(("sizes", n), lambda: self._sizes(n))

    def _sizes(self, n: int) -> NDArray[np.int64]:
        parts = []
        for number, segment in enumerate(self.rows.segments):
            grams = np.maximum(np.diff(segment.corpus.token_offsets) - n + 1, 0)
            if self.rows.unit == "document":
                sums = np.append(0, np.cumsum(grams))
                grams = np.diff(sums[segment.corpus.sentence_offsets])
            parts.append(grams.astype(np.int64))
            assert len(grams) == self.rows.units[number].rows
        return np.concatenate(parts)

    def total(self, n: int) -> int:
        """All n-grams of rows that live."""

        def total() -> int:
            sizes, live = self.sizes(n), self.rows.live
            return int(sizes.sum() if live is None else sizes[live].sum())

        whole = self.rows.whole
        if whole is not None:
            if n == 1:
                return whole.tokens
            return whole.counted(("total", n), 0, self.remember(("total", n), total))[1]
        return self.remember(("total", n), total)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Something derived, made once."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: T = self._remembered[key]
        return found

    def lists(self, method: Hashable) -> dict[tuple[str, ...], Any]:
        """What a method made of n-grams so far."""
        return self._lists.setdefault(method, {})

    def keep(self, method: Hashable, gram: tuple[str, ...], made: Any, size: int) -> None:
        """Keep what a method made of an n-gram; all is forgotten when there is too much of it."""
        self._size += size
        if self._size > _KEPT:
            self._lists, self._size = {}, size
        self.lists(method)[gram] = made

    def take_sums(self) -> NDArray[np.float64]:
        """A zero for every row, to be given back as such: clearing them takes as long as asking."""
        sums: NDArray[np.float64] | None = self._own.__dict__.pop("sums", None)
        return np.zeros(len(self.rows)) if sums is None else sums

    def give_back(self, sums: NDArray[np.float64]) -> None:
        self._own.sums = sums
