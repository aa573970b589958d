"""A segment: documents that were indexed together, and what search needs of them.

Segments never change.

For both units, sentence and document ("rows"):
  sets      the distinct words of each row, without stopwords, with counts and shares
  axes      the mean vector of each row on principal axes, with a sketch of the first that bounds
            every distance
  letters   counts of each kind of character, which bound edit distance
And for every word its vector, its ball (the nearest words by Euclidean distance) and its postings
(``postings.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.threads import single_thread
from lexfield.index.axes import Basis, mean_axes
from lexfield.index.letters import count_letters
from lexfield.index.postings import Postings, load_postings, save_postings
from lexfield.index.units import UNITS, byte_spans, token_starts
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import Blocks, Store, Writer
from lexfield.text.corpus import Corpus
from lexfield.text.stopwords import stopwords
from lexfield.vectors.nearest import nearest_others
from lexfield.vectors.wordvectors import WordEmbeddings

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BALL = 16  # neighbours kept per word
MOST_BALLS = 200_000  # words up to which they are kept
_BLOCK = 1 << 14  # vectors that are written at a time


@dataclass(frozen=True)
class Unit:
    """The rows of one kind. All arrays are as in the store."""

    offsets: Array  # row → first entry of words, counts, shares
    words: Array
    counts: Array
    shares: Array  # count / the row's count of words with vectors; 0 for a word without
    sizes: Array  # distinct words of the row, stopwords too
    lengths: Array  # tokens of the row, stopwords too
    rotation: Array
    center: Array
    axes: Array  # the mean vector about the centre, on principal axes
    squares: Array  # its squared length; infinite for a row without vectors
    near: Array  # sketch of the first axes: axis × row
    far: Array  # sketch of the next axes: row × axis
    steps: Array  # what 1 stands for on each axis of the sketch
    rests: Array  # length of the vector after the axes of near, and after those of far
    errors: Array  # largest length that the sketch misses of a vector, in near and in far
    letters: Array  # bins × rows: characters of each kind, up to 255
    characters: Array

    @property
    def rows(self) -> int:
        return len(self.sizes)


_FIELDS = tuple(Unit.__dataclass_fields__)


class Segment:
    """An open segment."""

    def __init__(self, store: Store, meta: JsonObject) -> None:
        self._store, self._meta = store, meta
        self.name: str = meta["name"]
        self.corpus = Corpus.load(store, meta["corpus"], f"{self.name}.")
        self._units: dict[str, Unit] = {}
        self._postings: dict[str, Postings] = {}

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        return self._store.array(f"{self.name}.vectors")

    @cached_property
    def matches(self) -> NDArray[np.uint8]:
        """How each word got its vector (``vectors.repair.WordMatch``)."""
        return self._store.array(f"{self.name}.how")

    def unit(self, name: str) -> Unit:
        if name not in self._units:
            prefix = f"{self.name}.{name}"
            self._units[name] = Unit(*(self._store.array(f"{prefix}.{f}") for f in _FIELDS))
        return self._units[name]

    def postings(self, unit: str) -> Postings:
        """The inverted index of the rows of one kind."""
        if unit not in self._postings:
            self._postings[unit] = load_postings(self._store, self.name, self.corpus, unit)
        return self._postings[unit]

    def fingerprint(self, unit: str) -> str:
        """Return a fingerprint that changes with the words of the rows only."""
        own = [f"{self.name}.{unit}.{field}" for field in ("offsets", "words", "counts")]
        words = [f"{self.name}.words.{part}" for part in ("bytes", "offsets")]
        return self._store.fingerprint([*own, *words])

    @property
    def contents(self) -> str:
        """A fingerprint that changes with the rows, their words and the words' vectors."""
        own = [f"{unit}.{field}" for unit in UNITS for field in ("offsets", "words", "counts")]
        return self._store.fingerprint([f"{self.name}.{name}" for name in ("vectors", "how", *own)])

    @property
    def index_store(self) -> Store:
        """The store of the index, which has its topics too."""
        return self._store

    def topic_map(self, topics: Any) -> NDArray[np.float64] | None:
        """Return the map of roots of mixtures before they are compared, or None."""
        return None

    @property
    def balls(self) -> NDArray[np.int32]:
        """The ``BALL`` nearest words of each word, nearest first; -1 where there are fewer."""
        return self._store.array(f"{self.name}.balls")


def save_segment(
    out: Writer,
    name: str,
    corpus: Corpus,
    embedded: WordEmbeddings,
    language: str,
    progress: Progress = silent,
) -> JsonObject:
    """Write a segment and return its entry for the manifest."""
    meta = save_rows(out, name, corpus, embedded, language)
    shape = (len(embedded.matches), embedded.vectors.shape[1])
    every = Blocks(shape, embedded.vectors.dtype, partial(embedded.blocks, _BLOCK))
    out.array(f"{name}.vectors", every)
    out.array(f"{name}.how", embedded.matches)
    out.array(f"{name}.balls", find_balls(embedded, progress))
    return meta


def save_rows(
    out: Writer,
    name: str,
    corpus: Corpus,
    embedded: WordEmbeddings,
    language: str,
    bases: Mapping[str, Basis] | None = None,
) -> JsonObject:
    """Write the rows of a segment, for each unit on a given basis or on its own."""
    meta = {"name": name, "corpus": corpus.save(out, f"{name}.")}
    content = content_words(corpus.vocabulary, language)

    with single_thread():  # the same bytes at any number of threads
        for unit in UNITS:  # each array is written before the next is made
            basis = bases[unit] if bases else None
            for field, values in _rows(corpus, unit, content, embedded, basis):
                out.array(f"{name}.{unit}.{field}", values)
    save_postings(out, name, corpus)
    return meta


def content_words(words: Iterable[str], language: str) -> NDArray[np.bool_]:
    """Return which words are not stopwords."""
    excluded = stopwords(language)
    return np.array([word not in excluded for word in words], bool)


def row_sets(corpus: Corpus, unit: str) -> csr_matrix:
    """Return the counts of the distinct words of each row, with stopwords."""
    from scipy.sparse import csr_matrix

    tokens = token_starts(corpus, unit)
    ones = np.ones(len(corpus.tokens), np.int32)
    shape = (len(tokens) - 1, len(corpus.vocabulary))
    sets = csr_matrix((ones, corpus.tokens.copy(), tokens), shape)
    sets.sum_duplicates()
    return sets


def content_sets(
    sets: csr_matrix, content: Array, known_words: Array
) -> tuple[csr_matrix, NDArray[np.float32]]:
    """Return counts without stopwords, and each entry's share of the row's words with vectors."""
    from scipy.sparse import csr_matrix

    keep = content[sets.indices]
    kept = np.append(0, np.cumsum(keep))[sets.indptr]
    sets = csr_matrix((sets.data[keep], sets.indices[keep], kept), sets.shape)
    known = np.where(known_words[sets.indices], sets.data, 0)
    totals = np.diff(np.append(0, np.cumsum(known))[sets.indptr])
    shares = (known / np.repeat(np.maximum(totals, 1), np.diff(kept))).astype(np.float32)
    return sets, shares


def _rows(
    corpus: Corpus, unit: str, content: Array, embedded: WordEmbeddings, basis: Basis | None
) -> Iterator[tuple[str, Array | Blocks]]:
    """Yield the arrays of a ``Unit`` by name, so that few are in memory at a time."""
    yield from count_letters(corpus.texts.data, byte_spans(corpus, unit)).items()
    yield "lengths", np.diff(token_starts(corpus, unit)).astype(np.int32)
    everything = row_sets(corpus, unit)
    yield "sizes", np.diff(everything.indptr).astype(np.int32)
    sets, shares = content_sets(everything, content, embedded.known)
    del everything
    yield "offsets", sets.indptr.astype(np.int64)
    yield "words", sets.indices.astype(np.int32)
    yield "counts", sets.data
    yield "shares", shares
    places = embedded.places[sets.indices]
    axes = mean_axes(sets.indptr, places, shares, embedded.vectors, basis, stream=True)
    yield from axes.items()


def find_balls(embedded: WordEmbeddings, progress: Progress = silent) -> NDArray[np.int32]:
    """Return the ``BALL`` nearest words of each word, or no rows at all for very many words.

    The work is quadratic: a million made-up compounds would take hours. Without balls the nearest
    words of a query's words are computed when they are asked for.
    """
    known = np.flatnonzero(embedded.matches)
    if len(known) > MOST_BALLS:
        return np.empty((0, BALL), np.int32)
    balls = np.full((len(embedded.matches), BALL), -1, np.int32)
    if len(known) > 1:
        found = nearest_others(embedded.vectors, BALL, progress=progress)
        balls[known, : len(found.rows) // len(known)] = known[found.rows].reshape(len(known), -1)
    return balls
