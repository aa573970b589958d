"""The verbs topics, fuse and evaluate, typed as a user would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def idx(tmp_path_factory: pytest.TempPathFactory, sample: Corpus) -> str:
    path = tmp_path_factory.mktemp("cli") / "s.idx"
    Index.build(Corpus.of(list(sample.documents)[:20]), path)
    return str(path)


def test_topics(run: Run, idx: str, tmp_path: Path) -> None:
    first = run("search", idx, "boat", "--method", "topic")
    assert first.code == 2 and "lexfield topics fit" in first.err
    fitted = run("topics", "fit", idx, "-t", 6, "--passes", 2)
    assert fitted.code == 0 and fitted.out.startswith("fitted 6 topics to 20 documents")
    shown = run("topics", "show", idx, "--perplexity", "--json").json
    assert shown["topics"] == 6 and len(shown["results"]) == 6
    assert 1 < shown["perplexity"] < shown["words"]
    assert set(shown["results"][0]) == {"topic", "share", "coherence", "words"}
    inferred = run("topics", "infer", idx, "The boat came home.", "...", "--json").json
    weights = [entry["weight"] for entry in inferred["results"][0]["topics"]]
    assert weights == sorted(weights, reverse=True)
    assert inferred["notes"] == ["1 of 2 texts has no word that the model knows"]
    assert "topic" in run("topics", "infer", idx, "The boat came home.").out
    searched = run("search", idx, "The boat came home.", "--method", "topic", "--json").json
    assert searched["results"][0]["explanation"]["additive"]
    fused = run("search", idx, "boat home", "--method", "fuse(ideas, topic)", "--explain")
    assert fused.code == 0 and "rank" in fused.out
    like = run("search", idx, "--like", "belmonte-sea", "--method", "topic", "--json").json
    assert "belmonte-sea" not in [hit["id"] for hit in like["results"]]
    assert run("search", idx, "text", "--like", "belmonte-sea").code == 2
    for search in ("certified", "kdtree", "lsh"):
        options = ["--neighbours", search, "--radius", 1.5, "--delta", 0.01, "-k", 3, "--json"]
        near = run("topics", "neighbours", idx, "belmonte-sea", *options).json
        assert near["results"][0] == {"rank": 1, "document": "belmonte-sea", "distance": 0}
        assert near["exact"] == (search == "certified") and near["rows"] == 20
    spec = "topic(neighbours=kdtree, eps=0.5, measure=triangle)"
    assert "approximate (kdtree)" in run("search", idx, "boat home", "--method", spec).err
    assert "neighbours must be" in run("search", idx, "boat", "--method", "topic(neighbours=x)").err
    wrong = run("topics", "neighbours", idx, "boat", "--neighbours", "lsh", "--measure", "kl")
    assert wrong.code == 2 and "says nothing about KL" in wrong.err
    checked = run("verify", idx, "--json").json["results"]
    assert any("/topics@" in found["file"] for found in checked)
    # other people's mixtures
    out = tmp_path / "m.npy"
    assert "20 × 6" in run("topics", "infer", idx, "-o", out).out
    np.testing.assert_allclose(np.load(out).sum(axis=1), 1, atol=1e-6)
    assert run("topics", "fit", idx, "--mixtures", out).code == 0
    assert run("search", idx, "--like", "belmonte-sea", "--method", "topic").code == 0
    refused = run("topics", "show", idx)
    assert refused.code == 2 and "imported mixtures" in refused.err


def test_bad_topics(run: Run, idx: str, tmp_path: Path) -> None:
    for arguments, message in (
        (("-t", 5000), "words are left for 5,000 topics"),
        (("-t", 1), "topics must be a whole number from 2 to 10,000. Got '1' instead."),
        (("--alpha", 0), "alpha must be a number above 0 and at most 1,000."),
        (("--max-share", 2), "max_share must be a number above 0 and at most 1."),
    ):
        ran = run("topics", "fit", idx, *arguments)
        assert ran.code == 2 and message in ran.err, ran.err
    for rows, message in (
        ([[0.5, 0.6]] * 20, "sums to 1.1"),
        ([[1.5, -0.5]] * 20, "negative value"),
        ([[np.nan, 1.0]] * 20, "NaN"),
        ([[0.0, 0.0]] * 20, "all zeros"),
        ([[0.5, 0.5]], "1 mixtures for 20 documents"),
    ):
        np.save(tmp_path / "bad.npy", np.array(rows))
        ran = run("topics", "fit", idx, "--mixtures", tmp_path / "bad.npy")
        assert ran.code == 2 and message in ran.err, ran.err


def test_fuse_and_evaluate(run: Run, idx: str, tmp_path: Path) -> None:
    queries = tmp_path / "q.tsv"
    queries.write_text("q1\tboat in the storm\nbread and rice\n")
    files = []
    for method in ("jaccard", "mean"):
        ran = run("search", idx, "--queries", queries, "--method", method, "--unit", "document",
                  "-k", 6, "--run")  # fmt: skip
        assert ran.code == 0
        files.append(tmp_path / f"{method}.run")
        files[-1].write_text(ran.out)
    assert {line.split()[0] for line in files[0].read_text().splitlines()} == {"q1", "2"}
    fused = run("fuse", *files, "--how", "mnz", "--normalise", "rank")
    assert fused.code == 0 and fused.out.startswith("q1 Q0 ")
    assert "--how is now --combine" in fused.err
    record = run("fuse", *files, "-k", 1, "--json").json["results"][0]
    assert record["score"] == pytest.approx(sum(p["contribution"] for p in record["parts"]))
    first = run("fuse", *files, "-k", 1, "--explain").out.splitlines()[0]
    for part in record["parts"]:
        assert f"{part['list']} #{part['rank']} {part['contribution']:+.4f}" in first
    target = tmp_path / "f.run"
    assert "2 queries" in run("fuse", *files, "-o", target).out
    assert target.read_text() == fused.out
    best = fused.out.split()[2]
    (tmp_path / "qrels").write_text(f"q1 0 {best} 1\n")
    measured = run("evaluate", target, tmp_path / "qrels", "--measures", "map,p@10,ndcg@10",
                   "--json").json  # fmt: skip
    assert measured["measures"] == {"map": 1.0, "p@10": 0.1, "ndcg@10": 1.0}
    assert "1 query of the run was not judged" in measured["notes"][0]
    compared = run("evaluate", target, tmp_path / "qrels", "--against", files[0], "--jsonl")
    assert compared.code == 0 and "p_randomisation" in compared.out
    each = run("evaluate", target, tmp_path / "qrels", "--by-query", "--csv", "--measures", "map")
    assert each.out == "query,map\nq1,1.0\n"
    for arguments, message in (
        (("fuse", files[0]), "only one run"),
        (("evaluate", target, tmp_path / "qrels", "--measures", "f1"), "no measure 'f1'"),
        (("evaluate", queries, tmp_path / "qrels"), "not a line of a TREC run"),
        (("evaluate", target, queries), "line 2"),
    ):
        ran = run(*arguments)
        assert ran.code == 2 and message in ran.err, (arguments, ran.err)
