"""Which results are still those of the present code, data and arguments.

The key of a script's results is a hash over the script, everything of lexfield that it can reach by
imports (comments, docstrings and layout left out), the files of the data folders that it reads, and
its arguments. It is kept with the results in ``results/made.json``, beside the hashes of the result
files, the time they took and the day.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import xxhash

from lexfield import _HOMES, __version__
from lexfield.store.files import canonical_json, replace_file

HERE = Path(__file__).parent
ROOT = HERE.parent
SOURCE = ROOT / "src" / "lexfield"
RESULTS = HERE / "results"
MADE = RESULTS / "made.json"
_SEARCHED = (HERE, ROOT / "benchmarks")  # where scripts find modules of their own


def reached(script: Path) -> list[Path]:
    """The script and every file of lexfield, ``reproduce`` and ``benchmarks`` it can import."""
    waiting, found = [script], set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        text = path.read_text("utf-8")
        waiting += [file for name in _imported(text) for file in _files(name)]
        if "import_module(" in text and SOURCE in path.parent.parents:
            waiting += path.parent.glob("*.py")  # modules fetched by name, as search methods are
        waiting += [
            file for name in re.findall(r'"(lexfield\.[\w.]+):\w+"', text) for file in _files(name)
        ]
    return sorted(found)


@cache
def _imported(text: str) -> list[str]:
    """The names of the modules that a source imports, anywhere."""
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _files(name: str) -> list[Path]:
    """The files behind a module's name; none where it is not ours."""
    if name.startswith("lexfield."):
        home = _HOMES.get(name.removeprefix("lexfield."), name)  # `from lexfield import Index`
        places = [SOURCE.joinpath(*home.removeprefix("lexfield.").split("."))]
    else:
        places = [folder / name for folder in _SEARCHED if "." not in name]
    files = [p for place in places for p in (place.with_suffix(".py"), place / "__init__.py")]
    return [path for path in files if path.is_file()]


def digest(paths: Iterable[Path], base: Path) -> str:
    """One hash over names and bytes."""
    total = xxhash.xxh3_128()
    for path in paths:
        total.update(path.relative_to(base).as_posix().encode() + b"\0")
        content = path.read_bytes()
        total.update(xxhash.xxh3_128_digest(_code(content) if path.suffix == ".py" else content))
    return total.hexdigest()


@cache
def _code(source: bytes) -> bytes:
    """Return what a module computes: its syntax tree without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        holds_one = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if holds_one and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.dump(tree).encode()


def parts(script: Path, data: Path, folders: Sequence[str], arguments: Sequence[str]) -> Any:
    """What the results of a script depend on, as hashes."""
    files = sorted(p for name in folders for p in (data / name).rglob("*") if p.is_file())
    return {
        "source": digest(reached(script), ROOT),
        "script": script_hash(script),
        "data": digest(files, data) if files else "",
        "arguments": list(arguments),
    }


def script_hash(script: Path) -> str:
    """One hash over the script and what it imports from ``reproduce`` and ``benchmarks``."""
    waiting, found = [script], set()
    while waiting:
        path = waiting.pop()
        if path not in found and SOURCE not in path.parents:
            found.add(path)
            waiting += [f for name in _imported(path.read_text("utf-8")) for f in _files(name)]
    return digest(sorted(found), ROOT)


def made() -> dict[str, Any]:
    return dict(json.loads(MADE.read_text("utf-8"))) if MADE.is_file() else {}


def record(
    name: str, key: Any, outputs: Sequence[str], *, command: str, day: str, minutes: float
) -> None:
    """Keep what results were made with: code, data, seed, command and duration."""
    known = made()
    known[name] = {
        "key": key,
        "version": __version__,
        "commit": commit(),
        "command": command,
        "seed": _seed(outputs),
        "made": day,
        "minutes": round(minutes, 1),
        "results": _sums(outputs),
    }
    replace_file(MADE, canonical_json(known))


def commit() -> str:
    """The commit of the sources, with a + if files have changed since."""
    if not (head := _git("rev-parse", "--short=8", "HEAD")):
        return "unknown"
    return head + ("+" if _git("status", "--porcelain", "--", "src", "reproduce/*.py") else "")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _seed(outputs: Sequence[str]) -> Any:
    """What the results say about their seeds; None for a script that draws nothing at random."""
    for output in outputs:
        if output.endswith(".json"):
            result = json.loads((RESULTS / output).read_text("utf-8"))
            if (seed := result.get("seed", result.get("seeds"))) is not None:
                return seed
    return None


def _sums(outputs: Sequence[str]) -> dict[str, str]:
    paths = {name: RESULTS / name for name in outputs}
    return {n: xxhash.xxh3_64_hexdigest(p.read_bytes()) for n, p in paths.items() if p.is_file()}


def recorded(name: str, outputs: Sequence[str]) -> dict[str, Any] | None:
    """The record of a script, if the result files are those that it tells of."""
    known: dict[str, Any] | None = made().get(name)
    whole = known and all((RESULTS / output).is_file() for output in outputs)
    return known if whole and known and known["results"] == _sums(outputs) else None
