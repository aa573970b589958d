"""Every number that a request can hold has bounds, and what lies outside is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("fastapi")

from pydantic import ValidationError

from lexfield.serve.requests import JOBS, VERBS

FIELDS = [
    pytest.param(model, name, id=f"{verb} {name}")
    for verb, model in {**VERBS, **JOBS}.items()
    for name, field in model.model_fields.items()
    if "int" in str(field.annotation) or "float" in str(field.annotation)
]


def numbers(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas of numbers within one field's."""
    inner = [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]
    own = [schema] if schema.get("type") in ("integer", "number") else []
    return own + [found for part in inner for found in numbers(part)]


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_hostile_numbers_are_refused(model: Any, name: str) -> None:
    schema = model.model_json_schema()["properties"][name]
    found = numbers(schema)
    assert found
    for number in found:
        assert {"minimum", "exclusiveMinimum"} & set(number), "no lower bound"
        assert {"maximum", "exclusiveMaximum"} & set(number), "no upper bound"
    several = schema.get("type") == "array"
    for value in (-1e18, 1e18, math.nan, math.inf, -math.inf, "nan", "inf", 10**18):
        with pytest.raises(ValidationError):
            model.__pydantic_validator__.validate_assignment(
                model.model_construct(), name, [value] if several else value
            )
