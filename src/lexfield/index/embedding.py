"""Where an index gets the vectors of its words, when it is built and later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lexfield.errors import LexfieldError
from lexfield.progress import Progress
from lexfield.results import JsonObject
from lexfield.text.corpus import Vocabulary
from lexfield.vectors.sources import make_absolute
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors


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
    embedded = vectors.embed(vocabulary)
    return embedded, {
        "name": vectors.name,
        "source": source,
        "dims": vectors.dims,
        "coverage": embedded.coverage(vocabulary.counts),
    }


class VectorSource:
    """The set that an index was built with, opened when a word outside the index needs it."""

    def __init__(self, about: JsonObject) -> None:
        self._about = about
        self._opened: WordVectors | None = None

    def embed(self, words: Sequence[str]) -> WordEmbeddings:
        """Return the vectors of words; none if the set is not available any more."""
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
