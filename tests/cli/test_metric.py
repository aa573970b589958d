from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.sample import TICKETS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus

from .conftest import Run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    corpus = Corpus.read(TICKETS, text_fields=("title", "text"))
    return Index.build(corpus, tmp_path / "t.idx").path


def test_learn_search_near_list_remove(run: Run, path: Path) -> None:
    learned = run("metric", "learn", path, "--by", "duplicate_of", "--name", "same", "--json")
    assert learned.code == 0
    record = learned.json["results"][0]
    assert record["clusters"] == 34 and record["dims"] == 256
    assert record["after"] >= record["before"]
    assert any("no label" in note for note in learned.json["notes"])
    said = run("metric", "learn", path, "--by", "component", "--name", "c", "--shrinkage", "0.3")
    assert "130 documents in 8 groups" in said.out and "--metric c" in said.out
    query = ("search", path, "notes missing on phone", "--unit", "document", "--method", "mean")
    plain, under = run(*query, "--json").json, run(*query, "--metric", "c", "--json").json
    assert plain["results"][0]["score"] != under["results"][0]["score"]
    near = run("near", "crash", "-k", "2", "--vectors", path / "metrics" / "c", "--json")
    assert near.code == 0 and len(near.json["results"]) == 2
    listed = run("metric", "list", path, "--json").json["results"]
    assert [entry["name"] for entry in listed] == ["c", "same"]
    assert "ok" in run("verify", path).out
    assert run("metric", "remove", path, "c").code == 0
    gone = run(*query, "--metric", "c")
    assert gone.code == 2 and "has no metric 'c'" in gone.err and "same" in gone.err


def test_evaluate_and_own_weights(run: Run, path: Path) -> None:
    asked = ("metric", "evaluate", path, "--by", "duplicate_of", "--folds", "3", "--kmeans")
    found = run(*asked, "--shrinkage", "0.3", "--json")
    assert found.code == 0
    rows = {row["measure"]: row for row in found.json["results"]}
    assert set(rows) == {"map", "11pt", "rprec", "kmeans"}
    assert rows["map"]["low"] <= rows["map"]["difference"] <= rows["map"]["high"]
    assert found.json["verdict"].startswith("The metric ")
    grams = run(*asked, "--features", "grams", "--axes", "20", "--shrinkage", "0.3")
    assert grams.code == 0 and "The metric" in grams.out
    learned = run("metric", "learn", path, "--by", "component", "--name", "own", "--shrinkage",
                  "0.3", "--weight", "sync=3", "--json")  # fmt: skip
    assert learned.json["results"][0]["weights"] == "custom"
    wrong = run("metric", "learn", path, "--by", "component", "--name", "x", "--weight", "sync")
    assert wrong.code == 2 and "GROUP=NUMBER" in wrong.err
    few = run("metric", "evaluate", path, "--by", "component", "--folds", "50")
    assert few.code == 2 and "folds need 100" in few.err


def test_verify_finds_damage_in_a_metric(run: Run, path: Path) -> None:
    run("metric", "learn", path, "--by", "component", "--name", "c", "--shrinkage", "0.3")
    file = next(path.glob("*/metrics@c@words.map.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    found = run("verify", path)
    assert found.code == 2 and "metrics@c@words.map.npy" in found.out


def test_mistakes(run: Run, path: Path) -> None:
    wrong = run("metric", "learn", path, "--by", "color", "--name", "m")
    assert wrong.code == 2 and "component" in wrong.err
    alone = run("metric", "learn", path, "--by", "id", "--name", "m")
    assert alone.code == 2 and "Traceback" not in alone.err
    bad = run("metric", "learn", path, "--by", "component", "--name", "a/b")
    assert bad.code == 2 and "name must be" in bad.err
    nothing = run("metric", "list", path)
    assert nothing.code == 1 and "metric learn" in nothing.err
    assert run("metric", "remove", path, "m").code == 2
