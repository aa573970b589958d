"""The API answers as the command line does, by id and never by path, and says what is wrong."""

from __future__ import annotations

import csv
import io
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jsonschema_rs", reason="it comes with schemathesis (extra 'dev')")

import jsonschema_rs

from lexfield.sample import TEXTS
from tests.cli.conftest import Run

QUERY = "The fishing boat came home before the storm."


def ok(client: Any, path: str, **parameters: Any) -> Any:
    answer = client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return as_described(client, path, answer.json())


def as_described(client: Any, path: str, body: Any) -> Any:
    """Return an answer, which must have the type that the API's description states."""
    api = read_description(client)
    if path.startswith("/v1/") and "get" in api["paths"].get(path, {}):
        told = api["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
        jsonschema_rs.validate({**told["schema"], "components": api["components"]}, body)
    return body


@lru_cache(8)
def read_description(client: Any) -> Any:
    """Return the API's description, in which no object may have more than it says."""
    api = client.get("/openapi.json").json()
    for schema in api["components"]["schemas"].values():
        if not schema["title"].endswith("Answer"):  # some choose their figures themselves
            schema["additionalProperties"] = False
    return api


def without_provenance(body: Any) -> Any:
    """Return an answer without its request, which names an index by an id or by a path."""
    return {name: value for name, value in body.items() if name != "provenance"}


def refused(client: Any, path: str, status: int, **parameters: Any) -> str:
    answer = client.get(path, params=parameters)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "hint"}
    return str(answer.json()["error"])


def test_health_and_description(client: Any) -> None:
    assert ok(client, "/healthz")["status"] == "ok"
    api = ok(client, "/openapi.json")
    assert api["openapi"].startswith("3.1")
    for path in ("/v1/search", "/v1/compare", "/v1/zipf", "/v1/near", "/v1/jobs"):
        assert path in api["paths"]


@pytest.mark.parametrize("method", ["ideas", "setcover", "wmd", "ideas(r=5)", "topic"])
def test_search_says_what_the_command_line_says(
    client: Any,
    run: Run,
    sample_index: Path,
    method: str,
) -> None:
    told = ok(client, "/v1/search", index="sample", q=QUERY, method=method, k=3)
    typed = run("search", sample_index, QUERY, "--method", method, "-k", 3, "--json").json
    assert without_provenance(told) == without_provenance(typed)


@pytest.mark.parametrize(
    ("path", "parameters", "command"),
    [
        ("/v1/topics", {"k": 4}, ["topics", "show", "IDX", "-k", "4"]),
        ("/v1/kwic", {"word": "sea", "k": 5}, ["kwic", "IDX", "sea", "-k", "5"]),
        ("/v1/text", {"document": "pell-sea", "start": 3, "count": 2},
         ["text", "IDX", "pell-sea", "--start", "3", "--count", "2"]),
        ("/v1/facets", {"where": "level!=high"}, ["facets", "IDX", "--where", "level!=high"]),
        ("/v1/documents", {"sort": "-words", "start": 2, "k": 2},
         ["documents", "IDX", "--sort", "-words", "--start", "2", "-k", "2"]),
        ("/v1/trend", {"query": ["sea", "the boat"], "by": "author", "where": "level!=high"},
         ["trend", "IDX", "sea", "the boat", "--by", "author", "--where", "level!=high"]),
        ("/v1/trend", {"topic": 2, "document": "pell-sea", "bins": 4},
         ["trend", "IDX", "--topic", "2", "--document", "pell-sea", "--bins", "4"]),
        ("/v1/overview", {"where": "level!=high"}, ["overview", "IDX", "--where", "level!=high"]),
        ("/v1/kwic", {"word": "sea", "k": 1, "start": 1, "where": "author=pell"},
         ["kwic", "IDX", "sea", "-k", "1", "--start", "1", "--where", "author=pell"]),
        ("/v1/topic_shares", {"topic": 3, "by": "author", "k": 4},
         ["topics", "shares", "IDX", "--topic", "3", "--by", "author", "-k", "4"]),
        ("/v1/show", {"id": "pell-sea#4"}, ["show", "IDX", "pell-sea#4"]),
        ("/v1/near", {"word": "lighthouse", "k": 4}, ["near", "lighthouse", "-k", "4"]),
        ("/v1/near", {"word": ["sea", "boat"], "k": 2}, ["near", "sea", "boat", "-k", "2"]),
        ("/v1/bags", {"q": '2*sea - "the boat"', "method": "frequency", "k": 3},
         ["bags", "IDX", '2*sea - "the boat"', "--method", "frequency", "-k", "3"]),
        ("/v1/infer", {"k": 2}, ["topics", "infer", "IDX", "-k", "2"]),
        ("/v1/threshold", {"sample": 300}, ["threshold", "default", "--sample", "300"]),
        ("/v1/pairs", {"measure": "js"}, ["pairs", "IDX", "--measure", "js"]),
        ("/v1/label", {"by": "author", "evidence": "pell-sea"},
         ["label", "IDX", "--by", "author", "--text", "pell-sea"]),
        ("/v1/attribute", {"by": "author", "text_id": "pell-sea", "verify": True},
         ["attribute", "IDX", "--by", "author", "--text", "pell-sea", "--verify"]),
        ("/v1/rolling", {"text_id": "pell-sea", "window": 200},
         ["rolling", "pell-sea", "--known", "IDX", "--window", "200"]),
        ("/v1/zipf", {"nulls": False}, ["zipf", "IDX", "--no-nulls"]),
        ("/v1/zipf", {"latent": True, "clusters": 20, "seeds": 2},
         ["zipf", "IDX", "--latent", "--clusters", "20", "--seeds", "2"]),
        ("/v1/speech", {"nearest": [3, 5]}, ["speech", "IDX", "--nearest", "3,5"]),
        ("/v1/layout", {"projection": "pca", "words": 60},
         ["layout", "IDX", "--projection", "pca", "--words", "60"]),
    ],
)  # fmt: skip
def test_verbs_say_what_the_command_line_says(
    client: Any,
    run: Run,
    sample_index: Path,
    path: str,
    parameters: Any,
    command: list[str],
) -> None:
    if "IDX" in command:
        parameters = {"index": "sample", **parameters}
    typed = run(*(str(sample_index) if w == "IDX" else w for w in command), "--json").json
    told = ok(client, path, **parameters)
    assert without_provenance(told) == without_provenance(typed)


def test_unknown_documents_are_named_with_close_ones(client: Any) -> None:
    wrong = {"index": "sample", "document": "pell-see"}
    assert "no document 'pell-see'" in refused(client, "/v1/text", 404, **wrong)
    hint = client.get("/v1/text", params=wrong).json()["hint"]
    assert hint.startswith("Did you mean 'pell-sea'")
    for window in ({"count": 2001}, {"count": 0}, {"start": -1}):
        refused(client, "/v1/text", 422, index="sample", document="pell-sea", **window)


def test_groups_are_compared_by_conditions(client: Any, run: Run, sample_index: Path) -> None:
    sides = {"a_where": "author=pell", "b_where": ["author=voss", "topic!=sea"]}
    typed = ["--a-where", "author=pell", "--b-where", "author=voss", "--b-where", "topic!=sea"]
    for verb, more in (("keyness", []), ("compare", ["--explain"])):
        told = ok(client, f"/v1/{verb}", index="sample", **sides)
        found = run(verb, sample_index, sample_index, *typed, *more, "--json").json
        assert without_provenance(told) == without_provenance(found)
    told = refused(client, "/v1/compare", 400, index="sample", a="pell-sea")
    assert "or a group with b_where" in told


def test_compare_by_id_or_text_says_what_the_command_line_says(client: Any, run: Run) -> None:
    files = [TEXTS / "pell-sea.txt", TEXTS / "carter-sea.txt"]
    typed = run(
        "compare", *files, "--explain", "--interval", "0.9", "--resamples", 30, "--json"
    ).json
    options = {"interval": 0.9, "resamples": 30}
    by_id = ok(client, "/v1/compare", index="sample", a="pell-sea", b="carter-sea", **options)
    texts = {f"text_{side}": file.read_text() for side, file in zip("ab", files, strict=True)}
    posted = client.post("/v1/compare", json={**texts, **options}).json()
    as_described(client, "/v1/compare", posted)
    for told in (by_id, posted):
        for names in (told, told["results"][0]):
            names |= {"a": str(files[0]), "b": str(files[1])}
        assert without_provenance(told) == without_provenance(typed)


def test_several_methods_side_by_side(client: Any) -> None:
    told = ok(client, "/v1/search", index="sample", q=QUERY, method=["ideas", "wmd"], k=2)
    assert [hit["method"] for hit in told["results"]] == ["ideas"] * 2 + ["wmd"] * 2
    alone = ok(client, "/v1/search", index="sample", q=QUERY, method="wmd", k=2)["results"]
    assert [{"method": "wmd", **hit} for hit in alone] == told["results"][2:]


def test_the_cover_goes_on_where_it_was(client: Any) -> None:
    few = ok(client, "/v1/search", index="sample", q=QUERY, k=3)["results"]
    more = ok(client, "/v1/search", index="sample", q=QUERY, k=6)["results"]
    assert [hit["id"] for hit in more[:3]] == [hit["id"] for hit in few]


def test_filters_and_more_like_this(client: Any) -> None:
    told = ok(client, "/v1/search", index="sample", q=QUERY, where="author=pell", k=4)
    assert {hit["metadata"]["author"] for hit in told["results"]} == {"pell"}
    like = ok(client, "/v1/search", index="sample", like="weiss-stars", method="topic", k=3)
    assert "weiss-stars" not in [hit["id"] for hit in like["results"]]
    assert like["notes"][0].startswith("exact: ")


def test_balls_hold_near_words(client: Any) -> None:
    words = {
        one["word"]: one
        for one in ok(client, "/v1/balls", index="sample", q="boat xqzzv")["results"]
    }
    assert not words["xqzzv"]["known"] and words["xqzzv"]["ball"] == []
    far = [near["distance"] for near in words["boat"]["ball"]]
    assert far == sorted(far) and len(far) >= 5


def test_csv_has_the_same_records(client: Any) -> None:
    told = ok(client, "/v1/near", word="boat", k=3)["results"]
    answer = client.get("/v1/near", params={"word": "boat", "k": 3, "format": "csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert [row["word"] for row in csv.DictReader(io.StringIO(answer.text))] == [
        one["word"] for one in told
    ]


@pytest.mark.parametrize(
    ("twin", "path", "parameters"),
    [
        ("/search.json", "/v1/search", {"index": "sample", "q": "storm"}),
        ("/read.json", "/v1/text", {"index": "sample", "document": "pell-sea"}),
        ("/trends.json", "/v1/trend", {"index": "sample", "query": "sea", "by": "author"}),
        ("/topics.json", "/v1/topics", {"index": "sample"}),
        ("/compare.json", "/v1/compare", {"index": "sample", "a": "pell-sea", "b": "voss-sea"}),
    ],
)
def test_every_view_has_a_twin(client: Any, twin: str, path: str, parameters: Any) -> None:
    assert ok(client, twin, **parameters) == ok(client, path, **parameters)


def test_pairs_map_and_labels(client: Any) -> None:
    where = {"index": "sample", "measure": "hellinger"}
    pairs = ok(client, "/v1/pairs", **where)["results"]
    assert len(pairs) == 64 * 63
    places = ok(client, "/v1/map", **where)["results"]
    assert sorted(one["order"] for one in places) == list(range(64))
    assert len(ok(client, "/v1/map", **where, most=5)["results"]) == 5
    assert client.get("/v1/map", params={**where, "most": 5001}).status_code == 422
    told = ok(client, "/v1/label", **where, by="author")
    assert told["documents"] == 64 and told["right"] > 20
    text = (TEXTS / "pell-sea.txt").read_text()
    new = client.post("/v1/label", json={**where, "by": "author", "text": text}).json()
    assert any("pell-sea" in note for note in new["notes"])  # it knows the text again
    assert "pell-sea" not in [one["id"] for one in new["evidence"]["nearest"]]


def test_words_in_context_of_texts_that_were_sent(client: Any) -> None:
    body = {"word": ["cat"], "text_a": "A cat sat.", "text_b": "The dog saw the cat."}
    told = client.post("/v1/kwic", json=body).json()["results"]
    assert [one["document"] for one in told] == ["text A", "text B"]
    one = ok(client, "/v1/kwic", index="sample", word="sea", document="pell-sea")["results"]
    assert {line["document"] for line in one} == {"pell-sea"}


def test_words_in_context_are_limited_per_text_and_counted_in_full(client: Any) -> None:
    sent = {"word": ["sea"], "text_a": "sea " * 90, "text_b": "The sea.", "k": 40}
    told = client.post("/v1/kwic", json=sent).json()
    assert [line["document"] for line in told["results"]] == ["text A"] * 40 + ["text B"]
    assert told["totals"] == {"text A": 90, "text B": 1}
    assert told["notes"] == ["text A: the first 40 of 90 places"]
    none = client.post("/v1/kwic", json={**sent, "text_b": "A lake."}).json()
    assert none["totals"]["text B"] == 0


def test_what_is_wrong_is_told(client: Any) -> None:
    assert "nowhere" in refused(client, "/v1/search", 404, index="nowhere", q="x")
    assert "method" in refused(client, "/v1/search", 400, index="sample", q="x", method="nope")
    assert "k must be" in refused(client, "/v1/search", 422, index="sample", q="x", k=0)
    assert "colour" in refused(client, "/v1/search", 422, index="sample", q="x", colour="red")
    assert refused(client, "/v1/search", 400, index="sample")
    assert "metadata" in refused(client, "/v1/search", 400, index="sample", q="x", where="no=1")
    assert "vectors" in refused(client, "/v1/near", 404, word="x", vectors="README.md")
    assert "no document" in refused(client, "/v1/compare", 404, index="sample", a="x", b="y")
    assert refused(client, "/v1/jobs/none", 404)


@pytest.mark.parametrize("index", ["../sample", "/etc/passwd", "sample.idx/../sample", ".", "a\0b"])
def test_an_index_is_never_a_path(client: Any, index: str) -> None:
    answer = client.get("/v1/search", params={"index": index, "q": "x"})
    assert answer.status_code in (404, 422)


def test_an_empty_or_hostile_query_is_answered(client: Any) -> None:
    assert ok(client, "/v1/search", index="sample", q="")["notes"] == [
        "the query contains no words"
    ]
    script = "<script>alert(1)</script>"
    answer = client.get("/v1/search", params={"index": "sample", "q": script})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_request_that_takes_too_long_is_stopped(client_for: Any) -> None:
    from lexfield.serve.guard import Limits

    client = client_for(limits=Limits(seconds=0.5))
    slow = {"index": "sample", "latent": True, "clusters": 200, "seeds": 20, "robustness": True}
    assert "0.5 seconds" in refused(client, "/v1/zipf", 504, **slow)
    deadline = time.monotonic() + 30
    while True:  # its process was ended; another one answers
        answer = client.get("/v1/documents", params={"index": "sample"})
        if answer.status_code == 200 or time.monotonic() > deadline:
            break
    assert answer.status_code == 200


def test_an_answer_is_remembered_until_the_index_changes(client_for: Any, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from lexfield.search.index import Index
    from lexfield.serve.app import make_app
    from lexfield.text.document import Document

    index = Index.build(_corpus("The red boat sank in the cold sea."), tmp_path / "small.idx")
    with TestClient(
        make_app([tmp_path / "small.idx"], folder=tmp_path / "up", workers=1),
        base_url="http://localhost",
    ) as client:
        first = ok(client, "/v1/search", index="small", q="a boat")
        assert ok(client, "/v1/search", index="small", q="a boat") == first
        index.add([Document("new", "A boat is a boat is a boat, they say here.", "new", {})])
        assert len(ok(client, "/v1/search", index="small", q="a boat")["results"]) == 2


def _corpus(*texts: str) -> Any:
    from lexfield.text.corpus import Corpus

    return Corpus.of(texts)


def test_a_text_is_plain_unless_algebra_is_asked_for(client: Any) -> None:
    asked = {"index": "sample", "method": "count", "unit": "document", "k": 50}
    plain = ok(client, "/v1/search", **asked, q="storm - *** sea")["results"]
    words = ok(client, "/v1/search", **asked, q="storm sea")["results"]
    assert [(hit["id"], hit["score"]) for hit in plain] == [
        (hit["id"], hit["score"]) for hit in words
    ]
    less = ok(client, "/v1/search", **asked, q="storm - sea", algebra=True)["results"]
    assert {hit["id"] for hit in less} < {hit["id"] for hit in words}
    assert "must follow" in refused(client, "/v1/search", 400, **asked, q="3*", algebra=True)
    assert "does not read sums" in refused(
        client, "/v1/search", 400, index="sample", q="storm", algebra=True
    )
    for verb, more in (("search", {"q": "storm"}), ("zipf", {}), ("speech", {})):
        ok(client, f"/v1/{verb}", index="sample", allow_unknown=True, **more)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("search", rb'{"q": "a \ud800 boat"}'),
        ("search", rb'{"q": "boat", "\udfff": 1}'),
        ("search", rb'{"q": ["\ud800"]}'),
        ("search", rb'{"q": "boat", "where": ["a=\ud800"]}'),
        ("compare", rb'{"text_a": "\ud800", "text_b": "b"}'),
        ("jobs", rb'{"verb": "search", "options": {"q": "a \ud800 boat"}}'),
        ("jobs", rb'{"verb": "search", "options": {"q": "boat", "\udfff": 1}}'),
        ("jobs", rb'{"verb": "\ud800", "options": {}}'),
        ("jobs", rb'{"verb": "search", "options": {}, "follower": "\ud800"}'),
    ],
)
def test_half_a_character_is_the_callers_mistake(client: Any, path: str, body: bytes) -> None:
    answer = client.post(f"/v1/{path}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert "surrogate" in answer.json()["error"]
