"""How many words of a text have a vector, and how many must before vectors are used.

Vectors of the wrong language know a few words of any text by chance, and distances between those
words say nothing about the text. Stopwords are not counted, as many vector sets lack them. The
built-in English vectors know these shares of the words of collections: English novels 97 to 99%,
news 93%, scientific abstracts 89 to 98%, newsgroups 78%, bug reports full of logs 71%; Spanish 59%,
French 58%, German 41%, Turkish 15%, Finnish 10%, Russian 2%, Chinese 1%. So a share of ``LEAST`` is
required. Short texts vary more, as an English bug report can be mostly a log (of 1,992 the lowest
had 35%, one in a hundred under 49%): below ``FEW`` words the share is only ``LEAST_OF_FEW``, and
anything below ``LEAST`` is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError
from lexfield.text.stopwords import stopwords

LEAST = 0.65
LEAST_OF_FEW = 0.35
FEW = 5_000  # words
_TOO_FEW = 20  # words, which say nothing about their language
_VECTORS = "--vectors FILE, encoder (16 languages, needs the extra encoder) or own"
_WITHOUT_VECTORS = (
    "Without vectors work: search by bm25, lm, count, frequency, bow, jaccard, edit and topic;"
    " comparing in the categorical space; bag, keyness, kwic, zipf, topics and duplicates."
)


@dataclass(frozen=True)
class Coverage:
    """The number of words of a text without its stopwords, and of those that have a vector."""

    words: int
    known: int
    vectors: str
    text: str = "the texts"

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        known: NDArray[np.bool_],
        counts: Array,
        vectors: str,
        text: str = "the texts",
    ) -> Coverage:
        """Count the words of a text. ``known`` says which distinct words have a vector."""
        counts = np.where(content_words(words), counts, 0)
        return cls(int(counts.sum()), int(counts[known].sum()), vectors, text)

    @property
    def least(self) -> float:
        """The share of words that must have a vector."""
        return LEAST if self.words >= FEW else LEAST_OF_FEW

    @property
    def is_enough(self) -> bool:
        return self.words < _TOO_FEW or self.known >= self.least * self.words

    def __str__(self) -> str:
        share = 1 - self.known / self.words if self.words else 0.0
        return f"{share:.0%} of the words in {self.text} have no vector in {self.vectors!r}"

    def require(self, allow_unknown: bool) -> list[str]:
        """Return a note if coverage is low. Raise InputError if it is too low and not allowed."""
        if not self.is_enough and not allow_unknown:
            raise InputError(
                f"{self}; this needs vectors for at least {self.least:.0%} of them.",
                f"Name vectors of their language: {_VECTORS}. To continue anyway, with results that"
                f" say little: --allow-unknown (allow_unknown=True). {_WITHOUT_VECTORS}",
            )
        is_low = self.words >= _TOO_FEW and self.known < LEAST * self.words
        return [f"{self}: results that rest on vectors say little about them"] if is_low else []

    def build_notes(self) -> list[str]:
        """Return what to report about an index that was built from such texts."""
        if self.is_enough:
            return []
        return [
            f"{self}, so what needs vectors is refused without --allow-unknown: search by ideas,"
            " setcover, mean, wmd and translation, the latent space, metrics. Build it again with"
            f" vectors of their language: {_VECTORS}. {_WITHOUT_VECTORS}"
        ]


def content_words(words: Sequence[str], language: str = "en") -> NDArray[np.bool_]:
    """Return which words are not stopwords."""
    excluded = stopwords(language)
    return np.array([word not in excluded for word in words], bool)
