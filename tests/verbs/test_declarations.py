"""What holds for every verb."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import get_type_hints

import msgspec
import pytest

import lexfield as lx
from lexfield.verbs import list_verbs
from lexfield.verbs.results import Result

VERBS = list_verbs()


@pytest.mark.parametrize("name", VERBS)
def test_help_in_python_lists_every_option_as_it_is_written_there(name: str) -> None:
    verb = VERBS[name].load()
    function = getattr(lx, verb.name)
    shown = inspect.signature(function).parameters
    assert list(shown) == [parameter.name for parameter in verb.parameters]
    described = str(inspect.getdoc(function)).partition("\nArguments:\n")[2]
    for parameter in verb.parameters:
        assert shown[parameter.name].default == parameter.default
        assert f"\n    {parameter.name}" in f"\n{described}"
    assert not re.search(r"(?<![\w'`-])--[a-z]", described)


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
