"""Searching large collections: every method at two sizes, and BM25 beside bm25s with Numba.

    python benchmarks/run.py queries
    python benchmarks/queries.py FOLDER    keeps the indexes in a folder, and uses those it holds

The collections are made of the sentences of 79 books: the first half of one and the second half of
another, drawn at random with a fixed seed, 200 to a document. Queries are sentences of 6 to 25
words of the collection itself. An index counts stems, as it does by default; bm25s counts words, so
its lists are shorter. Words are asked for the second time, so that their lists have been made, as
bm25s makes all of them when it builds; ``new_words`` has the times of the first. All is one thread
and the processor's time, which other work on the machine disturbs least.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from harness import HERE, rounded, save

from lexfield import Corpus, Document, Index
from lexfield.text.stopwords import stopwords

SIZES = (300_000, 1_200_000)  # sentences
TOGETHER = 200  # sentences of a document
QUERIES, AT_ONCE, K = 60, 500, 5
FUSED = "fuse(bm25, mean)"
METHODS = ("bm25", "best", "mean", FUSED, "setcover", "ideas", "wmd", "jaccard", "lm")


def run(data: Path, work: Path | None = None) -> dict[str, Any]:
    from threadpoolctl import threadpool_limits

    result: dict[str, Any] = {}
    with TemporaryDirectory() as temporary, threadpool_limits(1):
        for size in SIZES:
            index = Index.open(build(data, size, work or Path(temporary)))
            queries = choose_queries(index, AT_ONCE)
            result[f"{size:,} sentences"] = {
                "bm25": compare_bm25(index, queries),
                "milliseconds": measure_methods(index, queries[:QUERIES]),
            }
            print(json.dumps(result[f"{size:,} sentences"], indent=1), file=sys.stderr)
    return {**find_ratios(result), **result}


def find_ratios(result: dict[str, Any]) -> dict[str, Any]:
    """Return how the methods compare with bm25s, with their parts and with a smaller collection."""
    small, large = (one["milliseconds"] for one in result.values())
    beside = result[f"{SIZES[1]:,} sentences"]["bm25"]
    return {
        "bm25_times_bm25s": beside["times_bm25s_per_query"],
        "bm25_times_bm25s_all_at_once": beside["times_bm25s_all_at_once"],
        "fuse_over_its_parts": {
            name: rounded(large[FUSED][name] / (large["bm25"][name] + large["mean"][name]))
            for name in ("median", "p99")
        },
        f"growth_when_{SIZES[1] // SIZES[0]}_times_as_large": {
            method: rounded(large[method]["median"] / small[method]["median"]) for method in METHODS
        },
    }


def build(data: Path, size: int, folder: Path) -> Path:
    path = folder / f"{size // 1000}k"
    if not path.exists():
        Index.build(Corpus.of(recombine(data, size)), path)
    return path


def recombine(data: Path, size: int) -> Iterator[Document]:
    """Documents of sentences, each of two halves of others."""
    books = Corpus.read(data / "books79" / "txt")
    text = books.texts.data.tobytes()
    cut = [text[start:end].decode().split() for start, end in books.sentence_spans.tolist()]
    words = [some for some in cut if len(some) >= 4]
    rng = np.random.default_rng(5)
    heads, tails = (rng.integers(len(words), size=size).tolist() for _ in range(2))
    for first in range(0, size, TOGETHER):
        last = min(first + TOGETHER, size)
        pairs = zip(heads[first:last], tails[first:last], strict=True)
        lines = (words[i][: len(words[i]) // 2] + words[j][len(words[j]) // 2 :] for i, j in pairs)
        yield Document(f"d{first}", "\n\n".join(" ".join(line) for line in lines))


def choose_queries(index: Index, count: int) -> list[str]:
    rows = index.rows()
    fitting = np.flatnonzero((rows.lengths >= 6) & (rows.lengths <= 25))
    chosen = np.random.default_rng(3).choice(fitting, count, replace=False)
    excluded = stopwords("en")
    texts = (rows.text(row) for row in chosen.tolist())
    return [text for text in texts if set(index.normalisation.words(text)) - excluded]


def time_each(search: Callable[[str], object], queries: list[str]) -> list[float]:
    """Return milliseconds of the processor for each query."""
    took = []
    for query in queries:
        begin = time.process_time()
        search(query)
        took.append(1000 * (time.process_time() - begin))
    return took


def summarise(took: list[float]) -> dict[str, float]:
    return {
        "median": rounded(float(np.median(took))),
        "p99": rounded(float(np.quantile(took, 0.99))),
    }


def measure_methods(index: Index, queries: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for method in METHODS:
        index.search(queries[0], method, K)

        def search(text: str, method: str = method) -> object:
            return index.search(text, method, K)

        new = summarise(time_each(search, queries))
        found[method] = {**summarise(time_each(search, queries)), "new_words": new}
    return found


def compare_bm25(index: Index, queries: list[str]) -> dict[str, Any]:
    """One query after another, in turns; then all in one call."""
    import bm25s

    peer, excluded = build_peer(index), sorted(stopwords("en"))

    def tokenize(texts: list[str]) -> Any:
        found = bm25s.tokenize(texts, stopwords=excluded, show_progress=False, return_ids=False)
        return [some for some in found if some]

    def ask_peer(texts: list[str]) -> object:
        tokens = tokenize(texts)
        return peer.retrieve(tokens, k=K, show_progress=False, n_threads=1) if tokens else None

    for text in queries:
        index.search(text, "bm25", K)
        ask_peer([text])
    ours = time_each(lambda text: index.search(text, "bm25", K), queries)
    theirs = time_each(lambda text: ask_peer([text]), queries)
    ask_peer(queries)
    all_ours = time_each(lambda _: list(index.search_many(queries, "bm25", K)), ["all"])[0]
    all_theirs = time_each(lambda _: ask_peer(queries), ["all"])[0]
    return {
        "times_bm25s_per_query": rounded(sum(theirs) / sum(ours)),
        "times_bm25s_all_at_once": rounded(all_theirs / all_ours),
        "milliseconds": summarise(ours),
        "bm25s_milliseconds": summarise(theirs),
    }


def build_peer(index: Index) -> Any:
    """bm25s over the tokens of the index, stopwords too, as they are without stems."""
    import bm25s

    corpus = index.segments[0].corpus
    ends = corpus.token_offsets.tolist()
    ids = [corpus.tokens[a:b].tolist() for a, b in pairwise(ends)]
    peer = bm25s.BM25(method="lucene", backend="numba", k1=1.5, b=0.75)
    vocabulary = {word: number for number, word in enumerate(corpus.vocabulary)}
    peer.index((ids, vocabulary), show_progress=False)
    return peer


if __name__ == "__main__":
    save("queries", run(HERE.parents[1] / "shared" / "data", Path(sys.argv[1])))
