"""A question that is asked the wrong way is answered with the right one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from lexfield.verbs import list_functions


def test_a_verb_that_runs_only_as_a_job_says_how_to_start_it(client: Any) -> None:
    answer = client.get("/v1/fit_topics")
    assert answer.status_code == 405 and answer.headers["allow"] == "POST"
    assert "only as a job" in answer.json()["error"]
    assert "POST /v1/fit_topics" in answer.json()["hint"]
    started = client.post("/v1/fit_topics", json={"index": "sample", "topics": 3, "passes": 1})
    assert started.status_code == 202 and started.json()["verb"] == "fit_topics"
    client.delete(f"/v1/jobs/{started.json()['id']}")
    assert client.post("/v1/fit_topics", json={"topics": "many"}).status_code == 422
    unknown = client.get("/v1/serch")
    assert unknown.status_code == 404 and "'serch'" in unknown.json()["error"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/v1/inspire?index=sample&draft=It+was+late.", "text_draft"),
        ("/v1/compare?index=sample&a=It+was+late.&b=pell-sea", "text_a"),
        ("/v1/compare?a=" + "x" * 2500, "text_a"),
        ("/v1/near?q=sea", "Did you mean 'word'?"),
        ("/v1/methods?word=x", "Did you mean 'about'?"),
        ("/v1/search?querry=x", "Did you mean 'query'?"),
        ("/v1/search?text=x", "Did you mean 'query'?"),
        ("/v1/text?id=x", "Did you mean 'document'?"),
    ],
)
def test_a_wrong_parameter_is_answered_with_the_right_one(
    client: Any, path: str, hint: str
) -> None:
    answer = client.get(path)
    assert answer.status_code in (404, 422) and hint in answer.json()["hint"]


@pytest.mark.parametrize(
    "sent",
    [
        {"run": "not a run", "qrels": "q1 0 d1 1\n"},
        {"run": "q1 Q0 d1 1 0.5 x\n", "qrels": "\x00\x01"},
        {"run": "", "qrels": ""},
        {"run": "q1 Q0 d1 1 0.5 x\n", "qrels": "q9 0 d1 1\n"},
        {"run": "q1 Q0 d1 1 0.5 x\n", "qrels": "q1 0 d1 1\n", "against": "nothing"},
        {"run": "q1 Q0 d1 1 0.5 x\n", "qrels": "q1 0 d1 1\n"},
    ],
)
def test_nothing_that_is_said_about_files_shows_where_they_lay(
    client: Any, sent: dict[str, str]
) -> None:
    answer = client.post("/v1/evaluate", json=sent)
    assert "lexfield-" not in answer.text and "tmp" not in answer.text


def test_a_question_is_written_for_use_elsewhere(client: Any, sample_index: Path) -> None:
    options = {"index": "sample", "q": "a storm", "method": ["mean"], "k": "3", "algebra": False}
    found = client.post("/v1/snippets", json={"verb": "search", "options": options})
    forms = found.json()  # which run on this machine
    assert forms["command"] == f"lexfield search {sample_index} 'a storm' --method mean -k 3"
    assert forms["python"].endswith(f"lx.search('{sample_index}', 'a storm', method='mean', k=3)")
    address = shlex.split(forms["curl"])[1]
    assert client.get(address).json() == client.get("/v1/search", params=options).json()
    long = {"verb": "search", "options": {"index": "sample", "query": "storm " * 1000}}
    assert "--json" in client.post("/v1/snippets", json=long).json()["curl"]
    fit = {"verb": "fit_topics", "options": {"index": "sample", "topics": 5}}
    job = client.post("/v1/snippets", json=fit).json()
    assert shlex.split(job["curl"])[-1].endswith("/v1/jobs") and "topics fit" in job["command"]


def test_other_machines_do_not_learn_where_an_index_is_stored(client_for: Any) -> None:
    client = client_for(host="0.0.0.0", token="a-token-of-many-letters")
    options = {"index": "sample", "query": "a storm"}
    found = client.post(
        "/v1/snippets",
        json={"verb": "search", "options": options},
        headers={"authorization": "Bearer a-token-of-many-letters"},
    )
    assert found.json()["command"] == "lexfield search sample.idx 'a storm'"


def test_every_verb_has_an_address_and_is_described(client: Any) -> None:
    described = client.get("/openapi.json").json()["paths"]
    served = {name: listed.load().served for name, listed in list_functions().items()}
    assert {name for name in served if f"/v1/{name}" not in described} == {
        name for name, how in served.items() if how == "no"
    }
