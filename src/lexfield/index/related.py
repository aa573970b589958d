"""Words of an index that may stand for one another, and how probably (Zuccon et al. 2015).

Related are words whose vectors have at least a ``threshold`` of cosine, or each word's ``top``
nearest. Two stems are as similar as their most similar words. Stopwords are related to nothing, nor
are words whose vector was pieced together from others' (``vectors/repair.py``).

    P_T(q | t) = sim(q, t) / Z(t)      Z(t) = sim(t, t) + Σ sim(w, t)   over all w related to t

sim(t, t) = 1: a word translates into itself with what its relatives leave of 1, wholly if it has
none. A query word that is not among the relatives of t is counted in Z(t) too.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import reordered_kernel
from lexfield.index.bags import Bags
from lexfield.index.query import Query
from lexfield.index.segment import BALL
from lexfield.index.units import exact_dots
from lexfield.text.normalise import NONE
from lexfield.vectors.repair import WordMatch

_CLOSE = 1e-5  # more than rounding changes a cosine
_HEAD = 64  # columns that bound the product of two words


@dataclass(frozen=True)
class Near:
    """Terms, most similar first, with their cosines."""

    terms: NDArray[np.int64]
    similarities: NDArray[np.float64]


class Related:
    """The relatives of terms; ``Related.of`` makes one for each threshold and top."""

    def __init__(self, bags: Bags, threshold: float, top: int | None) -> None:
        self._bags = bags
        self._threshold = threshold
        self._top = top
        self._near: dict[int, Near] = {}
        self._outside: dict[tuple[str, ...], Near] = {}  # of words that the index does not hold

    @classmethod
    def of(cls, bags: Bags, threshold: float, top: int | None) -> Related:
        return bags.remember(("related", threshold, top), lambda: cls(bags, threshold, top))

    def group(self, term: str, query: Query) -> tuple[NDArray[np.int64], Array]:
        """Return the terms that may stand for a term of a query, and their cosines.

        The term itself comes first if the index has it.
        """
        own = self._own(term)
        near = self.near([own])[0] if own >= 0 else self._near_outside([term], query)[0]
        if own < 0:
            return near.terms, near.similarities
        return np.append(own, near.terms), np.append(1.0, near.similarities)

    def compute_probabilities(self, term: str, terms: Array, similarities: Array) -> Array:
        """Return P_T(term | each) of the terms and cosines that ``group`` has returned."""
        own = self._own(term)
        weights = [
            1
            + near.similarities.sum()
            + (0.0 if own in (one, *near.terms.tolist()) else similarity)
            for one, near, similarity in zip(
                terms.tolist(), self.near(terms.tolist()), similarities.tolist(), strict=True
            )
        ]
        return np.asarray(similarities / np.array(weights))

    def _own(self, term: str) -> int:
        """Return the id of a term that a row holds, or -1."""
        return self._bags.ids.get(term, -1) if self._bags.occurrences((term,)).holding else -1

    def find_all(self, terms: list[str], query: Query, *, translates: bool) -> None:
        """Find the relatives of several terms of a query at once, and theirs for probabilities."""
        held = [self._bags.ids[term] for term in terms if term in self._bags.ids]
        found = self.near([term for term in held if term not in self._near])
        outside = [term for term in terms if term not in self._bags.ids]
        found += self._near_outside(outside, query)
        if translates:
            self.near([other for near in found for other in near.terms.tolist()])

    def list_cosines(self, words: list[int]) -> Array:
        """Return the cosines of words with their relatives, all in one array."""
        near = zip(words, self._near_words(words), strict=True)
        return np.concatenate([cosines[others != word] for word, (others, cosines) in near])

    def near(self, terms: list[int]) -> list[Near]:
        """Return the relatives of terms of the index, each without itself."""
        missing = [term for term in dict.fromkeys(terms) if term not in self._near]
        if missing:
            words = [self._words(term) for term in missing]
            if self._top is None or self._bags.stemmer == NONE:
                flat = [word for some in words for word in some]
                found = dict(zip(flat, self._near_words(flat), strict=True))
                lists = ([found[word] for word in some] for some in words)
                near = [self._join(some, t) for some, t in zip(lists, missing, strict=True)]
            else:
                vectors = self._bags.rows.lexicon.vectors
                near = [self._widen(vectors[w], t) for w, t in zip(words, missing, strict=True)]
            self._near.update(zip(missing, near, strict=True))
        return [self._near[term] for term in terms]

    def _widen(self, vectors: Array, term: int) -> Near:
        """Return the nearest stems, from ever more nearest words until there are enough stems."""
        k = (self._top or 0) + 1
        while True:
            found = self._search(vectors, k)
            near = self._join(found, term)
            last = max((cosines[-1] for _, cosines in found), default=-1.0)
            enough = len(near.terms) == self._top
            if (enough and (not self._top or near.similarities[-1] > last)) or k >= len(
                self._targets
            ):
                return near
            k *= 2

    def _words(self, term: int) -> list[int]:
        """Return the words of a term that can have relatives."""
        return [word for word in self._bags.words_of(term) if self._place[word] >= 0]

    def _join(self, found: list[tuple[Array, Array]], term: int) -> Near:
        """Return one list of terms from those of words, with the highest cosine of each."""
        if len(found) == 1:
            ((terms, cosines),) = found
        else:
            terms = np.concatenate([np.empty(0, np.int64), *(w for w, _ in found)])
            cosines = np.concatenate([np.empty(0), *(c for _, c in found)])
        if self._bags.stemmer != NONE:
            terms = self._bags.term_of[terms].astype(np.int64)
        order = np.lexsort((terms, -cosines))
        if len(found) > 1 or self._bags.stemmer != NONE:
            order = order[np.sort(np.unique(terms[order], return_index=True)[1])]
        order = order[(terms[order] != term) & (cosines[order] > 0)][: self._top]
        return Near(terms[order], np.minimum(cosines[order], 1.0))

    def _near_outside(self, terms: list[str], query: Query) -> list[Near]:
        """Return the relatives of terms of a query that the index does not hold."""
        if not terms:
            return []
        places = self._bags.read_once(query, _place_terms)
        keys = [(term, *(query.words[place] for place in places[term])) for term in terms]
        new = [(key, places[key[0]]) for key in keys if key not in self._outside]
        if self._top is not None:
            near = [self._widen(query.vectors[own], -1) for _, own in new]
        else:
            found = iter(self._search(query.vectors[[place for _, own in new for place in own]]))
            near = [self._join(list(islice(found, len(own))), -1) for _, own in new]
        self._outside.update(zip((key for key, _ in new), near, strict=True))
        return [self._outside[key] for key in keys]

    def _near_words(self, words: list[int]) -> list[tuple[Array, Array]]:
        """Return relatives of words, from stored balls when sufficient; may include the word."""
        found = dict(zip(words, self._from_balls(words), strict=True))
        rest = [word for word in words if found[word] is None]
        if rest:
            found.update(
                zip(rest, self._search(self._bags.rows.lexicon.vectors[rest]), strict=True)
            )
        return [near for word in words if (near := found[word]) is not None]

    def _from_balls(self, words: list[int]) -> list[tuple[Array, Array] | None]:
        """Return relatives from stored balls; None where a ball is too small.

        A ball holds the nearest words by Euclidean distance. Words with relatives have vectors of
        length 1, so those outside a ball of radius ρ have a cosine of at most 1 − ρ²/2. A ball
        suffices if that is less than what is wanted. The mean of the parts of a word is shorter
        than 1, and nearer than its cosine tells.
        """
        lexicon = self._bags.rows.lexicon
        if not words or not self._unit or not lexicon.has_balls:
            return [None] * len(words)
        balls = lexicon.balls[words]
        is_word = balls >= 0
        sizes, together = is_word.sum(axis=1), balls[is_word]
        products = multiply_pairs(lexicon.vectors, np.repeat(words, sizes), together)
        cosines, bounds = np.full(balls.shape, -np.inf), np.full(balls.shape, np.inf)
        cosines[is_word] = products
        bounds[is_word] = products + (1 - self._squares[together]) / 2  # 1 − d²/2 of each
        content = is_word & (self._place[balls] >= 0)
        floor: float | Array = self._threshold
        is_short, keep = np.zeros(len(words), bool), content & (cosines >= floor)
        if self._top is not None:
            is_short, keep = content.sum(axis=1) < self._top, content
            if 0 < self._top <= BALL:
                floor = -np.sort(np.where(content, -cosines, np.inf), axis=1)[:, self._top - 1]
        is_small = (sizes == BALL) & (is_short | (bounds.min(axis=1) > floor - _CLOSE))
        balls = balls.astype(np.int64)
        return [
            None if small else (ball[own], values[own])
            for small, ball, values, own in zip(is_small, balls, cosines, keep, strict=True)
        ]

    def _search(self, vectors: Array, k: int | None = None) -> list[tuple[Array, Array]]:
        """Return words above the threshold, or the k nearest, with cosines, for every vector.

        This multiplies with all words: for few vectors, preparing anything would take longer.
        """
        if not len(vectors) or not len(self._targets):
            return []
        k = min(k or (self._top or 0) + 1, len(self._targets))
        every = self._bags.rows.lexicon.vectors
        vectors = vectors.astype(np.float32, copy=False)
        rough = vectors @ every.T if self._top is not None else self._bound_products(vectors)
        return [
            self._sift(vector, products[self._targets], k)
            for vector, products in zip(vectors, rough, strict=True)
        ]

    def _bound_products(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what the products of vectors with all words do not exceed: those of the first
        columns, plus the product of the lengths of the others."""
        every = self._bags.rows.lexicon.vectors

        def measure_tails() -> NDArray[np.float32]:
            return _measure_tails(every)

        tails = self._bags.remember("tails", measure_tails)
        bounds = vectors[:, :_HEAD] @ every[:, :_HEAD].T
        bounds += np.outer(_measure_tails(vectors), tails)
        return np.asarray(bounds)

    def _sift(self, vector: Array, products: Array, k: int) -> tuple[Array, Array]:
        """Return the best words of a vector, given its products with all in single precision, or
        where a threshold decides, their bounds."""
        length = float(np.linalg.norm(vector)) or 1.0
        rough = products / (self._lengths * length)
        floor = np.partition(rough, -k)[-k] if self._top is not None else self._threshold
        rows = self._targets[rough >= floor - _CLOSE]
        cosines = exact_dots(self._bags.rows.lexicon.vectors, rows, vector)
        cosines /= self._lengths[self._place[rows]] * length
        order = np.lexsort((rows, -cosines))
        order = order[cosines[order] >= self._threshold] if self._top is None else order[:k]
        return rows[order], cosines[order]

    @cached_property
    def _targets(self) -> NDArray[np.int64]:
        return list_relatable(self._bags)

    @cached_property
    def _place(self) -> NDArray[np.int64]:
        place = np.full(len(self._bags.rows.lexicon), -1)
        place[self._targets] = np.arange(len(self._targets))
        return place

    @property
    def _lengths(self) -> NDArray[np.float64]:
        """The length of each target's vector; 1 for a zero vector, whose cosines are 0."""

        def lengths() -> NDArray[np.float64]:
            squares = self._squares[self._targets]
            return np.where(squares > 0, np.sqrt(squares), 1.0)

        return self._bags.remember("lengths", lengths)

    @property
    def _squares(self) -> NDArray[np.float64]:
        """The squared length of every word's vector."""

        def squares() -> NDArray[np.float64]:
            every = self._bags.rows.lexicon.vectors
            return np.asarray(np.einsum("ij,ij->i", every, every), np.float64)

        return self._bags.remember("squares", squares)

    @cached_property
    def _unit(self) -> bool:
        """Whether all vectors have length 1."""
        return bool((np.abs(self._lengths - 1) < _CLOSE / 20).all())


def _measure_tails(vectors: Array) -> NDArray[np.float32]:
    """Return the length of each vector without its first columns."""
    rest = vectors[:, _HEAD:]
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rest, rest)), np.float32)


def _place_terms(bags: Bags, query: Query) -> dict[str, list[int]]:
    """Return the places of the words of each term of a query that have a vector."""
    has_vector = query.known & query.vectors.any(axis=1)
    places = defaultdict[str, list[int]](list)  # a stopword of a sum has none
    for place, term in enumerate(bags.terms(query.words)):
        if has_vector[place]:
            places[term].append(place)
    return places


def list_relatable(bags: Bags) -> NDArray[np.int64]:
    """Return the words that can have relatives: with vectors of their own, and no stopwords."""
    lexicon = bags.rows.lexicon
    found = (WordMatch.EXACT, WordMatch.LOWER, WordMatch.COMPOSED)
    own = np.isin(lexicon.matches, found) & lexicon.content
    return lexicon.targets[own[lexicon.targets]]


@reordered_kernel
def multiply_pairs(vectors: Array, left: Array, right: Array) -> NDArray[np.float64]:
    """Return the inner product of each pair of words, in double precision."""
    products = np.empty(len(left))
    for place in range(len(left)):
        total = 0.0
        for column in range(vectors.shape[1]):
            total += np.float64(vectors[left[place], column]) * vectors[right[place], column]
        products[place] = total
    return products
