"""Loops that Numba compiles: on first use, cached beside the source (``code_cache.py``), and free
of the interpreter's lock.

Importing Numba takes half a second, so a kernel imports it only when it is first called. Modules
with kernels can therefore be imported at the top of any file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

from lexfield.engine.code_cache import check_cache

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of numbers and arrays; sums are added in the order they are written."""
    return cast(F, _Kernel(function))


def reordered_kernel(function: F) -> F:
    """Compile a function whose sums may be added in any order, so that it can be vectorised."""
    return cast(F, _Kernel(function, fastmath={"reassoc", "contract"}))


class _Kernel:
    """A function that is compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options

    def __call__(self, *args: Any) -> Any:
        return self.compiled(*args)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        from numba import njit

        names = self._function.__globals__
        for name in self._function.__code__.co_names:
            if isinstance(names.get(name), _Kernel):  # Numba calls compiled functions only
                names[name] = names[name].compiled
        compile_: Callable[..., Callable[..., Any]]
        try:
            compile_ = njit(cache=True, nogil=True, **self._options)
            return check_cache(compile_(self._function))
        except RuntimeError:  # no folder for the cache is writable, or only ours: never cached
            compile_ = njit(nogil=True, **self._options)
            return compile_(self._function)
