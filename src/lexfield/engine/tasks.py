"""Tasks that travel to other processes: the name of a function of this package, and JSON."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lexfield.errors import LexfieldError
from lexfield.results import JsonObject

MEMORY = "LEXFIELD_MEMORY"  # the environment variable with a worker's limit in bytes


def call(function: str, item: JsonObject) -> Any:
    """Call ``module:function`` of this package with the arguments ``item``."""
    module, _, name = function.partition(":")
    if not module.startswith("lexfield."):
        raise LexfieldError(f"{function!r} is not a function of lexfield.")
    return getattr(import_module(module), name)(**item)


def describe_error(error: LexfieldError) -> dict[str, str]:
    """Return an error as JSON can carry it."""
    kind = next(kind for kind in type(error).__mro__ if kind.__module__.startswith("lexfield."))
    name = f"{kind.__module__}:{kind.__name__}"
    return {"error": error.message, "hint": error.hint, "kind": name}


def restore_error(described: dict[str, str]) -> LexfieldError:
    """Return the error that ``describe_error`` described. Raise ValueError if it is not ours."""
    module, _, name = described["kind"].partition(":")
    kind = getattr(import_module(module), name) if module.startswith("lexfield.") else None
    if not (isinstance(kind, type) and issubclass(kind, LexfieldError)):
        raise ValueError(f"not an error of lexfield: {described['kind'][:200]}")
    return kind(described["error"], described["hint"])
