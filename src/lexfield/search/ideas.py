"""Ideas: varied suggestions that answer every word of the query, each pair of words paid once.

    F(S) = Σ_q Σ_w max { c(s, q) : s ∈ S, w is the word of s nearest to q }  +  Σ_{s ∈ S} m(s)

    c(s, q) = idf(q)² / Σ idf² · max(0, cos(q, w))⁴ · |s|^-½
    m(s)    = topic · max(0, cos(Q, s))  +  form · |s|^-½ · (stopwords that Q and s share, by idf)

For a fixed pair (q, w) the first term is a maximum of values that depend on one row each. So F is
monotone and submodular, and greedy choice alone (beyond=0, repeat=true) reaches at least 1 − 1/e of
the best value over the candidates: the rows with the highest sums of matches. Two rules add
variety: after the first row, pass over those that plain similarity would find (``beyond``), and
rows with a word that was matched before (``repeat``). docs/methods/ideas.md has the measurements
behind the defaults.

The tables are NumPy's: compiled loops were no faster, and importing Numba would make the first
search wait for half a second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search.cover import BallEntries, Cover, CoverMethod, describe_candidates
from lexfield.search.mean import explain_pairs, split_product
from lexfield.search.method import Mask
from lexfield.search.setcover import check_count, check_weight
from lexfield.search.word_sums import find_highest_sums, find_scales

_DIGITS = 6  # of a cosine; the vectors of a row differ by less from one segment to another
_EQUAL = 1e-6  # gains that differ by less are equal: the first row is chosen


@dataclass(frozen=True, kw_only=True)
class Ideas(CoverMethod):
    """
    r: number of words near a query word that may answer it.
    topic: weight of the cosine between the vectors of query and row.
    form: weight of the stopwords that query and row share.
    beyond: after the first row, pass over this many of the best rows by shared words, by
        vector and by nearest words.
    repeat: allow rows with a word that was matched before.
    min_tokens: rows with fewer tokens are left out, unless rows are shorter on average.
    """

    r: int = 10
    topic: float = 0.25
    form: float = 2.0
    beyond: int = 6
    repeat: bool = False
    min_tokens: int = 5
    name = "ideas"
    penalty = 0.5
    focus = 2.0
    closeness = 4.0
    candidates = 400

    def __post_init__(self) -> None:
        for name in ("r", "beyond", "min_tokens"):
            check_count(name, getattr(self, name))
        for name in ("topic", "form"):
            check_weight(name, getattr(self, name))
        check(self.repeat in (True, False), "repeat", "true or false", self.repeat)

    def start(
        self, rows: Rows, query: Query, balls: BallEntries, eligible: Mask, k: int
    ) -> MatchCover:
        return MatchCover(self, rows, query, balls, eligible, max(self.candidates, 4 * k))

    def find_eligible(self, rows: Rows, among: Mask | None) -> Mask:
        """Return the rows that are long enough; all rows if most of the collection is shorter."""
        if rows.statistics.tokens < self.min_tokens * rows.statistics.rows:
            return np.ones(len(rows), bool) if among is None else among
        return super().find_eligible(rows, among)

    def partial(
        self, rows: Rows, query: Query, k: int, among: Mask | None, hint: None
    ) -> JsonObject:
        """Return what is needed of the candidates of a part."""
        balls, eligible = self.find_balls(rows, query), self.find_eligible(rows, among)
        chosen = self.start(rows, query, balls, eligible, k).candidates
        words, stopwords = np.unique(balls.words), sorted(find_stopwords(rows, query))
        return describe_candidates(rows, query, chosen, words, stopwords, self.copies)


class MatchCover(Cover):
    """For each query word and candidate the best match, and how much of it is still uncovered."""

    def __init__(
        self,
        method: Ideas,
        rows: Rows,
        query: Query,
        balls: BallEntries,
        eligible: Mask,
        count: int,
    ) -> None:
        self._method, self._rows, self._query, self._balls = method, rows, query, balls
        idf = _idf(rows, query.ids) ** method.focus
        worth = idf / max(float(idf.sum()), 1e-12)
        self._fill(
            worth[balls.places] * np.maximum(balls.cosines, 0) ** method.closeness, eligible, count
        )
        chosen = self.candidates
        self._cosines = _compare_means(rows, query, chosen)
        self._topics = method.topic * self._cosines
        self._stopwords = find_stopwords(rows, query)
        forms = _share_forms(rows, query, self._stopwords, chosen)
        self._forms = method.form * forms * self._scale
        self._words = np.append(balls.words, -1)[self._matched]  # -1 where nothing matches
        self._live = np.ones(len(chosen), bool)
        self._passed = np.zeros(len(chosen), bool)
        self._is_first = True
        self.restart()

    def _fill(self, values: Array, eligible: Mask, count: int) -> None:
        """Find the candidates, and for each query word and candidate the entry of the highest
        value; of equal values the first."""
        rows, words, penalty = self._rows, self._balls.words, self._method.penalty
        best, _ = find_highest_sums(rows, words, values, penalty, eligible, count)
        self.candidates = np.sort(best)
        self._scale = find_scales(rows, penalty)[rows.sizes[self.candidates]]
        shape = (len(self._query.words), len(self.candidates))
        self._values = np.zeros(shape)
        self._matched = np.full(shape, -1, np.int64)  # entry of the balls
        self._holds = _find_holding(rows, words, self.candidates)
        entry, place = np.nonzero(self._holds)
        value = values[entry] * self._scale[place]
        order = np.lexsort((-entry, value))  # the best is written last
        entry, place = entry[order], place[order]
        where = self._balls.places[entry], place
        self._values[where] = value[order]
        self._matched[where] = entry

    def _find_obvious(self, count: int) -> Array:
        """Return the candidates that plain similarity would find: the ``count`` best by shared
        words, by vector, and by the nearest match of every query word."""
        query = self._query
        cosines = np.append(self._balls.cosines, 0.0)[self._matched]  # 0 where nothing matches
        common = ((self._matched >= 0) & (self._words == query.ids[:, None])).sum(axis=0)
        jaccard = common / (len(query.words) + self._rows.set_sizes[self.candidates] - common)
        measures = (jaccard, self._cosines, query.counts @ cosines)
        return np.unique(np.concatenate([top_k(measure, count) for measure in measures]))

    def restart(self) -> None:
        self._gains = self._values.copy()
        self.is_fresh = True

    def find_best(self) -> tuple[int, float, bool]:
        choice = self._live > self._passed
        if not choice.any():
            if not self._live.any():
                return -1, 0.0, False
            self._passed[:] = False  # better the rows that were passed over than none
            choice = self._live
        matches = self._gains.sum(axis=0)
        gains = np.where(choice, matches + self._topics + self._forms, -1.0)
        place = int((gains >= gains.max() - _EQUAL).argmax())
        is_open = matches[place] > 0 or bool((matches[choice] > 0).any())
        return int(self.candidates[place]), float(gains[place]), is_open

    def _find_place(self, row: int) -> int:
        return int(np.searchsorted(self.candidates, row))

    def drop(self, row: int) -> None:
        self._live[self._find_place(row)] = False

    def take(self, row: int) -> list[tuple[int, float]]:
        place = self._find_place(row)
        gains, matched = self._gains[:, place], self._matched[:, place]
        paid = [(int(matched[q]), float(gains[q])) for q in np.flatnonzero(gains > 0)]
        words = self._words[:, place, None]
        rest = np.maximum(self._values - self._values[:, place, None], 0)
        same = (self._words == words) & (words >= 0)
        self._gains = np.where(same, np.minimum(self._gains, rest), self._gains)
        if self._is_first and self._method.beyond:
            self._passed[self._find_obvious(self._method.beyond)] = True
        if not self._method.repeat:
            self._passed |= self._holds[[entry for entry, _ in paid]].any(axis=0)
        self.is_fresh = self._is_first = False
        return paid

    def explain(self, row: int, gains: list[tuple[int, float]]) -> list[Reason]:
        """Split the gain by pairs of words: what was paid for the pair, and its part in the topic,
        which is a sum over all pairs; then by the stopwords shared."""
        rows, query, place = self._rows, self._query, self._find_place(row)
        parts = split_product(rows, query, row)
        parts *= self._topics[place] / parts.sum() if self._topics[place] > 0 else 0.0
        column = {int(word): number for number, word in enumerate(rows.entries(row)[0])}
        for entry, gain in gains:
            parts[self._balls.places[entry], column[int(self._balls.words[entry])]] += gain
        reasons = explain_pairs(rows, query, row, parts)
        if self._forms[place] > 0:
            held = set(rows.all_words_of(row).tolist())
            shared = {word: idf for word, idf in self._stopwords.items() if word in held}
            scale = float(self._forms[place]) / sum(shared.values())
            names = rows.lexicon.words
            reasons += [Reason(names[w], names[w], idf * scale) for w, idf in shared.items()]
        return reasons


def _find_holding(rows: Rows, words: Array, chosen: Array) -> NDArray[np.bool_]:
    """Return which words, of which some may be equal, each chosen row holds (word × row)."""
    distinct, which = np.unique(words, return_inverse=True)
    numbers = np.full(len(rows.lexicon), -1, np.int64)
    numbers[distinct] = np.arange(len(distinct))
    places, held = rows.tokens_of(chosen)
    numbers = numbers[held]
    holds = np.zeros((len(distinct), len(chosen)), bool)
    holds[numbers[numbers >= 0], places[numbers >= 0]] = True
    return holds[which]


def _idf(rows: Rows, ids: Array) -> NDArray[np.float64]:
    known = np.where(ids >= 0, rows.statistics.holding[np.maximum(ids, 0)], 0)
    return np.log((1 + rows.statistics.rows) / np.maximum(known, 1))


def _compare_means(rows: Rows, query: Query, chosen: Array) -> NDArray[np.float64]:
    """Return the cosines of the query's vector with the rows', at least 0.

    They are rounded, so that equal texts have equal cosines in whichever segment they are.
    """
    vector = query.vector()
    products, lengths = rows.dots(chosen, vector)
    lengths *= np.linalg.norm(vector)
    return np.maximum(products / np.where(lengths > 0, lengths, np.inf), 0).round(_DIGITS)


def _share_forms(
    rows: Rows, query: Query, stopwords: dict[int, float], chosen: Array
) -> NDArray[np.float64]:
    """Return the share of the query's idf that lies in stopwords which each row has too."""
    if not stopwords or not len(chosen):
        return np.zeros(len(chosen))
    worth = np.array(list(stopwords.values()))
    number = np.full(len(rows.lexicon), -1, np.int16)
    number[list(stopwords)] = np.arange(len(worth))
    place, words = rows.tokens_of(chosen)
    held = np.zeros((len(worth), len(chosen)))
    which = number[words]
    keep = which >= 0
    held[which[keep], place[keep]] = 1
    total = float(worth.sum()) + float(_idf(rows, query.ids).sum())
    return np.asarray((worth[:, None] * held).sum(axis=0) / max(total, 1e-12))


def find_stopwords(rows: Rows, query: Query) -> dict[int, float]:
    """Return the query's stopwords that the index holds, by id, with their idf."""
    content = set(query.words)
    ids = {rows.lexicon.ids.get(token, -1) for token in query.tokens if token not in content} - {-1}
    holding = rows.statistics.holding
    return {
        word: float(np.log((1 + rows.statistics.rows) / max(int(holding[word]), 1)))
        for word in sorted(ids)
    }
