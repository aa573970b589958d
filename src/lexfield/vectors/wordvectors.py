"""Word vectors: words, a matrix, and the questions one asks of them.

A word that a set lacks is repaired where possible (``vectors/repair.py``).
"""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError, UnknownWordError, check
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.text.segment import split_words
from lexfield.vectors.files import from_gensim
from lexfield.vectors.formats.common import Compose, VectorData
from lexfield.vectors.nearest import PreparedRows, nearest_rows, prepare_rows, unit_rows
from lexfield.vectors.repair import WordMatch, repair
from lexfield.vectors.sources import (
    BUILT_IN,
    ENGLISH,
    OTHER_LANGUAGES,
    encode_words,
    load_vectors,
)
from lexfield.vectors.weights import (
    LearnedContributions,
    estimate_frequencies,
    find_common,
    remove_common,
    weigh_vectors,
)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A word near another: cosine, and Euclidean distance between the unit vectors."""

    word: str
    similarity: float
    distance: float


@dataclass(frozen=True)
class WordEmbeddings:
    """The vectors of given words, and how each word was matched.

    ``vectors`` has a row per word that has a vector, in order. A word without one
    (``WordMatch.UNKNOWN``) takes a byte, not a row: a text can have a million of them.
    ``contributions`` has as many: what each word adds to the vector of a text; None where nothing
    tells (``vectors/weights.py``).
    """

    vectors: NDArray[np.float32]
    matches: NDArray[np.uint8]
    contributions: Array | None = None

    @classmethod
    def from_matrix(
        cls,
        matrix: NDArray[np.float32],
        matches: NDArray[np.uint8],
        contributions: Array | None = None,
    ) -> WordEmbeddings:
        """Keep the rows of the words that have a vector."""
        if not matches.all():
            matrix = matrix[matches > 0]
            contributions = None if contributions is None else contributions[matches > 0]
        return cls(matrix, matches, contributions)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which words have a vector."""
        return self.matches > 0

    @property
    def matrix(self) -> NDArray[np.float32]:
        """A row per word, zero for a word without a vector."""
        return self.spread(self.vectors)

    def spread(self, rows: Array) -> Array:
        """Return ``vectors`` or ``contributions`` with a row per word, zero for others."""
        if len(rows) == len(self.matches):
            return rows
        every = np.zeros((len(self.matches), rows.shape[1]), rows.dtype)
        every[self.known] = rows
        return every

    @property
    def added(self) -> Array:
        """What is added up to make the vector of a text: contributions, or plain vectors."""
        return self.vectors if self.contributions is None else self.contributions

    @property
    def places(self) -> NDArray[np.int32]:
        """The row of each word in ``vectors``; 0 for a word without a vector."""
        return np.maximum(np.cumsum(self.known, dtype=np.int32) - 1, 0) * self.known

    @property
    def how(self) -> NDArray[np.uint8]:
        """Deprecated name of ``matches``."""
        warnings.warn("use .matches in place of .how", DeprecationWarning, stacklevel=2)
        return self.matches

    def blocks(self, rows: Array, size: int) -> Iterator[Array]:
        """Yield ``spread(rows)`` in blocks of ``size`` rows."""
        first = 0
        for start in range(0, len(self.matches), size):
            known = self.matches[start : start + size] > 0
            block = np.zeros((len(known), rows.shape[1]), rows.dtype)
            last = first + int(known.sum())
            block[known] = rows[first:last]
            first = last
            yield block

    def coverage(self, counts: NDArray[np.int64] | None = None) -> dict[str, dict[str, int]]:
        """Count types (and tokens, if ``counts`` has a count per word) for each way of matching."""
        return count_matches(self.matches, counts)


def count_matches(
    matches: NDArray[np.uint8], counts: NDArray[np.int64] | None = None
) -> dict[str, dict[str, int]]:
    """Count types (and tokens, if ``counts`` has a count per word) for each way of matching."""
    types = np.bincount(matches, minlength=len(WordMatch))
    tokens = np.bincount(matches, weights=counts, minlength=len(WordMatch))
    return {
        match.name.lower(): {"types": int(types[match]), "tokens": int(tokens[match])}
        for match in WordMatch
    }


class WordVectors:
    """A set of word vectors.

    ``WordVectors.default()`` is the English set inside the package; ``WordVectors.load(source)``
    reads a file, a folder, or a set kept by ``lexfield vectors import``.
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: NDArray[np.float32] | None = None,  # so that its absence is one sentence
        *,
        name: str = "unnamed",
        notes: Sequence[str] = (),
        compose: Compose | None = None,
        learned: LearnedContributions | None = None,
    ) -> None:
        """``learned`` is that of ``VectorData``."""
        if matrix is None:
            given = repr(words) if isinstance(words, str | Path) else "source"
            raise InputError(
                "WordVectors needs words and the matrix of their vectors.",
                f"To open a set by its name or file use WordVectors.load({given}).",
            )
        if len(words) != len(matrix):
            raise InputError(
                f"Number of words ({len(words):,}) does not match number of vectors"
                f" ({len(matrix):,})."
            )
        self.words = words
        self.matrix = matrix
        self.name = name
        self.notes = list(notes)
        self._compose = compose
        self._learned = learned

    @classmethod
    def default(cls) -> WordVectors:
        """Return the English vectors that come with lexfield."""
        return cls.load("default")

    @classmethod
    def load(
        cls, source: str | Path, *, limit: int | None = None, progress: Progress = silent
    ) -> WordVectors:
        """Open a set by name (``"default"``, ``"glove"``, an imported one), file or folder.

        A file is parsed once and kept as a memory-mapped copy, so the next load takes no time.
        """
        if str(source) in BUILT_IN and limit is None:
            return _load_built_in(str(source))
        return _wrap(load_vectors(source, limit=limit, progress=progress))

    @classmethod
    def encoded(cls, words: Iterable[str], *, progress: Progress = silent) -> WordVectors:
        """Return vectors of any words in sixteen languages, by the encoder extra."""
        return _wrap(encode_words(words, progress=progress))

    @classmethod
    def from_gensim(cls, keyed_vectors: object, name: str = "gensim") -> WordVectors:
        """Copy the vectors of a gensim ``KeyedVectors`` in memory."""
        file = from_gensim(keyed_vectors)
        return cls(file.words, file.matrix, name=name, notes=file.notes)

    @property
    def dims(self) -> int:
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def row(self, word: str) -> int:
        """Return the row of a word as it is written; -1 if the set lacks it."""
        return self._rows.get(word, -1)

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word, repaired if needed.

        Raise UnknownWordError, which suggests similar words, if it has none.
        """
        row = self.row(word)
        if row >= 0:
            return np.array(self.matrix[row])
        embedded = self.embed([word])
        if not embedded.known[0]:
            close = difflib.get_close_matches(word.lower(), self.words[:50_000], 3)
            hint = f"Did you mean {', '.join(close)}?" if close else "Check the spelling."
            english = "English " if self.name in ENGLISH else ""
            raise UnknownWordError(
                f"The {english}vectors {self.name!r} have no word {word!r}.",
                f"{hint} {OTHER_LANGUAGES}" if english else hint,
            )
        vector: NDArray[np.float32] = embedded.matrix[0]
        return vector

    def embed(self, words: str | Iterable[str]) -> WordEmbeddings:
        """Return a vector per word; missing words are repaired where possible.

        A string is split into words. For the vectors of texts see ``embed_texts``.
        """
        words = split_words(words) if isinstance(words, str) else list(words)
        exact = np.array([self.row(word) for word in words], np.int64)
        matches = np.where(exact >= 0, np.uint8(WordMatch.EXACT), np.uint8(WordMatch.UNKNOWN))
        repaired: dict[int, list[int] | NDArray[np.float32]] = {}
        for number in np.flatnonzero(exact < 0).tolist():
            match, found = self._repair(words[number])
            if match:  # unknown words take no memory
                matches[number], repaired[number] = match, found
        places = np.cumsum(matches > 0) - 1
        vectors = np.empty((np.count_nonzero(matches), self.dims), self.matrix.dtype)
        vectors[places[exact >= 0]] = self.matrix[exact[exact >= 0]]
        for number, found in repaired.items():
            vector = self.matrix[found].mean(axis=0) if isinstance(found, list) else found
            vectors[places[number]] = vector
        if self._learned is None and self.frequencies is None:
            return WordEmbeddings(vectors, matches)
        known = exact >= 0
        own = self.contribute(exact[known])
        contributions = np.empty((len(vectors), own.shape[1]), own.dtype)
        contributions[places[known]] = own
        split = [found for found in repaired.values() if isinstance(found, list)]
        parts = np.array([row for rows in split for row in rows], np.int64)
        own, end = self.contribute(parts).astype(np.float32), 0
        for number, found in repaired.items():
            if isinstance(found, list):
                first, end = end, end + len(found)
                contributions[places[number]] = own[first:end].mean(axis=0)
            else:  # a word that is composed from parts is rare, and weighs 1
                contributions[places[number]] = remove_common(found, self._common)
        return WordEmbeddings(vectors, matches, contributions)

    def contribute(self, rows: Array) -> Array:
        """Return what words, given by their rows, add to the vector of a text."""
        if self._learned is not None:
            return self._learned.take(rows, self.matrix[rows])
        assert self.frequencies is not None
        return weigh_vectors(self.matrix[rows], self.frequencies[rows], self._common)

    def _repair(self, word: str) -> tuple[WordMatch, list[int] | NDArray[np.float32]]:
        """Return how a word that is not in the set as written is matched.

        The second value is its vector, or the rows whose mean is its vector.
        """
        match, rows = repair(word, self.row)
        if match in (WordMatch.SPLIT, WordMatch.UNKNOWN) and self._compose is not None:
            composed = self._compose(word)
            if composed is not None:
                return WordMatch.COMPOSED, composed
        return match, rows

    def similarity(self, a: str, b: str) -> float:
        """Return the cosine of two words."""
        return float(_unit(self[a].astype(np.float64)) @ _unit(self[b].astype(np.float64)))

    def nearest(
        self, word: str | Array, k: int = 10, *, threshold: float | None = None
    ) -> Table[Neighbour]:
        """Return the ``k`` words nearest to a word or vector, or all of at least ``threshold``.

        A word is not its own neighbour.
        """
        check_neighbours(k, threshold)
        if isinstance(word, str):
            vector, own, title = self[word], self.own_row(word), f" to {word!r}"
        else:
            vector, own, title = np.asarray(word, np.float32), -1, ""
        if vector.shape != (self.dims,):
            raise InputError(f"A vector of {self.dims} numbers is needed; got {vector.shape}.")
        if not np.isfinite(vector).all() or not vector.any():
            raise InputError("The vector must be finite and not zero.")
        nearest = nearest_rows(
            _unit(vector)[None].astype(np.float32),
            self._prepared,
            k=min(k, len(self)) if threshold is None else None,
            threshold=threshold,
            skip=np.array([own]),
        )
        cosines = np.clip(nearest.scores, -1, 1).tolist()  # rounding can exceed 1
        rows = [
            Neighbour(self.words[row], cosine, math.sqrt(2 - 2 * cosine))
            for row, cosine in zip(nearest.rows.tolist(), cosines, strict=True)
        ]
        return Table(rows, f"nearest{title} in {self.name}")

    def own_row(self, word: str) -> int:
        """Return the row of a word after repair; -1 if it has none of its own."""
        match, rows = repair(word, self.row)
        is_own = match in (WordMatch.EXACT, WordMatch.LOWER, WordMatch.TRIMMED)
        return rows[0] if is_own else -1

    def mapped(self, matrix: Array, name: str) -> WordVectors:
        """Deprecated: use ``WordVectors(vectors.words, vectors.matrix @ matrix)``."""
        warnings.warn("WordVectors.mapped will be removed", DeprecationWarning, stacklevel=2)
        data = VectorData(self.words, self.matrix, self.name, self.notes, self._compose)
        return _wrap(data.multiply(matrix, name))

    @cached_property
    def frequencies(self) -> NDArray[np.float64] | None:
        """Each word's share of all words; None if the set does not tell."""
        return estimate_frequencies(self.words)

    @cached_property
    def _common(self) -> NDArray[np.float32]:
        """The direction that the vectors of all texts share."""
        assert self.frequencies is not None
        return find_common(self.frequencies, self.matrix)

    @cached_property
    def unit(self) -> NDArray[np.float32]:
        """The matrix with rows of length one (a zero row stays zero)."""
        return unit_rows(self.matrix)

    @cached_property
    def _prepared(self) -> PreparedRows:
        return prepare_rows(self.unit)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def __repr__(self) -> str:
        return f"<WordVectors {self.name!r}: {len(self):,} words × {self.dims} dimensions>"


def _wrap(data: VectorData) -> WordVectors:
    return WordVectors(
        data.words,
        data.matrix,
        name=data.name,
        notes=data.notes,
        compose=data.compose,
        learned=data.learned,
    )


def check_neighbours(k: int, threshold: float | None) -> None:
    """Raise InputError if there cannot be as many neighbours, or such a cosine."""
    check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
    check(threshold is None or -1 <= threshold <= 1, "threshold", "between -1 and 1", threshold)


@cache
def _load_built_in(name: str) -> WordVectors:
    return _wrap(load_vectors(name))


def _unit(vector: Array) -> Array:
    length = np.linalg.norm(vector)
    return vector / length if length else vector
