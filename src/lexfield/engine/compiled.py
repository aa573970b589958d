"""Loops that Numba compiles: once, kept beside the source, and free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of numbers and arrays; sums are added in the order they are written."""
    return _compiled(function)


def reordered_kernel(function: F) -> F:
    """The same where the order of a sum does not matter, so that it can be vectorised."""
    return _compiled(function, fastmath={"reassoc", "contract"})


def _compiled(function: F, **options: Any) -> F:
    try:
        return cast(F, njit(cache=True, nogil=True, **options)(function))
    except RuntimeError:  # no folder to keep it in can be written: it is compiled in every process
        return cast(F, njit(nogil=True, **options)(function))
