"""Tables of named things that users can extend: search methods, measures, tokenizers, readers.

An extension is registered by a call (``lexfield.register``) or by an installed package that names
it in the entry point group of the table. Entry points are loaded when a name is asked for that the
table does not hold, so packages that are not used cost nothing.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

from lexfield.errors import InputError, correct

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

T = TypeVar("T")


class Registry(Generic[T]):
    """Things by name, such as the search methods; ``kind`` is what an error calls one of them.

    instantiate: does the table hold objects? A class that is registered is then instantiated.
    """

    def __init__(
        self, kind: str, group: str, own: dict[str, T], *, instantiate: bool = False
    ) -> None:
        self.kind = kind
        self.group = group
        self._things = dict(own)
        self._own = frozenset(own)
        self._called: set[str] = set()
        self._instantiate = instantiate

    def register(self, name: str, thing: T) -> None:
        """Add a thing. Raise InputError if the name is not a word, or one of lexfield's own."""
        if not name.isidentifier():
            raise InputError(
                f"{name!r} cannot name a {self.kind}.", "Use letters, digits and _ only."
            )
        if name in self._own:
            raise InputError(f"{name!r} is a built-in {self.kind}.", "Choose another name.")
        self._things[name] = self._make(thing)
        self._called.add(name)

    def forget(self, name: str) -> None:
        """Remove a thing that a call has registered."""
        self._called.discard(name)
        self._things.pop(name, None)

    def is_shared(self, name: str) -> bool:
        """Do other processes know this name? They do not know what a call has registered."""
        return name in self._things and name not in self._called

    def get(self, name: str) -> T:
        """Return a thing by name. Raise InputError if there is none, with the nearest name."""
        if name not in self._things:
            self._load()
        if name not in self._things:
            hint = correct(name, self._things, f"There are: {', '.join(self.names())}.")
            raise InputError(f"There is no {self.kind} named {name!r}.", hint)
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        return name in self._things or name in self.names()

    def names(self) -> list[str]:
        """Return all names in alphabetical order, installed extensions included."""
        self._load()
        return sorted(self._things)

    def _load(self) -> None:
        """Add what installed packages offer, which is looked up once for each search path."""
        for point in _find_points(self.group, tuple(sys.path)):
            if point.name not in self._things:
                self._things[point.name] = self._make(point.load())

    def _make(self, thing: T) -> T:
        """Return an object of a class, where the table holds objects; others as they are."""
        if not (self._instantiate and isinstance(thing, type)):
            return thing
        try:
            made: T = thing()
        except TypeError as error:
            raise InputError(
                f"The class {thing.__name__} needs arguments: {error}.",
                f"Register an object of it, as in lx.register({thing.__name__}(…)).",
            ) from error
        return made


@lru_cache(32)
def _find_points(group: str, path: tuple[str, ...]) -> EntryPoints:
    """Return what the packages on a search path offer; it takes 10 ms or more to find out."""
    from importlib.metadata import entry_points  # takes as long as all of our own modules

    return entry_points(group=group)
