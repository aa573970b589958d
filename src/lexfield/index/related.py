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
from lexfield.index.bags import Bags
from lexfield.index.near_terms import CLOSE, HEAD, join_terms, pick_near, sift_balls
from lexfield.index.query import Query
from lexfield.index.units import exact_dots
from lexfield.text.normalise import NONE
from lexfield.vectors.repair import WordMatch

_NO_WORDS: NDArray[np.int64] = np.empty(0, np.int64)
_NO_COSINES: NDArray[np.float64] = np.empty(0)
_FEW = 1 << 14  # words whose relatives are all found at once: that takes some milliseconds


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
        return np.concatenate([[own], near.terms]), np.concatenate([[1.0], near.similarities])

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

    def find_all(self, terms: list[str], query: Query, *, translates: bool) -> list[int]:
        """Find the relatives of several terms of a query at once, and theirs for probabilities.

        Return the terms of the index among all of these.
        """
        held = [self._bags.ids[term] for term in terms if term in self._bags.ids]
        outside = [term for term in terms if term not in self._bags.ids]
        found = [*self.near(held), *self._near_outside(outside, query)]
        others = [other for near in found for other in near.terms.tolist()]
        if translates:
            self.near(others)
        return list(dict.fromkeys([*held, *others]))

    def list_cosines(self, words: list[int]) -> Array:
        """Return the cosines of words with their relatives, all in one array."""
        near = zip(words, self._near_words(words), strict=True)
        return np.concatenate([cosines[others != word] for word, (others, cosines) in near])

    def near(self, terms: list[int]) -> list[Near]:
        """Return the relatives of terms of the index, each without itself."""
        missing = [term for term in dict.fromkeys(terms) if term not in self._near]
        if missing and self._top is None and len(self._bags.rows.lexicon) <= _FEW:
            listed = {term: self._look_up(term) for term in missing}
            self._near.update((term, one) for term, one in listed.items() if one is not None)
            missing = [term for term in missing if term not in self._near]
        if missing:
            words = [self._words(term) for term in missing]
            if self._top is None or self._bags.stemmer == NONE:
                found = iter(self._near_words([word for some in words for word in some]))
                near = self._join([list(islice(found, len(some))) for some in words], missing)
            else:
                vectors = self._bags.rows.lexicon.vectors
                near = [self._widen(vectors[w], t) for w, t in zip(words, missing, strict=True)]
            self._near.update(zip(missing, near, strict=True))
        return [self._near[term] for term in terms]

    def _look_up(self, term: int) -> Near | None:
        """Return the relatives of a term from those of all terms; None if balls do not tell."""
        terms, cosines, ends = self._every
        first, last = ends[term]
        return Near(terms[first:last], cosines[first:last]) if last >= 0 else None

    @cached_property
    def _every(self) -> tuple[Array, Array, list[tuple[int, int]]]:
        """The relatives of all terms, one term after another, and where those of each begin and
        end; the end is -1 if the ball of a word is too small."""
        bags = self._bags
        if not self._has_balls:
            return _NO_WORDS, _NO_COSINES, [(0, -1)] * len(bags.ids)
        own = self._targets[np.argsort(bags.term_of[self._targets], kind="stable")]
        words, cosines, sizes = self._sift_balls(own)
        many = np.bincount(bags.term_of[own], np.maximum(sizes, 0), len(bags.ids)).astype(np.int64)
        terms = bags.term_of[words], cosines, many, np.arange(len(bags.ids))
        joined, highest, left = join_terms(*terms)
        ends = np.cumsum(left)
        starts = ends - left
        ends[bags.term_of[own[sizes < 0]]] = -1
        return joined, highest, list(zip(starts.tolist(), ends.tolist(), strict=True))

    def _widen(self, vectors: Array, term: int) -> Near:
        """Return the nearest stems, from ever more nearest words until there are enough stems."""
        k = (self._top or 0) + 1
        while True:
            found = self._search(vectors, k)
            near = self._join([found], [term])[0]
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

    def _join(self, found: list[list[tuple[Array, Array]]], terms: list[int]) -> list[Near]:
        """Return one list of terms from those of the words of each of some terms, with the highest
        cosine of each."""
        lists = [one for some in found for one in some]
        words = np.concatenate([_NO_WORDS, *[words for words, _ in lists]])
        cosines = np.concatenate([_NO_COSINES, *[cosines for _, cosines in lists]])
        sizes = np.array([sum(len(words) for words, _ in some) for some in found], np.int64)
        own = self._bags.term_of[words]
        joined, highest, left = join_terms(own, cosines, sizes, np.array(terms, np.int64))
        ends = np.cumsum(left).tolist()
        return [
            Near(joined[first:last][: self._top], highest[first:last][: self._top])
            for first, last in zip([0, *ends], ends, strict=False)
        ]

    def _near_outside(self, terms: list[str], query: Query) -> list[Near]:
        """Return the relatives of terms of a query that the index does not hold."""
        if not terms:
            return []
        places = self._bags.read_once(query, _place_terms)
        keys = [(term, *(query.words[place] for place in places[term])) for term in terms]
        new = [(key, places[key[0]]) for key in keys if key not in self._outside]
        near: list[Near] = []
        if new and self._top is not None:
            near = [self._widen(query.vectors[own], -1) for _, own in new]
        elif new:
            found = iter(self._search(query.vectors[[place for _, own in new for place in own]]))
            lists = [list(islice(found, len(own))) for _, own in new]
            near = self._join(lists, [-1] * len(new))
        self._outside.update(zip((key for key, _ in new), near, strict=True))
        return [self._outside[key] for key in keys]

    def _near_words(self, words: list[int]) -> list[tuple[Array, Array]]:
        """Return relatives of words, from stored balls when sufficient; may include the word."""
        found = dict(zip(words, self._from_balls(words), strict=True))
        rest = [word for word in words if found[word] is None]
        if rest:
            vectors = self._bags.rows.lexicon.vectors[rest]
            found.update(zip(rest, self._search(vectors), strict=True))
        return [near for word in words if (near := found[word]) is not None]

    def _from_balls(self, words: list[int]) -> list[tuple[Array, Array] | None]:
        """Return relatives from stored balls; None where a ball is too small.

        A ball holds the nearest words by Euclidean distance. Words with relatives have vectors of
        length 1, so those outside a ball of radius ρ have a cosine of at most 1 − ρ²/2. A ball
        suffices if that is less than what is wanted. The mean of the parts of a word is shorter
        than 1, and nearer than its cosine tells.
        """
        if not words or not self._has_balls:
            return [None] * len(words)
        near, cosines, sizes = self._sift_balls(np.array(words, np.int64))
        ends = np.cumsum(np.maximum(sizes, 0)).tolist()
        return [
            (near[first:last], cosines[first:last]) if size >= 0 else None
            for first, last, size in zip([0, *ends], ends, sizes.tolist(), strict=False)
        ]

    def _sift_balls(self, words: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        lexicon, top = self._bags.rows.lexicon, -1 if self._top is None else self._top
        return sift_balls(
            lexicon.vectors, words, lexicon.balls, self._place, self._squares, self._threshold, top
        )

    def _search(self, vectors: Array, k: int | None = None) -> list[tuple[Array, Array]]:
        """Return words above the threshold, or the k nearest, with cosines, for every vector.

        This looks at all words: for few vectors, preparing anything would take longer.
        """
        if not len(vectors) or not len(self._targets):
            return []
        vectors = vectors.astype(np.float32, copy=False)
        if self._top is None:
            return [self._sift(vector, self._pick(vector)) for vector in vectors]
        k = min(k or self._top + 1, len(self._targets))
        products = vectors @ self._bags.rows.lexicon.vectors.T
        return [
            self._sift(vector, self._pick_best(own[self._targets] / self._lengths, k), k)
            for vector, own in zip(vectors, products, strict=True)
        ]

    def _pick(self, vector: NDArray[np.float32]) -> Array:
        """Return the words whose cosines with a vector may reach the threshold: the product of the
        first columns, plus that of the lengths of the others, does."""
        every = self._bags.rows.lexicon.vectors

        def measure_tails() -> NDArray[np.float32]:
            return _measure_tails(every)

        tails = self._bags.remember("tails", measure_tails)
        floor = (self._threshold - CLOSE) * (float(np.linalg.norm(vector)) or 1.0)
        tail = _measure_tails(vector[None])[0]
        return pick_near(every, self._targets, self._lengths, tails, vector, tail, floor)

    def _pick_best(self, rough: Array, k: int) -> Array:
        """Return the words that may be among the ``k`` nearest, from rough cosines of all."""
        picked: Array = self._targets[rough >= np.partition(rough, -k)[-k] - CLOSE]
        return picked

    def _sift(self, vector: Array, rows: Array, k: int | None = None) -> tuple[Array, Array]:
        """Return the words of some that are above the threshold, or the k nearest."""
        cosines = exact_dots(self._bags.rows.lexicon.vectors, rows, vector)
        cosines /= self._lengths[self._place[rows]] * (float(np.linalg.norm(vector)) or 1.0)
        order = np.lexsort((rows, -cosines))
        order = order[cosines[order] >= self._threshold] if k is None else order[:k]
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
    def _has_balls(self) -> bool:
        """Whether every word has a ball, and all vectors have length 1."""
        lexicon = self._bags.rows.lexicon
        if not lexicon.has_balls or len(lexicon.balls) != len(lexicon):
            return False
        return bool((np.abs(self._lengths - 1) < CLOSE / 20).all())


def _measure_tails(vectors: Array) -> NDArray[np.float32]:
    """Return the length of each vector without its first columns."""
    rest = vectors[:, HEAD:]
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
