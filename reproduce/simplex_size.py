"""Krstovski et al., Table 1 at the paper's size: 343,000 documents, 550 topics, 10,000 queries.

The paper's grants are not public; these mixtures are drawn: a Dirichlet distribution (α = 0.05) for
each document, 200 words drawn from it, and what is known of the distribution from these words. The
ten nearest by JS are relevant, found by our certified search, which is compared with a full scan
for some queries. A slow approximate method answers 1,000 or 100 of them. Times are processor time
on one thread, the loop's from a tenth of the documents.

    python reproduce/simplex_size.py
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lexfield.topics.approximate import KdTree, Method, PStableHashes, make_neighbours
from lexfield.topics.simplex import Neighbours

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "benchmarks"))
sys.path.append(str(HERE))
from simplex import TOPICS, draw, loop  # noqa: E402
from simplex_neighbours import NAMES, quality  # noqa: E402

ROWS, QUERIES, K, SEED = 343_000, 10_000, 10, 2013
ALPHA, WORDS = 0.05, 200
CHECKED, LOOPED = 5, 2
FEWER = {100: 0.05, 1000: 0.005}  # an approximate method that takes longer, in seconds, ends there
METHODS: dict[str, tuple[Method, str]] = {
    "certified JS (ours)": ("certified", "js"),  # first: it is the truth of the others
    "He LSH R=0.4": (partial(PStableHashes, radius=0.4), "hellinger"),
    "He LSH R=0.6": (partial(PStableHashes, radius=0.6), "hellinger"),
    "He LSH R=0.8": (partial(PStableHashes, radius=0.8), "hellinger"),
    "He k-d trees": (KdTree, "hellinger"),
}


def main() -> None:
    os.environ["LEXFIELD_THREADS"] = "1"
    rng = np.random.default_rng(SEED)
    mixtures = draw(ROWS, ALPHA, WORDS, rng)
    queries = draw(QUERIES, ALPHA, WORDS, rng).astype(np.float64)
    result: dict[str, Any] = {
        "documents": ROWS,
        "topics": TOPICS,
        "seed": SEED,
        **measure(mixtures, queries),
    }
    out = HERE / "results" / "simplex_size.json"
    out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps(result, indent=1))


def measure(mixtures: Any, queries: Any) -> dict[str, Any]:
    """The paper's figures for every method, and whether the truth is that of a full scan."""
    looping = time_loop(mixtures, queries[:LOOPED])
    rows: dict[str, Any] = {}
    truth: list[Any] = []
    for name, (method, by) in METHODS.items():
        start = time.process_time()
        neighbours = make_neighbours(mixtures, method)
        building = time.process_time() - start
        found, took = ask(neighbours, queries, by)
        truth = truth or found
        values = [*quality(found, truth[: len(found)]), looping / took]
        rows[name] = {
            **{key: round(float(value), 3) for key, value in zip(NAMES, values, strict=True)},
            "queries": len(found),
            "milliseconds": round(1e3 * took, 3),
            "seconds_to_build": round(building, 1),
        }
        print(name, rows[name], file=sys.stderr, flush=True)
        del neighbours
        gc.collect()
    scanned = Neighbours(mixtures, "scan").query(queries[:CHECKED], K).rows
    same = np.mean([np.isin(own, true).mean() for own, true in zip(truth, scanned, strict=False)])
    return {
        "loop_seconds_a_query": round(looping, 3),
        "certified_beside_a_scan": [round(float(same), 4), len(scanned)],
        "rows": rows,
    }


def ask(neighbours: Neighbours, queries: Any, by: str) -> tuple[list[Any], float]:
    """The neighbours of all queries, or of some if a query takes long; and seconds a query."""
    neighbours.query(queries[0], K, by)
    found: list[Any] = []
    start = time.process_time()
    for q in queries:
        found.append(neighbours.query(q, K, by).rows)
        slow = len(found) in FEWER and time.process_time() - start > len(found) * FEWER[len(found)]
        if slow and by != "js":
            break
    return found, (time.process_time() - start) / len(found)


def time_loop(mixtures: Any, queries: Any) -> float:
    """Seconds of the paper's loop for a query; all documents cost the same."""
    start = time.process_time()
    for q in queries:
        loop(q, mixtures[: len(mixtures) // 10])
    return 10 * (time.process_time() - start) / len(queries)


if __name__ == "__main__":
    main()
