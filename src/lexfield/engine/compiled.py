"""Loops that Numba compiles: on first use, kept as machine code (``machine_code.py``), and free of
the interpreter's lock.

Importing Numba takes half a second, so that is done only to compile. Modules with kernels can
therefore be imported at the top of any file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property, update_wrapper
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from lexfield.engine.machine_code import Entry, keep, load
from lexfield.progress import report_wait

F = TypeVar("F", bound=Callable[..., Any])
_Array = np.ndarray
_SCALARS = int | float | bool | np.generic
_LAYOUT = 0x503  # flags of an array: contiguous (C, Fortran), aligned, writeable
_lock = threading.RLock()


def kernel(function: F) -> F:
    """Compile a function of numbers and arrays; sums are added in the order they are written."""
    return cast(F, _Kernel(function))


def reordered_kernel(function: F) -> F:
    """Compile a function whose sums may be added in any order, so that it can be vectorised."""
    return cast(F, _Kernel(function, fastmath={"reassoc", "contract"}))


class _Kernel:
    """A function that is compiled when it is first called, once for each combination of types."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options
        self._compiled: dict[str, Entry] = {}
        self._entries: dict[tuple[object, ...], Entry] = {}  # the same by what a call can look up

    def __call__(self, *args: Any) -> Any:
        kinds = tuple(
            [  # inlined: this is most of what a call costs
                (arg.dtype, arg.ndim, arg.flags.num)
                if isinstance(arg, _Array)
                else _find_kinds(arg)
                if isinstance(arg, tuple)
                else type(arg)
                for arg in args
            ]
        )
        entry = self._entries.get(kinds) or self._prepare(kinds, args)
        return entry(*args)

    def _prepare(self, kinds: tuple[object, ...], args: tuple[Any, ...]) -> Entry:
        with _lock:
            name = f"{self._meaning!r} {[_describe(arg) for arg in args]!r}"
            if name not in self._compiled:
                self._compiled[name] = load(name) or self._compile(name, args)
            return self._entries.setdefault(kinds, self._compiled[name])

    def _compile(self, name: str, args: tuple[Any, ...]) -> Entry:
        report_wait("preparing for this computer; this happens once")
        typeof: Any = import_module("numba").typeof
        types = tuple(typeof(arg) for arg in args)
        self.dispatcher.compile(types)
        compiled = self.dispatcher.overloads[types]
        keep(name, compiled)
        entry: Entry = compiled.entry_point
        return entry

    @cached_property
    def dispatcher(self) -> Any:
        """The function as Numba knows it; the kernels that it calls are replaced by theirs."""
        from numba import njit

        own = {name: one.dispatcher for name, one in self._called.items()}
        names = {**self._function.__globals__, **own}
        code, defaults = self._function.__code__, self._function.__defaults__
        copy = FunctionType(code, names, self._function.__name__, defaults)
        copy.__qualname__, copy.__module__ = self._function.__qualname__, self._function.__module__
        return njit(nogil=True, **self._options)(copy)

    @property
    def _called(self) -> dict[str, _Kernel]:
        names = self._function.__globals__
        found = {name: names.get(name) for name in self._function.__code__.co_names}
        return {name: one for name, one in found.items() if isinstance(one, _Kernel)}

    @cached_property
    def _meaning(self) -> tuple[object, ...]:
        """What the function computes: its code, the constants it names and the kernels it calls."""
        code, names = self._function.__code__, self._function.__globals__
        constants = [
            (name, repr(names[name]))
            for name in code.co_names
            if isinstance(names.get(name), int | float | str | tuple | np.ndarray)
        ]
        called = [(name, one._meaning) for name, one in self._called.items()]
        options = sorted((name, sorted(value)) for name, value in self._options.items())
        names_of_code = (code.co_names, code.co_varnames, code.co_argcount)
        return (code.co_code, repr(code.co_consts), names_of_code, constants, called, options)


def _find_kinds(values: tuple[Any, ...]) -> tuple[object, ...]:
    """Return the kinds of the items of a tuple: arrays, or numbers."""
    each = [
        (one.dtype, one.ndim, one.flags.num) if isinstance(one, _Array) else type(one)
        for one in values
    ]
    return type(values), *each


def _describe(value: Any) -> object:
    """Return what decides on the machine code for a value: its type, and the layout of an array."""
    if isinstance(value, _Array):
        layout = value.flags.num & _LAYOUT
        if layout & 1:
            layout &= ~2  # contiguous both ways counts as C
        return value.dtype.str, value.ndim, layout
    if isinstance(value, tuple):
        return type(value).__name__, [_describe(one) for one in value]
    if isinstance(value, _SCALARS):
        return type(value).__name__
    raise TypeError(f"a kernel takes numbers, arrays and tuples, not {type(value).__name__}")
