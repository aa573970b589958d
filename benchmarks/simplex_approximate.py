"""Approximate neighbours in the simplex beside the certified ones, at 350,000 × 550, on one thread.

The ten nearest by Jensen–Shannon are the truth; every method orders its candidates by it.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from harness import rounded, save
from simplex import QUERIES, ROWS, TOPICS, K, draw

from lexfield.topics.approximate import Hnsw, Ivf, KdTree, Method, PStableHashes, make_neighbours

ALPHA = 0.01
METHODS: dict[str, Method] = {
    "certified": "certified",
    "LSH R=0.4": partial(PStableHashes, radius=0.4),
    "k-d tree": KdTree,
    "LSH R=0.6": partial(PStableHashes, radius=0.6),
    "IVF, 16 of 512 cells": partial(Ivf, cells=512),
    "HNSW, effort 64": Hnsw,
    "LSH R=0.8": partial(PStableHashes, radius=0.8),
    "k-d tree eps=1": partial(KdTree, eps=1.0),
}


def run(data: Path) -> dict[str, Any]:
    os.environ["LEXFIELD_THREADS"] = "1"
    rng = np.random.default_rng(2013)
    mixtures = draw(ROWS, ALPHA, 0, rng)
    queries = draw(QUERIES, ALPHA, 0, rng).astype(np.float64)
    table: dict[str, Any] = {}
    truth: Any = None
    for name, method in METHODS.items():
        start = time.process_time()
        neighbours = make_neighbours(mixtures, method)
        building = time.process_time() - start
        neighbours.query(queries[0], K)
        took, found = [], []
        for q in queries[:20] if name.startswith(("k-d", "LSH")) else queries:
            start = time.process_time()
            found.append(neighbours.query(q, K).rows.tolist())
            took.append(time.process_time() - start)
        truth = truth or found  # the first is exact: it is tested and certified
        table[name] = {
            **quality(found, truth),
            "median_ms": rounded(1e3 * median(took)),
            "build_seconds": rounded(building),
        }
        print(name, table[name], file=sys.stderr)
        del neighbours
        gc.collect()
        result = {"rows": ROWS, "topics": TOPICS, "alpha": ALPHA, "k": K, "methods": table}
        save("simplex_approximate", result)  # after each: some take very long to build
    return result


def quality(found: list[list[int]], truth: list[list[int]]) -> dict[str, float]:
    """Table 1 of the paper: the ten true neighbours are the relevant documents."""
    maps, fives, recalls = [], [], []
    for rows, relevant in zip(found, truth, strict=False):
        hits = np.isin(rows, relevant)
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        maps.append(float((precision * hits).sum()) / K)
        fives.append(float(hits[:5].sum()))
        recalls.append(float(hits.sum()) / K)
    return {
        "recall": rounded(float(np.mean(recalls))),
        "map": rounded(float(np.mean(maps))),
        "p@5": rounded(float(np.mean(fives)) / 5),
        "r@5": rounded(float(np.mean(fives)) / K),
    }
