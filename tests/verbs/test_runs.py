"""Runs from Python: made, fused and measured without files."""

from __future__ import annotations

from pathlib import Path

import pytest

import lexfield as lx
from lexfield.errors import InputError

QRELS = {"q": {"sea": 1}}


def test_a_run_is_made_and_measured(index: lx.Index, tmp_path: Path) -> None:
    made = lx.run(index, {"q": "a storm at sea", "r": "warm bread"})
    assert repr(made).startswith("q Q0 sea 1 ")
    assert lx.evaluate(made, QRELS, measures="map").measures == {"map": 1.0}
    written = lx.run(index, {"q": "a storm at sea"}, output=tmp_path / "bm25.run")
    assert "wrote" in repr(written)
    assert lx.evaluate(tmp_path / "bm25.run", QRELS, by_query=True)[0]["map"] == 1
    against = lx.evaluate(made, QRELS, measures=["map", "p@5"], against=written)
    assert [row["difference"] for row in against] == [0, 0]
    (tmp_path / "queries.txt").write_text("q\ta storm at sea\n")
    hits = lx.search(index, queries=tmp_path / "queries.txt", unit="document")
    assert lx.evaluate(hits, QRELS).measures["map"] == 1


def test_rankings_and_runs_are_fused(index: lx.Index, tmp_path: Path) -> None:
    rankings = [index.search("storm", method, unit="document") for method in ("bm25", "mean")]
    fused = lx.fuse(rankings)
    assert fused.ids[0] == "sea" and [part.list for part in fused[0].parts] == ["bm25", "mean"]
    assert "query" not in fused.to_dicts()[0]
    named = lx.fuse(
        [{"a": 1.0}, [("a", 2.0), ("b", 1.0)]], names=["first", "second"], combine="sum"
    )
    assert [part.list for part in named[0].parts] == ["first", "second"]
    runs = [lx.run(index, {"q": "storm"}, method=method) for method in ("bm25", "mean")]
    both = lx.fuse(runs, combine="rrf", output=tmp_path / "both.run")
    assert both[0].query == "q" and lx.evaluate(both, QRELS).measures["map"] == 1
    assert lx.evaluate(tmp_path / "both.run", QRELS).run == "rrf"


def test_judged_ids_that_the_run_does_not_have_are_noted(index: lx.Index) -> None:
    sentences = lx.search(index, ["a storm at sea"])
    (note,) = lx.evaluate(sentences, {"1": {"sea": 1}}).notes
    assert note.startswith("no judged document occurs in the run") and "like 'sea#" in note
    assert note.endswith("search for documents, not sentences")
    (note,) = lx.evaluate(sentences, {"1": {"sea.txt": 1}}).notes
    assert note.endswith("those of the judgements like 'sea.txt'")
    assert not lx.evaluate(lx.search(index, ["storm"], unit="document"), {"1": {"sea": 1}}).notes


def test_mistakes_are_named(index: lx.Index) -> None:
    with pytest.raises(InputError, match="only one run"):
        lx.fuse([lx.run(index, {"q": "storm"})])
    with pytest.raises(InputError, match="A run must be a file"):
        lx.evaluate({"sea": 1.0}, QRELS)  # type: ignore[dict-item]
    with pytest.raises(InputError, match="Judgements must be a file"):
        lx.evaluate({"q": {"sea": 1.0}}, {})
    with pytest.raises(InputError, match="There are no runs to fuse"):
        lx.fuse([])
    with pytest.raises(InputError, match=r"list 1 must be a ranking: .* Got 5 instead"):
        lx.fuse(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="only one run"):
        lx.fuse("bm25.run")
    with pytest.raises(InputError, match="3 names for 1 run"):
        lx.fuse([{"a": 1.0}], names=["a", "b", "c"])


def test_variety_of_hits(index: lx.Index) -> None:
    hits = {"q": [("sea", 2.0), ("farm", 1.0)], "r": [("sea", 1.0)]}
    other = {"q": [("sea", 1.0)], "r": [("farm", 1.0)]}
    found = lx.evaluate(hits, variety=index, others=[other])
    words = [set(index.normalisation.words(index[id].text)) for id in ("sea", "farm")]
    jaccard = len(words[0] & words[1]) / len(words[0] | words[1])
    assert found.measures["list_jaccard"] == pytest.approx(jaccard)
    assert found.measures["unique_share"] == pytest.approx(2 / 3)
    assert set(lx.evaluate(hits, variety=index).measures) == {
        "list_jaccard", "list_jaccard_without_stopwords", "list_jaccard_with_punctuation",
    }  # fmt: skip
    with pytest.raises(InputError, match="no judgements"):
        lx.evaluate(hits)
