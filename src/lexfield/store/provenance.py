"""What an answer is based on: the request, and the state of every store that was read for it.

``Collection`` and the loaders of vectors call ``record`` when they open a store or go on using an
open one; whoever runs a verb collects these records and adds them to its answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lexfield.results import JsonObject

if TYPE_CHECKING:
    from lexfield.store.folder import Store

IN_MEMORY = "in memory"


@dataclass(frozen=True)
class StoreState:
    """One state of a store; ``root`` is the SHA-256 that ``lexfield verify`` prints."""

    path: str
    generation: str
    root: str


@dataclass
class Provenance:
    """``request`` is the SHA-256 of the verb and its options; ``stores`` are what was read."""

    request: str
    stores: list[StoreState] = field(default_factory=list)

    def add(self, state: StoreState) -> None:
        """Add a state, in place of an earlier one of the same store."""
        same = [place for place, one in enumerate(self.stores) if one.path == state.path]
        if same and state.path != IN_MEMORY:
            self.stores[same[0]] = state
        elif state not in self.stores:
            self.stores.append(state)


_COLLECTED: ContextVar[Provenance | None] = ContextVar("provenance", default=None)


@contextmanager
def collect(request: str) -> Iterator[Provenance]:
    """Collect the stores that are read within this context."""
    found = Provenance(request)
    before = _COLLECTED.set(found)
    try:
        yield found
    finally:
        _COLLECTED.reset(before)


def record(store: Store, name: str = "") -> None:
    """Note that a store is read, within ``collect``; raise CorruptError if a file was cut short."""
    store.check_sizes()
    found = _COLLECTED.get()
    if found is not None:
        found.add(StoreState(name or store.name, store.generation, store.root))


def digest_request(verb: str, options: JsonObject) -> str:
    """Return the SHA-256 of a verb and its options, as sorted JSON without spaces."""
    asked: dict[str, Any] = {"options": options, "verb": verb}
    text = json.dumps(asked, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
