"""Compare the speed of two commits: every operation in turns, old and new, in the same run.

    python benchmarks/commits.py OLD-COMMIT [--texts FOLDER] [--rounds 5] [--only kwic]

The old commit is checked out, and the working tree is copied, so that what is edited during the run
does not count. Each operation runs in a process of its own that imports one of the two; processes
take turns, so that noise hits both alike. Times are those of the processor, with all threads and
the commands that are started: other work changes them least. A ratio above 1 means that the working
tree is faster. Written to ``results/commits.json``; with ``--only``, which names some operations by
a part of their names, the others stay there as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "commits.json"
LEAST = 0.95
_SETUP = """
import resource, sys, time
from pathlib import Path
texts, folder = Path(sys.argv[1]), Path(sys.argv[2])
QUERIES = ["The storm broke at midnight.", "a letter from an old friend", "he laughed",
           "the price of bread", "What is the meaning of this?"]
def spent():
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + started.ru_utime + started.ru_stime
def best(work, times=3):
    taken = []
    for _ in range(times):
        begin = spent(); work(); taken.append(spent() - begin)
    print(min(taken))
"""
_SEARCH = """
from lexfield.search.index import Index
index = Index.open(folder / "t.idx")
index.search(QUERIES[0], {method!r})
best(lambda: [list(index.search(q, {method!r})) for q in QUERIES], 40)
"""
_COMMAND = """
import subprocess
def call():
    done = subprocess.run([sys.executable, "-m", "lexfield", *{arguments!r}],
                          capture_output=True, text=True, cwd=folder)
    if done.returncode > 1:  # 1 means that nothing was found
        raise SystemExit(done.stderr)
best(call, 2)
"""
OPERATIONS = {
    "import lexfield": """
import subprocess
best(lambda: subprocess.run([sys.executable, "-c", "import lexfield"], check=True))
""",
    "index: read, cut, embed, write": """
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
best(lambda: Index.build(Corpus.read([str(texts)]), folder / "t.idx", replace=True), 2)
""",
    "open and first answer": """
import subprocess
code = "import lexfield as lx; list(lx.Index.open('t.idx').search('a storm at sea', 'bm25'))"
best(lambda: subprocess.run([sys.executable, "-c", code], check=True, cwd=folder))
""",
    **{
        f"search: {method}": _SEARCH.format(method=method)
        for method in (
            "setcover(r=10)", "mean", "wmd", "jaccard", "edit", "bow", "bm25", "lm",
            "count", "fuse(bm25, mean)",
        )
    },
    "search_many: 500 by bm25": """
from lexfield.search.index import Index
index = Index.open(folder / "t.idx")
best(lambda: [list(r) for r in index.search_many(QUERIES * 100, "bm25")])
""",
    **{
        f"lexfield {' '.join(arguments)}": _COMMAND.format(arguments=arguments)
        for arguments in (
            ["--help"],
            ["search", "--help"],
            ["near", "book"],
            ["compare", "a.txt", "b.txt", "--explain"],
            ["compare", "a.txt", "b.txt", "--space", "latent"],
            ["keyness", "a.txt", "b.txt"],
            ["zipf", "a.txt"],
            ["zipf", "a.txt", "--latent", "--no-nulls"],
            ["pairs", "t.idx", "--measure", "js"],
            ["duplicates", "t.idx"],
            ["kwic", "t.idx", "storm"],
        )
    },
}  # fmt: skip


def run(source: Path, code: str, texts: Path, folder: Path) -> float:
    """Return the seconds that an operation takes with the code of a source tree."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process compiles all modules
    done = subprocess.run(
        [sys.executable, "-c", _SETUP + code, str(texts), str(folder)],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{source.name}: {done.stderr[-2000:]}")
    return float(done.stdout.split()[-1])


def compare(
    old: Path, new: Path, texts: Path, rounds: int, only: str
) -> dict[str, dict[str, float]]:
    """Return the medians of both trees and their ratio for every operation."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as place:
        folders = {"old": Path(place) / "old", "new": Path(place) / "new"}
        two = sorted(texts.rglob("*.txt"))[:2]
        for folder in folders.values():
            folder.mkdir()
            for name, source in zip("ab", two, strict=True):
                (folder / f"{name}.txt").write_bytes(source.read_bytes())
        for name, code in OPERATIONS.items():
            if only not in name and not name.startswith("index"):  # which the others need
                continue
            taken: dict[str, list[float]] = {"old": [], "new": []}
            for number in range(rounds):
                turn = ("old", "new") if number % 2 else ("new", "old")
                for which in turn:
                    source = old if which == "old" else new
                    taken[which].append(run(source, code, texts, folders[which]))
            before, after = (statistics.median(taken[which]) for which in ("old", "new"))
            found[name] = {"ratio": before / after, "old_s": before, "new_s": after}
            mark = "" if before / after >= LEAST else "  SLOWER"
            print(
                f"{before / after:6.2f}x  {before:8.4f} s → {after:8.4f} s  {name}{mark}",
                flush=True,
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("--texts", type=Path, default=ROOT.parent / "shared/data/books79/txt")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        old, new = Path(place) / "old", Path(place) / "new"
        for name in ("src", "docs"):  # stored help is in docs
            shutil.copytree(ROOT / name, new / name)
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(old), chosen.commit], check=True)
        try:
            found = compare(old, new, chosen.texts, chosen.rounds, chosen.only)
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)
    if chosen.only:
        found = json.loads(RESULTS.read_text())["operations"] | found
    slower = [name for name, one in found.items() if one["ratio"] < LEAST]
    RESULTS.write_text(json.dumps({"slower": slower, "operations": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
