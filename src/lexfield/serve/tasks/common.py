"""What all tasks need: indexes by path, vector sets by name, texts by id."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lexfield.errors import InputError, list_names
from lexfield.serve.pool import generation_of
from lexfield.serve.problems import ChangedIndexError, NotFoundError

if TYPE_CHECKING:
    from lexfield.search.index import Index
    from lexfield.vectors.wordvectors import WordVectors

Options = dict[str, Any]


@lru_cache(64)
def _open(path: str) -> Index:
    from lexfield.cluster.sharded_index import open_index

    return open_index(path)


def opened(path: str, generation: str | None = None) -> Index:
    """An index in its newest state, which must be ``generation`` if given; opened once."""
    index = _open(path)
    index.refresh()
    if generation not in (None, index.state):
        raise ChangedIndexError(f"{path} was changed.")
    return index


def check_state(path: str | None, expected: str | None) -> None:
    """Raise an error, upon which the server asks again, if a store is not in this state."""
    if generation_of(path) != expected:
        raise ChangedIndexError(f"{path} was changed.")


def needed(index: Index | None) -> Index:
    if index is None:
        raise InputError("An index is needed.", "Name one of /v1/indexes with index=.")
    return index


def vector_set(name: str) -> WordVectors:
    """A set by its name; never a file, which would be a path."""
    from lexfield.vectors.sources import find_imported, list_sets

    known = [entry.name for entry in list_sets()]
    if name not in known:
        raise NotFoundError(
            f"There are no vectors called {name!r}.", f"Known: {list_names(known)}."
        )
    found = find_imported(name)
    folder = None if found is None else str(found)
    return _load(name, folder, generation_of(folder))


@lru_cache(4)
def _load(name: str, folder: str | None, state: str | None) -> WordVectors:
    """Load a set; one that was imported anew is another, by its ``state``."""
    from lexfield.vectors.wordvectors import WordVectors

    vectors = WordVectors.load(name)
    check_state(folder, state)
    return vectors


def vectors_or_own(name: str) -> Any:
    return name if name == "own" else vector_set(name)


def text_of(index: Index | None, identity: str | None, text: str | None, side: str) -> str:
    """The text of a document, or one that was sent."""
    if (identity is None) == (text is None):
        raise InputError(f"Give either {side} (an id) or text_{side}.")
    if text is not None:
        return text
    rows = needed(index).rows("document")
    number = needed(index).documents.get(identity or "")
    if number is None:
        raise NotFoundError(f"The index holds no document {identity!r}.", "See /v1/documents.")
    return rows.text(number)
