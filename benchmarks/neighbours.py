"""All nearest neighbours of a vocabulary: exact blocks beside faiss's flat index and scikit-learn.

faiss's scores are float32; ours are the exact order in float64.
"""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded, seconds

from lexfield.vectors.nearest import nearest_rows, prepare_rows
from lexfield.vectors.wordvectors import WordVectors

QUERIES = 20_000


def run(data: Path) -> dict[str, Any]:
    import faiss

    base = WordVectors.default().unit
    queries = np.ascontiguousarray(base[:QUERIES])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours = seconds(lambda: nearest_rows(queries, base, k=10), 2)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    index = faiss.IndexFlatIP(base.shape[1])
    index.add(base)
    theirs = seconds(lambda: index.search(queries, 10), 2)
    exact = nearest_rows(queries[:2000], base, k=10).rows.reshape(-1, 10)
    found = nearest_rows(queries[:2000], base, k=10, approximate=True).rows.reshape(-1, 10)
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(exact, found, strict=True)])
    approximate = seconds(lambda: nearest_rows(queries, base, k=10, approximate=True), 1)
    ready = prepare_rows(base)
    one = seconds(lambda: nearest_rows(queries[:1], ready, k=10), 5)
    return {
        "times_faiss_flat": rounded(theirs / ours),
        "approximate_times_exact_including_training": rounded(ours / approximate),
        "approximate_recall_at_10": rounded(float(recall), 4),
        "queries": QUERIES,
        "base": list(base.shape),
        "exact_seconds": rounded(ours),
        "faiss_flat_seconds": rounded(theirs),
        "one_query_milliseconds": rounded(one * 1e3),
        "memory_grown_megabytes": round(grown / 1024),
    }
