"""Work that NumPy does, on threads of this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

from lexfield.progress import Progress, silent

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use; ``LEXFIELD_THREADS`` overrides it."""
    wanted = os.environ.get("LEXFIELD_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_blocks(
    task: Callable[[Item], Result], items: Sequence[Item], *, progress: Progress = silent
) -> Iterator[Result]:
    """Yield ``task(item)`` for every item, in order, on all cores, at most two per core in advance.

    BLAS uses one thread meanwhile: the cores are busy, and every product is then computed in the
    same way whatever their number, so results are equal to the bit.
    """
    if len(items) == 1:  # not worth a thread; keeps a single query quick
        yield task(items[0])
        progress(1, 1)
        return
    with single_thread():
        yield from map_threads(task, items, cores(), progress)


def map_threads(
    task: Callable[[Item], Result],
    items: Sequence[Item],
    threads: int,
    progress: Progress,
    stop: Callable[[], None] | None = None,
) -> Iterator[Result]:
    """Yield ``task(item)`` for every item, in order; at most two per thread are under way.

    ``stop`` is called at the end, whatever the reason, to interrupt tasks that are still running.
    """
    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(task, item) for item in items[: 2 * threads]]
        try:
            for number in range(len(items)):
                result = waiting.pop(0).result()
                if number + 2 * threads < len(items):
                    waiting.append(pool.submit(task, items[number + 2 * threads]))
                progress(number + 1, len(items))
                yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            if stop:
                stop()


def single_thread() -> Any:
    """Return a context in which BLAS uses one thread: the same bits on any number of cores, and no
    waiting for threads if a matrix is small."""
    return _blas(len(sys.modules)).limit(limits=1)


@lru_cache(1)
def _blas(_: int) -> Any:
    """Return a controller of libraries with threads of their own, renewed after every import."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
