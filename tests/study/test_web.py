"""The questionnaire over HTTP: bounded, blind, and no answer twice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexfield.study.database import Study
from tests.study.conftest import METHODS

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

Client = Any


def client_of(study: Study, **options: Any) -> Client:
    from starlette.testclient import TestClient

    from lexfield.serve.study import study_app

    return TestClient(
        study_app(study, **options), base_url="http://127.0.0.1:8000", follow_redirects=False
    )


@pytest.fixture
def client(choose3: Study) -> Iterator[Client]:
    with client_of(choose3) as opened:
        yield opened


def test_a_whole_visit(client: Client, choose3: Study) -> None:
    first = client.get("/")
    assert first.status_code == 200 and "What do you study" in first.text
    assert client.get("/question").headers["location"] == "/"
    joined = client.post("/join", data={"field": "1", "adoption": "4"})
    assert joined.status_code == 303 and joined.headers["location"] == "/question"
    cookie = joined.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert client.get("/").headers["location"] == "/question"
    asked = client.get("/question")
    assert "Question 1 of 12" in asked.text and asked.headers["cache-control"] == "no-store"
    sent = client.post("/answer", data={"place": "0", "chosen": ["0", "2", "4"]})
    assert sent.headers["location"] == "/question"
    again = client.post("/answer", data={"place": "0", "chosen": ["1", "2", "3"]})  # sent twice
    assert again.status_code == 303
    assert [answer.chosen for answer in choose3.answers()] == [(0, 2, 4)]
    gone = client.post("/quit")
    (one,) = choose3.participants()
    assert one.background == {"field": 1, "adoption": 4}
    assert one.code in gone.text and "One answer is saved" in gone.text
    assert client.get("/question").headers["location"] == "/"  # the cookie is gone
    assert client.post("/resume", data={"code": one.code}).status_code == 303
    for place in range(1, 12):
        client.post("/answer", data={"place": str(place), "chosen": ["0", "1", "2"]})
    assert "That was the last question" in client.get("/question").text
    assert choose3.count_answers(one) == 12


@pytest.mark.parametrize("kind", ["choose3", "head2head"])
def test_pages_are_blind(kind: str, request: pytest.FixtureRequest) -> None:
    """Page, headers and addresses hold the sentences and nothing that goes with a method."""
    study: Study = request.getfixturevalue(kind)
    lists = [entries for queries in study.suggestions.values() for entries in queries.values()]
    texts = sorted((text for entries in lists for _, text in entries), key=len, reverse=True)
    client = client_of(study)
    seen = [client.get("/"), client.post("/join", data={"begin": "1"})]
    orders = set()
    for place in range(12):
        asked = client.get("/question")
        names = re.findall(r"(\w+) says (\d) of", asked.text)
        orders.add(tuple(name for name, _ in names))
        chosen = ["0", "1", "2"][: study.design.choose]
        seen += [asked, client.post("/answer", data={"place": str(place), "chosen": chosen})]
    seen.append(client.get("/question"))
    assert len(orders) > 4  # no method has a place of its own
    skeletons = set()
    for response in seen:
        blind = unescape(response.text)
        for text in texts:
            blind = blind.replace(text, "")
        everything = f"{blind} {dict(response.headers)} {response.url}".lower()
        assert not [method for method in METHODS if method in everything]
        if "data-choose" in blind:  # pages differ by the query and the number only
            skeletons.add(re.sub(r"Query number \d+\?|\d+", "", blind))
    assert len(skeletons) == 1


def test_sentences_are_escaped(tmp_path: Any) -> None:
    from lexfield.study.database import create
    from lexfield.study.design import Design, StudyQuery

    evil = "<script>alert('x')</script> & \"quotes\" {}"
    lists = [{m: [f"{evil} {m} {i}" for i in range(5)] for m in METHODS}]
    design = Design("choose3", METHODS[:1], METHODS[1:])
    client = client_of(create(tmp_path / "s.db", design, [StudyQuery(evil)], lists, {}))
    client.post("/join", data={"begin": "1"})
    page = client.get("/question").text
    assert "<script>alert" not in page and page.count("&lt;script&gt;") == 6
    assert page.count("<script") == 1  # our own, from a file


def test_bad_forms(client: Client, choose3: Study) -> None:
    refused = client.post("/join", json={"field": 1})
    assert refused.status_code == 400 and "not a form" in refused.text
    assert client.post("/join", data={"field": "many"}).status_code == 400
    assert client.post("/join", data={"field": "7"}).status_code == 400
    assert client.post("/join", data={f"f{i}": "1" for i in range(30)}).status_code == 400
    assert client.post("/resume", data={"code": "nobody"}).status_code == 400
    assert client.post("/resume", data={}).status_code == 400
    assert client.post("/answer", data={"place": "0"}).headers["location"] == "/"
    assert choose3.participants() == []
    client.post("/join", data={"begin": "1"})
    few = client.post("/answer", data={"place": "0", "chosen": ["0", "1"]})
    assert few.status_code == 400 and "Choose 3 sentences." in few.text
    for data in ({"place": "0", "chosen": ["0", "1", "9"]}, {"place": "0", "chosen": ["0"] * 3}):
        assert client.post("/answer", data=data).status_code == 400
    assert client.post("/answer", data={"chosen": ["0", "1", "2"]}).status_code == 400
    assert client.post("/answer", data={"place": "5", "chosen": ["0", "1", "2"]}).status_code == 303
    assert choose3.answers() == []
    client.cookies.clear()
    client.cookies.set("lexfield_study", "not-a-code")
    assert client.get("/question").headers["location"] == "/"


def test_the_guards_stand_here_too(client: Client, choose3: Study) -> None:
    assert client.post("/join", data={"x": "y" * 30_000}).status_code == 413
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"host": "[127.0.0.1]"}).status_code == 421
    assert client.get("/", headers={"origin": "http://[::1"}).status_code == 403
    assert client.post("/join", headers={"origin": "http://evil.example"}).status_code == 403
    policy = client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy
    for path in ("/openapi.json", "/static/../web.py", "/static/%2e%2e/web.py"):
        assert client.get(path).status_code == 404
    with client_of(choose3, host="0.0.0.0", token="a-secret-of-16-or-more") as other:
        assert other.get("/").status_code == 401
        assert other.get("/?token=a-secret-of-16-or-more").status_code == 303
        assert other.get("/").status_code == 200
    from lexfield.errors import InputError

    with pytest.raises(InputError, match="a token is needed"):
        client_of(choose3, host="0.0.0.0")


def test_a_damaged_file_is_told(client: Client, choose3: Study) -> None:
    client.post("/join", data={"begin": "1"})
    choose3._connection.execute("UPDATE participant SET grp = 'other'")
    told = client.get("/question")
    assert told.status_code == 409 and "is damaged" in told.text


def test_only_so_many_join_from_one_place_at_a_time(
    choose3: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexfield.serve.study._JOINS", 3)
    with client_of(choose3) as client:
        statuses = [client.post("/join", data={"begin": "1"}).status_code for _ in range(6)]
    assert statuses[:3] == [303] * 3 and statuses[-1] == 429


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_study_can_be_read_by_its_owner_only(choose3: Study) -> None:
    assert choose3.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_a_killed_server_loses_no_answer(choose3: Study) -> None:
    import httpx

    command = ["study", "serve", str(choose3.path), "--port", "0", "--no-browser", "--no-token"]
    server = subprocess.Popen(
        [sys.executable, "-m", "lexfield", *command], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    with httpx.Client(base_url=server.stdout.readline().strip()) as client:
        client.post("/join", data={"begin": "1"})
        for place in range(7):
            sent = client.post("/answer", data={"place": str(place), "chosen": ["0", "1", "2"]})
            assert sent.status_code == 303
        server.kill()
    server.wait()
    with Study(choose3.path) as study:
        assert study.count_answers(study.participants()[0]) == 7


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(["/join", "/resume", "/answer", "/quit"]),
    body=st.one_of(
        st.binary(max_size=200),
        st.dictionaries(
            st.sampled_from(["place", "chosen", "code", "field", "writing", "x"]),
            st.text(max_size=30),
            max_size=4,
        ).map(lambda fields: urlencode(fields).encode()),
    ),
    cookie=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20),
)
def test_no_form_breaks_it(client: Client, path: str, body: bytes, cookie: str) -> None:
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "cookie": f"lexfield_study={cookie}",
    }
    sent = client.post(path, content=body, headers=headers)
    assert sent.status_code in (200, 303, 400)
