"""What the benchmarks share: best-of timing, the data folder, and results as JSON."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of several runs: the one that the machine disturbed least."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def save(name: str, result: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")


def rounded(value: float, digits: int = 3) -> float:
    """Enough digits to compare, not so many as to pretend."""
    return float(f"{value:.{digits}g}")
