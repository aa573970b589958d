"""Pasted texts, previews of tables, large uploads, and paths that are not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.errors import InputError
from lexfield.serve import pastes
from lexfield.serve.guard import Limits
from lexfield.serve.pastes import Pastes
from lexfield.serve.problems import NotFoundError

LONG = "The boat came home before the storm, and nobody was at the harbour. " * 200
ASKED = {"index": "sample", "b": "pell-sea"}


def post(client: Any, path: str, **options: Any) -> Any:
    return client.post(path, headers={"origin": "http://127.0.0.1:8000"}, **options)


def test_a_paste_stands_for_its_text(client: Any) -> None:
    kept = post(client, "/v1/pastes", json={"text": LONG}).json()
    assert kept == post(client, "/v1/pastes", json={"text": LONG}).json()
    assert kept["characters"] == len(LONG) and len(kept["id"]) == 16
    assert client.get(f"/v1/pastes/{kept['id']}").json()["text"] == LONG
    by_id = client.get("/v1/compare", params={**ASKED, "text_a": f"paste:{kept['id']}"})
    whole = post(client, "/v1/compare", json={**ASKED, "text_a": LONG})
    assert by_id.status_code == 200 and by_id.json() == whole.json()
    gone = client.get("/v1/compare", params={**ASKED, "text_a": f"paste:{'0' * 16}"})
    assert gone.status_code == 404 and "paste it again" in gone.json()["hint"]
    assert client.get("/v1/pastes/..%2fx").status_code == 404
    assert post(client, "/v1/pastes", json={"text": " "}).status_code == 400


def test_pastes_are_bounded_and_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Pastes(tmp_path / "pastes")
    first, second = kept.keep("one text"), kept.keep("another text")
    assert (kept.folder / f"{first.id}.txt").stat().st_mode & 0o077 == 0
    os.utime(kept.folder / f"{first.id}.txt", (0, 0))
    kept.keep("a third")
    with pytest.raises(NotFoundError, match="no pasted text"):
        kept.read(first.id)
    assert kept.read(second.id).text == "another text"
    monkeypatch.setattr(pastes, "_KEPT", 20)
    kept.keep("the last one, too long")
    assert len(list(kept.folder.glob("*.txt"))) <= 1
    with pytest.raises(InputError, match="no text"):
        kept.keep("")


def test_a_table_is_previewed(client: Any) -> None:
    table = "ref,Title,Body,year\na,First,Some words here,1850\nb,Second,More words,1860\n"
    found = post(client, "/v1/preview", files={"files": ("t.csv", table)})
    assert found.status_code == 200, found.text
    assert {one["name"]: one["role"] for one in found.json()["columns"]} == {
        "ref": "metadata", "Title": "title", "Body": "text", "year": "metadata",
    }  # fmt: skip
    assert found.json()["rows"][1] == {
        "ref": "b",
        "Title": "Second",
        "Body": "More words",
        "year": "1860",
    }
    plain = post(client, "/v1/preview", files={"files": ("t.txt", "Just text.")})
    assert plain.json() == {"columns": [], "rows": []}
    wrong = post(client, "/v1/preview", files={"files": ("t.jsonl", '{"a": 1}\nnot json\n')})
    assert wrong.status_code == 400 and "/tmp" not in wrong.text
    assert post(client, "/v1/preview", data={"x": "y"}).status_code in (400, 422)


def test_uploads_have_their_own_limit(client_for: Any) -> None:
    small = client_for(limits=Limits(body=1000, upload=5000))
    text = "A few words. " * 200
    assert post(small, "/v1/preview", files={"files": ("t.txt", text)}).status_code == 200
    assert post(small, "/v1/preview", files={"files": ("t.txt", 3 * text)}).status_code == 413
    assert post(small, "/v1/pastes", json={"text": text}).status_code == 413
    assert small.get("/v1/indexes").json()["limits"]["upload"] == 5000


def test_browsers_see_the_page_where_nothing_is(client: Any) -> None:
    shown = client.get("/nosuch/view", headers={"accept": "text/html,*/*"})
    assert shown.status_code == 404 and shown.text.startswith("<!doctype html>")
    for path, accept in (
        ("/nosuch", "*/*"),
        ("/v1/no/such", "text/html"),
        ("/static/no.js", "text/html"),
    ):
        answer = client.get(path, headers={"accept": accept})
        assert answer.status_code == 404 and answer.json()["error"]
