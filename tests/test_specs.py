"""The one parser of specifications such as jm(0.5) or bm25(k1=1.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.specs import Spec, format_spec, parse_spec

names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
values = (
    st.booleans()
    | st.none()
    | st.integers(-99, 99)
    | st.floats(-1e6, 1e6, allow_nan=False)
    | names.filter(lambda word: word not in ("true", "false", "none", "inf", "nan", "infinity"))
)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("shared", Spec("shared", (), {})),
        (" jm ( 0.5 ) ", Spec("jm", ("0.5",), {})),
        ("bm25(k1=1.5, b=-.2)", Spec("bm25", (), {"k1": 1.5, "b": -0.2})),
        ("a(b=True, c=none, d=1e3, e=word)",
         Spec("a", (), {"b": True, "c": None, "d": 1000.0, "e": "word"})),
        ("fuse(mean, edit(by=word, x=1), k=9)",
         Spec("fuse", ("mean", "edit(by=word, x=1)"), {"k": 9})),
    ],
)  # fmt: skip
def test_parts(text: str, spec: Spec) -> None:
    assert parse_spec(text, "method") == spec


@given(names, st.lists(names, max_size=3), st.dictionaries(names, values))
def test_specs_round_trip(name: str, unnamed: list[str], parameters: dict[str, object]) -> None:
    spec = format_spec(name, unnamed, parameters, {})
    assert parse_spec(spec, "method") == Spec(name, tuple(unnamed), parameters)


def test_defaults_are_left_out() -> None:
    assert format_spec("lm", [], {"mu": 1000.0}, {"mu": 1000.0}) == "lm"
    assert format_spec("x", [], {"a": 1, "b": None, "c": True}, {"a": 1}) == "x(b=none, c=true)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a method"),
        ("wmd(", "is not a method"),
        ("3d", "is not a method"),
        ("a(b=1, b=2)", "'b' is given twice"),
        ("a" * 1001, "at most 1,000 characters"),
    ],
)
def test_malformed_specs_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_spec(text, "method")
