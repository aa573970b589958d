"""The leaderboard: its measures by hand, and its page as committed."""

from __future__ import annotations

import importlib
import json
from types import ModuleType

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
    assert tasks.average_precision([[1, 9, 2], [5]], [{1, 2}, {7}]) == pytest.approx(5 / 12)
    # a gain of 3 at place 2 where it could be at 1
    assert tasks.ndcg([[9, 4]], [{4: 3}]) == pytest.approx(0.63093, abs=1e-5)
    pairs = [[1, 2, 3], [0, 3, 2], [3, 0, 1], [2, 1, 0]]
    assert tasks.clustered(pairs, [0, 0, 1, 1], 2) == pytest.approx(1)
    assert len(tasks.cut("word " * 300).split()) == tasks.WORDS


def test_the_page_is_the_committed_results(module: object) -> None:
    results = ROOT / "benchmarks" / "results" / "leaderboard.json"
    found = json.loads(results.read_text("utf-8"))
    made = module("leaderboard_page").page(found)  # type: ignore[operator]
    page = (ROOT / "docs" / "leaderboard.md").read_text("utf-8")
    assert page == made, "run: python benchmarks/leaderboard.py --page"
    assert "gensim WMD" in page and "MiniLM" in page


def test_the_best_is_bold_whoever_it_is(module: object) -> None:
    def row(quality: float | None, speed: float) -> dict[str, object]:
        task = {"measure": "MAP", "quality": quality, "queries_a_second": speed}
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
    assert "| bm25s | **0.750** |" in page
    assert "| `wmd` | 0.500 |" in page
    assert "| gensim WMD | – |" in page
    assert "Not run yet: MiniLM." in page
    assert "bm25s (0.750) is better than anything here" in page
