"""Texts as arrays of word ids, and how much each word and phrase tells.

A word that occurs with probability p carries −ln p nats. Probabilities come from the texts at hand
and, because short texts say little about frequencies, from ``_PRIOR`` words that are imagined to
have been read before: with the frequencies of the language if the word vectors cover it, otherwise
by the law of Zipf and Mandelbrot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.text.corpus import Corpus
from lexfield.text.forms import find_base_forms
from lexfield.vectors.coverage import LEAST, Coverage
from lexfield.vectors.wordvectors import WordVectors

_PRIOR = 100_000  # words
# Tables of contents count alike, so numbers tell little.
_NUMERAL = re.compile(r"[\d.,]+|(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_LETTERS = frozenset("ivxlc")  # of numerals
_NUMBER = 2.0  # nats
_SHIFT, _TYPES = 3.7, 100_000  # of the law, and words of a language
_FEW = 20  # words, which say nothing about their language
_RARE = 1e-7  # the share of a word that the vectors lack


@dataclass(frozen=True)
class CorpusWords:
    """The words of a corpus.

    tokens: word ids of all documents, one after another; document d begins at ``offsets[d]``.
    stems: per word, the number of its base form. information: per word, −ln p in nats.
    rows: per word, that of its vector, -1 for none.
    vectors: None if they do not cover the texts; ``notes`` says so.
    """

    corpus: Corpus
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    stems: NDArray[np.int32]
    information: NDArray[np.float64]
    rows: NDArray[np.int64]
    vectors: WordVectors | None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, corpus: Corpus, vectors: WordVectors, language: str = "en") -> CorpusWords:
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
            prior = vectors.frequencies
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
        numerals = np.array([is_numeral(word) for word in vocabulary], bool)
        information[numerals] = np.minimum(information[numerals], _NUMBER)
        offsets = corpus.token_offsets[corpus.sentence_offsets]
        known = vectors if is_covered else None
        return cls(corpus, corpus.tokens, offsets, stems, information, rows, known, notes)

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

    def arrange(self, order: Array) -> CorpusWords:
        """Return the words of the documents in another order; they can no longer be located."""
        tokens = join_lists([self.get_tokens(one) for one in order], np.int32)
        offsets = np.append(0, np.cumsum(self.lengths[order]))
        return replace(self, tokens=tokens, offsets=offsets)

    def find_spans(self, document: int, first: int, last: int) -> NDArray[np.int64]:
        """Return the first character and the end of some words of a document, from the first to the
        last.

        The words of a sentence whose number of words changes when it is normalised all have the
        span of the sentence.
        """
        corpus = self.corpus
        low, high = (
            self.find_sentences(document, np.array([first, last])) + self._find_row(document)
        ).tolist()
        begin = int(corpus.texts.offsets[document])
        start = len(corpus.texts.text(begin, corpus.sentence_spans[low, 0]))
        part = corpus.texts.text(corpus.sentence_spans[low, 0], corpus.sentence_spans[high, 1])
        own = corpus.normalisation.word_spans(part)
        if len(own) != corpus.token_offsets[high + 1] - corpus.token_offsets[low]:
            own = self._find_by_sentence(range(low, high + 1))
        skipped = first + self.offsets[document] - corpus.token_offsets[low]
        return np.array(own[skipped : skipped + last - first + 1], np.int64) + start

    def _find_by_sentence(self, rows: range) -> list[tuple[int, int]]:
        """Return the same for the words of some sentences, counted from the first."""
        corpus, found, start = self.corpus, [], 0
        end = corpus.sentence_spans[rows[0], 0]
        for row in rows:
            sentence = str(corpus.sentences[row])
            start += len(corpus.texts.text(end, corpus.sentence_spans[row, 0]))
            own = corpus.normalisation.word_spans(sentence)
            count = int(corpus.token_offsets[row + 1] - corpus.token_offsets[row])
            whole = [(start, start + len(sentence))] * count
            same = [(start + a, start + b) for a, b in own]
            found += same if len(own) == count else whole
            start, end = start + len(sentence), corpus.sentence_spans[row, 1]
        return found

    def find_sentences(self, document: int, places: Array) -> NDArray[np.int64]:
        """Return the numbers, from 0, of the sentences of a document that hold some words."""
        places = np.asarray(places) + self.offsets[document]
        rows = np.searchsorted(self.corpus.token_offsets, places, "right") - 1
        return np.asarray(rows - self._find_row(document))

    def _find_row(self, document: int) -> int:
        """Return the row of the first sentence of a document."""
        return int(self.corpus.sentence_offsets[document])


SHARED = 2  # occurrences of a phrase that is shared
Tables = tuple[Array, ...]  # keys and counts of pairs, of triples, and of pairs with a slot


@dataclass(frozen=True)
class Phrases:
    """In how many contexts words, every two and three words in a row, and every two words with one
    or two others between them occur: the slots of a form are filled in different ways.

    The context of a phrase is its neighbours, at least two on either side. Copies of a passage have
    the same context and count once, however many there are; a turn of phrase has many contexts.
    """

    words: NDArray[np.int64]
    keys: tuple[NDArray[np.uint64], ...]  # in order
    counts: tuple[NDArray[np.int64], ...]

    @property
    def tables(self) -> Tables:
        return tuple(array for pair in zip(self.keys, self.counts, strict=True) for array in pair)

    @classmethod
    def of(cls, words: CorpusWords) -> Phrases:
        """Count the phrases of all documents; those across two documents do no harm.

        The two occurrences of a phrase that is shared do not count, so only those with more are
        kept.
        """
        padded = np.pad(words.tokens.astype(np.uint64), (2, 4), constant_values=len(words.stems))
        context, *others = (padded[at : at + len(words.tokens)] for at in range(7))
        for word in others:
            context = hash_next(context, word)
        again = np.flatnonzero(mark_repeated(context, 2))
        copies = np.ones(len(again), bool)
        copies[np.unique(context[again], return_index=True)[1]] = False
        first = np.delete(np.arange(len(context)), again[copies])
        pairs = hash_next(padded[2:-4], padded[3:-3])
        triples = hash_next(pairs, padded[4:-2])[first]
        slots = [hash_next(padded[2:-4], padded[at : at - 6 or None])[first] for at in (4, 5)]
        every = (pairs[first], triples, np.concatenate(slots))
        often = [one[mark_repeated(one, SHARED + 1)] for one in every]
        counted = [np.unique(one, return_counts=True) for one in often]
        keys, counts = zip(*counted, strict=True)
        return cls(np.bincount(words.tokens[first], minlength=len(words.stems)), keys, counts)


def is_numeral(word: str) -> bool:
    is_likely = word[0] in _LETTERS or not word[0].isalpha()
    return is_likely and _NUMERAL.fullmatch(word) is not None


@kernel
def mark_repeated(keys: Array, least: int) -> Array:
    """Return which keys occur at least so many times, and a few that do not: keys with the same
    lowest bits are counted together, which is quicker than sorting them all."""
    size = 1 << 10
    while size < 4 * len(keys):
        size *= 2
    counts, mask = np.zeros(size, np.uint8), np.uint64(size - 1)
    for key in keys:
        if counts[key & mask] < least:
            counts[key & mask] += 1
    marks = np.empty(len(keys), np.bool_)
    for number, key in enumerate(keys):
        marks[number] = counts[key & mask] >= least
    return marks


def hash_next(before: Array, word: Array) -> NDArray[np.uint64]:
    """Return a 64-bit key of a phrase from that of its beginning and its last word."""
    mixed = (before + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(31))) + word
    mixed = mixed * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(29)), np.uint64)


def join_lists(lists: Sequence[Array], dtype: type) -> Array:
    """Return lists as one array, also if there are none."""
    return np.concatenate([np.empty(0, dtype), *lists])
