"""Texts as arrays of word ids, and how much each word and phrase tells.

A word that occurs with probability p carries −ln p nats. Probabilities come from the texts at hand
and, because short texts say little about frequencies, from ``_PRIOR`` words that are imagined to
have been read before: with the frequencies of the language if the word vectors cover it, otherwise
by the law of Zipf and Mandelbrot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.text.corpus import Corpus
from lexfield.text.forms import find_base_forms
from lexfield.vectors.coverage import LEAST, Coverage
from lexfield.vectors.weights import estimate_frequencies
from lexfield.vectors.wordvectors import WordVectors

_PRIOR = 100_000  # words
# Tables of contents count alike, so numbers tell little.
_NUMERAL = re.compile(r"[\d.,]+|(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_NUMBER = 2.0  # nats
_SHIFT, _TYPES = 3.7, 100_000  # of the law, and words of a language
_FEW = 20  # words, which say nothing about their language
_RARE = 1e-7  # the share of a word that the vectors lack


@dataclass(frozen=True)
class Words:
    """The words of a corpus.

    tokens: word ids of all documents, one after another; document d begins at ``offsets[d]``.
    stems: per word, the number of its base form. information: per word, −ln p in nats.
    vectors: None if they do not cover the texts; ``notes`` says so.
    """

    corpus: Corpus
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    stems: NDArray[np.int32]
    information: NDArray[np.float64]
    vectors: WordVectors | None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, corpus: Corpus, vectors: WordVectors, language: str = "en") -> Words:
        vocabulary = list(corpus.vocabulary)
        counts = corpus.vocabulary.counts.astype(np.float64)
        rows = np.array([vectors.row(word) for word in vocabulary], np.int64)
        coverage = Coverage.of(vocabulary, rows >= 0, counts, vectors.name)
        is_covered = coverage.words < _FEW or coverage.known >= LEAST * coverage.words
        notes = []
        stems, prior = np.arange(len(vocabulary), dtype=np.int32), None
        if is_covered:
            forms = find_base_forms(vocabulary, language)
            numbers = {form: number for number, form in enumerate(dict.fromkeys(forms))}
            stems = np.array([numbers[form] for form in forms], np.int32)
            prior = estimate_frequencies(vectors.words)
        else:
            notes.append(
                f"{coverage}: identical words are compared, not inflected or similar ones, so"
                " copies are found and rewording is not"
            )
        if prior is None:  # words are in the order of their counts
            counts += _PRIOR / ((np.arange(len(counts)) + _SHIFT) * log(_TYPES / _SHIFT))
        else:
            counts += _PRIOR * np.where(rows >= 0, prior[rows], _RARE)
        information = -np.log(counts / (len(corpus.tokens) + _PRIOR))
        numerals = np.array([bool(_NUMERAL.fullmatch(word)) for word in vocabulary], bool)
        information[numerals] = np.minimum(information[numerals], _NUMBER)
        offsets = corpus.token_offsets[corpus.sentence_offsets]
        known = vectors if is_covered else None
        return cls(corpus, corpus.tokens, offsets, stems, information, known, notes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @cached_property
    def phrases(self) -> Phrases:
        return Phrases.of(self)

    def get_tokens(self, document: int) -> NDArray[np.int32]:
        return self.tokens[self.offsets[document] : self.offsets[document + 1]]

    def find_spans(self, document: int) -> NDArray[np.int64]:
        """Return the first character and the end of each word of a document."""
        corpus, text = self.corpus, self.corpus.texts[document]
        spans = corpus.normalisation.word_spans(text)
        if len(spans) == self.lengths[document]:
            return np.array(spans, np.int64).reshape(-1, 2)
        return self._find_by_sentence(document, text)

    def _find_by_sentence(self, document: int, text: str) -> NDArray[np.int64]:
        """Return the same where normalising changes the number of words: sentence by sentence.

        The words of a sentence that differs all have the span of the sentence.
        """
        corpus = self.corpus
        first, last = corpus.sentence_offsets[document : document + 2].tolist()
        found: list[tuple[int, int]] = []
        end = 0
        for row in range(first, last):
            sentence = str(corpus.sentences[row])
            start = max(text.find(sentence, end), end)
            end = start + len(sentence)
            own = corpus.normalisation.word_spans(sentence)
            count = int(corpus.token_offsets[row + 1] - corpus.token_offsets[row])
            same = [(start + a, start + b) for a, b in own]
            found += same if len(own) == count else [(start, end)] * count
        return np.array(found, np.int64).reshape(-1, 2)

    def find_sentences(self, document: int, places: Array) -> NDArray[np.int64]:
        """Return the numbers, from 0, of the sentences of a document that hold some words."""
        places = np.asarray(places) + self.offsets[document]
        rows = np.searchsorted(self.corpus.token_offsets, places, "right") - 1
        return np.asarray(rows - self.corpus.sentence_offsets[document])


@dataclass(frozen=True)
class Phrases:
    """How often every two and every three words in a row occur: keys in order, and counts."""

    keys: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    counts: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, words: Words) -> Phrases:
        """Count the phrases of all documents; those across two documents do no harm."""
        tokens = words.tokens.astype(np.uint64)
        pairs = hash_next(tokens[:-1], tokens[1:])
        triples = hash_next(pairs[:-1], tokens[2:])
        (a, n), (b, m) = (np.unique(keys, return_counts=True) for keys in (pairs, triples))
        return cls((a, b), (n, m))


def hash_next(before: Array, word: Array) -> NDArray[np.uint64]:
    """Return a 64-bit key of a phrase from that of its beginning and its last word."""
    mixed = (before + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(31))) + word
    mixed = mixed * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(29)), np.uint64)


def join_lists(lists: Sequence[Array], dtype: type) -> Array:
    """Return lists as one array, also if there are none."""
    return np.concatenate([np.empty(0, dtype), *lists])
