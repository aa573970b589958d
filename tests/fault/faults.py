"""Every failure once: the n-th open, read, mapping, write, flush or rename fails, for all n.

Each trial is an operation of ``crash.py`` in a process of its own, in which one call fails: with
EIO, with half of the bytes, or with MemoryError. It may end with an error of ours, of the system or
of memory; then the store must be the old one or the new one, whole, and the next writer must work.
``zero_tails`` replaces the ends of files by zeros, as a file system may after a power cut;
``little_memory`` runs the operations under smaller and smaller limits of address space.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import mmap
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lexfield.errors import CorruptError, LexfieldError
from lexfield.search.index import Index
from lexfield.store import manifest
from lexfield.store.reader import CHECK_EVERY
from tests.fault.artefacts import Artefact, answers, make_all, make_index
from tests.fault.crash import OPERATIONS, Operation
from tests.fault.filelayer import Faulty
from tests.fault.trials import fail_in_child, run_trials, tally

PLACE = "vectors/x"  # an import finds its folder by this name
READS = ("error", "short", "memory")


class FaultyReads:
    """Install it in a process that will end: the ``at``-th read step below ``root`` fails."""

    def __init__(self, root: Path, at: int, how: str) -> None:
        self.root, self.at, self.how, self.steps = str(root), at, how, 0

    def install(self) -> None:
        real, real_map = builtins.open, mmap.mmap

        def watched(path: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            ours = isinstance(path, str | Path) and str(path).startswith(self.root)
            if not ours or set(mode) & set("wxa+"):
                return real(path, mode, *args, **kwargs)
            self.step(path)
            return _Reader(real(path, mode, *args, **kwargs), self)

        def mapped(handle: int, *args: Any, **kwargs: Any) -> Any:
            self.step(f"/proc/self/fd/{handle}")
            return real_map(handle, *args, **kwargs)

        builtins.open = io.open = watched  # type: ignore[assignment]
        faulty = SimpleNamespace(mmap=mapped, ACCESS_READ=mmap.ACCESS_READ)
        manifest.mmap = faulty  # type: ignore[assignment, attr-defined]

    def step(self, path: Any) -> bool:
        """Fail if it is time; return whether this read should be short."""
        self.steps += 1
        if self.steps != self.at or self.how == "short":
            return self.steps == self.at
        if self.how == "memory":
            raise MemoryError
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))


class _Reader:
    """A file whose reads are steps."""

    def __init__(self, raw: Any, faulty: FaultyReads) -> None:
        self._raw, self._faulty = raw, faulty

    def read(self, *size: int) -> Any:
        short = self._faulty.step(self._raw.name)
        data = self._raw.read(*size)
        return data[: len(data) // 2] if short else data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()


def every_failure(
    operation: Operation, folder: Path, hows: Sequence[str] = ("broken", *READS), stride: int = 1
) -> dict[str, Any]:
    """Let every step of an operation fail once; ``stride`` takes only some of the steps."""
    before, states = set_up(operation, folder)
    trials = [
        (how, step)
        for how in hows
        for step in range(1, count_steps(operation, before, folder, how) + 1, stride)
    ]

    def trial(one: tuple[str, int]) -> str:
        how, step = one
        root = folder / "trial"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(before.parents[1], root)
        ended = fail_in_child(lambda: operation.work(root / PLACE), fault(folder, root, how, step))
        if ended not in (0, 3):
            return f"fault {how} at step {step}: the process ended with {ended}"
        return judge(operation, root / PLACE, states, ended)

    words = run_trials(trials, trial, seconds=300)
    faults = [word for word in words if word.startswith(("fault", "crash", "hang"))]
    return {"trials": len(words), "outcomes": tally(words), "faults": faults[:10]}


def set_up(operation: Operation, folder: Path) -> tuple[Path, dict[str, str]]:
    """Return where an operation begins, and the states before and after it."""
    before, after = folder / "before" / PLACE, folder / "after" / PLACE
    for path in (before, after):
        path.parent.mkdir(parents=True)
        operation.prepare(path)
    operation.work(after)
    states = {"new": operation.state(after)}
    if (before / "CURRENT").exists():
        states["old"] = operation.state(before)
    return before, states


def judge(operation: Operation, path: Path, states: dict[str, str], ended: int) -> str:
    """Say which state an operation that failed, or did not, has left."""
    try:
        if not (path / "CURRENT").exists():
            assert "old" not in states, "nothing is left"
            found = "nothing"
        else:
            problems = [one for one in manifest.verify(path) if one.problem]
            assert not problems, problems
            state = operation.state(path)
            found = next(name for name, known in states.items() if known == state)
        assert ended or found == "new", "it ended well, but nothing was changed"
        operation.prepare(path)  # the next writer works
    except (AssertionError, StopIteration, LexfieldError, OSError) as error:
        return f"fault {error!r}"
    return f"{'failed' if ended else 'done'}, {found}"


def fault(folder: Path, root: Path, how: str, step: int) -> Any:
    if how in READS:
        return FaultyReads(root, step, how)
    return Faulty(folder / "journal", step, how)


def count_steps(operation: Operation, before: Path, folder: Path, how: str) -> int:
    """Return how many steps an operation has when nothing fails."""
    root = folder / "count"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(before.parents[1], root)
    faulty, (reading, writing) = fault(folder, root, how, 0), os.pipe()

    def work() -> None:
        operation.work(root / PLACE)
        os.write(writing, str(faulty.steps).encode())

    assert fail_in_child(work, faulty) == 0
    os.close(writing)
    with os.fdopen(reading) as pipe:
        return int(pipe.read())


class _Limit:
    def __init__(self, megabytes: int) -> None:
        self.megabytes = megabytes

    def install(self) -> None:
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        limit = used + self.megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def little_memory(operation: Operation, folder: Path, sizes: Sequence[int]) -> dict[str, Any]:
    """Run an operation with so many megabytes of address space beyond what it has already."""
    words = Counter[str]()
    before, states = set_up(operation, folder)
    for size in sizes:
        root = folder / "trial"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(before.parents[1], root)
        ended = fail_in_child(lambda root=root: operation.work(root / PLACE), _Limit(size))  # type: ignore[misc]
        words[f"ended with {ended}: {judge(operation, root / PLACE, states, ended)}"] += 1
    return {"trials": len(sizes), "outcomes": dict(words)}


def zero_tails(artefact: Artefact, stride: int = 1) -> dict[str, Any]:
    """Zero the last half, page and byte of every file: an error or the same answer, never else."""
    expected = artefact.use(artefact.root)
    trials = [
        (path, size)
        for path in artefact.files()
        for size in sorted({1, min(4096, path.stat().st_size), -(-path.stat().st_size // 2)})
    ]

    def trial(one: tuple[Path, int]) -> str:
        path, size = one
        data = path.read_bytes()
        zeroed = data[:-size] + bytes(size)
        path.unlink()  # it may be linked
        path.write_bytes(zeroed)
        try:
            found = artefact.use(artefact.root)
            return "same" if found == expected else f"wrong {path} {size}"
        except LexfieldError:
            return "detected"
        except Exception as error:
            return f"fault {path} {size} {error!r}"
        finally:
            path.write_bytes(data)

    words = run_trials(trials[::stride], trial)
    return {"trials": len(words), "outcomes": tally(words)}


def cut_in_use(index: Index, stride: int = 1) -> dict[str, Any]:
    """Cut every file of an open index to nothing, to half, and by a byte, between two questions.

    Reading what is missing would end the process; each trial has one of its own.
    """
    expected = answers(index)
    paths = sorted(path for path in index.path.rglob("*.npy") if path.stat().st_size)
    trials = [(path, share) for path in paths for share in (0.0, 0.5, 1.0)]

    def trial(one: tuple[Path, float]) -> str:
        path, share = one
        time.sleep(2 * CHECK_EVERY)
        os.truncate(path, int((path.stat().st_size - 1) * share))
        try:
            return "same" if answers(index) == expected else f"wrong {path}"
        except CorruptError:
            return "detected"

    words = []
    for path, share in trials[::stride]:
        data = path.read_bytes()
        words += run_trials([(path, share)], trial)
        path.write_bytes(data)
    return {"trials": len(words), "outcomes": tally(words)}


class _Signals:
    """Interrupt the process every millisecond, so that calls of the system end with EINTR."""

    def install(self) -> None:
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.siginterrupt(signal.SIGALRM, True)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def interrupted(operation: Operation, folder: Path) -> dict[str, Any]:
    """Run an operation while signals interrupt it: it must end well."""
    before, states = set_up(operation, folder)
    shutil.copytree(before.parents[1], folder / "trial")
    path = folder / "trial" / PLACE
    ended = fail_in_child(lambda: operation.work(path), _Signals())
    word = f"ended with {ended}: {judge(operation, path, states, ended)}"
    return {"trials": 1, "outcomes": {word: 1}}


def long(folder: Path) -> dict[str, Any]:
    """Every failure; what is done is kept, so that a run that was stopped goes on from there.

    LEXFIELD_STRIDE=n takes every n-th step only.
    """
    stride = int(os.environ.get("LEXFIELD_STRIDE", "1"))
    kept = Path(__file__).parent / "results" / "faults.part.json"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}

    def do(part: str, name: str, work: Callable[[Path], dict[str, Any]]) -> None:
        if name not in found.setdefault(part, {}):
            place = folder / f"{len(found)}-{len(found[part])}"
            found[part][name] = {**work(place), "date": date.today().isoformat()}
            print(part, name, found[part][name], flush=True)
            kept.write_text(json.dumps(found))

    do("cut in use", "index", lambda place: cut_in_use(make_index(place)))
    for one in OPERATIONS:
        do("EINTR", one.name, partial(interrupted, one))
    for one in OPERATIONS:
        do(
            "memory",
            one.name,
            partial(little_memory, one, sizes=[1, 2, 4, 8, 16, 32, 64, 128, 256]),
        )
    (folder / "all").mkdir()
    for artefact in make_all(folder / "all"):
        if not artefact.has_unused_bytes:
            do("zeros", artefact.name, lambda _, one=artefact: zero_tails(one))  # type: ignore[misc]
    for one in OPERATIONS:
        do(f"steps, every {stride}", one.name, partial(every_failure, one, stride=stride))
    kept.unlink()
    return found
