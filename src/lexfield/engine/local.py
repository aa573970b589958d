"""Where tasks run, and the engine of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from lexfield.engine.processes import map_tasks
from lexfield.engine.threads import cores
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject


class Engine(Protocol):
    """Where tasks run. A task is a function of the package, named ``module:function``; items are
    its arguments and, like its result, what JSON can carry."""

    @property
    def threads(self) -> int:
        """How many tasks can run at a time."""

    def map(
        self, task: str, items: Sequence[JsonObject], *, progress: Progress = silent
    ) -> Iterator[Any]:
        """Results in the order of the items, few of them waiting at a time. Close the iterator, or
        raise from ``progress``, to cancel what has not begun."""

    def beside(self) -> str:
        """What to tell next to the progress; empty for nothing."""

    def close(self) -> None: ...


class Local:
    """Processes of this machine."""

    @property
    def threads(self) -> int:
        return cores()

    def map(
        self, task: str, items: Sequence[JsonObject], *, progress: Progress = silent
    ) -> Iterator[Any]:
        return map_tasks(task, items, progress=progress)

    def beside(self) -> str:
        return ""

    def close(self) -> None:
        """Nothing is kept open."""
