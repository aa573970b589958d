"""The default set cover: the best match of every query word, each pair paid once.

    F(S) = Σ_q Σ_w max { c(s, q) : s ∈ S, w is the word of s nearest to q }  +  Σ_{s ∈ S} m(s)

    c(s, q) = idf(q)^focus / Σ idf^focus · max(0, cos(q, w))^closeness · |s|^-ρ
    m(s)    = topic · max(0, cos(Q, s))  +  form · (stopwords that Q and s share, by idf)

For a fixed pair (q, w) the first term is a maximum of values that depend on one row each, so F is
monotone and submodular, and greedy choice alone (beyond=0, repeat=true) reaches at least 1 − 1/e of
the best value over the candidates: the rows with the highest sum of all matches. Two rules for
variety restrict the choice: after the first row, those that plain similarity would give are passed
over (``beyond``), and so are rows with a word that was matched before (``repeat``).
docs/methods/setcover.md has the measurements behind the defaults.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.explain import Reason
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.search.pairs import pair_reasons, product_parts

Array = NDArray[Any]


@dataclass(frozen=True)
class Weights:
    """What a match, the topic and the form are worth."""

    focus: float
    closeness: float
    topic: float
    form: float
    candidates: int
    beyond: int


@dataclass(frozen=True)
class Balls:
    """What may be matched: entry e is word ``words[e]`` for query word ``places[e]``."""

    places: Array
    words: Array
    cosines: Array
    distances: Array


class Matches:
    """The greedy state over the candidates."""

    def __init__(
        self,
        rows: Rows,
        query: Query,
        balls: Balls,
        eligible: NDArray[np.bool_],
        penalty: float,
        weights: Weights,
    ) -> None:
        self.rows, self.query, self._balls = rows, query, balls
        self._scale = rows.cached(f"sizes^-{penalty}", lambda r: _lengths(r, penalty))
        idf = _idf(rows, query.ids) ** weights.focus
        worth = idf / max(float(idf.sum()), 1e-12)
        values = worth[balls.places] * np.maximum(balls.cosines, 0) ** weights.closeness
        sizes, row = rows.postings_of(balls.words)
        fill = self._fill_compiled if "lexfield.search.table" in sys.modules else self._fill
        fill(sizes, row, values, eligible, weights.candidates)
        touched = self.candidates
        self._cosines = _cosines(rows, query, touched)
        self.topics = weights.topic * self._cosines
        self.stopwords = query_stopwords(rows, query)
        forms = _forms(rows, query, self.stopwords, touched)
        self.forms = weights.form * forms * self._scale[touched]
        self._words = np.append(balls.words, -1)[self._matched]  # -1 where nothing matches
        self._obvious = self._plainly_near(weights.beyond)
        self._live = np.ones(len(touched), bool)
        self._passed = np.zeros(len(touched), bool)
        self.restart()

    def _fill(self, sizes: Array, row: Array, values: Array, eligible: Array, count: int) -> None:
        """The candidates, and for each query word and candidate the matched word of the highest
        value."""
        value = np.repeat(values, sizes) * self._scale[row]
        total = np.bincount(row, value, minlength=len(eligible))
        touched = np.flatnonzero((total > 0) & eligible)
        self._start_table(touched, total[touched], count)
        wanted = np.zeros(len(self.rows), bool)
        wanted[self.candidates] = True
        inside = np.flatnonzero(wanted[row])
        entry, value = np.searchsorted(np.cumsum(sizes), inside, "right"), value[inside]
        order = np.lexsort((-entry, value))  # the best is written last
        place = np.searchsorted(self.candidates, row[inside[order]])
        where = self._balls.places[entry[order]], place
        self._values[where] = value[order]
        self._matched[where] = entry[order]
        self._holds[entry[order], place] = True

    def _fill_compiled(
        self, sizes: Array, row: Array, values: Array, eligible: Array, count: int
    ) -> None:
        """The same to the bit, where the compiled loops were loaded for many searches."""
        from lexfield.search.table import add_values, best_values

        spare: list[Array] = self.rows.cached("spare sums", lambda _: [])  # zeros, for any thread
        try:
            total = spare.pop()
        except IndexError:
            total = np.zeros(len(eligible))
        touched, totals = add_values(row, sizes, values, self._scale, eligible, total)
        self._start_table(touched, totals, count)
        lists = row, sizes, values, self._scale, self._balls.places
        tables = self._values, self._matched, self._holds
        best_values(*lists, self.candidates, total, *tables)
        spare.append(total)

    def _start_table(self, touched: Array, totals: Array, count: int) -> None:
        """The candidates, ascending: the rows with the highest sums of values."""
        self.candidates = np.sort(touched[top_k(totals, count, touched)])
        shape = (len(self.query.words), len(self.candidates))
        self._values = np.zeros(shape)
        self._matched = np.full(shape, -1, np.int64)  # ball entry
        self._holds = np.zeros((len(self._balls.words), len(self.candidates)), bool)

    def _plainly_near(self, count: int) -> Array:
        """Candidates that plain similarity would give: the ``count`` best by shared words, by mean
        vector, and by the nearest match of every query word."""
        if not count:
            return np.empty(0, np.int64)
        query = self.query
        cosines = np.append(self._balls.cosines, 0.0)[self._matched]  # 0 where nothing matches
        common = ((self._matched >= 0) & (self._words == query.ids[:, None])).sum(axis=0)
        jaccard = common / (len(query.words) + self.rows.set_sizes[self.candidates] - common)
        measures = (jaccard, self._cosines, query.counts @ cosines)
        return np.unique(np.concatenate([top_k(measure, count) for measure in measures]))

    def pass_over(self) -> None:
        """From now on look beyond the rows that are plainly near."""
        self._passed[self._obvious] = True

    def restart(self) -> None:
        """No pair has been paid yet; rows that were dropped stay so."""
        self._gains = self._values.copy()
        self.fresh = True

    def best(self) -> tuple[int, float, bool]:
        """The candidate with the highest gain now, the gain, and whether any match is unpaid."""
        choice = self._live > self._passed
        if not choice.any():
            if not self._live.any():
                return -1, 0.0, False
            self._passed[:] = False  # better the rows that were passed over than none
            choice = self._live
        matches = self._gains.sum(axis=0)
        gains = np.where(choice, matches + self.topics + self.forms, -1.0)
        place = int(gains.argmax())
        return place, float(gains[place]), matches[place] > 0 or bool((matches[choice] > 0).any())

    def drop(self, place: int) -> None:
        self._live[place] = False

    def take(self, place: int) -> list[tuple[int, float]]:
        """Pay for the candidate's pairs; gives (ball entry, gain) of each."""
        gains, matched = self._gains[:, place], self._matched[:, place]
        paid = [(int(matched[q]), float(gains[q])) for q in np.flatnonzero(gains > 0)]
        words = self._words[:, place, None]
        rest = np.maximum(self._values - self._values[:, place, None], 0)
        same = (self._words == words) & (words >= 0)
        self._gains = np.where(same, np.minimum(self._gains, rest), self._gains)
        self.fresh = False
        return paid

    def pass_over_words(self, entries: list[int]) -> None:
        """From now on look beyond rows that hold a word which was matched already."""
        self._passed |= self._holds[entries].any(axis=0)


def _lengths(rows: Rows, penalty: float) -> NDArray[np.float64]:
    return np.maximum(rows.sizes, 1).astype(np.float64) ** -penalty


def _idf(rows: Rows, ids: Array) -> NDArray[np.float64]:
    known = np.where(ids >= 0, rows.statistics.holding[np.maximum(ids, 0)], 0)
    return np.log((1 + rows.statistics.rows) / np.maximum(known, 1))


def _cosines(rows: Rows, query: Query, chosen: Array) -> NDArray[np.float64]:
    """Cosine of the query's mean vector with the rows'; 0 where it is negative or has no vector."""
    mean = query.mean()
    products, lengths = rows.dots(chosen, mean)
    lengths *= np.linalg.norm(mean)
    return np.maximum(products / np.where(lengths > 0, lengths, np.inf), 0)


def _forms(
    rows: Rows, query: Query, stopwords: dict[int, float], chosen: Array
) -> NDArray[np.float64]:
    """Share of the query's weight of words that lies in stopwords which the row has too."""
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


def query_stopwords(rows: Rows, query: Query) -> dict[int, float]:
    """The query's stopwords that the index holds, by id, with their idf."""
    content = set(query.words)
    ids = {rows.lexicon.ids.get(token, -1) for token in query.tokens if token not in content} - {-1}
    holding = rows.statistics.holding
    return {
        word: float(np.log((1 + rows.statistics.rows) / max(int(holding[word]), 1)))
        for word in sorted(ids)
    }


def explain_pick(cover: Matches, place: int, matches: list[tuple[int, int, float]]) -> list[Reason]:
    """A pick's gain by pairs of words: what was paid for the pair, and its part in the topic, which
    is a sum over all pairs; then the stopwords shared."""
    rows, query = cover.rows, cover.query
    row = int(cover.candidates[place])
    parts = product_parts(rows, query, row)
    parts *= cover.topics[place] / parts.sum() if cover.topics[place] > 0 else 0.0
    column = {int(word): number for number, word in enumerate(rows.entries(row)[0])}
    for query_place, word, value in matches:
        parts[query_place, column[word]] += value
    reasons = pair_reasons(rows, query, row, parts)
    if cover.forms[place] > 0:
        held = set(rows.all_words_of(row).tolist())
        shared = {w: v for w, v in cover.stopwords.items() if w in held}
        scale = float(cover.forms[place]) / sum(shared.values())
        names = rows.lexicon.words
        reasons += [Reason(names[w], names[w], v * scale) for w, v in shared.items()]
    return reasons
