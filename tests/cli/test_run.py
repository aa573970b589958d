"""``lexfield run``, and bag queries as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lexfield.evaluate.trec import read_run
from lexfield.sample import METADATA, TEXTS
from tests.cli.conftest import Run


@pytest.fixture
def index(run: Run, tmp_path: Path) -> Path:
    target = tmp_path / "sample.idx"
    assert run("index", TEXTS, "--metadata", METADATA, "-o", target, "--stem", "english").code == 0
    return target


@pytest.mark.parametrize("method", ["count", "frequency", "bm25", "lm", "translation"])
def test_a_weighted_query(run: Run, index: Path, method: str) -> None:
    query = '3*storm + 2*boats - "copper pot"'
    found = run("search", index, query, "--algebra", "--method", method, "-k", 10, "--json")
    assert found.code == 0
    assert len(found.json["results"]) == 10
    reasons = found.json["results"][0]["explanation"]["reasons"]
    assert {reason["query"] for reason in reasons} <= {"storm", "boats", "copper pot"}
    how = ("--algebra", "--method", method, "--explain", "--unit", "document")
    shown = run("search", index, query, *how)
    assert "counts: storm" in shown.out


def test_nothing_found(run: Run, index: Path) -> None:
    found = run("search", index, "xqzwv 2*vwzqx", "--algebra", "--method", "bm25", "--json")
    assert (found.code, found.json["results"]) == (1, [])
    assert found.json["notes"] == ["not in the index: xqzwv, vwzqx"]


@pytest.mark.parametrize(
    ("query", "line"), [("3*", "      ^"), ("**", "    ^"), ('a "b', "      ^")]
)
def test_faults_are_pointed_at(run: Run, index: Path, query: str, line: str) -> None:
    refused = run("search", index, query, "--algebra", "--method", "lm")
    assert refused.code == 2
    assert refused.err.splitlines()[1:3] == [f"    {query}", line]


def test_an_unknown_stemmer(run: Run, tmp_path: Path) -> None:
    refused = run("index", TEXTS, "-o", tmp_path / "i", "--stem", "englisch")
    assert refused.code == 2
    assert "Did you mean 'english'?" in refused.err


def test_run(run: Run, index: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    texts = {"a": "A storm - at sea.", "b": 'The "copper', "c": "xqzwv"}
    queries.write_text("\n".join(json.dumps({"_id": i, "text": t}) for i, t in texts.items()))
    target = tmp_path / "out.run"
    done = run("run", index, queries, "-o", target, "-k", 5, "--json")
    assert done.code == 0
    (record,) = done.json["results"]
    assert record == {
        "run": str(target), "method": "best", "queries": 3, "unanswered": 1, "hits": 10,
    }  # fmt: skip
    assert done.json["notes"] == ["query c: not in the index: xqzwv"]
    written = read_run(target)
    assert written.name == "best"
    assert [len(written.queries[name]) for name in "ab"] == [5, 5]
    alone = run("search", index, "storm sea", "--unit", "document", "--json")
    assert [hit["id"] for hit in alone.json["results"]] == [i for i, _ in written.queries["a"]]
    algebra = run("run", index, queries, "-o", target, "--algebra")
    assert algebra.code == 2
    assert "Query b: Character 5 of the query: this quote is not closed" in algebra.err
    named = run("run", index, queries, "-o", target, "--method", "lm(mu=50)", "--id-field", "text")
    assert named.code == 2  # ids with spaces
    (tmp_path / "q.tsv").write_text("a\tA storm - at sea.\nThe copper pot\n")
    assert run("run", index, tmp_path / "q.tsv", "-o", target, "-k", 5).code == 0
    by_tsv = read_run(target)
    assert list(by_tsv.queries) == ["a", "2"] and by_tsv.queries["a"] == written.queries["a"]
    lines = [json.dumps({"_id": i, "text": t}) for i, t in (("a", "storm"), ("b", "bread"))]
    (tmp_path / "plain.jsonl").write_text("\n".join(lines))
    searched = run("search", index, "--queries", tmp_path / "plain.jsonl", "--json")
    assert {hit["query"] for hit in searched.json["results"]} == {"storm", "bread"}
    none = tmp_path / "none.jsonl"
    none.write_text('{"text": "xqzwv"}\n')
    assert run("run", index, none, "-o", target).code == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "contains no queries"),
        (b"storm\n", "line 1: not JSON"),
        (b'{"_id": 1, "query": "storm"}', "no text in the field 'text'"),
        (b'{"_id": 1, "text": "a"}\n{"_id": "1", "text": "b"}', "line 2: the id '1' is used twice"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_bad_queries(run: Run, index: Path, tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "q.jsonl").write_bytes(content)
    refused = run("run", index, tmp_path / "q.jsonl", "-o", tmp_path / "out.run")
    assert refused.code == 2
    assert what in refused.err
    assert not (tmp_path / "out.run").exists()


def test_bad_targets(run: Run, index: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"text": "storm"}')
    assert "no folder" in run("run", index, tmp_path / "q.jsonl", "-o", tmp_path / "x/y.run").err
    assert run("run", index, tmp_path / "missing.jsonl", "-o", tmp_path / "y.run").code == 2
