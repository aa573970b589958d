"""A segment: documents that were indexed together, and what search needs of them.

Segments never change. Each holds the rows of both units (``units.py``), and for every word its
vector, its ball (the nearest words by Euclidean distance) and its postings: where it stands, and
how often in each row. Positions make postings an index of n-grams of every order: an n-gram stands
where its rarest word does, with the others around it in one sentence. Lists of bigrams and trigrams
would hold the same counts and be several times larger than the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.engine.threads import single_thread
from lexfield.index.axes import Basis
from lexfield.index.units import UNITS, Unit, make_unit, token_starts
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import Blocks, Store, Writer
from lexfield.text.corpus import Corpus
from lexfield.text.stopwords import stopwords
from lexfield.vectors.nearest import nearest_others
from lexfield.vectors.wordvectors import WordEmbeddings

BALL = 16  # neighbours kept per word
MOST_BALLS = 200_000  # words up to which they are kept
_BLOCK = 1 << 14  # vectors that are written at a time
_POSITIONS = ("position_offsets", "positions")
_LISTS = ("offsets", "rows", "counts")
# What lexfield 0.1 called them. It kept the lists of stems instead where an index had a stemmer.
_OLD_POSITIONS = ("offsets", "positions")


@dataclass(frozen=True)
class Postings:
    """The lists of one segment and unit, stopwords too. Those of word w begin at ``offsets[w]``."""

    position_offsets: Array  # word → first entry of positions
    positions: Array  # places in the tokens of the corpus
    offsets: Array  # word → first entry of rows and counts
    rows: Array
    counts: Array


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

    @cached_property
    def contributions(self) -> Array | None:
        """What each word adds to the vector of a text; None if those are plain means."""
        name = f"{self.name}.contributions"
        return self._store.array(name) if name in self._store else None

    def unit(self, name: str) -> Unit:
        if name not in self._units:
            prefix = f"{self.name}.{name}"
            self._units[name] = Unit(
                *(self._store.array(f"{prefix}.{one.name}") for one in fields(Unit))
            )
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
    def texts_fingerprint(self) -> str:
        """A fingerprint that changes with the texts and how they are cut into sentences."""
        names = ("texts.bytes", "texts.offsets", "sentence_spans")
        return self._store.fingerprint([f"{self.name}.{name}" for name in names])

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
    for part in ("vectors", "contributions"):
        rows = getattr(embedded, part)
        if rows is not None:
            shape = (len(embedded.matches), rows.shape[1])
            blocks = Blocks(shape, rows.dtype, partial(embedded.blocks, rows, _BLOCK))
            out.array(f"{name}.{part}", blocks)
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
            for field, values in make_unit(corpus, unit, content, embedded, basis):
                out.array(f"{name}.{unit}.{field}", values)
    save_postings(out, name, corpus)
    return meta


def content_words(words: Iterable[str], language: str) -> NDArray[np.bool_]:
    """Return which words are not stopwords."""
    excluded = stopwords(language)
    return np.array([word not in excluded for word in words], bool)


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


def save_postings(out: Writer, name: str, corpus: Corpus) -> None:
    """Write what ``load_postings`` maps."""
    offsets, positions = _invert(corpus.tokens, len(corpus.vocabulary))
    out.array(f"{name}.postings.position_offsets", offsets)
    out.array(f"{name}.postings.positions", positions)
    for unit in UNITS:
        lists = _count(offsets, positions, _row_of_tokens(corpus, unit))
        for part, values in zip(_LISTS, lists, strict=True):
            out.array(f"{name}.postings.{unit}.{part}", values)


def load_postings(store: Store, name: str, corpus: Corpus, unit: str) -> Postings:
    """Map the postings of a segment; they are made anew if lexfield 0.1 wrote lists of stems."""
    folder, positions = f"{name}.postings", _POSITIONS
    if f"{folder}.positions" not in store:
        folder, positions = f"{name}.bags", _OLD_POSITIONS
        if f"{folder}.stems.bytes" in store:
            offsets, places = _invert(corpus.tokens, len(corpus.vocabulary))
            return Postings(offsets, places, *_count(offsets, places, _row_of_tokens(corpus, unit)))
    return Postings(
        *(store.array(f"{folder}.{part}") for part in positions),
        *(store.array(f"{folder}.{unit}.{part}") for part in _LISTS),
    )


def _row_of_tokens(corpus: Corpus, unit: str) -> NDArray[np.int32]:
    starts = token_starts(corpus, unit)
    return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))


@kernel
def _invert(tokens: Array, size: int) -> tuple[Array, Array]:
    """Return the positions of tokens by word, ascending: a counting sort."""
    offsets = np.zeros(size + 1, np.int64)
    for token in tokens:
        offsets[token + 1] += 1
    for word in range(size):
        offsets[word + 1] += offsets[word]
    place = offsets[:-1].copy()
    positions = np.empty(len(tokens), np.uint32)
    for position, token in enumerate(tokens):
        positions[place[token]] = position
        place[token] += 1
    return offsets, positions


@kernel
def _count(offsets: Array, positions: Array, row_of: Array) -> tuple[Array, Array, Array]:
    """Return the rows of every word and its count there, from the row of every position."""
    rows = np.empty(len(positions), np.int32)
    counts = np.empty(len(positions), np.int32)
    kept = np.zeros(len(offsets), np.int64)
    size = 0
    for word in range(len(offsets) - 1):
        last = -1
        for place in range(offsets[word], offsets[word + 1]):
            row = row_of[positions[place]]
            if row != last:
                rows[size] = row
                counts[size] = 0
                size += 1
                last = row
            counts[size - 1] += 1
        kept[word + 1] = size
    return kept, rows[:size].copy(), counts[:size].copy()
