"""Size, building, and the time to the first answer, as a collection grows.

    python benchmarks/scale.py [--data FOLDER] [--sizes 1000000 10000000] [--scratch FOLDER]

A collection of any size is made from the sentences of 73 books: each of its sentences is the
beginning of one and the end of another, drawn with a fixed seed. So its vocabulary does not grow as
that of real texts would. Every figure is measured in a process of its own, started anew. Building
and searching by bm25 are compared with bm25s (numba backend) in the same run where that fits into
memory; times are processor seconds, as the machine may be busy, and seconds by the clock where that
is said: large collections are scanned on all cores. The words of most queries are new to the
process that searches. Written to ``results/scale.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import HERE, rounded, save

SIZES = (1_000_000, 10_000_000)
QUERIES, AT_ONCE = 40, 500  # one by one, and in one call
METHODS = (
    "best",
    "bm25",
    "mean",
    "setcover",
    "ideas",
    "jaccard",
    "fuse(bm25, mean)",
    "wmd",
    "edit",
)
PEERS_UP_TO = 2_000_000  # sentences: bm25s holds the tokens of all texts as Python objects
_BUILD = """
import sys
from lexfield.search.index import Index
index = Index.build(sys.argv[1], sys.argv[2], replace=True)
"""
_PEER_BUILD = """
import json, sys
import bm25s
texts = [json.loads(line) for line in open(sys.argv[1] + ".sentences", encoding="utf-8")]
tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
peer = bm25s.BM25(backend="numba")
peer.index(tokens, show_progress=False)
peer.save(sys.argv[2])
"""
_FIRST = """
import sys, time
from lexfield.search.index import Index
if {warm}:
    small = Index(["A storm at sea.", "The harbour was quiet."], language="en")
    list(small.search("a storm", {method!r}))
begin, cpu = time.perf_counter(), time.process_time()
index = Index.open(sys.argv[2])
found = index.search("A storm broke over the quiet harbour.", {method!r})
hits = [(hit.id, hit.text) for hit in found]
print(time.perf_counter() - begin, time.process_time() - cpu)
"""
_SEARCH = """
import json, sys, time
from lexfield.search.index import Index
queries = json.load(open(sys.argv[1] + ".queries", encoding="utf-8"))
index = Index.open(sys.argv[2])
for query in queries[:5]: index.search(query, {method!r}, 10)
taken, waited = [], []
for query in queries[10:40]:
    begin, clock = time.process_time(), time.perf_counter()
    index.search(query, {method!r}, 10)
    taken.append(time.process_time() - begin)
    waited.append(time.perf_counter() - clock)
    if sum(taken) > 60: break
print(sorted(taken)[len(taken) // 2], max(taken), len(taken))
print(sorted(waited)[len(waited) // 2], max(waited))
"""
_FUSE = """
import json, sys, time
from lexfield.search.index import Index
queries = json.load(open(sys.argv[1] + ".queries", encoding="utf-8"))
index = Index.open(sys.argv[2])
asked = [("fuse(bm25, mean)", 10), ("bm25", 100), ("mean", 100)]  # fuse asks both for 100
for query in queries[:5]:
    for method, k in asked: index.search(query, method, k)
taken = dict.fromkeys(asked, 0.0)
for number, query in enumerate(queries[10:40]):
    for method, k in asked if number % 2 else reversed(asked):
        begin = time.process_time()
        index.search(query, method, k)
        taken[method, k] += time.process_time() - begin
fused, *parts = taken.values()
print(fused / sum(parts))
"""
_PEER_SEARCH = """
import json, sys, time
import bm25s
from lexfield.search.index import Index
queries = json.load(open(sys.argv[1] + ".queries", encoding="utf-8"))
peer = bm25s.BM25.load(sys.argv[2], mmap=True, backend="numba")
index = Index.open(sys.argv[3])
def ask_peer(texts):
    tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
    return peer.retrieve(tokens, k=10, show_progress=False, n_threads=1)
def measure(ask, *arguments):
    begin = time.process_time()
    ask(*arguments)
    return time.process_time() - begin
for query in queries[:10]: ask_peer([query]), index.search(query, "bm25", 10)
taken = [[], []]
for query in queries[10:40]:  # in turn, as the machine may be busier at one time than at another
    taken[0].append(measure(ask_peer, [query]))
    taken[1].append(measure(index.search, query, "bm25", 10))
for each in taken: print(sorted(each)[len(each) // 2], max(each))
def ask_all(texts): return [found.rows for found in index.search_many(texts, "bm25", 10)]
print(measure(ask_peer, queries[40:]), measure(ask_all, queries[40:]))
"""
_AFTER = """
import os, resource
used = resource.getrusage(resource.RUSAGE_SELF)
status = dict(line.split(":", 1) for line in open("/proc/self/status", encoding="utf-8"))
own = int(status["RssAnon"].split()[0])
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, own / 1024)
"""


def run(data: Path, sizes: tuple[int, ...] = SIZES, scratch: Path | None = None) -> dict[str, Any]:
    books = sorted((data / "books79" / "txt").glob("*.txt"))
    if not books:
        raise FileNotFoundError(2, "no books", str(data / "books79"))
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        return {f"{size:,} sentences": _measure(books, size, Path(folder)) for size in sizes}


def generate(books: list[Path], size: int, target: Path, seed: int = 0) -> None:
    """Write documents of 50 to 250 made-up sentences as JSON lines, and the sentences by line."""
    from lexfield.text.corpus import Corpus

    known = [" ".join(one.split()) for one in Corpus.read([str(book) for book in books]).sentences]
    made = _make_sentences(known, random.Random(seed))
    left, number, lengths = size, 0, random.Random(seed + 1)
    with (
        open(target, "w", encoding="utf-8") as documents,
        open(f"{target}.sentences", "w", encoding="utf-8") as sentences,
    ):
        while left > 0:
            some = [next(made) for _ in range(min(left, lengths.randint(50, 250)))]
            left, number = left - len(some), number + 1
            sentences.writelines(json.dumps(one) + "\n" for one in some)
            documents.write(json.dumps({"id": f"d{number}", "text": " ".join(some)}) + "\n")
    queries = [next(made) for _ in range(QUERIES + AT_ONCE)]
    Path(f"{target}.queries").write_text(json.dumps(queries), "utf-8")


def _make_sentences(known: list[str], draw: random.Random) -> Iterator[str]:
    while True:
        first, second = draw.choice(known).split(" "), draw.choice(known).split(" ")
        made = " ".join(first[: len(first) // 2 + 1] + second[len(second) // 2 + 1 :])
        yield made if made[-1] in ".!?" else f"{made}."


def _measure(books: list[Path], size: int, folder: Path) -> dict[str, Any]:
    texts, index, peer = folder / f"{size}.jsonl", folder / f"{size}.idx", folder / f"{size}.bm25s"
    generate(books, size, texts)
    begin = time.perf_counter()
    built = _run(_BUILD + _AFTER, texts, index)
    clock = time.perf_counter() - begin
    info = json.loads(_call("-m", "lexfield", "info", str(index), "--json"))["results"][0]
    each = info["sentences"]
    found: dict[str, Any] = {
        "bytes_per_sentence": {
            "all": rounded(info["bytes"] / each),
            **{part: rounded(bytes_ / each) for part, bytes_ in info["parts"].items()},
        },
        "build": {
            "words_per_processor_second": rounded(info["tokens"] / built[0]),
            "words_per_second_by_the_clock": rounded(info["tokens"] / clock),
            "peak_mb": rounded(built[1]),
        },
    }
    found |= measure_methods(texts, index)
    if size <= PEERS_UP_TO:
        found |= _compare_peer(texts, index, peer, found["build"], built[0])
    return found


def measure_methods(texts: Path, index: Path) -> dict[str, Any]:
    """Return the times of every method on an index of texts."""
    found: dict[str, Any] = {}
    for method in METHODS:
        first = {}
        for state, warm in (("fresh process", False), ("kernels loaded", True)):
            taken = _run(_FIRST.format(method=method, warm=warm) + _AFTER, texts, index)
            first[state] = {"seconds": rounded(taken[0]), "processor_seconds": rounded(taken[1])}
        _evict(index)
        taken = _run(_FIRST.format(method=method, warm=True) + _AFTER, texts, index)
        first["cold page cache"] = {"seconds": rounded(taken[0])}
        median, worst, count, clock, longest, _, _, own = _run(
            _SEARCH.format(method=method) + _AFTER, texts, index
        )
        found[method] = {
            "first_answer": first,
            "median_ms": rounded(1e3 * median),
            "worst_ms": rounded(1e3 * worst),
            "median_ms_by_the_clock": rounded(1e3 * clock),
            "worst_ms_by_the_clock": rounded(1e3 * longest),
            "queries": int(count),
            "resident_mb_beyond_page_cache": rounded(own),
        }
        print(index.name, method, json.dumps(found[method]), flush=True)
    found["fuse_times_its_parts"] = rounded(_run(_FUSE, texts, index)[0])
    return found


def _compare_peer(
    texts: Path, index: Path, peer: Path, build: dict[str, Any], built: float
) -> dict[str, Any]:
    """Return the times of bm25 beside bm25s, and add how long that builds to ``build``."""
    theirs = _run(_PEER_BUILD + _AFTER, texts, peer)
    build["processor_seconds_over_bm25s"] = rounded(built / theirs[0])
    median, worst, own, own_worst, many, own_many = _run(_PEER_SEARCH, texts, peer, index)
    return {
        "bm25s": {"median_ms": rounded(1e3 * median), "worst_ms": rounded(1e3 * worst)},
        "bm25 in turn with bm25s": {
            "median_ms": rounded(1e3 * own),
            "worst_ms": rounded(1e3 * own_worst),
        },
        "bm25_times_as_fast_as_bm25s": rounded(median / own),
        f"{AT_ONCE} queries in one call": {
            "bm25_ms": rounded(1e3 * own_many),
            "bm25s_ms": rounded(1e3 * many),
            "times_as_fast": rounded(many / own_many),
        },
    }


def _evict(index: Path) -> None:
    """Ask the system to drop the files of an index from the page cache."""
    for file in index.rglob("*.npy"):
        with open(file, "rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _run(code: str, *arguments: Path) -> list[float]:
    return [float(number) for number in _call("-c", code, *map(str, arguments)).split()]


def _call(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--scratch", type=Path)
    options = parser.parse_args()
    result = run(options.data, tuple(options.sizes), options.scratch)
    save("scale", result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
