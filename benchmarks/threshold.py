"""The threshold of a lexicon of 100,000 words beside plain NumPy, a row of similarities at a time.

The plain way is timed over its first rows and scaled up; both must count the same neighbours. Peak
memory is that of a process that does nothing but load the vectors and find the threshold.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded
from numpy.typing import NDArray

from lexfield.vectors.threshold import threshold
from lexfield.vectors.wordvectors import WordVectors

WORDS = 100_000
PLAIN = 500  # rows that the plain way is timed over
VALUES = np.arange(21) / 20  # similarities at which neighbours are counted


def run(data: Path) -> dict[str, Any]:
    measured = json.loads(
        subprocess.run(
            [sys.executable, __file__], check=True, capture_output=True, text=True
        ).stdout
    )
    vectors = WordVectors.load("default", limit=WORDS)
    unit = np.ascontiguousarray(vectors.unit)
    start = time.perf_counter()
    plain_neighbours(unit, range(PLAIN))
    plain = (time.perf_counter() - start) * WORDS / PLAIN
    few = WordVectors.load("default", limit=2000)
    curve = threshold(few).curve
    ours = np.array([curve.neighbours(value) for value in VALUES])
    theirs = plain_neighbours(np.ascontiguousarray(few.unit), range(2000)) / 2000
    sampled_start = time.perf_counter()
    sampled = threshold(vectors, sample=2000)
    sampled_seconds = time.perf_counter() - sampled_start
    return {
        "times_numpy_row_by_row": rounded(plain / measured["seconds"]),
        "seconds": rounded(measured["seconds"]),
        "peak_megabytes": measured["megabytes"],
        "words": WORDS,
        "dims": vectors.dims,
        "threshold": rounded(measured["threshold"], 5),
        "numpy_seconds": rounded(plain),
        "largest_difference_of_neighbours": rounded(float(np.abs(ours - theirs).max())),
        "sample_of_2000": {
            "seconds": rounded(sampled_seconds),
            "threshold": rounded(sampled.threshold, 5),
            "standard_error": rounded(sampled.error, 2),
        },
    }


def plain_neighbours(unit: NDArray[np.float32], rows: range) -> NDArray[np.int64]:
    """Neighbours above each value, over some rows: the obvious way."""
    above = np.zeros(len(VALUES), np.int64)
    for row in rows:
        similarities = np.sort(np.delete(unit @ unit[row], row))
        above += len(similarities) - np.searchsorted(similarities, VALUES, "right")
    return above


def alone() -> None:
    """In a process of its own: time, peak memory and the threshold."""
    vectors = WordVectors.load("default", limit=WORDS)
    start = time.perf_counter()
    found = threshold(vectors)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "threshold": found.threshold}))


if __name__ == "__main__":
    alone()
