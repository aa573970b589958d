"""What holds for every verb."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

import msgspec
import pytest

from lexfield.verbs import list_verbs
from lexfield.verbs.results import Result

VERBS = list_verbs()


@pytest.mark.parametrize("name", VERBS)
def test_every_parameter_and_every_result_is_described(name: str) -> None:
    verb = VERBS[name].load()
    assert verb.summary.endswith((".", ")")) and f"lexfield {name} " in verb.help
    for parameter in verb.parameters:
        assert parameter.positional or parameter.help, parameter.name
        assert parameter.input or msgspec.json.schema(parameter.type)
    assert issubclass(verb.result, Result)
    assert msgspec.json.schema(verb.row)
    hints = get_type_hints(verb.result)
    for one in fields(verb.result):
        if one.name not in ("results", "notes") and not one.metadata.get("hidden"):
            assert msgspec.json.schema(hints[one.name]) is not None
