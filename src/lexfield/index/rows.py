"""The rows of an index, sentences or documents, over all its segments as one.

A row's number is its place in its segment plus the rows of the segments before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.index.lexicon import Lexicon
from lexfield.index.passages import Answers, Passage, best_passages
from lexfield.index.postings import Postings
from lexfield.index.segment import Segment
from lexfield.index.units import Unit, token_starts
from lexfield.results import JsonObject
from lexfield.text.corpus import Corpus
from lexfield.text.fields import find_source, read_column, unknown_field
from lexfield.text.normalise import Normalisation
from lexfield.vectors.nearest import unit_rows

T = TypeVar("T")
Key = tuple[str | int, ...]  # what is counted, such as ("gram", "at", "sea")


@dataclass
class Statistics:
    """Counts over all rows of a collection that were not deleted.

    Rows that are a part of a larger collection carry the statistics of all of it, so that their
    scores are those that they have there.
    """

    rows: int
    tokens: int
    holding: NDArray[np.int64]  # rows that hold each word of the lexicon
    fields: frozenset[str] = frozenset()  # metadata that only other parts of the collection have

    def count(self, key: Key, holding: int, total: int) -> tuple[int, int]:
        """Return how many rows of the collection hold something, and how often in all.

        ``holding`` and ``total`` are the same counts in the rows that ask.
        """
        return holding, total


class Rows:
    """The rows of an index, as search methods see them."""

    def __init__(
        self,
        segments: Sequence[Segment],
        lexicon: Lexicon,
        unit: str,
        deleted: Array,
        statistics: Statistics | None = None,
    ) -> None:
        """``statistics`` are given where the rows are a part of a larger collection."""
        self.segments = segments
        self.lexicon = lexicon
        self.unit = unit
        self.units: list[Unit] = [segment.unit(unit) for segment in segments]
        self.starts = np.append(0, np.cumsum([u.rows for u in self.units])).astype(np.int64)
        self._first: list[int] = self.starts.tolist()
        self._deleted = deleted  # documents
        self._statistics = statistics
        self._cache: JsonObject = {}

    def __len__(self) -> int:
        return int(self.starts[-1])

    def cached(self, name: str, make: Callable[[Rows], T]) -> T:
        """Return something that a method derives from all rows, made once."""
        if name not in self._cache:
            self._cache[name] = make(self)
        made: T = self._cache[name]
        return made

    def blocks(self) -> Iterator[tuple[int, Unit]]:
        """Return the rows of each segment with the number of the first."""
        return zip(self._first[:-1], self.units, strict=True)

    def split(self, chosen: Array) -> Iterator[tuple[int, Unit, Array, Array]]:
        """Yield for each segment its number and unit, which of the chosen rows it holds (as places
        in ``chosen``), and their numbers there."""
        for number, (start, unit) in enumerate(self.blocks()):
            inside = np.flatnonzero((chosen >= start) & (chosen < start + unit.rows))
            yield number, unit, inside, chosen[inside] - start

    def locate(self, row: int) -> tuple[int, int]:
        """Return the segment of a row, and its number there."""
        segment = bisect_right(self._first, row) - 1
        return segment, row - self._first[segment]

    @cached_property
    def sizes(self) -> NDArray[np.int32]:
        return _join([u.sizes for u in self.units])

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        return _join([u.lengths for u in self.units])

    @cached_property
    def set_sizes(self) -> NDArray[np.int32]:
        """Distinct words of each row, without stopwords."""
        return _join([u.set_sizes for u in self.units])

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Tokens of each row, without stopwords."""
        parts = []
        for number, segment in enumerate(self.segments):
            content = np.append(0, np.cumsum(segment.content[segment.corpus.tokens]))
            parts.append(np.diff(content[self.token_offsets(number)]))
        return _join(parts)

    @cached_property
    def documents(self) -> NDArray[np.int64]:
        """The document of each row, counted over all segments."""
        if self.unit == "document":
            return np.arange(len(self))
        first, parts = 0, []
        for segment in self.segments:
            sentences = np.diff(segment.corpus.sentence_offsets)
            parts.append(first + np.repeat(np.arange(len(sentences)), sentences))
            first += len(sentences)
        return _join(parts)

    @cached_property
    def _metadata(self) -> list[dict[str, str]]:
        corpora = [segment.corpus for segment in self.segments]
        return [corpus.metadata(number) for corpus in corpora for number in range(len(corpus.ids))]

    @cached_property
    def fields(self) -> list[str]:
        """The fields of metadata in the whole collection, sorted."""
        own = {name for record in self._metadata for name in record}
        return sorted(own if self._statistics is None else own | self._statistics.fields)

    def column(self, name: str) -> list[str]:
        """Return a field of every document, empty where it has none; ``id`` is always there.

        Raise InputError if the collection has no such field.
        """
        if name == "id" and name not in self.fields:
            return [id for segment in self.segments for id in segment.corpus.ids]
        if not (source := self.find_source(name)):
            raise unknown_field(name, self.fields)
        return read_column(name, source, self._metadata)

    def find_source(self, name: str) -> str:
        """Return the field that a name stands for; empty if there is none."""
        return find_source(name, self.fields, self._metadata)

    @cached_property
    def live(self) -> NDArray[np.bool_] | None:
        """Rows of documents that were not deleted; None for all."""
        return ~self._deleted[self.documents] if self._deleted.any() else None

    @property
    def is_part(self) -> bool:
        """Whether these are a part of the rows of the collection, as those of a shard are."""
        return self._statistics is not None

    @cached_property
    def statistics(self) -> Statistics:
        """Counts over the whole collection."""
        if self._statistics is not None:
            return self._statistics
        live = self.live
        holding = np.zeros(len(self.lexicon), np.int64)
        for number, (start, unit) in enumerate(self.blocks()):
            lists = self.postings_by_segment[number]
            own = None if live is None else live[start : start + unit.rows]
            counts = lists.sizes if own is None else lists.count_live(own)
            holding[self.lexicon.maps[number]] += counts
        lengths = self.lengths if live is None else self.lengths[live]
        return Statistics(len(lengths), int(lengths.sum()), holding)

    @cached_property
    def postings_by_segment(self) -> list[Postings]:
        return [segment.postings(self.unit) for segment in self.segments]

    def dots(self, chosen: Array, vector: NDArray[np.float32]) -> tuple[Array, Array]:
        """Return inner products of a vector with those of chosen rows, and their lengths."""
        products, lengths = np.zeros(len(chosen)), np.zeros(len(chosen))
        for _, unit, inside, own in self.split(chosen):
            products[inside], lengths[inside] = unit.multiply(vector, own)
        return products, lengths

    def postings_of(self, words: Array) -> tuple[Array, Array]:
        """Return the sizes of the lists of several words, and the lists, one after another."""
        lists = [self.postings(word)[0] for word in words.tolist()]
        sizes = np.array([len(rows) for rows in lists], np.int64)
        return sizes, np.concatenate([np.empty(0, np.int32), *lists])

    def postings(self, word: int) -> tuple[Array, Array]:
        """Return the rows that hold a word, ascending, and how often each does."""
        rows, counts = [], []
        for start, lists, inverse in self._lists():
            own = inverse[word]
            if own >= 0:
                found, own_counts = lists.find(int(own))
                rows.append(found + np.int32(start) if start else found)
                counts.append(own_counts)
        if len(rows) == 1:
            return rows[0], counts[0]
        empty = np.empty(0, np.int32)
        return np.concatenate([empty, *rows]), np.concatenate([empty, *counts])

    def postings_of_groups(self, groups: list[list[int]]) -> tuple[Array, Array, Array]:
        """Return for each group of words the rows that hold any of them, ascending, how often all
        of them occur in each, one group after another, and how many rows each group has."""
        sizes = np.array([len(group) for group in groups])
        words = np.array([word for group in groups for word in group], np.int64)
        parts = []
        for start, lists, inverse in self._lists():
            own, kept = inverse[words], sizes
            if (own < 0).any():
                held = np.repeat(np.arange(len(groups)), sizes)[own >= 0]
                own, kept = own[own >= 0], np.bincount(held, minlength=len(groups))
            rows, counts, left = lists.find_any(own, kept)
            parts.append((rows + np.int32(start) if start else rows, counts, left))
        if len(parts) == 1:
            return parts[0]
        rows, counts, left = (np.concatenate(part) for part in zip(*parts, strict=True))
        numbers = np.tile(np.arange(len(groups)), len(parts))
        order = np.argsort(np.repeat(numbers, left), kind="stable")
        return rows[order], counts[order], left.reshape(len(parts), -1).sum(axis=0)

    def _lists(self) -> Iterator[tuple[int, Postings, NDArray[np.int32]]]:
        """Return each segment's first row, postings, and number of each word or -1."""
        return zip(self._first[:-1], self.postings_by_segment, self.lexicon.inverse, strict=True)

    def words_of(self, row: int) -> Array:
        """Return the distinct words of a row, without stopwords."""
        number, own = self.locate(row)
        return self.lexicon.maps[number][self._count(number, own)[0]]

    def all_words_of(self, row: int) -> Array:
        """Return the words of a row in order, with stopwords."""
        number, own = self.locate(row)
        return self.lexicon.maps[number][self._tokens_of(number, own)]

    def is_copy(self, row: int, text: str, edits: int) -> bool:
        """Return whether a row is fewer than ``edits`` edits from a text."""
        from rapidfuzz.distance import Levenshtein

        if not edits:
            return False
        return bool(Levenshtein.distance(text, self.text(row), score_cutoff=edits - 1) < edits)

    def entries(self, row: int) -> tuple[Array, Array, Array]:
        """Return the distinct words of a row, without stopwords, with counts and shares."""
        number, own = self.locate(row)
        segment, unit = self.segments[number], self.units[number]
        words, counts = self._count(number, own)
        if unit.is_old:
            shares = unit.shares[unit.offsets[own] : unit.offsets[own + 1]]
        else:
            known = np.where(segment.matches[words] > 0, counts, 0)
            shares = known / max(1, int(known.sum()))
        shares = shares.astype(np.float32)
        return self.lexicon.maps[number][words], counts.astype(np.int32), shares

    def _count(self, number: int, row: int) -> tuple[Array, Array]:
        """Return the distinct words of a row of a segment, without stopwords, with counts."""
        unit, segment = self.units[number], self.segments[number]
        if unit.is_long or unit.is_old:
            part = slice(int(unit.offsets[row]), int(unit.offsets[row + 1]))
            return unit.words[part], unit.counts[part]
        tokens = self._tokens_of(number, row)
        return np.unique(tokens[segment.content[tokens]], return_counts=True)

    def _tokens_of(self, number: int, row: int) -> Array:
        """Return the words of a row of a segment, by their numbers there."""
        corpus, first, last = self.segments[number].corpus, row, row + 1
        if self.unit == "document":
            first, last = corpus.arrays["sentence_offsets"][row : row + 2].tolist()
        starts = corpus.arrays["token_offsets"]
        tokens: Array = corpus.arrays["tokens"][int(starts[first]) : int(starts[last])]
        return tokens

    @property
    def normalisation(self) -> Normalisation:
        return self.segments[0].corpus.normalisation

    def spans(self, number: int, own: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where rows of a segment begin and end, in bytes of the texts of its corpus."""
        corpus = self.segments[number].corpus
        if self.unit == "document":
            return corpus.texts.offsets[own], corpus.texts.offsets[own + 1]
        spans = corpus.arrays["sentence_spans"][own].astype(np.int64)
        return spans[:, 0].copy(), spans[:, 1].copy()

    def token_offsets(self, number: int) -> Array:
        """Return where each row of a segment begins in the tokens of its corpus."""
        return token_starts(self.segments[number].corpus, self.unit).astype(np.int64)

    def tokens_of(self, chosen: Array) -> tuple[Array, Array]:
        """Return all words of chosen rows, with stopwords: place in ``chosen`` and word id."""
        places, words = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
        for number, _, inside, own in self.split(chosen):
            corpus = self.segments[number].corpus
            offsets = token_starts(corpus, self.unit)
            starts = offsets[own].astype(np.int64)
            sizes = offsets[own + 1].astype(np.int64) - starts
            tokens = corpus.arrays["tokens"][join_ranges(starts, sizes)]
            places.append(np.repeat(inside, sizes))
            words.append(self.lexicon.maps[number][tokens])
        return np.concatenate(places), np.concatenate(words)

    def text(self, row: int) -> str:
        number, own = self.locate(row)
        corpus = self.segments[number].corpus
        if self.unit == "document":
            return corpus.texts[own]
        return corpus.texts.text(*corpus.arrays["sentence_spans"][own].tolist())

    def passages(self, row: int, answers: Answers) -> list[Passage]:
        """Return the pieces of a row's text that answer a query best."""
        number, own = self.locate(row)
        corpus = self.segments[number].corpus
        first, last = own, own + 1
        if self.unit == "document":
            first, last = corpus.sentence_offsets[own : own + 2].tolist()
        return best_passages(corpus, first, last, answers)

    def describe(self, row: int) -> JsonObject:
        """Return id, document, source, position and metadata of a row."""
        number, own = self.locate(row)
        corpus = self.segments[number].corpus
        document = own if self.unit == "document" else corpus.document_of(own)
        place = {"id": corpus.ids[document], "position": 0}
        if self.unit == "sentence":
            sentence = own - int(corpus.sentence_offsets[document])
            before = self.cached(
                f"positions {number} {document}", lambda _: _starts(corpus, document)
            )
            place = {"id": f"{corpus.ids[document]}#{sentence}", "position": int(before[sentence])}
        return {
            **place,
            "document": corpus.ids[document],
            "source": corpus.sources[document],
            "metadata": corpus.metadata(document),
        }


def _join(parts: list[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _starts(corpus: Corpus, document: int) -> NDArray[np.int64]:
    """Return how many characters of a document lie before each of its sentences."""
    first, last = corpus.sentence_offsets[document : document + 2].tolist()
    begin, end = corpus.texts.offsets[document : document + 2].tolist()
    characters = corpus.texts.data[begin:end].view(np.int8) > -65  # bytes that begin a character
    spans = corpus.arrays["sentence_spans"][first:last].astype(np.int64)
    bounds = np.append(0, spans[:, 0] - begin)
    counts = np.add.reduceat(characters, bounds, dtype=np.int64)
    counts[:-1][np.diff(bounds) == 0] = 0  # reduceat returns the first element for empty slices
    return np.cumsum(counts)[:-1]


def text_vectors(rows: Rows, chosen: Array | None = None) -> NDArray[np.float32]:
    """Return the vector of every row, or of chosen ones in rising order, as ``mean`` compares it.

    It is zero where no word has one.
    """
    from scipy.sparse import csr_matrix

    parts = []
    wanted = np.arange(len(rows)) if chosen is None else chosen
    for number, unit, _, own in rows.split(wanted):
        segment = rows.segments[number]
        if segment.contributions is None:
            return mean_vectors(rows)[wanted]
        known = np.where(unit.shares > 0, unit.counts, 0).astype(np.float32)
        shape = (unit.rows, len(segment.vectors))
        bags = csr_matrix((known, unit.words, unit.offsets), shape)
        parts.append(unit_rows(bags[own] @ segment.contributions.astype(np.float32)))
    return np.concatenate(parts)


def mean_vectors(rows: Rows) -> NDArray[np.float32]:
    """Return the plain mean vector of every row; zero where no word has a vector."""
    from scipy.sparse import csr_matrix

    parts = []
    for segment, unit in zip(rows.segments, rows.units, strict=True):
        shape = (unit.rows, len(segment.vectors))
        parts.append(csr_matrix((unit.shares, unit.words, unit.offsets), shape) @ segment.vectors)
    return np.concatenate(parts)
