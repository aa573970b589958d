"""Tasks that travel to other processes: the name of a function of this package, and JSON."""

from __future__ import annotations

import errno
from importlib import import_module
from typing import Any

from lexfield.errors import LexfieldError
from lexfield.results import JsonObject

MEMORY = "LEXFIELD_MEMORY"  # the environment variable with a worker's limit in bytes
_SHARE = "Every machine of the cluster must see the same folders under the same paths."
_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ENOMEM)


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


def answer_task(function: str, item: JsonObject, worker: str) -> JsonObject:
    """Run a task on a machine of a cluster; return its result or its error.

    Trouble with the machine itself (a full disk, too little memory) is reported as such, because
    another worker may succeed.
    """
    try:
        return {"result": call(function, item)}
    except LexfieldError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in _MACHINE:
            return {"elsewhere": str(error), "worker": worker}
        return {**describe_error(error), "error": f"{error.message} (on {worker})"}
    except (OSError, MemoryError) as error:
        if isinstance(error, MemoryError) or error.errno in _MACHINE:
            return {"elsewhere": f"{type(error).__name__}: {error}", "worker": worker}
        kind = "lexfield.errors:StoreError"
        return {"error": f"{error} (on {worker})", "hint": _SHARE, "kind": kind}


def result_of(answer: JsonObject) -> Any:
    """Return the result in an answer, or raise its error."""
    if "error" in answer:
        raise restore_error(answer)
    return answer["result"]
