"""Word vectors: words, a matrix, and what one asks of them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, UnknownWordError, check
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.vectors.neighbours import Base, nearest_rows, prepared
from lexfield.vectors.repair import How, repair

Compose = Callable[[str], NDArray[np.float32] | None]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A word near another: cosine, and Euclidean distance between the unit vectors."""

    word: str
    similarity: float
    distance: float


@dataclass(frozen=True)
class Embedded:
    """Vectors of given words, and how each was found.

    ``known`` has a row for each word that has a vector, in order. A word without one
    (``How.UNKNOWN``) takes a byte, not a row: a text can hold a million of them.
    """

    known: NDArray[np.float32]
    how: NDArray[np.uint8]

    @classmethod
    def of(cls, matrix: NDArray[np.float32], how: NDArray[np.uint8]) -> Embedded:
        """Make one of a matrix with a row for every word."""
        return cls(matrix if (how > 0).all() else matrix[how > 0], how)

    @property
    def matrix(self) -> NDArray[np.float32]:
        """A row for every word, zero for one without a vector."""
        if len(self.known) == len(self.how):
            return self.known
        matrix = np.zeros((len(self.how), self.known.shape[1]), self.known.dtype)
        matrix[self.how > 0] = self.known
        return matrix

    @property
    def places(self) -> NDArray[np.int32]:
        """For each word its row in ``known``; 0 for one without a vector."""
        return np.maximum(np.cumsum(self.how > 0, dtype=np.int32) - 1, 0) * (self.how > 0)

    def blocks(self, size: int) -> Iterator[NDArray[np.float32]]:
        """``matrix`` in blocks of ``size`` rows."""
        first = 0
        for start in range(0, len(self.how), size):
            held = self.how[start : start + size] > 0
            block = np.zeros((len(held), self.known.shape[1]), self.known.dtype)
            last = first + int(held.sum())
            block[held] = self.known[first:last]
            first = last
            yield block

    def coverage(self, counts: NDArray[np.int64] | None = None) -> dict[str, dict[str, int]]:
        """Number of types (and with their counts, tokens) for each way a word was found."""
        return count_ways(self.how, counts)


def count_ways(
    how: NDArray[np.uint8], counts: NDArray[np.int64] | None = None
) -> dict[str, dict[str, int]]:
    """Return the number of types (and with their counts, tokens) per way a word was found."""
    types = np.bincount(how, minlength=len(How))
    tokens = np.bincount(how, weights=counts, minlength=len(How))
    return {way.name.lower(): {"types": int(types[way]), "tokens": int(tokens[way])} for way in How}


@dataclass(frozen=True)
class VectorSet:
    """One line of ``lexfield vectors list``."""

    name: str
    words: int | None
    dims: int | None
    where: str


class WordVectors:
    """A set of word vectors.

    ``WordVectors.default()`` is the English set inside the package; ``WordVectors.load(source)``
    reads a file, a folder or a name given to ``lexfield vectors import``.
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: NDArray[np.float32],
        *,
        name: str = "unnamed",
        notes: Sequence[str] = (),
        compose: Compose | None = None,
    ) -> None:
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

    @classmethod
    def default(cls) -> WordVectors:
        """The English vectors that come with lexfield."""
        from lexfield.vectors.builtin import default

        return default()

    @classmethod
    def load(
        cls, source: str | Path, *, limit: int | None = None, progress: Progress = silent
    ) -> WordVectors:
        """Open a set by name (``"default"``, ``"glove"``, an imported one), file or folder.

        A file is parsed once and kept as a memory-mapped copy, so the next load takes no time.
        """
        from lexfield.vectors.library import load

        return load(source, limit=limit, progress=progress)

    @classmethod
    def encoded(cls, words: Iterable[str], *, progress: Progress = silent) -> WordVectors:
        """Vectors of any words in sixteen languages, by the encoder extra; kept on disk."""
        from lexfield.vectors.encoder import encoded

        return encoded(words, progress=progress)

    @classmethod
    def from_gensim(cls, keyed_vectors: object, name: str = "gensim") -> WordVectors:
        """The vectors of a gensim ``KeyedVectors`` in memory."""
        from lexfield.vectors.load import from_gensim

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
        """The row of a word as it is written; -1 if the set lacks it."""
        return self._rows.get(word, -1)

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector of a word, repaired if need be; an error that suggests others if not."""
        embedded = self.embed([word])
        if embedded.how[0] == How.UNKNOWN:
            close = difflib.get_close_matches(word.lower(), self.words[:50_000], 3)
            raise UnknownWordError(
                f"The vectors {self.name!r} have no word {word!r}.",
                f"Did you mean {', '.join(close)}?" if close else "Check the spelling.",
            )
        vector: NDArray[np.float32] = embedded.matrix[0]
        return vector

    def embed(self, words: Iterable[str]) -> Embedded:
        """Vectors for many words; what is missing is repaired, and what cannot be is counted."""
        words = list(words)
        exact = np.array([self.row(word) for word in words], np.int64)
        how = np.where(exact >= 0, np.uint8(How.EXACT), np.uint8(How.UNKNOWN))
        repaired: dict[int, list[int] | NDArray[np.float32]] = {}  # rows, or a vector
        for number in np.flatnonzero(exact < 0).tolist():
            word = words[number]
            kind, rows = repair(word, self.row)
            composed = None
            if kind in (How.SPLIT, How.UNKNOWN) and self._compose is not None:
                composed = self._compose(word)
            if composed is not None:
                repaired[number], how[number] = composed, How.COMPOSED
            elif rows:
                repaired[number], how[number] = rows, kind
        known = np.empty((int((how > 0).sum()), self.dims), self.matrix.dtype)
        places = np.cumsum(how > 0) - 1
        known[places[exact >= 0]] = self.matrix[exact[exact >= 0]]
        for number, found in repaired.items():
            if isinstance(found, list):
                found = (
                    self.matrix[found[0]] if len(found) == 1 else self.matrix[found].mean(axis=0)
                )
            known[places[number]] = found
        return Embedded(known, how)

    def similarity(self, a: str, b: str) -> float:
        """Cosine of two words."""
        return float(_unit(self[a].astype(np.float64)) @ _unit(self[b].astype(np.float64)))

    def nearest(
        self,
        word: str | NDArray[Any],
        k: int = 10,
        *,
        threshold: float | None = None,
    ) -> Table[Neighbour]:
        """The ``k`` nearest words to a word or vector, or all with at least ``threshold`` cosine.

        A word is not its own neighbour.
        """
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        check(threshold is None or -1 <= threshold <= 1, "threshold", "between -1 and 1", threshold)
        if isinstance(word, str):
            vector, own, title = self[word], self.own_row(word), f" to {word!r}"
        else:
            vector, own, title = np.asarray(word, np.float32), -1, ""
        if vector.shape != (self.dims,):
            raise InputError(f"A vector of {self.dims} numbers is needed; got {vector.shape}.")
        if not np.isfinite(vector).all() or not vector.any():
            raise InputError("The vector must be finite and not zero.")
        found = nearest_rows(
            _unit(vector)[None].astype(np.float32),
            self._base,
            k=min(k, len(self)) if threshold is None else None,
            threshold=threshold,
            skip=np.array([own]),
        )
        rows = [
            Neighbour(self.words[row], cosine, math.sqrt(2 - 2 * cosine))
            for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)
            for cosine in [max(-1.0, min(1.0, score))]  # rounding can pass 1 by a hair
        ]
        return Table(rows, f"nearest{title} in {self.name}")

    def own_row(self, word: str) -> int:
        """The row of a word after repair, which is no neighbour of its own; -1 if it has none."""
        kind, rows = repair(word, self.row)
        return rows[0] if kind in (How.EXACT, How.LOWER, How.TRIMMED) else -1

    def mapped(self, matrix: NDArray[Any], name: str) -> WordVectors:
        """The same words, every vector times ``matrix``: the set under a learned metric."""
        compose = self._compose

        def composed(word: str) -> NDArray[np.float32] | None:
            vector = compose(word) if compose else None
            return None if vector is None else (vector @ matrix).astype(np.float32)

        return WordVectors(
            self.words,
            (self.matrix @ matrix).astype(np.float32),
            name=name,
            notes=self.notes,
            compose=composed if compose else None,
        )

    @cached_property
    def unit(self) -> NDArray[np.float32]:
        """The matrix with rows of length one (a zero row stays zero)."""
        lengths = np.linalg.norm(self.matrix, axis=1, keepdims=True)
        if np.allclose(lengths, 1, atol=1e-6):
            return self.matrix
        lengths[lengths == 0] = 1
        unit: NDArray[np.float32] = (self.matrix / lengths).astype(np.float32, copy=False)
        return unit

    @cached_property
    def _base(self) -> Base:
        return prepared(self.unit)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def __repr__(self) -> str:
        return f"<WordVectors {self.name!r}: {len(self):,} words × {self.dims} dimensions>"


def _unit(vector: NDArray[Any]) -> NDArray[Any]:
    length = np.linalg.norm(vector)
    return vector / length if length else vector
