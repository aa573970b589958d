"""Every number that a request can hold has bounds, and what lies outside is refused."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.errors import InputError
from lexfield.serve.inputs import offer
from lexfield.serve.server import list_served
from lexfield.verbs.declare import Parameter


def find_numbers(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas of numbers within that of a parameter."""
    inner = [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]
    own = [schema] if schema.get("type") in ("integer", "number") else []
    return own + [found for part in inner for found in find_numbers(part)]


NUMBERS = [
    pytest.param(parameter, id=f"{verb.name} {parameter.name}")
    for verb in list_served()
    for parameter in offer(verb).values()
    if find_numbers(msgspec.json.schema(parameter.type))
]


@pytest.mark.parametrize("parameter", NUMBERS)
def test_hostile_numbers_are_refused(parameter: Parameter) -> None:
    for number in find_numbers(msgspec.json.schema(parameter.type)):
        assert {"minimum", "exclusiveMinimum"} & set(number), "no lower bound"
        assert {"maximum", "exclusiveMaximum"} & set(number), "no upper bound"
    for value in (-1e18, 1e18, math.nan, math.inf, -math.inf, "nan", "inf", 10**18):
        for lax in (False, True):
            with pytest.raises(InputError):
                parameter.convert(value, lax=lax)
