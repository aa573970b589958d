"""How long-running work reports its progress: a callable that takes what is done and the total.

The library never prints. A caller that wants a bar, a stream of events or a way to cancel (raise
from the callable) passes one in. A callable that also has a method ``stage`` is told what is being
done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

Progress = Callable[[int, int | None], None]  # the total is None while it is unknown
_listeners: list[Callable[[str], None]] = []


@runtime_checkable
class Staged(Protocol):
    """A progress that also shows the name of the current stage."""

    def stage(self, name: str) -> None: ...


def silent(done: int, total: int | None) -> None:
    """Ignore the progress."""


def begin_stage(progress: Progress, name: str) -> None:
    """Announce what is being done from now on, such as "reading"."""
    if isinstance(progress, Staged):
        progress.stage(name)


def report_wait(reason: str) -> None:
    """Tell who listens that the work pauses, because code is being compiled, for example."""
    for listener in _listeners:
        listener(reason)


@contextmanager
def listen_to_waits(listener: Callable[[str], None]) -> Iterator[None]:
    """Call the listener with the reason for each pause, from wherever in the process it comes."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
