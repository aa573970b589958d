"""Each verb as a user types it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from lexfield.sample import METADATA, TEXTS, TICKETS
from tests.cli.conftest import Run


@pytest.fixture
def index(run: Run, tmp_path: Path) -> Path:
    target = tmp_path / "sample.idx"
    assert run("index", TEXTS, "--metadata", METADATA, "-o", target).code == 0
    return target


def test_index_and_info(run: Run, index: Path) -> None:
    found = run("info", index, "--json").json
    assert found["schema"] == "lexfield.info/1"
    (info,) = found["results"]
    assert info["documents"] == 64
    assert info["metadata"]["level"] == {"college": 24, "high": 20, "middle": 20}
    coverage = info["vectors"]["coverage"]
    assert coverage["unknown"]["tokens"] < 0.02 * info["tokens"]  # mostly invented names
    assert sum(kind["tokens"] for kind in coverage.values()) == info["tokens"]
    shown = run("info", index)
    assert "documents   64" in shown.out


def test_index_from_a_table_and_stdin(run: Run, tmp_path: Path) -> None:
    fields = ("--text-field", "title", "--text-field", "text")
    assert run("index", TICKETS, *fields, "-o", tmp_path / "t.idx").code == 0
    (info,) = run("info", tmp_path / "t.idx", "--json").json["results"]
    assert info["documents"] == 130
    made = run("index", "-", "--format", "lines", "-o", tmp_path / "l.idx", stdin=b"One.\nTwo.\n")
    assert made.code == 0
    assert "2 documents" in made.out


def test_an_index_is_not_replaced_by_accident(run: Run, index: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Something else.")
    again = run("index", tmp_path / "a.txt", "-o", index)
    assert again.code == 2
    assert "--replace" in again.err
    assert run("info", index, "--json").json["results"][0]["documents"] == 64
    assert run("index", tmp_path / "a.txt", "-o", index, "--replace").code == 0
    assert run("info", index, "--json").json["results"][0]["documents"] == 1


def test_verify(run: Run, index: Path) -> None:
    good = run("verify", index)
    assert good.code == 0
    assert good.out.startswith("ok: ")
    path = next(index.rglob("*.tokens.npy"))
    data = bytearray(path.read_bytes())
    data[-3] ^= 4
    path.write_bytes(data)
    bad = run("verify", index)
    assert bad.code == 2
    assert "tokens.npy: block 0" in bad.out
    refused = run("info", index)
    assert refused.code == 2
    assert "differs from what was written" in refused.err


def test_near(run: Run) -> None:
    found = run("near", "book", "-k", "10", "--json").json
    assert found["schema"] == "lexfield.near/1"
    assert len(found["results"]) == 10
    assert set(found["results"][0]) == {"word", "similarity", "distance"}
    assert "books" in {row["word"] for row in found["results"]}
    similarities = [row["similarity"] for row in found["results"]]
    assert similarities == sorted(similarities, reverse=True)
    two = list(csv.DictReader(io.StringIO(run("near", "king", "river", "-k", "2", "--csv").out)))
    assert [row["query"] for row in two] == ["king", "king", "river", "river"]
    above = [
        json.loads(line)
        for line in run("near", "river", "--threshold", "0.6", "--jsonl").out.splitlines()
    ]
    assert all(row["similarity"] >= 0.6 for row in above)


def test_nothing_near(run: Run) -> None:
    missing = run("near", "xqzwvxqzwv", "--json")
    assert missing.code == 1
    assert missing.json["results"] == []
    assert "no word 'xqzwvxqzwv'" in missing.json["notes"][0]
    assert run("near", "book", "-k", "0").code == 2
    assert run("near", "book", "--vectors", "nowhere.vec").code == 2


def test_bag(run: Run, tmp_path: Path) -> None:
    (tmp_path / "john.txt").write_text("Only John could like John")
    found = run("bag", tmp_path / "john.txt", "--ngram", "2", "--json").json
    assert (found["types"], found["tokens"]) == (4, 4)
    assert found["results"][0] == {"type": "could like", "count": 1, "frequency": 0.25}
    shown = run("bag", "-", stdin=b"Only John could like John")
    assert shown.out.splitlines()[0] == "4 types, 5 tokens"
    assert shown.out.splitlines()[5].split() == ["john", "2", "0.4"]
    assert run("bag", "-", "--ngram", "9", stdin=b"too short").code == 1


def test_vectors(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sky.vec").write_text("3 2\nsun 1 0\nmoon 0 1\nsun 1 1\n")
    made = run("vectors", "import", tmp_path / "sky.vec", "--json").json
    assert made["results"] == [{"name": "sky", "words": 2, "dims": 2}]
    assert any("repeated" in note for note in made["notes"])
    listed = run("vectors", "list", "--json").json["results"]
    assert {"default", "sky"} <= {entry["name"] for entry in listed}
    assert run("vectors", "info", "sky", "--json").json["results"][0]["first"] == "sun moon"
    assert run("near", "sun", "--vectors", "sky").out.split()[-3] == "moon"
    (tmp_path / "bad.vec").write_text("2 2\nsun 1 0\nmoon 0\n")
    bad = run("vectors", "import", tmp_path / "bad.vec")
    assert bad.code == 2
    assert "bad.vec:3" in bad.err


def test_bad_input(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    nothing = run("index", tmp_path / "empty", "-o", tmp_path / "e.idx")
    assert nothing.code == 2
    assert "no text" in nothing.err
    assert not (tmp_path / "e.idx").exists()
    (tmp_path / "dots.txt").write_text("... !!!")
    assert "no words" in run("index", tmp_path / "dots.txt", "-o", tmp_path / "e.idx").err
    (tmp_path / "b.jsonl").write_text('{"text": "ok"}\nnot json\n')
    broken = run("index", tmp_path / "b.jsonl", "-o", tmp_path / "e.idx")
    assert broken.code == 2
    assert "b.jsonl:2" in broken.err
    assert run("info", TEXTS).code == 2
    assert run("index", TEXTS, "-o", METADATA).code == 2


def test_demo(run: Run, tmp_path: Path) -> None:
    for _ in range(2):  # it may be seen twice
        shown = run("demo", "--output", tmp_path / "demo")
        assert shown.code == 0
    assert "documents   64" in shown.out
    assert run("verify", tmp_path / "demo" / "sample.idx").code == 0


QUERY = "The fishing boat came home before the storm."


def test_search(run: Run, index: Path) -> None:
    found = run("search", index, QUERY, "--json").json
    assert found["schema"] == "lexfield.search/1"
    assert [hit["rank"] for hit in found["results"]] == [1, 2, 3, 4, 5]
    hit = found["results"][0]
    assert {"rank", "id", "score", "text", "source", "explanation"} <= set(hit)
    reasons = hit["explanation"]["reasons"]
    assert sum(reason["contribution"] for reason in reasons) == pytest.approx(hit["score"])
    shown = run("search", index, QUERY, "--method", "ideas", "--explain", "-k", "2")
    assert "uncovered:" in shown.out
    assert " → " in shown.out
    for method in ("mean", "wmd", "jaccard", "edit", "bow", "setcover(penalty=1)", "ideas(r=20)"):
        assert len(run("search", index, QUERY, "--method", method, "--jsonl").out.splitlines()) == 5


def test_search_filters_and_units(run: Run, index: Path) -> None:
    where = ("--where", "level=college", "--where", "author=weiss")
    hits = run("search", index, QUERY, *where, "--json").json["results"]
    assert {hit["metadata"]["author"] for hit in hits} == {"weiss"}
    one = run("search", index, QUERY, "--unit", "document", "-k", "1", "--json").json["results"]
    assert "#" not in one[0]["id"]
    assert run("search", index, QUERY, "--where", "colour=red").code == 2
    assert run("search", index, QUERY, "--where", "red").code == 2
    assert run("search", index, QUERY, "--where", "level=none").code == 1


def test_search_many(run: Run, index: Path, tmp_path: Path) -> None:
    lines = f"{QUERY}\n\nA cook stirs the soup.\n"
    (tmp_path / "queries.txt").write_text(lines)
    by_file = run("search", index, "--queries", tmp_path / "queries.txt", "-k", "2", "--json").json
    by_input = run("search", index, "-", "-k", "2", "--json", stdin=lines.encode()).json
    assert by_file.pop("provenance")["stores"] == by_input.pop("provenance")["stores"]
    assert by_file == by_input
    assert [hit["query"] for hit in by_file["results"]].count(QUERY) == 2
    assert "A cook stirs the soup." in run("search", index, "-", stdin=lines.encode()).out
    assert run("search", index, "-", stdin=b"\xff\n").code == 2
    assert run("search", index, "-", stdin=b"\n").code == 2
    assert run("search", index).code == 2
    assert run("search", index, "x", "--queries", tmp_path / "queries.txt").code == 2


def test_nothing_found(run: Run, index: Path) -> None:
    for text in ("", "the of", "zzxqv"):
        empty = run("search", index, text, "--json")
        assert (empty.code, empty.json["results"]) == (1, [])
        assert empty.json["notes"]
    assert run("search", index, QUERY, "-k", "0").code == 2
    assert "Did you mean 'mean'" in run("search", index, QUERY, "--method", "maen").err
    assert "at most 20,000" in run("search", index, "sea " * 30_000).err


def test_add_delete_compact(run: Run, index: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "letter.txt").write_text(
        "The submarine surfaced near the icebergs at dawn."
    )
    assert run("add", index, tmp_path / "new", "--json").json["results"] == [
        {"added": 1, "documents": 65}
    ]
    again = run("add", index, tmp_path / "new")
    assert again.code == 2
    assert "already has a document with the id 'letter'" in again.err
    asked = ("search", index, "A submarine among icebergs", "-k", "1", "--json")
    assert run(*asked).json["results"][0]["document"] == "letter"
    assert run("delete", index, "letter", "nowhere").code == 2
    deleted = run("delete", index, "-", "--json", stdin=b"letter\npell-sea\n").json
    assert deleted["results"] == [{"deleted": 2, "documents": 63}]
    assert run(*asked).json["results"][0]["document"] != "letter"
    after = run("compact", index, "--json").json["results"][0]
    assert after["documents"] == 63
    assert run("verify", index).code == 0


def test_duplicates(run: Run, tmp_path: Path) -> None:
    fields = ("--text-field", "title", "--text-field", "text")
    run("index", TICKETS, *fields, "-o", tmp_path / "t.idx")
    (tmp_path / "copy.jsonl").write_text(
        '{"id": "X", "text": "Search ignores words with accented letters, in all of my notes."}\n'
        '{"id": "Y", "text": "Search ignores words with accented letters in all my notes!"}\n'
    )
    run("add", tmp_path / "t.idx", tmp_path / "copy.jsonl")
    found = run("duplicates", tmp_path / "t.idx", "--json").json["results"]
    assert [(pair["a"], pair["b"]) for pair in found] == [("X", "Y")]
    assert run("duplicates", tmp_path / "t.idx", "--threshold", "0").code == 2


def test_an_index_of_another_version(
    run: Run, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexfield.store.manifest.READABLE", (7,))
    refused = run("search", index, QUERY)
    assert refused.code == 2
    assert "has format 2; this lexfield reads 7" in refused.err
