"""The leaderboard: its measures by hand, and its page as committed."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.snippets import ROOT


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


def test_measures(module: object) -> None:
    tasks = module("leaderboard_tasks")  # type: ignore[operator]
    # relevant 1 and 2: found at places 1 and 3, so (1/1 + 2/3)/2; and not at all
    found = tasks.average_precision([[1, 9, 2], [5]], [{1, 2}, {7}])
    assert found.tolist() == pytest.approx([5 / 6, 0])
    # a gain of 3 at place 2 where it could be at 1
    assert tasks.ndcg([[9, 4]], [{4: 3}]).tolist() == pytest.approx([0.63093], abs=1e-5)
    pairs = [[1, 2, 3], [0, 3, 2], [3, 0, 1], [2, 1, 0]]
    clusters = tasks.clustered(pairs, 2).tolist()
    assert clusters[0] == clusters[1] != clusters[2] == clusters[3]
    assert len(tasks.cut("word " * 300).split()) == tasks.WORDS


def test_intervals(module: object, tmp_path: Path) -> None:
    """Always better by the same is sure; better and worse by turns is not."""
    tasks, intervals = (module(f"leaderboard_{n}") for n in ("tasks", "intervals"))  # type: ignore[operator]
    task = tasks.Task("t", "MAP", [], [], [], 10, np.array)
    base = np.tile([0.2, 0.4], 20)
    assert task.score(base) == pytest.approx(0.3)
    assert intervals.compare(task, base + 0.1, base) == pytest.approx([0.1, 0.1, 0.1])
    value, low, high = intervals.compare(task, base[::-1], base)
    assert (value, low < -0.01, high > 0.01) == (0, True, True)

    def row(values: list[float]) -> dict[str, object]:
        return {"tasks": {"t": {"values": values}}}

    kept = tmp_path / "queries.json"
    methods = {"bm25": row((base + 0.1).tolist()), intervals.MINILM: row(base.tolist())}
    for name in methods:  # an interval waits for MiniLM
        assert "against" not in methods["bm25"]["tasks"]["t"]  # type: ignore[index]
        intervals.add_intervals(methods, name, [task], kept)
    assert methods["bm25"]["tasks"] == {"t": {"against": [0.1, 0.1, 0.1]}}
    assert json.loads(kept.read_text())[intervals.MINILM]["t"] == base.tolist()


def test_the_page_is_the_committed_results(module: object) -> None:
    results = ROOT / "benchmarks" / "results" / "leaderboard.json"
    found = json.loads(results.read_text("utf-8"))
    made = module("leaderboard_page").page(found)  # type: ignore[operator]
    page = (ROOT / "docs" / "leaderboard.md").read_text("utf-8")
    assert page == made, "run: python benchmarks/leaderboard.py --page"
    assert "gensim WMD" in page and "MiniLM" in page


def test_the_best_is_bold_whoever_it_is(module: object) -> None:
    def row(quality: float | None, speed: float) -> dict[str, object]:
        task: dict[str, object] = {"measure": "MAP", "quality": quality, "queries_a_second": speed}
        return {"tasks": {"duplicates": task}, "megabytes": 10, "installed": 20}

    found = {
        "methods": {"wmd": row(0.5, 9.0), "bm25s": row(0.75, 800.0), "gensim WMD": row(None, 0.1)},
        "about": {
            "words": 100,
            "seed": 1,
            "limit_seconds": 40,
            "encoding_limit_seconds": 70,
            "methods": ["wmd", "bm25s", "gensim WMD", "MiniLM"],
        },
    }
    page = module("leaderboard_page").page(found)  # type: ignore[operator]
    assert "Against" not in page
    for name, interval in (("wmd", [-0.1, -0.2, 0.01]), ("bm25s", [0.1, 0.05, 0.2])):
        found["methods"][name]["tasks"]["duplicates"]["against"] = interval  # type: ignore[index]
    page = module("leaderboard_page").page(found)  # type: ignore[operator]
    assert "| `wmd` | -0.100 (-0.200 to +0.010) |" in page
    assert "| bm25s | **+0.100 (+0.050 to +0.200)** |" in page
    assert "| bm25s | **0.750** |" in page
    assert "| `wmd` | 0.500 |" in page
    assert "| gensim WMD | – |" in page
    assert "Not run yet: MiniLM." in page
    assert "bm25s (0.750) is better than anything here" in page
