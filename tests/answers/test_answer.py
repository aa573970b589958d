"""An answer is valid JSON and CSV whatever is in it."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexfield.answers.answer import Answer

VALUES = st.one_of(
    st.floats(), st.text(), st.integers(), st.none(), st.lists(st.floats(), max_size=3)
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first text builds hypothesis's tables
@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), max_size=4))
def test_every_answer_is_valid_json(records: list[dict[str, object]]) -> None:
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    body = json.loads(Answer("near", records).json(), parse_constant=refuse)
    assert len(body["results"]) == len(records) and body["schema"] == "lexfield.near/1"


def test_what_is_not_finite_is_null_and_the_rest_stays() -> None:
    answer = Answer("pairs", [{"value": math.inf, "other": 1.5}], ["a"], {"x": (math.nan, 2)})
    assert json.loads(answer.json()) == {
        "schema": "lexfield.pairs/1", "x": [None, 2],
        "results": [{"value": None, "other": 1.5}], "notes": ["a"],
    }  # fmt: skip


def test_csv_has_all_columns_and_nests_json() -> None:
    answer = Answer("x", [{"a": 1, "b": [1, 2]}, {"a": "x,y", "c": None}])
    rows = list(csv.DictReader(io.StringIO(answer.csv())))
    assert rows == [{"a": "1", "b": "[1, 2]", "c": ""}, {"a": "x,y", "b": "", "c": ""}]
    assert Answer("x", []).csv() == ""
