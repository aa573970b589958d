"""All words of an index: ids, vectors and where they come from, and balls of nearest words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import LexfieldError
from lexfield.index.segment import BALL, Segment, number_stems
from lexfield.index.units import token_starts
from lexfield.progress import Progress
from lexfield.results import JsonObject
from lexfield.text.corpus import Vocabulary
from lexfield.text.normalise import NONE
from lexfield.vectors.nearest import PreparedRows, nearest_rows, prepare_rows
from lexfield.vectors.sources import make_absolute
from lexfield.vectors.weights import find_common, weigh_vectors
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors


class Lexicon:
    """Words of all segments. With one segment a word's id is its id there."""

    def __init__(
        self, segments: Sequence[Segment], excluded: frozenset[str], deleted: NDArray[np.bool_]
    ) -> None:
        """``excluded`` are the stopwords; ``deleted`` has an entry per document."""
        self._segments = segments
        self._excluded = excluded
        self._deleted = deleted
        # maps: for each segment, the id of each of its words here
        lists = [list(segment.corpus.vocabulary) for segment in segments]
        self.ids, self.maps = _number(lists)
        self.words = lists[0] if len(lists) == 1 else list(self.ids)
        self._computed: dict[tuple[int, int], NDArray[np.int32]] = {}

    def __len__(self) -> int:
        return len(self.words)

    def find_stems(self, stemmer: str) -> tuple[list[str], NDArray[np.int32]]:
        """Return the distinct stems in the order of their first words, and that of each word."""
        stored = self._segments[0].stems if len(self._segments) == 1 else None
        return stored or number_stems(self.words, stemmer)

    def number_terms(self, stemmer: str) -> dict[str, int]:
        """Return the number of each term: of each stem, or of each word where the stemmer is none.

        They are in the order of their first words.
        """
        if stemmer == NONE:
            return self.ids
        terms = self._terms.get(stemmer)
        if terms is None:
            stems, _ = self.find_stems(stemmer)
            terms = self._terms[stemmer] = dict(zip(stems, range(len(stems)), strict=True))
        return terms

    @cached_property
    def _terms(self) -> dict[str, dict[str, int]]:
        return {}

    @cached_property
    def inverse(self) -> list[NDArray[np.int32]]:
        """For each segment, the number that it has for each word, or -1."""
        inverse = []
        for own in self.maps:
            back = np.full(len(self), -1, np.int32)
            back[own] = np.arange(len(own), dtype=np.int32)
            inverse.append(back)
        return inverse

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        if len(self._segments) == 1:
            return self._segments[0].vectors
        vectors = np.empty((len(self), self._segments[0].vectors.shape[1]), np.float32)
        for segment, own in zip(self._segments, self.maps, strict=True):
            vectors[own] = segment.vectors
        return vectors

    @cached_property
    def contributions(self) -> Array | None:
        """What each word adds to the vector of a text; None if those are plain means."""
        first = self._segments[0].contributions
        if first is None or len(self._segments) == 1:
            return first
        contributions = np.empty((len(self), first.shape[1]), first.dtype)
        for segment, own in zip(self._segments, self.maps, strict=True):
            contributions[own] = segment.contributions
        return contributions

    @cached_property
    def matches(self) -> NDArray[np.uint8]:
        """How each word got its vector (``vectors.wordvectors.WordMatch``)."""
        matches = np.zeros(len(self), np.uint8)
        for segment, own in zip(self._segments, self.maps, strict=True):
            matches[own] = segment.matches
        return matches

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences of each word in all segments."""
        counts = np.zeros(len(self), np.int64)
        for segment, own in zip(self._segments, self.maps, strict=True):
            counts[own] += segment.corpus.vocabulary.counts
        return counts

    @cached_property
    def covered(self) -> tuple[int, int]:
        """The number of words without stopwords, and how many of them have a vector."""
        counts = np.where(self.content, self.counts, 0)
        return int(counts.sum()), int(counts[self.known].sum())

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Words that have a vector."""
        return self.matches > 0

    @cached_property
    def content(self) -> NDArray[np.bool_]:
        """Words that are not stopwords."""
        content = np.zeros(len(self), bool)
        for segment, own in zip(self._segments, self.maps, strict=True):
            content[own] = segment.content
        return content

    @cached_property
    def _live(self) -> NDArray[np.bool_] | None:
        """Words that still occur after deletions, or None for all."""
        if not self._deleted.any():
            return None
        live = np.zeros(len(self), bool)
        first = 0
        for segment, own in zip(self._segments, self.maps, strict=True):
            corpus = segment.corpus
            gone = self._deleted[first : first + len(corpus.ids)]
            first += len(gone)
            sizes = np.diff(token_starts(corpus, "document"))
            live[own[corpus.tokens[np.repeat(~gone, sizes)]]] = True
        return live

    @cached_property
    def targets(self) -> NDArray[np.int64]:
        """Words that may be in a ball."""
        return np.flatnonzero(self.known if self._live is None else self.known & self._live)

    @cached_property
    def _target_base(self) -> PreparedRows:
        return prepare_rows(np.ascontiguousarray(self.vectors[self.targets]), euclidean=True)

    @property
    def has_balls(self) -> bool:
        """Whether stored balls can be used."""
        return len(self._segments) == 1 and self._live is None and len(self.balls) > 0

    @cached_property
    def balls(self) -> NDArray[np.int32]:
        """The stored ball of each word, filled up with -1, where ``has_balls``."""
        return self._segments[0].balls

    def ball(self, word: int, vector: NDArray[np.float32], r: int) -> NDArray[np.int32]:
        """Return the ``r`` nearest other words by Euclidean distance, nearest first.

        ``word`` is -1 for a word that only the query has. A ball that is not stored is computed
        exactly, and kept.
        """
        if r <= 0:
            return np.empty(0, np.int32)
        if word >= 0 and r <= BALL and self.has_balls:
            ball: NDArray[np.int32] = self.balls[word, :r]
            return ball[ball >= 0]
        if word >= 0 and (word, r) in self._computed:
            return self._computed[word, r]
        place = int(np.searchsorted(self.targets, word))
        own = place < len(self.targets) and self.targets[place] == word
        found = nearest_rows(
            vector[None],
            self._target_base,
            k=min(r, max(1, len(self.targets) - own)),
            skip=np.array([place if own else -1]),
        )
        ball = self.targets[found.rows].astype(np.int32)
        if word >= 0:
            self._computed[word, r] = ball
        return ball


def embed_words(
    vocabulary: Vocabulary, vectors: WordVectors | str | Path, progress: Progress
) -> tuple[WordEmbeddings, JsonObject]:
    """Return the vectors of a corpus's words, and what the index records about their set."""
    source = None if isinstance(vectors, WordVectors) else str(vectors)
    if source == "encoder":
        vectors = WordVectors.encoded(vocabulary.words, progress=progress)
    elif source is not None:
        source = make_absolute(source)
        vectors = WordVectors.load(source, progress=progress)
    assert isinstance(vectors, WordVectors)
    found = vectors.embed(vocabulary)
    embedded = weigh_by_count(found, vocabulary.counts)
    return embedded, {
        "by_count": found.contributions is None,
        "name": vectors.name,
        "source": source,
        "dims": vectors.dims,
        "coverage": embedded.coverage(vocabulary.counts),
    }


def weigh_by_count(embedded: WordEmbeddings, counts: Array) -> WordEmbeddings:
    """Weigh words by their counts in a collection, unless their vector set has weights."""
    if embedded.contributions is not None:
        return embedded
    frequencies = counts / max(1, int(counts.sum()))
    known = frequencies[embedded.known]
    order = np.argsort(-known, kind="stable")
    common = find_common(known[order], embedded.vectors[order])
    return replace(embedded, contributions=weigh_vectors(embedded.vectors, known, common))


def weigh_again(embedded: WordEmbeddings, about: JsonObject, counts: Array) -> WordEmbeddings:
    """Weigh words by their current counts, if the index was built with weights by count."""
    if not about.get("by_count"):
        return embedded
    return weigh_by_count(replace(embedded, contributions=None), counts)


@dataclass(frozen=True)
class Maps:
    """The maps of a metric: of the vectors of words, and of what words add to those of texts.

    A metric that was learned by an older lexfield has one map for both.
    """

    words: NDArray[np.float64]
    texts: NDArray[np.float64]

    def apply(self, embedded: WordEmbeddings) -> WordEmbeddings:
        """Return words under the metric."""
        vectors = (embedded.vectors @ self.words).astype(np.float32)
        contributions = embedded.contributions
        if contributions is not None:
            contributions = (contributions @ self.texts).astype(np.float32)
        return replace(embedded, vectors=vectors, contributions=contributions)


class VectorSource:
    """The set that an index was built with, opened when a word outside the index needs it.

    Under a metric its vectors are mapped.
    """

    def __init__(self, about: JsonObject, maps: Maps | None = None) -> None:
        self._about, self._maps = about, maps
        self._opened: WordVectors | None = None

    def embed(self, words: Sequence[str]) -> WordEmbeddings:
        """Return the vectors of words; none if the set is not available any more."""
        found = self._embed(words)
        return found if self._maps is None else self._maps.apply(found)

    def _embed(self, words: Sequence[str]) -> WordEmbeddings:
        source = self._about["source"]
        try:
            if source == "encoder":
                return WordVectors.encoded(words).embed(words)
            if self._opened is None and source is not None:
                self._opened = WordVectors.load(source)
        except LexfieldError:
            self._about = {**self._about, "source": None}
        if self._opened is not None and self._opened.dims == self._about["dims"]:
            return self._opened.embed(words)
        nothing = np.zeros((0, self._about["dims"]), np.float32)
        return WordEmbeddings(nothing, np.zeros(len(words), np.uint8))


def embed_with(
    words: Sequence[str], lexicon: Lexicon, source: VectorSource | WordVectors
) -> WordEmbeddings:
    """Return the vectors of words: those of the lexicon, and for other words from ``source``."""
    ids = np.array([lexicon.ids.get(word, -1) for word in words], np.int64)
    if (ids >= 0).all():
        added = None if lexicon.contributions is None else lexicon.contributions[ids]
        return WordEmbeddings.from_matrix(lexicon.vectors[ids], lexicon.matches[ids], added)
    matrix = np.zeros((len(words), lexicon.vectors.shape[1]), np.float32)
    matches = np.zeros(len(words), np.uint8)
    inside, outside = ids >= 0, np.flatnonzero(ids < 0)
    matrix[inside] = lexicon.vectors[ids[inside]]
    matches[inside] = lexicon.matches[ids[inside]]
    contributions = None
    if lexicon.contributions is not None:
        shape = (len(words), lexicon.contributions.shape[1])
        contributions = np.zeros(shape, lexicon.contributions.dtype)
        contributions[inside] = lexicon.contributions[ids[inside]]
    if len(outside):
        new = source.embed([words[i] for i in outside.tolist()])
        matrix[outside], matches[outside] = new.matrix, new.matches
        # without weights in the set: a word that the collection lacks is rare, and weighs 1
        if contributions is not None and new.added.shape[1] == contributions.shape[1]:
            contributions[outside] = new.spread(new.added)
    return WordEmbeddings.from_matrix(matrix, matches, contributions)


def _number(lists: Sequence[Sequence[str]]) -> tuple[dict[str, int], list[NDArray[np.int32]]]:
    """Return one number for each string of several lists, and for each list its numbers."""
    if len(lists) == 1:
        return dict(zip(lists[0], range(len(lists[0])), strict=True)), [
            np.arange(len(lists[0]), dtype=np.int32)
        ]
    ids: dict[str, int] = {}
    for own in lists:
        for word in own:
            ids.setdefault(word, len(ids))
    return ids, [np.array([ids[word] for word in own], np.int32) for own in lists]
