"""Every error a user can meet.

    LexfieldError
    ├── InputError            a value, a file or a text that cannot be used
    │   ├── ReadError         a file that cannot be read as the text it claims to be
    │   ├── VectorsError      a word-vector file that is malformed
    │   └── UnknownWordError  a word with no vector (also a KeyError)
    ├── StoreError            something kept on disk
    │   ├── NotAStoreError    the folder holds nothing of lexfield's
    │   ├── CorruptError      bytes differ from what was written
    │   ├── LockedError       another process is writing
    │   ├── ChangedError      another process has written meanwhile
    │   └── VersionError      written by a version this one cannot read
    ├── ClusterError          the cluster does not answer, or has lost too much
    └── MissingExtraError     an optional package is not installed (also an ImportError)

Each carries ``hint``: what to do next. The command line prints message and hint and exits with 2.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class LexfieldError(Exception):
    """Root of all lexfield errors: ``message`` says what and where, ``hint`` what next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

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


class StoreError(LexfieldError):
    """Something kept on disk cannot be read or written."""


class NotAStoreError(StoreError):
    """The folder holds nothing of lexfield's."""


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


class MissingExtraError(LexfieldError, ImportError):
    """An optional package is not installed."""


def need(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"This needs the package {module.partition('.')[0]!r}, which is not installed.",
            f"Install it with: pip install 'lexfield[{extra}]'",
        ) from error


def check(ok: bool, name: str, expected: str, got: object) -> None:
    """Validate a parameter at the door: one sentence for every wrong value."""
    if not ok:
        raise InputError(f"{name} must be {expected}. Got {got!r} instead.")
