"""Whatever the API's own description allows, nothing makes the server fail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip("schemathesis", reason="schemathesis is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

import schemathesis

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.serve.live import served

EXAMPLES = int(os.environ.get("LEXFIELD_EXAMPLES", "6"))  # of each operation


@pytest.fixture(scope="module")
def small_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("schema")
    texts = sorted(TEXTS.glob("*.txt"))[:6]
    index = Index.build(Corpus.read(texts, metadata=METADATA), folder / "small.idx")
    index.fit_topics(4, passes=2)
    with served(folder / "small.idx", "--folder", folder / "up", "--timeout", "60") as at:
        yield at


@pytest.fixture(scope="module")
def api(small_address: str) -> Any:
    found = schemathesis.openapi.from_url(f"{small_address}/openapi.json")
    return found.exclude(path_regex="/events$")  # a stream ends with its job


def test_no_request_that_is_described_makes_the_server_fail(api: Any) -> None:
    asked = 0
    for found in api.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            for part in (case.query, case.body):  # most faults are behind an index that is there
                if isinstance(part, dict) and "index" in part:
                    part["index"] = "small"
            answer = case.call(timeout=90)
            assert answer.status_code < 500, (case.method, case.path, case.query, answer.text)
            if answer.status_code >= 400:
                assert set(answer.json()) == {"error", "hint"}

        ask()
    assert asked > 100


def test_no_sequence_of_requests_makes_the_server_fail(api: Any) -> None:
    """What is made is followed, read, cancelled and deleted, in any order."""
    linked = []

    class Machine(api.as_state_machine()):  # type: ignore[misc]
        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            linked.append(case.operation.path)
            assert response.status_code < 500, (case.method, case.path, case.body, response.text)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            for part in (case.query, case.body):
                if isinstance(part, dict) and "index" in part:
                    part["index"] = "small"
            return {"timeout": 90}

    chosen = settings(
        max_examples=EXAMPLES, stateful_step_count=8, deadline=None, derandomize=True,
        database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip
    Machine.run(settings=chosen)
    assert any("{id}" in path for path in linked)


def test_events_of_a_job_that_is_not_there(small_address: str) -> None:
    import httpx

    assert httpx.get(f"{small_address}/v1/jobs/none/events").status_code == 404


def test_paths_are_few_and_typed(api: Any) -> None:
    described = api.raw_schema
    assert described["openapi"].startswith("3.1")
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            assert about["operationId"], (path, method)
            for status, answer in about["responses"].items():
                if status.startswith(("4", "5")):
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Problem"}, (path, status)
