"""Searching an index for a text, for a row of its own, or for many texts on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from lexfield.bags.algebra import parse_algebra
from lexfield.engine import Engine, Local
from lexfield.errors import InputError, StoreError, check
from lexfield.explain import Explanation
from lexfield.index.chance import Tail, join
from lexfield.index.collection import Collection
from lexfield.index.encodings import find_encodings
from lexfield.index.filter import allowed_rows, where_notes
from lexfield.index.query import LONGEST_QUERY, Query, check_length
from lexfield.index.ranking import Found, Ranking, add_notes
from lexfield.index.reading import check_sentence, find_text, split_id
from lexfield.progress import Progress
from lexfield.results import JsonObject
from lexfield.search.method import Mask, Method, draw_sample, run, uses_vectors
from lexfield.search.registry import METHODS, parse, read_query, shorten
from lexfield.text.fields import Where, read_where
from lexfield.text.normalise import TOKENIZERS
from lexfield.text.segment import split_words
from lexfield.vectors.encoders import is_known_elsewhere

_BATCH = 50  # queries per task
_SAMPLE = 5_000  # words of a document that is too long to be a query
Answer = tuple[list[int], list[float], list[str]]  # rows, scores, notes


@dataclass(frozen=True)
class SearchRequest:
    """How texts are searched; the fields are the options of ``Index.search``."""

    method: str | Method
    k: int
    unit: str = "sentence"
    where: Where | None = None
    algebra: bool = False
    allow_unknown: bool = False

    def __post_init__(self) -> None:
        is_count = isinstance(self.k, int | np.integer) and self.k >= 1
        check(bool(is_count), "k", "a whole number of at least 1", self.k)

    def read(self, index: Collection, method: Method, text: str) -> Query:
        """Read a text as a query of the method."""
        options = {"algebra": self.algebra, "allow_unknown": self.allow_unknown}
        return read_query(index, method, text, **options)


class Searcher:
    """Searches an index for any number of texts in one way."""

    def __init__(self, index: Collection, request: SearchRequest) -> None:
        self._index, self._request = index, request
        self.method = parse(request.method)
        self.spec = shorten(request.method)
        index.record()
        self.rows = index.rows(request.unit)
        self._k = min(int(request.k), len(self.rows))
        where = read_where(request.where)
        self._allowed = allowed_rows(self.rows, where)
        self._notes = where_notes(self.rows, where)

    def read(self, text: str) -> Query:
        return self._request.read(self._index, self.method, text)

    def search(self, text: str) -> Ranking:
        """Return the best rows for a text."""
        query = self.read(text)
        found = run(self.method, self.rows, query, self._k, self._allowed)
        add_notes(found, query, self._notes)
        found.fit_tail = partial(self._fit_tail, query, self._allowed)
        name = self.method.name
        if self._index.metric and not uses_vectors(self.method) and name not in ("topic", "fuse"):
            found.notes.append(f"{name} uses no vectors: the metric changes nothing")
        return Ranking(found, self.rows, self.spec, text)

    def fit_tail(self, text: str) -> Tail | None:
        """Return the tail of the scores that rows get for a text by chance; None if unknown."""
        return self._fit_tail(self.read(text), self._allowed)

    def _fit_tail(self, query: Query, among: Mask | None) -> Tail | None:
        drawn = draw_sample(self.method, self.rows, query, among)
        return None if drawn is None else Tail.fit(join([drawn]))

    def search_row(self, row: int, identity: str) -> Ranking:
        """Return the best rows for a row of the index, without itself.

        A method with ``search_row`` compares the row itself; others search for its text.
        """
        among = np.ones(len(self.rows), bool) if self._allowed is None else self._allowed.copy()
        among[row] = False
        search_row = getattr(self.method, "search_row", None)
        if search_row is not None:
            found: Found = search_row(self.rows, row, self._k, among)
        else:
            text, notes = self._sample_text(row, identity)
            query = self.read(text)
            found = run(self.method, self.rows, query, self._k, among)
            found.notes[:0] = [*notes, *query.notes]
            found.query = query
            found.fit_tail = partial(self._fit_tail, query, among)
        found.notes[:0] = self._notes
        return Ranking(found, self.rows, self.spec, identity)

    def _sample_text(self, row: int, identity: str) -> tuple[str, list[str]]:
        """Return a row's text, or some sentences of one too long for a query; and notes."""
        length = int(self.rows.lengths[row])
        if length <= LONGEST_QUERY or self.rows.unit == "sentence":
            return self.rows.text(row), []
        sentences = self._index.rows("sentence")
        own = np.flatnonzero(sentences.documents == row)
        chosen = own[:: -(-length // _SAMPLE)].tolist()
        words = f"{int(sentences.lengths[chosen].sum()):,} of evenly spaced sentences"
        note = f"{identity} has {length:,} words; {words} are the query"
        return " ".join(sentences.text(one) for one in chosen), [note]


def locate(index: Collection, identity: str) -> tuple[str, int]:
    """Return the unit and the row of an id. Raise InputError if the index does not hold it."""
    check(isinstance(identity, str), "id", "a string, such as 'emma' or 'emma#81'", identity)
    document, sentence = split_id(index.documents, identity)
    corpus, row = find_text(index.segments, index.documents, document)
    number = index.documents[document]
    if sentence is None:
        return "document", number
    check_sentence(corpus, row, sentence)
    return "sentence", int(np.searchsorted(index.rows("sentence").documents, number)) + sentence


def search_many(
    index: Collection,
    task: str,
    texts: Sequence[str],
    request: SearchRequest,
    progress: Progress,
    engine: Engine | None = None,
) -> Iterator[Ranking]:
    """Search for every text, in order; ``task`` is ``answer_texts`` of an index given by path.

    A bag query takes a tenth of a millisecond: two threads would wait for each other longer, and
    processes would have to send as much as they compute. For few texts, a worker takes longer to
    start. Other processes do not know a method, tokenizer or encoder that was given to this one.
    """
    searcher = Searcher(index, request)
    is_short = len(texts) < 2 * _BATCH or getattr(searcher.method, "is_fast", False)
    encodings = find_encodings(searcher.rows.segments[0].index_store)
    is_known = (
        _is_known_elsewhere(searcher.method)
        and TOKENIZERS.is_shared(str(index.normalisation.tokenizer))
        and (encodings is None or is_known_elsewhere(encodings.name))
    )
    if engine is None and (is_short or not is_known):
        for number, text in enumerate(texts, 1):
            yield searcher.search(text)
            progress(number, len(texts))
        return
    batches = [list(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
    place = {"path": str(index.address), "metric": index.metric, "state": index.state}
    wanted = asdict(replace(request, method=searcher.spec, k=int(request.k)))
    items = [{**place, "texts": batch, "request": wanted} for batch in batches]
    results = (engine or Local()).map(task, items, progress=progress)
    for batch, answers in zip(batches, results, strict=True):
        for text, (rows, scores, notes) in zip(batch, answers, strict=True):
            explain = partial(_explain, searcher, text)
            found = Found(rows, scores, explain, notes, searcher.read(text))
            found.fit_tail = partial(searcher.fit_tail, text)
            yield Ranking(found, searcher.rows, searcher.spec, text)


def _explain(searcher: Searcher, text: str, place: int) -> Explanation:
    """Reasons are not carried between processes: search again for them."""
    return searcher.search(text)[place].explanation


def _is_known_elsewhere(method: Method) -> bool:
    """Can other processes make this method from its spec?"""
    name = str(method.name)
    known = METHODS.is_shared(name) and METHODS.get(name) is type(method)
    return known and all(map(_is_known_elsewhere, getattr(method, "methods", ())))


def answer_texts(
    index: Collection, state: str, texts: list[str], request: JsonObject
) -> list[Answer]:
    """Return rows, scores and notes for each text. Raise StoreError if the index has changed."""
    if index.state != state:
        raise StoreError(f"{index.path} was changed while it was being searched.", "Search again.")
    searcher = Searcher(index, SearchRequest(**request))
    rankings = [searcher.search(text) for text in texts]
    return [(ranking.rows, ranking.scores, ranking.notes) for ranking in rankings]


def check_queries(texts: Sequence[str], names: Sequence[str], algebra: bool) -> None:
    """Raise InputError if a text cannot be read, before any is searched; it names the query."""
    for number, text in enumerate(texts):
        try:
            check(isinstance(text, str), "a query", "a string", text)
            if algebra:
                parse_algebra(text)
            if len(text) > LONGEST_QUERY:  # a shorter text cannot have too many words
                check_length(split_words(text))
        except InputError as error:
            if len(texts) == 1 and not names:
                raise
            name = names[number] if names else number + 1
            raise InputError(f"Query {name}: {error.message}", error.hint) from error
