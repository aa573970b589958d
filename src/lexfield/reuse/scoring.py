"""What a pair of words is worth, and what a shared phrase is worth after a discount.

Scores are log odds, in nats: a shared word of probability p scores ln(q / p) with q = ``_KEPT``,
the share of words that reuse leaves as they are; at most ``_MOST``, because rare words come in
clusters. Words with the same stem score ``_STEM`` of that, similar words up to ``_SIMILAR``, in
proportion to their cosine, which must reach the threshold. docs/decisions/0016-reuse.md says how
these numbers were chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.reuse.align import Table, align_band
from lexfield.reuse.words import SHARED, CorpusWords, Tables
from lexfield.vectors.nearest import nearest_rows, unit_rows
from lexfield.vectors.threshold import threshold
from lexfield.vectors.wordvectors import WordVectors

UNIT = 100  # scores per nat: they are whole numbers
_KEPT = 0.5
_MOST = 8.0
_STEM, _SIMILAR = 0.8, 0.6
_MISMATCH, _OPEN, _EXTEND = 1.5, 2.5, 0.8
_FEWEST = 5.0  # nats of a word that similar words may stand for
_LARGEST = 60  # words of one stem that are compared
_RELATED = 0.679  # the lower end of what ``lexfield threshold default`` prints
_SAMPLE = 500
_AGAIN, _BACK = 1.5, 200  # nats at most of a word that recurs within so many aligned words
_PHRASE = 0.75
_TAIL = 1.5  # nats: ends of an alignment that add less are dropped
_PRIOR = 50.0  # occurrences of a phrase's beginning by which its end becomes predictable
COSTS = np.array([round(UNIT * cost) for cost in (_MISMATCH, _OPEN, _EXTEND)], np.int64)
_SLOT = 2  # words between two that occur together, as ``Phrases`` counts them
IDENTICAL, STEM, SIMILAR = 0, 1, 2


@dataclass(frozen=True)
class Scores:
    """Word w scores ``values[starts[w]:starts[w + 1]]`` with the words ``others[…]``, ascending.

    ``relations`` says how they are related, ``cosines`` how similar they are (1: same stem).
    """

    starts: NDArray[np.int64]
    others: NDArray[np.int32]
    values: NDArray[np.int64]
    relations: NDArray[np.uint8]
    cosines: NDArray[np.float32]
    own: NDArray[np.float64]  # per word, the score of a shared word in nats

    @property
    def table(self) -> Table:
        return self.starts, self.others, self.values

    @classmethod
    def of(cls, words: CorpusWords, left: Array, right: Array) -> Scores:
        """Score all words with themselves, and those marked in ``left`` with those in ``right``."""
        own = np.clip(words.information + log(_KEPT), 0.1, _MOST)
        every = np.arange(len(own))
        parts = [(every, every, np.full(len(own), IDENTICAL), np.ones(len(own)))]
        if words.vectors is not None:
            telling = own >= _FEWEST
            parts.append(_pair_stems(words.stems, left, right))
            parts.append(_pair_similar(words, left & telling, right & telling))
        a, b, relation, cosine = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((relation, b, a))
        a, b, relation, cosine = a[order], b[order], relation[order], cosine[order]
        new = np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1]))[: len(a)]
        a, b, relation, cosine = a[new], b[new], relation[new], cosine[new]
        share = np.array([1, _STEM, _SIMILAR])[relation] * np.where(relation == SIMILAR, cosine, 1)
        values = np.round(UNIT * share * np.minimum(own[a], own[b])).astype(np.int64)
        starts = np.searchsorted(a, np.arange(len(own) + 1))
        return cls(
            starts,
            b.astype(np.int32),
            values,
            relation.astype(np.uint8),
            cosine.astype(np.float32),
            own,
        )


def _pair_stems(stems: Array, left: Array, right: Array) -> tuple[Array, Array, Array, Array]:
    """Return all pairs of different words with the same stem."""
    chosen = np.flatnonzero(left | right)
    order = chosen[np.argsort(stems[chosen], kind="stable")]
    a: list[Array] = []
    b: list[Array] = []
    for step in range(1, min(_LARGEST, len(order))):
        same = np.flatnonzero(stems[order[step:]] == stems[order[:-step]])
        if not len(same):
            break
        a += [order[same], order[same + step]]
        b += [order[same + step], order[same]]
    none = [np.empty(0, np.int64)]
    first, second = np.concatenate(none + a), np.concatenate(none + b)
    return first, second, np.full(len(first), STEM), np.ones(len(first))


def _pair_similar(
    words: CorpusWords, left: Array, right: Array
) -> tuple[Array, Array, Array, Array]:
    """Return all pairs of words with a vector of their own and a cosine above the threshold."""
    vectors = words.vectors
    assert vectors is not None
    known = [np.flatnonzero(side & (words.rows >= 0)) for side in (left, right)]
    if not len(known[0]) or not len(known[1]):
        return (np.empty(0, np.int64),) * 3 + (np.empty(0),)
    unit = [unit_rows(vectors.matrix[words.rows[one]].astype(np.float32)) for one in known]
    same = np.full(len(words.rows), -1)
    same[known[1]] = np.arange(len(known[1]))
    near = nearest_rows(*unit, threshold=find_threshold(vectors), skip=same[known[0]])
    first, second = np.repeat(known[0], np.diff(near.offsets)), known[1][near.rows]
    return first, second, np.full(len(first), SIMILAR), np.minimum(near.scores, 1.0)


def find_threshold(vectors: WordVectors) -> float:
    """Return the cosine from which words may stand for one another."""
    if vectors.name == "default":
        return _RELATED
    return threshold(vectors, sample=_SAMPLE).interval[0]


@dataclass(frozen=True)
class WordAlignment:
    """Pairs of places in two texts with related words, ascending in both.

    values: what each pair adds to the score, in nats. gaps: what the words before it cost that are
    not related.
    """

    pairs: NDArray[np.int64]
    relations: NDArray[np.uint8]
    cosines: NDArray[np.float32]
    values: NDArray[np.float64]
    gaps: NDArray[np.float64]

    @cached_property
    def score(self) -> float:
        return float((self.values - self.gaps).sum())

    def find_core(self) -> tuple[int, int]:
        """Return the first pair and the end of what is left without ends that are worth no more
        than a word and, as they are beyond a gap, add next to nothing."""
        start = _measure_end(self.values, self.gaps)
        values, gaps = self.values[start:][::-1], np.roll(self.gaps[start:][::-1], 1)
        return start, len(self.values) - _measure_end(values, gaps)

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """The first and the last place in a, and in b."""
        (a, b), (c, d) = self.pairs[0].tolist(), self.pairs[-1].tolist()
        return a, c, b, d


def _measure_end(values: Array, gaps: Array) -> int:
    """Return how many of the first pairs are a loose end."""
    worth = np.cumsum(values - np.append(0, gaps[1:]))[:-1]
    weak = np.logical_and.accumulate(worth < _MOST)
    return int((np.flatnonzero(weak & (worth - gaps[1:] < _TAIL))[-1:] + 1).sum())


class AlignmentScorer:
    """Scores alignments of the documents of a collection."""

    def __init__(self, words: CorpusWords, scores: Scores) -> None:
        self._words, self._scores = words, scores

    def score(self, a: int, b: int, pairs: NDArray[np.int64]) -> WordAlignment:
        """Return the pairs of places in two documents that have related words, with their score."""
        words, scores = self._words, self._scores
        phrases = words.phrases
        values, gaps, entries = rescore(
            words.get_tokens(a),
            words.get_tokens(b),
            pairs,
            scores.table,
            scores.relations,
            words.information,
            phrases.words,
            phrases.tables,
            COSTS,
        )
        known = entries >= 0
        own = entries[known]
        return WordAlignment(
            pairs[known], scores.relations[own], scores.cosines[own], values[known], gaps[known]
        )

    def extend(self, a: int, b: int, parts: list[WordAlignment]) -> list[WordAlignment]:
        """Return alignments without loose ends, and with the identical words next to either end
        that none has aligned.

        Windows end somewhere, and few words between two of them are not worth an alignment.
        """
        cores = [part.pairs[slice(*part.find_core())] for part in parts]
        left, right = (self._words.get_tokens(one) for one in (a, b))
        taken = np.concatenate(cores)
        free = [np.pad(np.ones(len(one), bool), 1) for one in (left, right)]
        free[0][taken[:, 0] + 1], free[1][taken[:, 1] + 1] = False, False
        found = []
        for part, core in zip(parts, cores, strict=True):
            added: list[list[tuple[int, int]]] = []
            for (i, j), step in ((core[0].tolist(), -1), (core[-1].tolist(), 1)):
                own: list[tuple[int, int]] = []
                i, j = i + step, j + step
                while free[0][i + 1] and free[1][j + 1] and left[i] == right[j]:
                    free[0][i + 1] = free[1][j + 1] = False
                    own.append((i, j))
                    i, j = i + step, j + step
                added.append(own)
            if len(core) == len(part.pairs) and not added[0] and not added[1]:
                found.append(part)
            else:
                pairs = [*reversed(added[0]), *core.tolist(), *added[1]]
                found.append(self.score(a, b, np.array(pairs, np.int64)))
        return found

    def measure_overlap(self, a: int, b: int, box: tuple[int, int, int, int]) -> float:
        """Return how much of what the longer side of a box tells the other tells too, in any
        order."""
        first, last, low, high = box
        left = self._words.get_tokens(a)[first : last + 1]
        right = self._words.get_tokens(b)[low : high + 1]
        both, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        counts = [np.bincount(own, minlength=len(both)) for own in np.split(places, [len(left)])]
        tell = self._words.information[both]
        return float(tell @ np.minimum(*counts) / max(tell @ counts[0], tell @ counts[1]))

    def make_marks(self, document: int) -> NDArray[np.bool_]:
        """Return a mark, not set yet, per word of a document."""
        return np.zeros(self._words.lengths[document], bool)

    def align_free(
        self, a: int, b: int, box: tuple[int, int, int, int], taken: Array
    ) -> NDArray[np.int64]:
        """Return the best alignment within a box of words that are not among those taken."""
        first, last, low, high = box
        nothing = len(self._scores.own)  # a word that is like no other
        left, right = (self._words.get_tokens(one).copy() for one in (a, b))
        left[taken[:, 0]], right[taken[:, 1]] = nothing, nothing
        left, right = left[first : last + 1], right[low : high + 1]
        scores = self._scores
        _, pairs = align_band(
            left,
            right,
            np.zeros(len(left), np.int64),
            len(right),
            (np.append(scores.starts, scores.starts[-1]), *scores.table[1:]),
            COSTS,
            np.full(nothing + 1, -COSTS[0], np.int64),
        )
        is_free = (left[pairs[:, 0]] != nothing) & (right[pairs[:, 1]] != nothing)
        return np.asarray(pairs[is_free] + np.array([first, low]))


@kernel
def rescore(
    a: Array,
    b: Array,
    pairs: Array,
    table: Table,
    relations: Array,
    information: Array,
    counts: Array,
    phrases: Tables,
    costs: Array,
) -> tuple[Array, Array, Array]:
    """Return, per pair of an alignment, its value and the cost of the gap before it in nats, and
    where it is listed, -1 for words that are not related.

    A gap of m words in one text and n in the other costs min(m, n) times ``costs[0]`` and what
    |m − n| words of one text cost, which is the least that any alignment of them costs.
    A word that ends a shared phrase of two or three words scores at most ln(q / p), where p is how
    often the beginning of the phrase is followed by it elsewhere in the collection (``_foresee``).
    So common phrases score little, and so do the words of a form around slots of up to ``_SLOT``
    words that are filled differently (u … w, with φ = 1). A word that has been aligned before
    scores at most ``_AGAIN``: a text that has used a word is likely to use it again (Church 2000),
    so lists of the same few words tell little.
    """
    starts, others, values = table
    run, last, before = 0, -1, -1  # the last identical pair, and the last that is related
    worth, lost = np.zeros(len(pairs)), np.zeros(len(pairs))
    entry = np.full(len(pairs), -1, np.int64)
    for one in range(len(pairs)):
        i, j = pairs[one]
        u, v = a[i], b[j]
        at = starts[u] + np.searchsorted(others[starts[u] : starts[u + 1]], v)
        if at == starts[u + 1] or others[at] != v:
            continue
        follows, again = False, False
        if before >= 0:
            gap_a, gap_b = i - pairs[before, 0] - 1, j - pairs[before, 1] - 1
            follows = gap_a == gap_b == 0
            more = abs(gap_a - gap_b)
            lost[one] = min(gap_a, gap_b) * costs[0] / UNIT
            lost[one] += (costs[1] + (more - 1) * costs[2]) / UNIT if more else 0.0
        entry[one], before = at, one
        value = values[at] / UNIT
        for earlier in range(max(0, one - _BACK), one):
            again |= a[pairs[earlier, 0]] == u and entry[earlier] >= 0
        if again:
            value = min(value, _AGAIN)
        run = run + 1 if follows and run else 1
        if relations[at] != IDENTICAL:
            run = 0
        elif run > 1:
            p = _foresee(a, i, run, np.exp(-_PHRASE * information[u]), counts, phrases)
            value = min(value, max(0.0, np.log(_KEPT / p)))
        elif last >= 0 and max(i - pairs[last, 0], j - pairs[last, 1]) <= _SLOT + 1:
            p = np.exp(-information[u])
            p = _follow(a[pairs[last, 0]], u, p, counts, phrases[4], phrases[5])
            value = min(value, max(0.0, np.log(_KEPT / p)))
        if relations[at] == IDENTICAL:
            last = one
        worth[one] = value
    return worth, lost, entry


@kernel
def _foresee(a: Array, i: int, run: int, p: float, counts: Array, phrases: Tables) -> float:
    """Return how probable word i is after the one or two words before it that are shared too.

        p(w | u) = (n(u w) + μ p(w)^φ) / (n(u) + μ)

    and likewise for two words before it (``Phrases``); μ = ``_PRIOR``, and φ = ``_PHRASE`` says how
    far a word can be foreseen from the one before it where nothing is counted. The two occurrences
    that are aligned are not counted.
    """
    keys2, counts2, keys3, counts3 = phrases[:4]
    p = _follow(a[i - 1], a[i], p, counts, keys2, counts2)
    if run > 2:
        key = _hash(np.uint64(a[i - 2]), np.uint64(a[i - 1]))
        before = max(0, _count(keys2, counts2, key) - SHARED)
        together = max(0, _count(keys3, counts3, _hash(key, np.uint64(a[i]))) - SHARED)
        p = (together + _PRIOR * p) / (before + _PRIOR)
    return p


@kernel
def _follow(before: int, word: int, p: float, counts: Array, keys: Array, found: Array) -> float:
    """Return how probable a word is after another, if it has the probability ``p`` anywhere."""
    key = _hash(np.uint64(before), np.uint64(word))
    together = max(0, _count(keys, found, key) - SHARED)
    estimate: float = (together + _PRIOR * p) / (max(0, counts[before] - SHARED) + _PRIOR)
    return estimate


@kernel
def _count(keys: Array, counts: Array, key: np.uint64) -> int:
    at = np.searchsorted(keys, key)
    return counts[at] if at < len(keys) and keys[at] == key else 0


@kernel
def _hash(before: np.uint64, word: np.uint64) -> np.uint64:
    """Return the key of ``words.hash_next`` for one phrase."""
    mixed = (before + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(31))) + word
    mixed = mixed * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(29))
