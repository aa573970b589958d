"""A segment: documents that were indexed together, and what search needs of them.

Segments never change. Each holds the rows of both units (``units.py``), and for every word its
vector, its ball (the nearest words by Euclidean distance) and its postings (``postings.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.threads import single_thread
from lexfield.index.axes import TextRows
from lexfield.index.basis import Basis
from lexfield.index.postings import Postings, load_postings, save_postings
from lexfield.index.units import UNITS, Sets, Unit, make_unit, token_starts
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.checked import Blocks
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import NONE, stem_words
from lexfield.text.stopwords import stopwords
from lexfield.vectors.nearest import nearest_others
from lexfield.vectors.wordvectors import WordEmbeddings

BALL = 16  # neighbours kept per word
MOST_BALLS = 200_000  # with more words than this, no neighbours are kept
_BLOCK = 1 << 14  # vectors that are written at a time
_SETS = tuple(one.name for one in fields(Sets))
_SMALL = ("sizes", "set_sizes", "characters")  # stored in the smallest type


class Segment:
    """An open segment."""

    def __init__(self, store: Store, meta: JsonObject) -> None:
        self._store, self._meta = store, meta
        self.name: str = meta["name"]
        self.corpus = Corpus.load(store, meta["corpus"], f"{self.name}.")
        self._units: dict[str, Unit] = {}
        self._sets: dict[str, Sets] = {}
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

    @cached_property
    def content(self) -> NDArray[np.bool_]:
        """Which words are not stopwords."""
        name = f"{self.name}.content"
        if name in self._store:
            return self._store.array(name)
        return content_words(self.corpus.vocabulary, self.index_store.meta["language"])

    def unit(self, name: str) -> Unit:
        if name not in self._units:
            self._units[name] = self._make_unit(name, partial(self._load, name))
        return self._units[name]

    def _make_unit(self, name: str, load: Callable[[str], Array]) -> Unit:
        is_old = f"{self.name}.{name}.axes" in self._store
        return Unit(load, None if is_old else self.text_rows(name))

    def text_rows(self, unit: str) -> TextRows:
        """Return the rows as words whose vectors are added up."""
        known = self.content & (self.matches > 0)
        places = np.where(known, np.arange(len(known)), -1).astype(np.int32)
        added, plain = self.contributions, self.contributions is None
        starts, tokens = token_starts(self.corpus, unit), self.corpus.arrays["tokens"]
        return TextRows(starts, tokens, places, self.vectors if added is None else added, plain)

    def _load(self, unit: str, field: str) -> Array:
        """Return a field of a ``Unit``: as it is stored, or derived from what is."""
        name = f"{self.name}.{unit}.{field}"
        if name in self._store:
            values = self._store.array(name)
            return values.astype(np.int32) if field in _SMALL else values
        if field == "lengths":
            return np.diff(token_starts(self.corpus, unit)).astype(np.int32)
        if field == "set_sizes":
            return np.diff(self.unit(unit).offsets).astype(np.int32)
        if field not in _SETS:
            return self._store.array(name)  # raises an error that says what is missing
        if unit not in self._sets:
            self._sets[unit] = Sets.of(self.corpus, unit, self.content, self.matches > 0)
        derived: Array = getattr(self._sets[unit], field)
        return derived

    @property
    def stems(self) -> tuple[list[str], NDArray[np.int32]] | None:
        """The distinct stems, and which is that of each word; None if they are not stored."""
        if f"{self.name}.stem_of" not in self._store:
            return None
        return list(self._store.strings(f"{self.name}.stems")), self._store.array(
            f"{self.name}.stem_of"
        )

    def postings(self, unit: str) -> Postings:
        """The inverted index of the rows of one kind."""
        if unit not in self._postings:
            self._postings[unit] = load_postings(self._store, self.name, self.corpus, unit)
        return self._postings[unit]

    def fingerprint(self, unit: str) -> str:
        """Return a fingerprint that changes with the words of the rows only."""
        words = [f"{self.name}.words.{part}" for part in ("bytes", "offsets")]
        return self._store.fingerprint([*self._set_names(unit), *words])

    def _set_names(self, unit: str) -> list[str]:
        """Return the names of the arrays from which the sets of rows follow."""
        own = [f"{unit}.{field}" for field in ("offsets", "words", "counts")]
        if f"{self.name}.content" in self._store:
            own = ["tokens", "token_offsets", "content"]
            own += ["sentence_offsets"] if unit == "document" else []
        return [f"{self.name}.{name}" for name in own]

    @property
    def texts_fingerprint(self) -> str:
        """A fingerprint that changes with the texts and how they are cut into sentences."""
        names = ("texts.bytes", "texts.offsets", "sentence_spans")
        return self._store.fingerprint([f"{self.name}.{name}" for name in names])

    @property
    def contents(self) -> str:
        """A fingerprint that changes with the rows, their words and the words' vectors."""
        own = [name for unit in UNITS for name in self._set_names(unit)]
        vectors = [f"{self.name}.{name}" for name in ("vectors", "how")]
        return self._store.fingerprint([*vectors, *own])

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
    most_balls: int | None = None,
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
    out.array(f"{name}.balls", find_balls(embedded, progress, most_balls))
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
    out.array(f"{name}.content", content)
    stem_of = _save_stems(out, name, corpus)
    with single_thread():  # the same bytes at any number of threads
        for unit in UNITS:  # each array is written before the next is made
            basis = bases[unit] if bases else None
            for field, values in make_unit(corpus, unit, content, embedded, basis, out.scratch):
                out.array(f"{name}.{unit}.{field}", values)
    save_postings(out, name, corpus, stem_of)
    return meta


def _save_stems(out: Writer, name: str, corpus: Corpus) -> NDArray[np.int32] | None:
    """Write the distinct stems in the order of their first words, and return that of each word;
    None if there is no stemmer."""
    stemmer = corpus.normalisation.stemmer
    if stemmer == NONE:
        return None
    stems, stem_of = number_stems(list(corpus.vocabulary), stemmer)
    out.strings(f"{name}.stems", stems)
    out.array(f"{name}.stem_of", stem_of)
    return stem_of


def number_stems(words: list[str], stemmer: str) -> tuple[list[str], NDArray[np.int32]]:
    """Return the distinct stems of words in the order of their first words, and that of each."""
    stems = stem_words(words, stemmer)
    numbers = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
    return list(numbers), np.array([numbers[stem] for stem in stems], np.int32)


def content_words(words: Iterable[str], language: str) -> NDArray[np.bool_]:
    """Return which words are not stopwords."""
    excluded = stopwords(language)
    return np.array([word not in excluded for word in words], bool)


def find_balls(
    embedded: WordEmbeddings, progress: Progress = silent, most: int | None = None
) -> NDArray[np.int32]:
    """Return the ``BALL`` nearest words of each word, or no rows at all for more than ``most``
    words, by default ``MOST_BALLS``.

    The work is quadratic: a million made-up compounds would take hours. Without balls the nearest
    words of a query's words are computed when they are asked for.
    """
    known = np.flatnonzero(embedded.matches)
    if len(known) > (MOST_BALLS if most is None else most):
        return np.empty((0, BALL), np.int32)
    balls = np.full((len(embedded.matches), BALL), -1, np.int32)
    if len(known) > 1:
        found = nearest_others(embedded.vectors, BALL, progress=progress)
        balls[known, : len(found.rows) // len(known)] = known[found.rows].reshape(len(known), -1)
    return balls
