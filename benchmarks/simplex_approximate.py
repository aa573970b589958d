"""Approximate neighbours in the simplex beside the certified ones, at 350,000 × 550, on one thread.

The ten nearest by Jensen–Shannon are the truth; every method orders its candidates by it.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from harness import rounded
from simplex import QUERIES, ROWS, TOPICS, K, draw

from lexfield.topics.neighbours import Neighbours

ALPHA = 0.01
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "certified": ("certified", {}),
    "k-d tree": ("kdtree", {}),
    "k-d tree eps=1": ("kdtree", {"eps": 1.0}),
    "LSH R=0.4": ("lsh", {"radius": 0.4}),
    "IVF, 16 cells": ("ivf", {}),
    "HNSW, effort 64": ("hnsw", {}),
    "LSH R=0.6": ("lsh", {"radius": 0.6}),
    "LSH R=0.8": ("lsh", {"radius": 0.8}),
}


def run(data: Path) -> dict[str, Any]:
    os.environ["LEXFIELD_THREADS"] = "1"
    rng = np.random.default_rng(2013)
    mixtures = draw(ROWS, ALPHA, 0, rng)
    queries = draw(QUERIES, ALPHA, 0, rng).astype(np.float64)
    table: dict[str, Any] = {}
    truth: Any = None
    for name, (method, options) in METHODS.items():
        start = time.perf_counter()
        neighbours = Neighbours(mixtures, method, **options)
        building = time.perf_counter() - start
        neighbours.query(queries[0], K)
        took, found = [], []
        for q in queries[:20] if method in ("kdtree", "lsh") else queries:
            start = time.perf_counter()
            found.append(neighbours.query(q, K).rows.tolist())
            took.append(time.perf_counter() - start)
        truth = truth or found  # the first is exact: it is tested and certified
        hits = [len(set(a) & set(b)) / K for a, b in zip(found, truth, strict=False)]
        table[name] = {
            "recall": rounded(float(np.mean(hits))),
            "median_ms": rounded(1e3 * median(took)),
            "build_seconds": rounded(building),
        }
        print(name, table[name], file=sys.stderr)
        del neighbours
        gc.collect()
    return {"rows": ROWS, "topics": TOPICS, "alpha": ALPHA, "k": K, "methods": table}
