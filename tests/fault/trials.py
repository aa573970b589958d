"""Trials that may kill the process that makes them: each batch runs in a forked child.

A trial gives a word (what came of it). A child that dies of a signal, or is silent too long, is a
word too (``crash``, ``hang``); the next child goes on with the trial after it. So thousands of
trials cost one start of Python.
"""

from __future__ import annotations

import os
import select
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from lexfield.errors import LexfieldError

T = TypeVar("T")
CRASH, HANG = "crash", "hang"


class Faults(Protocol):
    """What makes calls of a process fail."""

    def install(self) -> None: ...


def run_trials(
    trials: Sequence[T],
    trial: Callable[[T], str],
    *,
    repair: Callable[[], None] = lambda: None,
    seconds: float = 60.0,
) -> list[str]:
    """What came of every trial, in order; ``repair`` is called after a child that died."""
    words: list[str] = []
    while len(words) < len(trials):
        said, whole = _child(trials[len(words) :], trial, seconds)
        words += said
        if whole is not None:
            words.append(whole)
            repair()
    return words


def _child(
    trials: Sequence[T], trial: Callable[[T], str], seconds: float
) -> tuple[list[str], str | None]:
    """The words of a child, and how it ended if it did not reach the last trial."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        code = 1
        try:
            for one in trials:
                os.write(writing, trial(one).replace("\n", " ").encode() + b"\n")
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    said = b""
    silent = False
    while True:
        ready, _, _ = select.select([reading], [], [], seconds)
        if not ready:
            silent = True
            os.kill(process, signal.SIGKILL)
            break
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        said += piece
    os.close(reading)
    status = os.waitpid(process, 0)[1]
    words = said.decode().splitlines()[: len(trials)]
    if len(words) == len(trials):
        return words, None
    return words, HANG if silent else f"{CRASH} {os.waitstatus_to_exitcode(status)}"


def fail_in_child(work: Callable[[], object], faulty: Faults) -> int:
    """Do work in a child in which something fails; return how it ended: 0, or 3 after an error that
    it may end with."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            faulty.install()
            work()
            code = 0
        except (LexfieldError, OSError, MemoryError):
            code = 3
        except BaseException as error:
            os.write(2, f"the child failed: {error!r}\n".encode())
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def tally(words: Sequence[str]) -> dict[str, int]:
    """How often each kind of word was said; a kind is what stands before the first space."""
    return dict(sorted(Counter(word.partition(" ")[0] for word in words).items()))
