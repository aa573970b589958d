"""The task of a search in another process."""

from __future__ import annotations

from functools import lru_cache

from lexfield.results import JsonObject
from lexfield.search.batch import Answer, answer_texts
from lexfield.search.index import Index


def search_texts(
    path: str, metric: str | None, state: str, texts: list[str], request: JsonObject
) -> list[Answer]:
    """Search the index at a path; it is kept open for the next batch."""
    return answer_texts(_open(path, metric), state, texts, request)


@lru_cache(maxsize=1)
def _open(path: str, metric: str | None) -> Index:
    return Index.open(path, metric)
