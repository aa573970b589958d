"""One query, or many at once on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from lexfield.bags.algebra import parse_algebra
from lexfield.engine import Engine, Local
from lexfield.errors import InputError, StoreError, check
from lexfield.explain import Explanation
from lexfield.index.collection import Collection
from lexfield.index.filter import Where, allowed_rows, read_where, where_notes
from lexfield.index.query import LONGEST_QUERY, Query, check_length
from lexfield.index.ranking import Found, Ranking, add_notes
from lexfield.progress import Progress
from lexfield.results import JsonObject
from lexfield.search.method import Method, check_k, format_method, uses_vectors
from lexfield.search.registry import METHODS, parse, read_query
from lexfield.text.segment import split_words

_BATCH = 50  # queries per task
Answer = tuple[list[int], list[float], list[str]]  # rows, scores, notes


@dataclass(frozen=True)
class Request:
    """How texts are searched; the fields are the options of ``Index.search``."""

    method: str | Method
    k: int
    unit: str = "sentence"
    where: Where | None = None
    algebra: bool = False
    allow_unknown: bool = False

    def read(self, index: Collection, method: Method, text: str) -> Query:
        """Read a text as a query of the method."""
        options = {"algebra": self.algebra, "allow_unknown": self.allow_unknown}
        return read_query(index, method, text, **options)


class Searcher:
    """Searches an index for any number of texts in one way."""

    def __init__(self, index: Collection, request: Request) -> None:
        k, self._index, self._request = request.k, index, request
        self.method = parse(request.method)
        self.spec = format_method(self.method)
        self.rows = index.rows(request.unit)
        check_k(k)
        self._k = min(int(k), len(self.rows))
        where = read_where(request.where)
        self._allowed = allowed_rows(self.rows, where)
        self._notes = where_notes(self.rows, where)

    def read(self, text: str) -> Query:
        return self._request.read(self._index, self.method, text)

    def search(self, text: str) -> Ranking:
        """Return the best rows for a text."""
        query = self.read(text)
        found = add_notes(self._search(query), query, self._notes)
        name = self.method.name
        if self._index.metric and not uses_vectors(self.method) and name not in ("topic", "fuse"):
            found.notes.append(f"{name} uses no vectors: the metric changes nothing")
        return Ranking(found, self.rows, self.spec, text)

    def _search(self, query: Query) -> Found:
        """Return what the method finds, without rows that are not allowed: a method that was added
        from outside may forget about them."""
        found = self.method.search(self.rows, query, self._k, self._allowed)
        if self._allowed is None or self._allowed[found.rows].all():
            return found
        kept = [place for place, row in enumerate(found.rows) if self._allowed[row]]
        return Found(
            [found.rows[place] for place in kept],
            [found.scores[place] for place in kept],
            lambda place: found.explain(kept[place]),
            found.notes,
        )


def search_many(
    index: Collection,
    task: str,
    texts: Sequence[str],
    request: Request,
    progress: Progress,
    engine: Engine | None = None,
) -> Iterator[Ranking]:
    """Search for every text, in order; ``task`` is ``answer_texts`` of an index given by path.

    A bag query takes a tenth of a millisecond: two threads would wait for each other longer, and
    processes would have to send as much as they compute. For few texts, a worker takes longer to
    start. Other processes do not know a method that was registered in this one.
    """
    searcher = Searcher(index, request)
    is_short = len(texts) < 2 * _BATCH or getattr(searcher.method, "is_fast", False)
    if engine is None and (is_short or not _is_known_elsewhere(searcher.method)):
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
            found = Found(rows, scores, explain, notes, searcher.read(text).wanted)
            yield Ranking(found, searcher.rows, searcher.spec, text)


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
    searcher = Searcher(index, Request(**request))
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


def _explain(searcher: Searcher, text: str, place: int) -> Explanation:
    """Reasons are not carried between processes: search again for them."""
    return searcher.search(text)[place].explanation
