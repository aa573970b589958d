"""Mutants: would the tests notice a small mistake in the code?

    python -m tests.fault.mutants [PACKAGE [COUNT]]

A mutant is a copy of the source in which one comparison, operator, number, condition or return is
changed. It is killed if the tests of its package fail. Mutants are drawn at random, the same ones
every time, from the functions of a package; those in messages and annotations are left out.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).parent / "results" / "mutants.part.json"
PACKAGES: dict[str, tuple[str, list[str]]] = {
    "store": ("store/*.py", ["tests/store"]),
    "index": (
        "index/*.py",
        ["tests/index", "tests/search/test_index.py", "tests/fault/test_model.py"],
    ),
    "compare": ("compare/*.py", ["tests/compare"]),
    "topics": ("topics/*.py", ["tests/topics"]),
    "metric": ("metric/*.py", ["tests/metric", "tests/test_metric_features.py"]),
}
_COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
             ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
             ast.IsNot: ast.Is}  # fmt: skip
_COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
             ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult}  # fmt: skip


def find_mutations(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield nodes that can be changed, and how; not in messages, annotations or constants."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for statement in function.body:
            if isinstance(statement, ast.Raise):
                continue
            for node in ast.walk(statement):
                match node:
                    case ast.Compare(ops=[op]) if type(op) in _COMPARED:
                        yield node, "comparison"
                    case ast.BinOp(op=op, left=left) if type(op) in _COMPUTED:
                        if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
                            yield node, "operator"
                    case ast.Constant(value=int() as value) if type(value) is int and value < 100:
                        yield node, "number"
                    case ast.Constant(value=bool()):
                        yield node, "truth"
                    case ast.UnaryOp(op=ast.Not()):
                        yield node, "not"
                    case ast.If():
                        yield node, "condition"
                    case _:
                        pass


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
        node.op = ast.UAdd() if isinstance(node.operand, ast.Constant) else ast.Not()
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif how == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)


def draw(pattern: str, count: int) -> list[tuple[Path, int]]:
    """Return files and numbers of mutations in them, the same at every call."""
    every = []
    for path in sorted((ROOT / "src" / "lexfield").glob(pattern)):
        tree = ast.parse(path.read_text("utf-8"))
        every += [(path, number) for number, _ in enumerate(find_mutations(tree))]
    random.Random(1).shuffle(every)
    return every[:count]


def is_killed(path: Path, number: int, tests: list[str], source: Path) -> tuple[bool, str]:
    """Run the tests on a mutant; return whether they fail, and what was changed.

    The tests of its own module come first: they are quick, and kill most.
    """
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    node, how = list(find_mutations(tree))[number]
    line = node.lineno  # type: ignore[attr-defined]
    mutate(node, how)
    target = source / path.relative_to(ROOT / "src")
    target.write_text(ast.unparse(ast.fix_missing_locations(tree)), "utf-8")
    own = [str(one.relative_to(ROOT)) for test in tests for one in (ROOT / test).glob(
        f"test_{path.stem}*.py")]  # fmt: skip
    killed = bool(own and fails(own, source)) or fails(tests, source)
    target.write_text(text, "utf-8")
    what = f"{path.relative_to(ROOT)}:{line} {how}: {text.splitlines()[line - 1].strip()}"
    return killed, what


def fails(tests: list[str], source: Path) -> bool:
    """Return whether a test fails, or does not end."""
    options = "-n 0 -x -q -p no:cacheprovider".split()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True,
            timeout=900, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def score(package: str, count: int) -> dict[str, Any]:
    """Return how many mutants of a package are killed; what is known already is not run again."""
    pattern, tests = PACKAGES[package]
    known: dict[str, list[Any]] = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
    results = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        for path, number in draw(pattern, count):
            state = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            key = f"{path.relative_to(ROOT)} {number} {state}"
            if key not in known:
                known[key] = list(is_killed(path, number, tests, source))
                KNOWN.write_text(json.dumps(known, indent=1))
            killed, what = known[key]
            results.append((killed, what))
            print("killed  " if killed else "survived", what, file=sys.stderr, flush=True)
    survivors = [what for killed, what in results if not killed]
    return {
        "mutants": len(results),
        "killed": len(results) - len(survivors),
        "survivors": survivors,
    }


def long(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {package: score(package, 60) for package in PACKAGES}
    KNOWN.unlink()
    return found


if __name__ == "__main__":
    names = sys.argv[1:2] or list(PACKAGES)
    print(
        json.dumps({one: score(one, int((sys.argv[2:] or ["60"])[0])) for one in names}, indent=1)
    )
