"""Mutants: would the tests notice a small mistake in the code?

    python -m tests.fault.mutants [PACKAGE [COUNT]]

In a mutant, one comparison, operator, number, condition or truth value of a function is changed. It
is killed if one of the tests that reach the line fails, or does not end. Mutants are drawn at
random, the same ones every time and equally many of each module; those in messages and annotations
are left out. Each mutant is a fork of a process that has imported everything, in which the code of
the function is replaced, so that it takes little more time than its tests.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from hypothesis import settings

from lexfield.engine import machine_code
from lexfield.engine.compiled import _Kernel

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "lexfield"
RESULTS = Path(__file__).parent / "results"
COUNT = 12  # mutants of a module
# Modules of a package, and the tests they are tried with.
PACKAGES: dict[str, tuple[str, str]] = {
    "store": (
        "checked strings manifest reader files",
        "store/test_checked store/test_strings store/test_manifest store/test_folder"
        " store/test_format store/test_owned store/test_bounds store/test_scratch store/test_place"
        " fault/test_faults",
    ),
    "index": (
        "postings lists lexicon segment",
        "index/test_lists index/test_build index/test_units index/test_reading index/test_parts"
        " index/test_old_format search/test_kernels search/test_cover search/test_index",
    ),
    "compare": (
        "knn measures delta counts smoothing",
        "compare/test_knn compare/test_measures compare/test_delta compare/test_counts"
        " compare/test_spread_counts",
    ),
    "topics": (
        "affinity topic_lists certified simplex lda inference",
        "topics/test_simplex topics/test_lda",
    ),
    "metric": (
        "distortion scatter features",
        "metric/test_distortion metric/test_scatter test_metric_features",
    ),
}
SLOW = 5.0  # seconds of processor time: tests that take longer are left out
_MEMORY = 6_000_000_000
_COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
             ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
             ast.IsNot: ast.Is}  # fmt: skip
_COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
             ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult}  # fmt: skip


def find_mutations(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield nodes that can be changed, and how; not in messages, annotations or constants."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    seen = set[int]()  # what is in a function in a function is in both
    for node in (one for function in functions for line in function.body for one in _walk(line)):
        how = _find_change(node)
        if how and id(node) not in seen:
            seen.add(id(node))
            yield node, how


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.AnnAssign):  # messages, annotations
        yield from _walk(node.value) if isinstance(node, ast.AnnAssign) and node.value else ()
        return
    yield node
    for one in ast.iter_child_nodes(node):
        yield from _walk(one)


def _find_change(node: ast.AST) -> str:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            return "comparison"
        case ast.BinOp(op=op, left=left) if type(op) in _COMPUTED:
            is_text = isinstance(left, ast.Constant) and isinstance(left.value, str)
            return "" if is_text else "operator"
        case ast.Constant(value=bool()):
            return "truth"
        case ast.Constant(value=int() as value) if value < 100:
            return "number"
        case ast.UnaryOp(op=ast.Not()):
            return "not"
        case ast.If():
            return "condition"
        case _:
            return ""


def mutate(node: Any, how: str) -> None:
    if how == "comparison":
        node.ops = [_COMPARED[type(node.ops[0])]()]
    elif how == "operator":
        node.op = _COMPUTED[type(node.op)]()
    elif how == "number":
        node.value += 1
    elif how == "truth":
        node.value = not node.value
    elif how == "not":
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif how == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)


@dataclass(frozen=True)
class Mutant:
    path: Path
    number: int

    def make(self) -> tuple[CodeType, range, str]:
        """Return the code of the changed module, and the lines and kind of the change."""
        tree = ast.parse(self.path.read_text("utf-8"))
        node, how = list(find_mutations(tree))[self.number]
        lines = _find_lines(tree, node)
        mutate(node, how)
        return compile(ast.fix_missing_locations(tree), str(self.path), "exec"), lines, how

    def describe(self) -> str:
        tree = ast.parse(self.path.read_text("utf-8"))
        node, how = list(find_mutations(tree))[self.number]
        before = ast.unparse(node.test if isinstance(node, ast.If) else node)
        line = node.lineno  # type: ignore[attr-defined]
        said = self.path.read_text("utf-8").splitlines()[line - 1].strip()
        return f"{self.path.relative_to(SOURCE)}:{line} {how} {before!r} in {said!r}"

    @property
    def key(self) -> str:
        state = hashlib.sha256(self.path.read_bytes()).hexdigest()[:12]
        return f"{self.path.relative_to(ROOT)} {self.number} {state}"

    def install(self) -> None:
        """Replace the code of every function of the module, and forget what was computed."""
        changed = {_name(code): code for code in _codes(self.make()[0])}
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                if one.__code__.co_filename == str(self.path):
                    one.__code__ = changed.get(_name(one.__code__), one.__code__)
            elif isinstance(one, _Kernel):
                for name in ("dispatcher", "_meaning"):
                    vars(one).pop(name, None)
                one._compiled.clear()
                one._entries.clear()
            elif isinstance(one, _lru_cache_wrapper) and one is not machine_code._start_linker:
                one.cache_clear()


def _find_lines(tree: ast.Module, node: Any) -> range:
    """Return the lines of the simple statement that a node is in, or those of the node."""
    for one in ast.walk(tree):
        if isinstance(one, ast.stmt) and not hasattr(one, "body") and node in ast.walk(one):
            return range(one.lineno, (one.end_lineno or one.lineno) + 1)
    found: Any = node.test if isinstance(node, ast.If) else node
    return range(found.lineno, found.end_lineno + 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def _name(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def draw(package: str, count: int) -> list[Mutant]:
    """Return ``count`` mutants of each module, the same at every call."""
    found = []
    for module in PACKAGES[package][0].split():
        path = SOURCE / package / f"{module}.py"
        size = len(list(find_mutations(ast.parse(path.read_text("utf-8")))))
        found += [
            Mutant(path, number)
            for number in random.Random(module).sample(range(size), min(count, size))
        ]
    return found


@dataclass(eq=False)  # pytest keeps plugins in sets
class Reach:
    """A pytest plugin: which lines of some files each test reaches, and how long it takes."""

    files: set[str]
    lines: dict[str, set[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    now: set[str] = field(default_factory=set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.now, begin = set(), time.process_time()
        sys.settrace(self._call)
        threading.settrace(self._call)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self.lines[item.nodeid] = self.now
            self.seconds[item.nodeid] = time.process_time() - begin

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def _call(self, frame: Any, event: str, _: object) -> Any:
        code: CodeType = frame.f_code
        if code is _Kernel.__call__.__code__:
            self._note_kernel(frame.f_locals["self"])
        return self._line if code.co_filename in self.files else None

    def _line(self, frame: Any, event: str, _: object) -> Any:
        self.now.add(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return self._line

    def _note_kernel(self, kernel: _Kernel) -> None:
        """Every line of a kernel counts as reached, and of those that it calls."""
        code = kernel._function.__code__
        if code.co_filename in self.files:
            self.now |= {f"{code.co_filename}:{line}" for *_, line in code.co_lines() if line}
        for one in kernel._called.values():
            self._note_kernel(one)


def trace(files: set[str], tests: Sequence[str], answer: Path) -> int:
    """Keep which lines each test reaches; tests that fail or are slow are left out."""
    reach = Reach(files)
    pytest.main(["-n0", "-q", "-p", "no:cacheprovider", *tests], plugins=[reach])
    kept = {
        name: (reach.seconds[name], sorted(lines))
        for name, lines in reach.lines.items()
        if name not in reach.failed and reach.seconds[name] < SLOW
    }
    print("left out:", sorted(set(reach.lines) - set(kept)), file=sys.stderr)
    answer.write_text(json.dumps(kept))
    return 0 if kept else 1


def in_child(work: Callable[[], int], seconds: float, log: Path) -> int | None:
    """Return how a fork ends that does some work in so many seconds of processor time, or None if
    it takes ten times as long by the clock."""
    process = os.fork()
    if process == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (round(seconds), round(seconds)))
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    until = time.monotonic() + 10 * seconds
    while time.monotonic() < until:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def is_killed(mutant: Mutant, reached: dict[str, Any], log: Path) -> bool:
    lines = {f"{mutant.path}:{line}" for line in mutant.make()[1]}
    chosen = [(seconds, name) for name, (seconds, own) in reached.items() if lines & set(own)]
    if not chosen:
        return False  # no test reaches it

    def work() -> int:
        settings.register_profile("mutants", deadline=None, database=None, derandomize=True)
        settings.load_profile("mutants")
        mutant.install()
        names = [name for _, name in sorted(chosen)]
        return int(pytest.main(["-n0", "-x", "-q", "-p", "no:cacheprovider", *names]))

    ended = in_child(work, 20 + 3 * sum(seconds for seconds, _ in chosen), log)
    if ended in (4, 5, 70):
        raise RuntimeError(f"{mutant.describe()}: the tests were not run\n{log.read_text()}")
    return ended != 0


def find_reached(package: str, tests: Sequence[str], folder: Path) -> dict[str, Any]:
    """Import everything, and return the seconds that each test takes and the lines it reaches."""
    os.chdir(ROOT)
    kernels = machine_code._find_folder()
    if kernels.exists():
        shutil.copytree(kernels, folder / "kernels")
    os.environ["LEXFIELD_KERNELS"] = str(folder / "kernels")
    pytest.main(["-n0", "-q", "-p", "no:cacheprovider", "--collect-only", "-qq", *tests])
    sources = {str(SOURCE / package / f"{module}.py") for module in PACKAGES[package][0].split()}
    answer = folder / "reached.json"
    ended = in_child(lambda: trace(sources, tests, answer), 3600, folder / "log")
    print(said := (folder / "log").read_text()[-500:], file=sys.stderr, flush=True)
    if ended != 0:
        raise RuntimeError(f"the tests were not run\n{said}")
    reached: dict[str, Any] = json.loads(answer.read_text())
    return reached


def score(package: str, count: int = COUNT) -> dict[str, Any]:
    """Return how many mutants of a package are killed.

    One that was killed is not run again, nor one that survived the same tests.
    """
    modules, files = PACKAGES[package]
    tests = [f"tests/{one}.py" for one in files.split()]
    state = hashlib.sha256(b"".join((ROOT / one).read_bytes() for one in tests)).hexdigest()[:12]
    kept = RESULTS / f"mutants.{package}.part.json"
    known: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    drawn, results = draw(package, count), []
    with tempfile.TemporaryDirectory() as name:
        folder, reached = Path(name), dict[str, Any]()
        for mutant in drawn:
            if known.get(mutant.key) not in ("killed", f"survived {state}"):
                reached = reached or find_reached(package, tests, folder)
                killed = is_killed(mutant, reached, folder / "log")
                known[mutant.key] = "killed" if killed else f"survived {state}"
                kept.write_text(json.dumps(known, indent=1))
            word = known[mutant.key].partition(" ")[0]
            results.append((word == "killed", mutant.describe()))
            print(f"{word:8}", results[-1][1], file=sys.stderr, flush=True)
    survivors = [what for killed, what in results if not killed]
    return {
        "modules": modules, "mutants": len(results), "killed": len(results) - len(survivors),
        "survivors": survivors, "date": date.today().isoformat(),
    }  # fmt: skip


def long(folder: Path) -> dict[str, Any]:
    """Every package, with LEXFIELD_MUTANTS mutants of each module."""
    count = int(os.environ.get("LEXFIELD_MUTANTS", COUNT))
    return {package: score(package, count) for package in PACKAGES}


def main() -> None:
    """Put the scores of one package, or of all, into the results."""
    path = RESULTS / "mutants.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for package in sys.argv[1:2] or PACKAGES:
        found[package] = score(package, *map(int, sys.argv[2:3]))
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
