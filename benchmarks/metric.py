"""Minimum cluster distortion beside metric-learn's RCA, which finds the same metric but for scale;
and what it needs at 100,000 × 2,000, streamed and in memory, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded, seconds
from metric_peers import rca
from numpy.typing import NDArray
from scipy.sparse import random as random_sparse

from lexfield import MinimumDistortion

_LARGE = """
import json, sys, time
import numpy as np
from lexfield import MinimumDistortion

rows, features, streamed = 100_000, 2_000, sys.argv[1] == "streamed"
rng = np.random.default_rng(0)
clusters = rng.integers(0, 5_000, rows)
metric = MinimumDistortion()
if streamed:
    took = 0.0
    for start in range(0, rows, 5_000):
        part = rng.standard_normal((5_000, features), np.float32)
        begin = time.perf_counter()
        metric.partial_fit(part, clusters[start : start + 5_000])
        took += time.perf_counter() - begin
    begin = time.perf_counter()
    rank = metric.rank_
else:
    points = rng.standard_normal((rows, features), np.float32)
    took, begin = 0.0, time.perf_counter()
    rank = metric.fit(points, clusters).rank_
took += time.perf_counter() - begin
status = open("/proc/self/status").read()  # getrusage would give the peak of the parent too
peak = int(status.split("VmHWM:")[1].split()[0])
print(json.dumps({"seconds": took, "peak_mb": peak / 1024, "rank": rank}))
"""


def run(data: Path) -> dict[str, Any]:
    return {
        "rca": [beside_rca(20_000, 300), beside_rca(20_000, 1_000)],
        "target": {"20000x300_seconds": 0.3, "times_rca": 10, "100000x2000_mb": 2048},
        "100000x2000": {name: large(name) for name in ("streamed", "in memory")},
        "sparse": sparse(),
    }


def clustered(rows: int, features: int) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, rows // 10, rows)
    centres = rng.normal(size=(rows // 10, features))
    mixing = rng.normal(size=(features, features)) / np.sqrt(features)
    return centres[clusters] + rng.normal(size=(rows, features)) @ mixing, clusters


def beside_rca(rows: int, features: int) -> dict[str, Any]:
    points, clusters = clustered(rows, features)
    metric = MinimumDistortion()
    pairs = []
    for _ in range(5):
        ours = seconds(lambda: metric.fit(points, clusters), 10)
        pairs.append((seconds(lambda: rca(points, clusters), 10) / ours, ours))
    pairs.sort()
    times, ours = pairs[2]
    # A map R without an origin: rows of zeros stay where they are
    root = rca(points, clusters)(np.eye(features))
    other = root @ root.T
    other /= np.exp(np.linalg.slogdet(other)[1] / features)
    return {
        "times_rca": rounded(times),
        "times_rca_of_five_rounds": [rounded(ratio) for ratio, _ in pairs],
        "rows": rows,
        "features": features,
        "seconds": rounded(ours),
        "rca_seconds": rounded(times * ours),
        "largest_difference_of_metrics": rounded(float(np.abs(other - metric.metric_).max())),
    }


def large(how: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _LARGE, how], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return {key: rounded(value) for key, value in found.items()}


def sparse() -> dict[str, Any]:
    """Twenty thousand rows of 5,000 features, a hundredth of them filled; beside the dense way."""
    rows = random_sparse(20_000, 5_000, 0.01, "csr", random_state=0)
    clusters = np.arange(20_000) % 2_000
    from lexfield.metric.scatter import Scatter

    def gather(points: Any) -> Scatter:
        scatter = Scatter(5_000)
        scatter.add(points, clusters.tolist())
        return scatter

    ours = seconds(lambda: gather(rows), 2)
    dense = seconds(lambda: gather(rows.toarray()), 1)
    return {"times_dense": rounded(dense / ours), "seconds": rounded(ours), "rows": 20_000}
