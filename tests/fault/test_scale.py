"""A sample of ``tests.fault.scale``: readers of hard input stay within their memory."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")

from tests.fault.scale import LARGE, read_at

LONG = ("small texts", "one text of empty lines", "a word a sentence, not ASCII")
SHAPES = [(name, shape) for name in LARGE for shape in LARGE[name] if shape not in LONG]


@pytest.mark.parametrize(("name", "shape"), SHAPES)
def test_memory_is_some_times_the_input(name: str, shape: str) -> None:
    # Cut text is arrays: of three letters that are a sentence, ten times as much.
    most = 20 if name == "plain text" else 4
    assert read_at(name, shape, 1)["memory over size"] <= most
