"""Jobs over HTTP: they are checked, followed, cancelled, and give the answer of their verb."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.serve.test_app import ok, refused


def follow(client: Any, id: str) -> dict[str, Any]:
    """The events of a job until it is over; gives the last."""
    with client.stream("GET", f"/v1/jobs/{id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in stream.iter_lines() if line[:6] == "data: "]
    last: dict[str, Any] = events[-1]
    return last


def test_a_job_gives_the_answer_of_its_verb(client: Any) -> None:
    options = {"index": "sample", "latent": True, "clusters": 20, "seeds": 1, "nulls": False}
    started = client.post("/v1/jobs", json={"verb": "zipf", "options": options})
    assert started.status_code == 202
    id = started.json()["id"]
    assert follow(client, id)["state"] == "done"
    told = ok(client, f"/v1/jobs/{id}/result")
    assert told == ok(client, "/v1/zipf", **options)
    assert len(told["results"][0]["clusters"]) == len(told["results"][0]["points"]) == 20
    assert ok(client, "/v1/jobs")[0]["id"] == id


def test_a_job_is_checked_before_it_begins(client: Any) -> None:
    def status(verb: str, **options: Any) -> int:
        answer = client.post("/v1/jobs", json={"verb": verb, "options": options})
        assert set(answer.json()) == {"error", "hint"}
        return int(answer.status_code)

    assert status("nothing") == 404
    assert status("zipf", index="sample", k=1) == 422
    assert status("zipf", index="nowhere") == 404


def test_a_job_can_be_cancelled(client: Any) -> None:
    options = {"index": "sample", "latent": True, "clusters": 200, "seeds": 20, "robustness": True}
    id = client.post("/v1/jobs", json={"verb": "zipf", "options": options}).json()["id"]
    began = time.monotonic()
    while ok(client, f"/v1/jobs/{id}")["state"] == "waiting" and time.monotonic() - began < 10:
        time.sleep(0.05)
    assert client.delete(f"/v1/jobs/{id}").json()["state"] == "cancelled"
    assert follow(client, id)["state"] == "cancelled"
    refused(client, f"/v1/jobs/{id}/result", 409)
    # what comes after it is done as ever
    short = client.post("/v1/jobs", json={"verb": "near", "options": {"word": ["sea"]}}).json()
    assert follow(client, short["id"])["state"] == "done"


def test_a_job_that_fails_says_why(client: Any) -> None:
    options = {"index": "sample", "latent": True, "clusters": 1000, "vectors": "nosuch"}
    id = client.post("/v1/jobs", json={"verb": "zipf", "options": options}).json()["id"]
    last = follow(client, id)
    assert last["state"] == "failed" and "nosuch" in last["problem"]["error"]
