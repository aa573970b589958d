"""Every error that lexfield raises.

    LexfieldError
    ├── InputError            a value, a file or a text that cannot be used
    │   ├── ReadError         a file that cannot be read as the text it claims to be
    │   ├── VectorsError      a word-vector file that is malformed
    │   ├── UnknownWordError  a word with no vector (also a KeyError)
    │   └── UnknownDocumentError  an id that no document has (also a KeyError)
    ├── StoreError            something stored on disk
    │   ├── NotAStoreError    the folder is not lexfield's
    │   ├── CorruptError      bytes differ from what was written
    │   ├── LockedError       another process is writing
    │   ├── ChangedError      another process has changed it meanwhile
    │   └── VersionError      written by a version this one cannot read
    ├── ClusterError          the cluster does not answer, or has lost too much
    ├── WorkerError           a worker process failed or did not answer
    ├── OutOfMemoryError      there is too little memory, or a limit was reached
    └── MissingExtraError     an optional package is not installed (also an ImportError)

Each carries ``hint``: what to do next. The command line prints message and hint and exits with 2.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import islice
from types import ModuleType

_LONGEST = 2_000  # characters of a message or a hint
_OPTION = re.compile(
    r"(?<![\w'-])--([a-z][a-z-]+)(?: [A-Z]+\b)?"  # --id-field NAME
    r"(?: ([a-z0-9-]+)(?=[.,;:)]|$))?"  # --format lines
    r"(?: \((?:in Python: )?(\w+=[^)]*)\))?"  # --replace (in Python: replace=True)
)


class LexfieldError(Exception):
    """Root of all lexfield errors: ``message`` says what and where, ``hint`` what next.

    Both are shortened here, because they may quote names and values of any length. They name
    options as Python and HTTP spell them; ``typed`` has both as the command line spells them.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        self.typed = shorten(message, _LONGEST), shorten(hint, _LONGEST)
        self.message, self.hint = map(name_parameters, self.typed)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class InputError(LexfieldError, ValueError):
    """A value, a file or a text that cannot be used."""


class ReadError(InputError):
    """A file that cannot be read as the text it claims to be."""


class VectorsError(InputError):
    """A word-vector file that is malformed."""


class UnknownWordError(InputError, KeyError):
    """A word with no vector, even after repair."""


class UnknownDocumentError(InputError, KeyError):
    """An id that no document has."""


class StoreError(LexfieldError):
    """Something stored on disk cannot be read or written."""


class NotAStoreError(StoreError):
    """The folder is not lexfield's."""


class CorruptError(StoreError):
    """Bytes differ from what was written."""


class LockedError(StoreError):
    """Another process is writing."""


class ChangedError(StoreError):
    """Another process has written meanwhile."""


class VersionError(StoreError):
    """Written by a version that this one cannot read."""


class ClusterError(LexfieldError):
    """The cluster does not answer, or has lost too much."""


class WorkerError(LexfieldError):
    """A worker process failed or did not answer."""


class OutOfMemoryError(LexfieldError):
    """There is too little memory, or a limit was reached."""


class MissingExtraError(LexfieldError, ImportError):
    """An optional package is not installed."""


def name_parameters(text: str) -> str:
    """Return a text with ``--id-field NAME`` as ``id_field``, and ``--k 5`` as ``k=5``.

    Whole commands stay as they are.
    """
    return text if "lexfield " in text else _OPTION.sub(_name_parameter, text)


def _name_parameter(found: re.Match[str]) -> str:
    name = found[1].replace("-", "_")
    if found[2] is None:
        return found[3] or name
    return f"{name}={found[2] if found[2].isdigit() else repr(found[2])}"


def shorten(text: str, most: int) -> str:
    """Return ``text``, or its beginning and … where it is longer than ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def list_names(names: Iterable[object], most: int = 20) -> str:
    """Return names for a message, separated by commas: the first ones, and how many more."""
    every = iter(names)
    shown = [shorten(str(name), 60) for name in islice(every, most)]
    more = sum(1 for _ in every)
    return (", ".join(shown) or "none") + (f" and {more:,} more" if more else "")


def list_fields(names: Iterable[str]) -> str:
    """Return a hint with the metadata fields that there are, in alphabetical order."""
    known = sorted(names)
    return f"There are: {list_names(known)}." if known else "The documents have no metadata."


def suggest(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean …?" with the names that are spelled most like one; empty if none is."""
    from rapidfuzz import process

    scored = process.extract(name, list(known), limit=3, score_cutoff=75, processor=str.casefold)
    close = [repr(shorten(found, 60)) for found, *_ in scored]
    return f"Did you mean {' or '.join(close)}?" if close else ""


def correct(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return "Did you mean …?" with the known name that is spelled most like ``name``, in capitals
    or not; ``otherwise`` if none is."""
    spelled = {one.casefold(): one for one in known}
    close = difflib.get_close_matches(name.casefold(), spelled, 1)
    return f"Did you mean {spelled[close[0]]!r}?" if close else otherwise


def need(module: str, extra: str) -> ModuleType:
    """Import an optional module. Raise MissingExtraError with the extra that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_extra(module.partition(".")[0], extra) from error


def missing_extra(package: str, extra: str) -> MissingExtraError:
    """Return the error for a package that an extra would install."""
    return MissingExtraError(
        f"This needs the package {package!r}, which is not installed.",
        f"Install it with: pip install 'lexfield[{extra}]'",
    )


def refuse_unknown(owner: Callable[..., object], given: Iterable[str], hint: str = "") -> None:
    """Raise InputError if a class or function was called with options that it does not have."""
    for name in given:
        parameters = inspect.signature(owner).parameters.values()
        known = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
        hint = hint or correct(name, known, f"It has: {', '.join(known)}.")
        raise InputError(f"{owner.__name__} has no option {name!r}.", hint)


def check(ok: bool, name: str, expected: str, got: object) -> None:
    """Raise InputError if a parameter is not ``ok``: one sentence for every wrong value."""
    if not ok:
        raise InputError(f"{name} must be {expected}. Got {got!r} instead.")
