"""The passages of a hit that answer its query best, with the words that do so highlighted.

A document may be a book, so a hit shows a few of its sentences. They are chosen by the method's own
reasons: a reason's weight is divided among the places of its word in the text, rare words of the
text count more, and query words that a chosen sentence answers count little for the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from lexfield.explain import Explanation, is_sum
from lexfield.results import JsonObject
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import Normalisation

# For each word of a hit that answers the query: which query word, and how strongly; None is as
# strongly as any (a word of the query itself).
Answers = dict[str, tuple[str, float | None]]

_WHOLE = 1000  # bytes of a text that is shown as it is
_MOST, _LEAST = 400, 160  # characters of a passage; a shorter one gets neighbouring sentences
_PASSAGES = 3
_BEFORE = 60  # characters of context in front of the first match, where a sentence is cut
_SCANNED = 1_000_000  # characters of a very long sentence that are examined
_FAINT = 0.05  # of the strongest weight: weaker answers are not shown
_ANSWERED = 0.1  # of its weight is left to a query word that another passage has answered
_SHORT, _LENGTH = 10, 0.3  # a sentence's gain is divided by its words, 10 or more, to this power
_QUERY_WORDS = 50  # a query with more is a document: its words alone say little
# backgrounds for black text that can be distinguished with any kind of colour vision
TINTS = ("#cfe8f7", "#fbdcc4", "#cdeee2", "#f4dcea", "#fbeebd", "#e3e3e3")


@dataclass(frozen=True, slots=True)
class Highlight:
    """A word of a text, by its characters, that answers a query word; weight 1 is strongest."""

    start: int
    end: int
    query: str
    weight: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text as it is written.

    ``position`` is its first character and ``sentence`` its first sentence in the document;
    ``complete`` says that it is the whole text of the hit.
    """

    text: str
    position: int
    sentence: int
    highlights: list[Highlight]
    complete: bool = False

    @property
    def score(self) -> float:
        """The sum of the weights of the query words that it answers."""
        best: dict[str, float] = {}
        for one in self.highlights:
            best[one.query] = max(best.get(one.query, 0.0), one.weight)
        return sum(best.values())

    def to_dict(self, document: str) -> JsonObject:
        record = {"id": f"{document}#{self.sentence}", **asdict(self), "score": self.score}
        del record["complete"]
        return record


def find_answers(explanation: Explanation | None, query_words: Sequence[str]) -> Answers:
    """Return the words of a hit that speak for it, by its reasons and the words of the query."""
    found: Answers = {}
    phrased: set[str] = set()  # words that count only within a phrase: "the" of "the boat"
    if explanation is not None and explanation.of_words:
        pairs = weigh_pairs(explanation)
        phrased = {word for query, _, _ in pairs if " " in query for word in query.split()}
        phrased -= {query for query, _, _ in pairs}
        for query, match, weight in pairs:
            for word in match.split():
                if weight > (found.get(word, ("", 0.0))[1] or 0.0):
                    found[word] = query, weight
    if len(query_words) <= _QUERY_WORDS or explanation is None:
        found |= {word: (word, None) for word in query_words if word not in phrased}
    return found


def weigh_pairs(explanation: Explanation) -> list[tuple[str, str, float]]:
    """Return pairs of query word and matched word, with weights."""
    reasons = [reason for reason in explanation.reasons if not is_sum(reason)]
    gains = [(r.query, r.match, r.contribution) for r in reasons if r.contribution > 0]
    farthest = max((r.distance for r in reasons if r.distance is not None), default=0.0)
    if gains or farthest == 0:
        return gains
    # The reasons are costs only: weigh by what is moved, and how near.
    moved = explanation.facts.get("flows", [])
    flows = {(one["query"], one["match"]): one["flow"] for one in moved}
    return [
        (r.query, r.match, flows.get((r.query, r.match), 1.0) * (1 - r.distance / farthest) ** 2)
        for r in reasons
        if r.distance is not None
    ]


def best_passages(corpus: Corpus, first: int, last: int, answers: Answers) -> list[Passage]:
    """Return the best passages of the sentences from ``first`` to before ``last``, best first."""
    if first == last:  # a document without words
        return [Passage("", 0, 0, [], complete=True)]
    offsets = corpus.arrays["token_offsets"][first : last + 1].astype(np.int64)
    tokens = corpus.arrays["tokens"][int(offsets[0]) : int(offsets[-1])]
    spans = corpus.arrays["sentence_spans"][first:last].astype(np.int64)
    known = {corpus.vocabulary.id(word): answer for word, answer in answers.items()}
    known.pop(-1, None)
    ids = np.array(sorted(known), np.int64)
    counts = _count(tokens, ids)
    weights = _weights([known[number][1] for number in ids.tolist()], counts)
    kept = np.flatnonzero(weights >= _FAINT)
    ids, counts, weights = ids[kept], counts[kept], weights[kept]
    queries = [known[number][0] for number in ids.tolist()]
    names = [corpus.vocabulary.words[number] for number in ids.tolist()]
    shown = dict(zip(names, zip(queries, weights.tolist(), strict=True), strict=True))
    if spans[-1, 1] - spans[0, 0] <= _WHOLE:
        return [_cut(corpus, first, last - 1, shown, complete=True)]
    weights *= np.log1p((last - first) / counts)
    places = np.flatnonzero(np.isin(tokens, ids))
    starts = offsets - offsets[0]
    sentences = np.searchsorted(starts, places, "right") - 1
    matches = _Matches(sentences, np.searchsorted(ids, tokens[places]), weights, queries)
    chosen = _choose(matches, np.maximum(np.diff(starts), _SHORT) ** _LENGTH, spans)
    return [_cut(corpus, first + low, first + high, shown) for low, high in chosen]


def _count(tokens: NDArray[np.int32], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each word occurs."""
    found = tokens[np.isin(tokens, ids)]
    return np.bincount(np.searchsorted(ids, found), minlength=len(ids))


def _weights(given: Sequence[float | None], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the weight of one place of each word, from 0, if it does not occur, to 1."""
    raw = np.array([np.nan if weight is None else weight for weight in given], np.float64)
    raw = np.where(counts > 0, raw / np.maximum(counts, 1), 0.0)
    strongest = np.nanmax(raw, initial=0.0)
    return np.where(np.isnan(raw), 1.0, raw / strongest if strongest > 0 else 0.0)


class _Matches:
    """How well each sentence answers each query word."""

    def __init__(
        self,
        sentences: NDArray[np.int64],
        columns: NDArray[np.int64],
        weights: NDArray[np.float64],
        queries: Sequence[str],
    ) -> None:
        numbers = {query: number for number, query in enumerate(dict.fromkeys(queries))}
        of_query = np.array([numbers[query] for query in queries], np.int64)[columns]
        keys, inverse = np.unique(sentences * len(numbers) + of_query, return_inverse=True)
        self._best = np.zeros(len(keys))  # the best answer of a sentence to a query word
        np.maximum.at(self._best, inverse, weights[columns])
        self._sentences, self._queries = np.divmod(keys, max(1, len(numbers)))
        self._left = np.ones(len(numbers))

    def gains(self, count: int) -> NDArray[np.float64]:
        """Return the gain of each of ``count`` sentences; it grows with the words it answers."""
        weight = np.bincount(self._sentences, self._best * self._left[self._queries], count)
        answered = np.bincount(self._sentences, self._left[self._queries], count)
        return np.asarray(weight * answered, np.float64)

    def answer(self, low: int, high: int) -> None:
        """Reduce the weight of the query words that these sentences answer."""
        inside = (self._sentences >= low) & (self._sentences <= high)
        self._left[np.unique(self._queries[inside])] *= _ANSWERED


def _choose(
    matches: _Matches, lengths: NDArray[np.float64], spans: NDArray[np.int64]
) -> list[tuple[int, int]]:
    """Return the first and last sentence of each passage, chosen greedily by gain."""
    free = np.ones(len(lengths), bool)
    chosen: list[tuple[int, int]] = []
    while len(chosen) < _PASSAGES:
        gains = matches.gains(len(lengths)) / lengths * free
        best = int(gains.argmax())
        if chosen and gains[best] <= 0:
            break
        low, high = _widen(spans, best, free)  # without any match, of the first sentence
        chosen.append((low, high))
        free[low : high + 1] = False
        matches.answer(low, high)
    return chosen


def _widen(spans: NDArray[np.int64], chosen: int, free: NDArray[np.bool_]) -> tuple[int, int]:
    """Return a short sentence with those around it that fit."""
    low = high = chosen
    while spans[high, 1] - spans[low, 0] < _LEAST:
        if high + 1 < len(spans) and free[high + 1] and spans[high + 1, 1] - spans[low, 0] <= _MOST:
            high += 1
        elif low > 0 and free[low - 1] and spans[high, 1] - spans[low - 1, 0] <= _MOST:
            low -= 1
        else:
            break
    return low, high


def _cut(
    corpus: Corpus,
    low: int,
    high: int,
    answers: Mapping[str, tuple[str, float]],
    *,
    complete: bool = False,
) -> Passage:
    """Return the text of sentences ``low`` to ``high``, cut to the length of a passage."""
    spans = corpus.arrays["sentence_spans"]
    start, end = int(spans[low][0]), int(spans[high][1])
    document = corpus.document_of(low)
    end = min(end, start + 4 * _SCANNED)
    data = corpus.texts.data[start:end].tobytes()
    text = data.decode("utf-8", "ignore")[:_SCANNED]
    found = highlight(text, answers, corpus.normalisation)
    before = int(corpus.texts.offsets[document])
    position = int((corpus.texts.data[before:start].view(np.int8) > -65).sum())
    if not complete and len(text) > _MOST:
        left, right = _window(text, found)
        text, position = text[left:right], position + left
        found = [
            Highlight(one.start - left, one.end - left, one.query, one.weight)
            for one in found
            if one.start >= left and one.end <= right
        ]
    sentence = low - int(corpus.sentence_offsets[document])
    return Passage(text, position, sentence, found, complete)


def _window(text: str, found: Sequence[Highlight]) -> tuple[int, int]:
    """Return where to cut a long text: between words, around most of the highlights."""
    most, left, total, tail = 0.0, 0, 0.0, 0
    for one in found:
        total += one.weight
        while one.end - found[tail].start > _MOST - 2 * _BEFORE:
            total -= found[tail].weight
            tail += 1
        if total > most:
            most, left = total, max(0, found[tail].start - _BEFORE)
    space = text.find(" ", left) if left else -1
    left = space + 1 if 0 <= space < left + _BEFORE else left
    right = min(len(text), left + _MOST)
    space = text.rfind(" ", left, right)
    return left, space if right < len(text) and space > left + _MOST // 2 else right


def highlight(
    text: str, answers: Mapping[str, tuple[str, float]], normalise: Normalisation
) -> list[Highlight]:
    """Return the words of a text that answer words of the query."""
    found = []
    for start, end in normalise.word_spans(text):
        answer = answers.get(normalise(text[start:end]))
        if answer is not None:
            found.append(Highlight(start, end, *answer))
    return found


def pieces(text: str, highlights: Sequence[Highlight]) -> Iterator[tuple[str, str | None]]:
    """Yield the text in pieces, each with the query word that it answers, if any."""
    position = 0
    for one in highlights:
        if position < one.start:
            yield text[position : one.start], None
        yield text[one.start : one.end], one.query
        position = one.end
    if position < len(text):
        yield text[position:], None


def as_html(text: str, highlights: Sequence[Highlight], colours: dict[str, int]) -> str:
    """Return the text with its answers marked, one tint per query word, numbered by ``colours``."""
    parts = []
    for piece, query in pieces(text, highlights):
        shown = escape(piece)
        if query is not None:
            tint = TINTS[colours.setdefault(query, len(colours)) % len(TINTS)]
            style = f"background:{tint};color:#111"
            shown = f'<mark style="{style}" title="answers: {escape(query)}">{shown}</mark>'
        parts.append(shown)
    return "".join(parts)
