"""Verbs that change an index change only what was built on the server; others read any."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")


def build(client: Any, name: str) -> str:
    job = client.post("/v1/indexes", data={"text": "A storm at sea. The sea.", "name": name}).json()
    client.get(f"/v1/jobs/{job['id']}/events")
    return str(client.get(f"/v1/jobs/{job['id']}").json()["index"])


def run_job(client: Any, verb: str, **options: object) -> dict[str, Any]:
    started = client.post("/v1/jobs", json={"verb": verb, "options": options})
    assert started.status_code == 202, started.text
    id = started.json()["id"]
    client.get(f"/v1/jobs/{id}/events")
    found = client.get(f"/v1/jobs/{id}/result")
    assert found.status_code == 200, found.text
    answer: dict[str, Any] = found.json()["results"][0]
    return answer


def test_texts_are_added_and_deleted_and_the_index_is_tidied(client: Any) -> None:
    id = build(client, "growing")
    texts = ["Snow fell on the hills.", "A quiet harbour."]
    assert run_job(client, "add", index=id, text=texts) == {"added": 2, "documents": 3}
    assert run_job(client, "add", index=id, text="More snow.") == {"added": 1, "documents": 4}
    hits = client.get("/v1/search", params={"index": id, "query": "snow", "k": 1}).json()["results"]
    assert "now" in hits[0]["text"]
    deleted = run_job(client, "delete", index=id, ids=[hits[0]["document"]])
    assert deleted == {"deleted": 1, "documents": 3}
    assert run_job(client, "compact", index=id)["segments_before"] > 1
    checked = client.get("/v1/verify", params={"index": id})
    assert checked.status_code == 200 and checked.json()["root"]


@pytest.mark.parametrize("verb", ["add", "delete", "compact", "encode"])
def test_an_index_that_was_named_at_the_start_is_not_changed(client: Any, verb: str) -> None:
    build(client, "another")
    more = {"add": {"text": ["x"]}, "delete": {"ids": ["pell-sea"]}}.get(verb, {})
    body = {"verb": verb, "options": {"index": "sample", **more}}
    refused = client.post("/v1/jobs", json=body)
    assert refused.status_code == 400
    assert (
        refused.json()["error"]
        == "'sample' was not built on this server and cannot be changed here."
    )


def test_a_run_over_http_is_what_the_command_prints(client: Any) -> None:
    queries = "q1\ta storm at sea\nq2\ta school\n"
    asked = {"index": "sample", "queries": queries, "k": 2, "method": "bm25"}
    found = client.post("/v1/run", json=asked).json()
    assert [(row["query"], row["rank"]) for row in found["results"]] == [
        ("q1", 1), ("q1", 2), ("q2", 1), ("q2", 2),
    ]  # fmt: skip


def test_two_equal_additions_add_twice(client: Any) -> None:
    id = build(client, "twice")
    body = {"verb": "add", "options": {"index": id, "text": ["Snow."]}}
    jobs = [client.post("/v1/jobs", json=body).json()["id"] for _ in range(2)]
    for job in jobs:
        client.get(f"/v1/jobs/{job}/events")
    assert jobs[0] != jobs[1]
    assert client.get(f"/v1/indexes/{id}").json()["results"][0]["documents"] == 3


def test_what_changes_an_index_can_be_copied_as_a_command(client: Any) -> None:
    id = build(client, "copied")
    body = {"verb": "add", "options": {"index": id, "text": ["It snows.", "x"]}}
    found = client.post("/v1/snippets", json=body).json()
    assert found["python"].endswith(f"/{id}', ['It snows.', 'x'])")
    assert found["command"].splitlines()[0] == "printf '%s\\n' 'It snows.' > lexfield-text-1.txt"
    runs = {"run": ["q 0 a 1 2 x", "q 0 b 1 2 y"]}
    fused = client.post("/v1/snippets", json={"verb": "fuse", "options": {"runs": runs["run"]}})
    assert fused.json()["command"].endswith("lexfield fuse lexfield-runs-1.txt lexfield-runs-2.txt")
