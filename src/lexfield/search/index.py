"""The index that users search."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Never

from lexfield.engine import Engine
from lexfield.errors import InputError, refuse_unknown
from lexfield.index.collection import Collection
from lexfield.index.encode import encode_texts
from lexfield.index.fit_topics import fit_topics
from lexfield.index.ranking import Ranking, Rankings
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.search.method import Method
from lexfield.search.registry import DEFAULT
from lexfield.search.searcher import (
    Answer,
    Searcher,
    SearchRequest,
    answer_texts,
    check_queries,
    locate,
    search_many,
)
from lexfield.text.document import Document
from lexfield.text.fields import Where
from lexfield.topics.lda import TopicModel

_INSTEAD = {  # options that people look for, by name
    "explain": "Every hit has its reasons: index.search(text)[0].explanation.",
    "like": "Use index.like(id).",
    "metric": "Open the index with it: lx.open(path, metric).",
    "query": 'It is the first argument: index.search("a text").',
    "queries": "For several texts use index.search_many(texts).",
}


class Index(Collection):
    """Documents that can be searched.

    ``Index(texts)`` keeps them in memory, ``Index.build(texts, "idx")`` on disk, where
    ``Index.open("idx")`` opens them.
    """

    _task = "lexfield.search.index:search_texts"

    def search(
        self,
        text: str | Document = "",
        method: str | Method | int = DEFAULT,
        k: int = 5,
        *,
        unit: str = "sentence",
        where: Where | None = None,
        algebra: bool = False,
        allow_unknown: bool = False,
        **unknown: Never,
    ) -> Ranking:
        """Return the ``k`` best sentences (or documents) for a text, each with its reasons.

        where: only documents with these metadata, decided before ranking: ``"author=Melville"`` or
            ``{"author": ["Melville", "Conrad"]}``, ``"year>=1850"`` (see ``text/fields.py``);
            several values of one field are alternatives.
        algebra: read the text as sums of words and phrases, as in ``3*storm - "at sea"`` (count,
            frequency, bm25, lm, translation); by default it is plain text.
        allow_unknown: search by vectors though most words of the index have none.
        """
        hint = _INSTEAD.get(next(iter(unknown), ""), "")
        refuse_unknown(self.search, unknown, hint)
        text = text.text if isinstance(text, Document) else text
        if not isinstance(text, str):
            raise InputError(
                f"search takes one text, not {type(text).__name__}.",
                "Read a file first, as in path.read_text()."
                if isinstance(text, PurePath)
                else "For several texts use search_many(texts).",
            )
        method, k = _read_count(method, k)
        return Searcher(self, SearchRequest(method, k, unit, where, algebra, allow_unknown)).search(
            text
        )

    def search_many(
        self,
        texts: Sequence[str],
        method: str | Method | int = DEFAULT,
        k: int = 5,
        *,
        unit: str = "sentence",
        where: Where | None = None,
        algebra: bool = False,
        allow_unknown: bool = False,
        names: Sequence[str] = (),
        progress: Progress = silent,
        engine: Engine | None = None,
        **unknown: Never,
    ) -> Rankings:
        """Search for many texts, on all cores or on those of a cluster.

        The rankings are in the order of the texts; each is made when it is reached.
        names: what the queries are called in errors; by default their numbers.
        """
        refuse_unknown(self.search_many, unknown)
        if isinstance(texts, str):
            raise InputError(
                "search_many takes a list of texts, not one text.", "For one use search(text)."
            )
        texts = list(texts)
        method, k = _read_count(method, k)
        request = SearchRequest(method, k, unit, where, algebra, allow_unknown)
        check_queries(texts, names, algebra)
        return Rankings(len(texts), lambda: self._search_all(texts, request, progress, engine))

    def _search_all(
        self, texts: list[str], request: SearchRequest, progress: Progress, engine: Engine | None
    ) -> Iterator[Ranking]:
        return search_many(self, self._task, texts, request, progress, engine)

    def like(
        self, identity: str, method: str | Method = "topic", k: int = 5, **options: Any
    ) -> Ranking:
        """Return documents (or sentences, for an id ``document#number``) like the one of this id.

        Options are ``where`` and ``allow_unknown``, as in ``search``.
        """
        unit, row = locate(self, identity)
        return Searcher(self, SearchRequest(method, k, unit, **options)).search_row(row, identity)

    def fit_topics(self, topics: int = 50, **options: Any) -> TopicModel:
        """Fit topics to the documents and keep them here; options as ``TopicModel.fit``.

        Long documents are cut into passages. ``without`` are words to leave out.
        """
        return fit_topics(self, topics, **options).require_model()

    def encode(
        self, encoder: Any = None, *, replace: bool = False, progress: Progress = silent
    ) -> list[str]:
        """Encode all texts and keep that here, for the methods best, encoder, late and fitted.

        ``encoder`` is "minilm" or an object; by default the one of this index. Return notes on
        texts that it failed on. What is finished is kept if the work is interrupted; call it again
        to continue, or with ``replace`` to start over.
        """
        return encode_texts(self, encoder, replace=replace, progress=progress)


def _read_count(method: str | Method | int, k: int) -> tuple[str | Method, int]:
    """Return the method and k; version 0.1 took a number in the place of the method as k."""
    if not isinstance(method, int):
        return method, k
    warnings.warn(f"name k, as in search(text, k={method})", DeprecationWarning, stacklevel=3)
    return DEFAULT, method


def search_texts(
    path: str, metric: str | None, state: str, texts: list[str], request: JsonObject
) -> list[Answer]:
    """The task of another process: search the index at a path, kept open for the next batch."""
    return answer_texts(_open(path, metric), state, texts, request)


@lru_cache(maxsize=1)
def _open(path: str, metric: str | None) -> Index:
    return Index.open(path, metric)
