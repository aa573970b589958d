"""Answers over HTTP carry their request and the state of the stores that they come from."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from lexfield.engine.processes import Reply
from lexfield.results import JsonObject
from lexfield.serve.pool import Process
from tests.serve.test_app import QUERY, ok, refused


def test_an_answer_proves_its_request_and_its_data(client: Any) -> None:
    asked = {"index": "sample", "q": QUERY, "k": 2}
    answer = client.get("/v1/search", params=asked, headers={"x-request-id": "my-1"})
    assert answer.headers["x-request-id"] == "my-1"
    provenance = answer.json()["provenance"]
    options = {"index": "sample", "k": 2, "query": QUERY}
    text = json.dumps({"options": options, "verb": "search"}, sort_keys=True, separators=(",", ":"))
    assert provenance["request"] == hashlib.sha256(text.encode()).hexdigest()
    (store,) = provenance["stores"]
    assert store["path"] == "sample" and len(store["root"]) == 64
    assert ok(client, "/v1/verify", index="sample")["root"] == store["root"]
    table = client.get("/v1/search", params={**asked, "format": "csv"})
    assert json.loads(table.headers["lexfield-provenance"])["stores"] == [store]
    wrong = client.get("/v1/search", params={"k": -1}, headers={"x-request-id": "no\x00"})
    assert len(wrong.headers["x-request-id"]) == 16


def test_an_answer_to_another_request_is_refused(client: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("lexfield.serve.server.digest_request", lambda *_: "0" * 64)
    assert ok(client, "/v1/near", word="sea")["provenance"]["request"] == "0" * 64

    async def swap(process: Process, function: str, item: JsonObject, report: Any) -> Reply:
        return await real(process, function, {**item, "request": "1" * 64}, report)

    real = Process._run
    monkeypatch.setattr(Process, "_run", swap)
    assert "has ended" in refused(client, "/v1/near", 500, word="boat")
