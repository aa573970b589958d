"""Which results are still those of the present code and data.

A script's results depend on the script, on the files of lexfield that it and its worker processes
opened when it ran (``opened/sitecustomize.py`` lists them), and on the data folders that it reads.
Their hashes (of Python files without comments, docstrings and layout) are kept in
``results/made.json``, beside those of the result files, the time they took and the day.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import xxhash

from lexfield import __version__
from lexfield.store.files import canonical_json, replace_file

HERE = Path(__file__).parent
ROOT = HERE.parent
SOURCE = ROOT / "src" / "lexfield"
RESULTS = HERE / "results"
MADE = RESULTS / "made.json"
_SEARCHED = (HERE, ROOT / "benchmarks")  # where scripts find modules of their own


def digest(paths: Iterable[Path], base: Path) -> str:
    """One hash over the names of files and what they compute or hold."""
    total = xxhash.xxh3_128()
    for path in paths:
        total.update(path.relative_to(base).as_posix().encode() + b"\0")
        total.update(bytes.fromhex(_hash(path)))
    return total.hexdigest()


def _hash(path: Path) -> str:
    content = path.read_bytes()
    return _code_hash(content) if path.suffix == ".py" else xxhash.xxh3_128_hexdigest(content)


@cache
def _code_hash(source: bytes) -> str:
    """A hash of what a module computes: its tree without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        holds_one = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if holds_one and ast.get_docstring(node):
            node.body = node.body[1:]
    return xxhash.xxh3_128_hexdigest(ast.dump(tree).encode())


def data_hash(data: Path, folders: Sequence[str]) -> str:
    """One hash over folders of the data; empty if there are none."""
    files = sorted(p for name in folders for p in (data / name).rglob("*") if p.is_file())
    return digest(files, data) if files else ""


@contextmanager
def listing() -> Iterator[tuple[dict[str, str], Path]]:
    """The environment in which a script lists what it opens, and the folder of these lists."""
    with TemporaryDirectory(prefix="lexfield-") as folder:
        places = [str(HERE / "opened"), os.environ.get("PYTHONPATH", "")]
        path = os.pathsep.join(filter(None, places))
        yield {**os.environ, "LEXFIELD_OPENED": folder, "PYTHONPATH": path}, Path(folder)


def opened(folder: Path) -> set[Path]:
    """The files of lexfield, and modules of the scripts, in the lists of a folder."""
    lines = {line for log in folder.iterdir() for line in log.read_text("utf-8").splitlines()}
    paths = {Path(source_from_cache(s) if s.endswith(".pyc") else s) for s in lines}
    return {
        path
        for path in paths
        if (SOURCE in path.parents or (path.parent in _SEARCHED and path.suffix == ".py"))
        and path.parent.name != "__pycache__"  # compiled kernels
        and path != HERE / "cache.py"  # computes no figures
        and path.is_file()
    }


def hashes(paths: Iterable[Path]) -> dict[str, str]:
    """A short hash of what each file computes or holds, by its name."""
    return {path.relative_to(ROOT).as_posix(): _hash(path)[:8] for path in sorted(paths)}


def changed(known: dict[str, str]) -> list[str]:
    """Those of the hashed files that are not what they were."""
    now = hashes(path for name in known if (path := ROOT / name).is_file())
    return [name for name, value in known.items() if now.get(name) != value]


def made() -> dict[str, Any]:
    return dict(json.loads(MADE.read_text("utf-8"))) if MADE.is_file() else {}


def record(
    name: str,
    files: dict[str, str],
    data: str,
    outputs: Sequence[str],
    *,
    command: str,
    day: str,
    minutes: float,
) -> None:
    """Keep what results were made with: code, data, seed, command and duration."""
    known = made()
    known[name] = {
        "files": files,
        "data": data,
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
