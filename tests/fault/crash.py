"""Writers that are killed, and disks that fail: the last committed generation is always there.

``every_step`` does it at each step of the file layer, ``random_kills`` at random times in a process
that indexes, adds, deletes, compacts and imports without end.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lexfield.cli.main import main
from lexfield.errors import NotAStoreError, StoreError
from lexfield.index.learn_metric import learn_metric
from lexfield.index.metrics import list_metrics
from lexfield.index.topics import has_topics
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors import sources
from tests.fault.artefacts import answers, digest, documents, fasttext_model
from tests.fault.filelayer import Faulty, chosen_steps, cut_power, steps_of

HOWS = ("kill", "power", "reordered", "full", "broken")
CUTS = ("power", "reordered")
MODEL, OTHER = ["boat", "storm", "sea"], ["bread", "oven", "field", "rain"]


@dataclass(frozen=True)
class Operation:
    """``work`` changes what ``prepare`` left at a path; ``state`` says which it is now."""

    name: str
    prepare: Callable[[Path], object]
    work: Callable[[Path], object]
    state: Callable[[Path], str]


def index_state(path: Path) -> str:
    index = Index.open(path)
    return digest(sorted(index.documents), answers(index, ("ideas", "bm25", "mean")))


def topics_state(path: Path) -> str:
    index = Index.open(path)
    found = index.search("storm at sea", "topic", 3).to_dicts() if has_topics(path) else None
    return digest(index_state(path), found)


def parts_state(path: Path) -> str:
    names = [row.name for row in list_metrics(path)]
    found = [Index.open(path, metric=name).search("storm", "mean", 3).to_dicts() for name in names]
    return digest(topics_state(path), names, found)


def vectors_state(path: Path) -> str:
    found = sources.load_vectors(path)
    return digest(found.words, found.matrix.tolist())


def _build(path: Path, first: int = 0) -> Index:
    return Index.build(Corpus.of(documents(first, 8)), path, replace=True)


def _grown(path: Path) -> None:
    index = _build(path)
    index.add(documents(8, 2))
    index.delete(["d1"])


def _with_topics(path: Path) -> Index:
    index = _build(path)
    index.fit_topics(3, passes=1)
    return index


def _with_parts(path: Path) -> None:
    learn_metric(_with_topics(path), "group", "m", shrinkage=0.5)


def _import(words: Sequence[str]) -> Callable[[Path], object]:
    def work(path: Path) -> None:
        os.environ["LEXFIELD_HOME"] = str(path.parents[1])
        model = path.parents[1] / "model.bin"
        model.write_bytes(fasttext_model(list(words)))
        sources.import_file(model, path.name)

    return work


OPERATIONS = (
    Operation("index", lambda path: None, _build, index_state),
    Operation("index over another", _with_parts, lambda path: _build(path, 4), parts_state),
    Operation("add", _build, lambda path: Index.open(path).add(documents(8, 2)), index_state),
    Operation("add, with topics", _with_topics,
              lambda path: Index.open(path).add(documents(8, 2)), topics_state),
    Operation("delete", _grown, lambda path: Index.open(path).delete(["d2", "d9"]), index_state),
    Operation("compact", _grown, lambda path: Index.open(path).compact(), index_state),
    Operation("import", _import(MODEL), _import(OTHER), vectors_state),
)  # fmt: skip


def run_in_child(work: Callable[[], str]) -> str:
    """Return what a forked child says of its work, the error it raises, or "" if it is killed."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        said = "nothing"
        try:
            said = work()
        except StoreError as error:
            said = f"told {type(error).__name__} {error}"
        except BaseException as error:
            said = f"fault {error!r}"
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(process, 0)
    return said


@dataclass
class Case:
    """An operation with the state before and after it; "" where there is nothing."""

    operation: Operation
    folder: Path
    before: str = ""
    after: str = ""
    steps: int = 0
    each: int = 8
    chosen: list[int] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.folder / "home" / "vectors" / "x"

    def set_up(self) -> None:
        """Prepare, keep a copy, and see how many steps the work takes and where it ends."""
        self.root.parent.mkdir(parents=True)
        self.operation.prepare(self.root)
        self.before = self.operation.state(self.root) if self.root.exists() else ""
        self._copy = self.folder / "copy"
        if self.root.exists():
            shutil.copytree(self.root, self._copy)
        self.operation.work(self.root)
        self.after = self.operation.state(self.root)
        assert self.after != self.before
        self.restore()
        assert self._child(0, "kill") == "done"
        self.steps = len(steps_of(self.folder / "journal"))
        self.chosen = chosen_steps(self.folder / "journal", self.each)
        self.restore()

    def restore(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        if self._copy.exists():
            shutil.copytree(self._copy, self.root)

    def _child(self, at: int, how: str) -> str:
        """Do the work in a child with a fault; what it said: done, the error, or nothing."""
        journal = self.folder / "journal"
        journal.unlink(missing_ok=True)

        def work() -> str:
            Faulty(journal, at, "kill" if how in CUTS else how).install()
            self.operation.work(self.root)
            return "done"

        return run_in_child(work) or "killed"

    def trial(self, at: int, how: str) -> str:
        """``ok …``, or what went wrong."""
        said = self._child(at, how)
        journal = self.folder / "journal"
        committed = any(
            step[0] == "rename" and step[2] == str(self.root / "CURRENT")
            for step in steps_of(journal)
        )
        if how in CUTS:
            rng = random.Random(at) if how == "reordered" else None
            cut_power(journal, self._copy, self.root, rng)
            committed = False  # it may or may not have been durable
        try:
            return self._judge(said, how, committed)
        finally:
            self.restore()

    def _judge(self, said: str, how: str, committed: bool) -> str:
        if said.startswith("fault") or (how in ("full", "broken") and said == "killed"):
            return said
        try:
            now = self.operation.state(self.root)
        except NotAStoreError:
            now = ""
        except Exception as error:
            return f"unusable {error!r}"
        if now not in (self.before, self.after):
            return "neither the old nor the new"
        if (committed or said == "done") and now != self.after:
            return "lost what was committed"
        if said.startswith("told") and not committed and now != self.before:
            return "told of a failure, and yet it counts"
        if now and not _verified(self.root):
            return "damaged"
        try:
            self.operation.work(self.root)  # the next writer cleans up
        except StoreError as error:
            return f"cannot be written again: {error}"
        except ValueError:  # the documents are there, or gone, already
            Index.open(self.root).compact()
        if left := leftovers(self.root):
            return f"left {left}"
        return f"ok {said.partition(' ')[0]}, {'new' if now == self.after else 'old'}"


def leftovers(root: Path) -> list[str]:
    """What does not belong to a store after a writer has ended well."""
    return [
        str(path.relative_to(root))
        for store in (current.parent for current in root.rglob("CURRENT"))
        for path in store.iterdir()
        if path.name not in ("CURRENT", ".lock", ".lexfield")
        and path.name not in (store / "CURRENT").read_text()
    ]


def _verified(root: Path) -> bool:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            main(["verify", str(root)])
        except SystemExit as ended:
            return not ended.code
    return False


def every_step(operation: Operation, folder: Path, hows: Sequence[str], each: int = 8) -> Any:
    """A fault at steps of an operation, ``each`` or more of every class."""
    case = Case(operation, folder, each=each)
    case.set_up()
    words = [(f"{how} at step {at}: ", case.trial(at, how)) for how in hows for at in case.chosen]
    bad = [place + word for place, word in words if not word.startswith("ok")]
    kinds = Counter(word for _, word in words if word.startswith("ok"))
    return {
        "steps": case.steps, "trials": len(words), "outcomes": dict(sorted(kinds.items())),
        "faults": len(bad), "examples": bad[:10],
    }  # fmt: skip


KINDS = ("add", "delete", "add", "compact", "import", "index")


def _story(root: Path, number: int) -> None:
    """Change number ``number`` of an index and a vector set, without end."""
    index, kind = root / "x.idx", KINDS[number % len(KINDS)]
    if kind == "add":
        Index.open(index).add(documents(100 + 2 * number, 2))
    elif kind == "delete":  # of what the change before has added
        Index.open(index).delete([f"d{100 + 2 * (number - 1)}"])
    elif kind == "compact":
        Index.open(index).compact()
    elif kind == "index":
        _build(index, number)
    else:
        _import((MODEL, OTHER)[number // len(KINDS) % 2])(root / "vectors" / "x")


def _story_state(root: Path) -> str:
    index = Index.open(root / "x.idx")
    found = index.search("the boat in the storm", "bm25", 5).to_dicts(explain=False)
    return digest(list(index.documents), found, sources.load_vectors(root / "vectors" / "x").words)


def random_kills(folder: Path, count: int, seed: int = 0, longest: float = 0.6) -> dict[str, Any]:
    """Kill the writer of a long story ``count`` times; then the change is made, if it was not.

    The oracle does the same changes in a copy, without being killed.
    """
    rng = random.Random(seed)
    root, oracle = folder / "home", folder / "oracle"
    os.environ["LEXFIELD_HOME"] = str(root)
    _build(root / "x.idx")
    _import(MODEL)(root / "vectors" / "x")
    number, faults, kinds, done_all = 0, [], Counter[str](), Counter[str]()
    for trial in range(count):
        shutil.rmtree(oracle, ignore_errors=True)
        shutil.copytree(root, oracle)
        number += _killed(root, number, rng.uniform(0, longest))
        os.environ["LEXFIELD_HOME"] = str(oracle)
        made, states = sum(done_all.values()), []
        for step in range(made, number + 1):
            if step == number:
                states.append(_story_state(oracle))
            _story(oracle, step)
            done_all[KINDS[step % len(KINDS)]] += 1
        states.append(_story_state(oracle))
        os.environ["LEXFIELD_HOME"] = str(root)
        try:
            now = _story_state(root)
            whole = _verified(root / "x.idx") and _verified(root / "vectors" / "x")
            if now == states[0]:
                _story(root, number)  # the next writer cleans up
            if now not in states or not whole or _story_state(root) != states[1]:
                faults.append(f"kill {trial} in change {number}: another state, or damaged")
        except Exception as error:
            faults.append(f"kill {trial} in change {number}: {error!r}")
        if faults:
            break
        kinds[KINDS[number % len(KINDS)]] += 1
        number += 1
    Index.open(root / "x.idx").compact()  # the last one killed may have left something
    _import(MODEL)(root / "vectors" / "x")
    return {
        "kills": trial + 1, "changes": number, "killed in": dict(sorted(kinds.items())),
        "faults": len(faults), "examples": faults, "leftovers": leftovers(root),
    }  # fmt: skip


def _killed(root: Path, number: int, seconds: float) -> int:
    """A child that goes on with the story until it is killed; how many changes it has told of."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        try:
            while True:
                _story(root, number)
                os.write(writing, b".")
                number += 1
        except BaseException as error:
            os.write(2, f"the writer ended by itself: {error!r}\n".encode())
        finally:
            os._exit(1)
    os.close(writing)
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    status = os.waitpid(process, 0)[1]
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "it ended before it was killed"
    with os.fdopen(reading, "rb") as pipe:
        return len(pipe.read())


def long(folder: Path) -> dict[str, Any]:
    steps = {}
    for number, operation in enumerate(OPERATIONS):
        steps[operation.name] = every_step(operation, folder / str(number), HOWS)
        print(operation.name, steps[operation.name], flush=True)
    (folder / "story").mkdir()
    return {"steps": steps, "random": random_kills(folder / "story", 240)}
