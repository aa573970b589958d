"""The passages of two texts over HTTP, as the page's Compare view asks for them."""

from __future__ import annotations

from tests.serve.conftest import Client
from tests.verbs.test_reuse import PASSAGE, plant


def test_documents_of_an_index_and_pasted_texts_are_aligned(client: Client) -> None:
    one, other = "pell-market", "voss-market"
    asked = {"index": "sample", "document": [one], "b": other}
    done = client.post("/v1/reuse", json=asked)
    assert done.status_code == 200, done.text
    best = done.json()["results"][0]
    assert (best["a"]["document"], best["b"]["document"]) == (one, other)
    assert best["kind"] == "reworded" and best["alignment"][0]["op"]
    pasted = {"text": [plant("pell-sea", PASSAGE)], "text_b": plant("voss-school", PASSAGE)}
    (pair,) = client.post("/v1/reuse", json=pasted).json()["results"]
    assert pair["kind"] == "verbatim" and pair["a"]["text"] == PASSAGE.rstrip(".")
    for side in "ab":
        named = {"text": [PASSAGE], "text_b": PASSAGE, "html": "/tmp/x.html", side: "/etc/passwd"}
        assert client.post("/v1/reuse", json=named).status_code >= 400
