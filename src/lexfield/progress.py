"""How long work reports itself: a callable that is told what is done and, if known, the total.

The library never prints. A caller that wants a bar, a stream of events or a way to cancel (raise
from the callable) passes one in.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int | None], None]


def silent(done: int, total: int | None) -> None:
    """The progress that nobody watches."""
