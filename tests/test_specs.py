"""The one parser of specifications such as jm(0.5) or bm25(k1=1.5)."""

from __future__ import annotations

import pytest

from lexfield.errors import InputError
from lexfield.specs import Spec, parse_spec, read_value


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("shared", Spec("shared", (), {})),
        (" jm ( 0.5 ) ", Spec("jm", ("0.5",), {})),
        ("bm25(k1=1.5, b=-.2)", Spec("bm25", (), {"k1": "1.5", "b": "-.2"})),
        ("fuse(mean, edit(by=word, x=1), k=9)",
         Spec("fuse", ("mean", "edit(by=word, x=1)"), {"k": "9"})),
    ],
)  # fmt: skip
def test_parts(text: str, spec: Spec) -> None:
    assert parse_spec(text, "method") == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a method"),
        ("wmd(", "is not a method"),
        ("a(b=1, b=2)", "'b' is given twice"),
        ("a" * 1001, "at most 1,000 characters"),
    ],
)
def test_malformed_specs_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_spec(text, "method")


def test_values() -> None:
    texts = ["1", "-1.5", "1e3", "True", "none", "word"]
    assert [read_value(text) for text in texts] == [1, -1.5, 1000.0, True, None, "word"]
