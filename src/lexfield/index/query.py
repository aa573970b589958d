"""A query, prepared once for every method."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, list_names
from lexfield.index.axes import split_vector
from lexfield.index.lexicon import Lexicon, VectorSource, embed_with
from lexfield.text.compounds import read_compounds
from lexfield.text.normalise import NONE, Normalisation, stem_words
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordEmbeddings

LONGEST_QUERY = 20_000  # words
_PARTS = 7  # that every query has


@dataclass(frozen=True)
class Query:
    """A text, cut into words that are looked up in the index.

    Arrays have one entry for each of ``words``: the distinct words of the query without stopwords,
    in order of appearance. Ids and vectors are looked up when a method asks for them.
    """

    text: str
    tokens: list[str]  # all words, stopwords too, normalised as the index's
    words: list[str]
    counts: NDArray[np.int64]
    notes: list[str]
    lexicon: Lexicon
    source: VectorSource  # of the vectors of words that the index does not hold
    # n-grams with weights, where the query is a sum of words and phrases
    terms: tuple[tuple[float, tuple[str, ...]], ...] | None = None
    language: str = "none"  # of the stopwords

    def __new__(cls, *values: object, **named: object) -> Query:
        """Raise InputError if there is only a text, which is not a query without an index."""
        if 0 < len(values) + len(named) < _PARTS:
            raise InputError(
                "A query is made for an index, with the words of its texts.",
                'Search for the text itself, as in index.search("a text"), or call'
                ' index.query("a text").',
            )
        return object.__new__(cls)

    @cached_property
    def ids(self) -> NDArray[np.int32]:
        """The words' ids in the index's lexicon; -1 for a word it does not hold."""
        return np.array([self.lexicon.ids.get(word, -1) for word in self.words], np.int32)

    @cached_property
    def _embedded(self) -> WordEmbeddings:
        return embed_with(self.words, self.lexicon, self.source)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        return self._embedded.matrix

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which words have a vector."""
        return self._embedded.known

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Count of each word over the count of those with vectors; 0 without a vector."""
        counts = np.where(self.known, self.counts, 0)
        total = counts.sum()
        return counts / total if total else counts.astype(np.float64)

    @property
    def unknown(self) -> list[str]:
        """The words that have no vector."""
        return [word for word, known in zip(self.words, self.known, strict=True) if not known]

    def note_missing(self) -> list[str]:
        """Return a note on words that no text of the index holds."""
        words = [word for word in self.words if word not in self.lexicon.ids]
        return [f"not in the index: {list_names(words)}"] if words else []

    def note_unknown(self) -> list[str]:
        """Return a note on words without a vector, for methods that go by vectors."""
        return [f"no vector for: {list_names(self.unknown)}"] if self.unknown else []

    @property
    def wanted(self) -> list[str]:
        """The words that a text should hold, without those that count against it."""
        if self.terms is None:
            return self.words
        wanted = (word for weight, gram in self.terms if weight > 0 for word in gram)
        return list(dict.fromkeys(wanted))

    def mean(self) -> NDArray[np.float32]:
        """Return the mean of the words' vectors."""
        return (self.shares @ self.vectors.astype(np.float64)).astype(np.float32)

    @cached_property
    def vector_parts(self) -> NDArray[np.float64]:
        """What each word adds to ``vector()``."""
        contributions = self._embedded.contributions
        assert contributions is not None
        return split_vector(self.counts, self._embedded.spread(contributions))

    def vector(self) -> NDArray[np.float32]:
        """Return the vector of the query, to compare with those that the index has of texts."""
        return self._vector

    @cached_property
    def _vector(self) -> NDArray[np.float32]:
        if self._embedded.contributions is None:
            return self.mean()
        return np.asarray(self.vector_parts.sum(axis=0), np.float32)


def look_up(
    text: str, lexicon: Lexicon, normalisation: Normalisation, language: str, source: VectorSource
) -> Query:
    """Cut a text as the texts of an index were cut. Raise InputError if it has too many words."""
    tokens = normalisation.words(text)
    check_length(tokens)
    excluded = stopwords(language)
    words, notes = tokens, list[str]()
    if not all(map(lexicon.ids.__contains__, tokens)):
        words, notes = read_compounds(tokens, text, normalisation, _Held(lexicon, normalisation))
    counted = Counter(word for word in words if word not in excluded)
    counts = np.array(list(counted.values()), np.int64)
    notes = notes if counted else [note_nothing(tokens)]
    return Query(text, tokens, list(counted), counts, notes, lexicon, source, None, language)


class _Held:
    """Words that texts of an index have, in some form if it has a stemmer."""

    def __init__(self, lexicon: Lexicon, normalisation: Normalisation) -> None:
        self._lexicon, self._stemmer = lexicon, normalisation.stemmer

    def __contains__(self, word: object) -> bool:
        if word in self._lexicon.ids:
            return True
        if self._stemmer == NONE:
            return False
        return stem_words([str(word)], self._stemmer)[0] in self._lexicon.number_terms(
            self._stemmer
        )


def note_nothing(tokens: list[str]) -> str:
    """Return a note on a query without words to search for."""
    return f"the query contains {'only stopwords' if tokens else 'no words'}"


def check_length(tokens: list[str]) -> None:
    """Raise InputError if a query has too many words."""
    if len(tokens) > LONGEST_QUERY:
        raise InputError(
            f"The query has {len(tokens):,} words; at most {LONGEST_QUERY:,} can be searched.",
            "Search for a part of it.",
        )
