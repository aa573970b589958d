"""Run benchmarks: ``python benchmarks/run.py [NAME…] [--data FOLDER]``; results go to results/.

Each is a module here with ``run(data) -> dict``; ratios against a named peer come first in it. Each
runs in a process of its own, and ``results/runs.json`` records when, at which commit of the code,
and how busy the machine was. Without names, benchmarks that this commit has already passed are left
out, so an interrupted run continues. At the end, the figures are inserted into the pages.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness import HERE, RESULTS, save

from lexfield.errors import ReadError

ROOT = HERE.parent
ALL = (
    "segmentation",
    "cutting",
    "reading",
    "languages",
    "neighbours",
    "threshold",
    "default_vectors",
    "startup",
    "search",
    "queries",
    "bags",
    "serve",
    "page",
    "divergence",
    "delta",
    "style",
    "reuse",
    "bias",
    "zipf",
    "exponent",
    "simplex",
    "simplex_approximate",
    "metric",
    "cluster",
    "chance",
    "leaderboard",
    "beside_encoder",
    "scale",
)
CODE = ("src", ":(glob)benchmarks/*.py")
NO_DATA = 3  # the exit code of a benchmark whose data are not here


def name_commit() -> str:
    """Return the last commit that changed the code, with ``+changes`` if some are not committed."""
    commit = _git("log", "-1", "--format=%h", "--", *CODE)
    return f"{commit}+changes" if _git("status", "--porcelain", "--", *CODE) else commit


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def read_runs() -> dict[str, Any]:
    """Return when and at which commit each benchmark was run last."""
    path = RESULTS / "runs.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def list_due(commit: str) -> list[str]:
    """Return the benchmarks that this commit has not passed yet."""
    runs = read_runs()
    fresh = not commit.endswith("+changes")
    return [name for name in ALL if not (fresh and runs.get(name, {}).get("commit") == commit)]


def run_all(names: list[str], data: Path, commit: str) -> list[str]:
    """Run benchmarks, one process each, and record them; return those that failed."""
    failed = []
    for number, name in enumerate(names, 1):
        print(f"== {name} ({number} of {len(names)})", file=sys.stderr)
        load = os.getloadavg()[0]
        command = [sys.executable, __file__, "--alone", name, "--data", str(data)]
        code = subprocess.run(command, check=False).returncode
        if code == 0:
            date = datetime.now(UTC).strftime("%Y-%m-%d")
            record = {"commit": commit, "date": date, "load_before": round(load, 1)}
            save("runs", dict(sorted({**read_runs(), name: record}.items())))
        elif code != NO_DATA:
            failed.append(name)
    return failed


def run_one(name: str, data: Path) -> int:
    """Run a benchmark in this process and save its result; return the exit code."""
    try:
        result = importlib.import_module(name).run(data)
    except (FileNotFoundError, ReadError) as error:
        print(f"skipped: {error}", file=sys.stderr)
        return NO_DATA
    save(name, result)
    print(json.dumps(result, indent=1, ensure_ascii=False))
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--list", action="store_true", help="only print what would be run")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        raise SystemExit(run_one(options.names[0], options.data))
    commit = name_commit()
    names = options.names or list_due(commit)
    if options.list:
        print("\n".join(names))
        return
    failed = run_all(names, options.data, commit)
    for script in (["benchmarks/leaderboard.py", "--page"], ["scripts/insert_figures.py"]):
        subprocess.run([sys.executable, *script], cwd=ROOT, check=True)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}; run it again to repeat only what is left")


if __name__ == "__main__":
    main()
