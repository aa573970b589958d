from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.specs import UNNAMED, format_spec, parse_spec

names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
values = (
    st.booleans()
    | st.none()
    | st.integers(-99, 99)
    | st.floats(-1e6, 1e6, allow_nan=False)
    | names.filter(lambda word: word not in ("true", "false", "none", "inf", "nan", "infinity"))
)


@given(names, st.dictionaries(names, values), st.lists(names, max_size=3))
def test_specs_round_trip(name: str, given: dict[str, object], unnamed: list[str]) -> None:
    values = {UNNAMED: unnamed, **given} if unnamed else given
    assert parse_spec(format_spec(name, values, {})) == (name, values)


def test_defaults_are_left_out() -> None:
    assert format_spec("lm", {"mu": 1000.0}, {"mu": 1000.0}) == "lm"
    assert format_spec("x", {"a": 1, "b": None, "c": True}, {"a": 1}) == "x(b=none, c=true)"


def test_inner_specs_stay_text() -> None:
    wanted = ("fuse", {UNNAMED: ["a(x=1, y=2)", "b"], "how": "rrf"})
    assert parse_spec(" fuse( a(x=1, y=2), b , how=rrf) ") == wanted
    assert parse_spec("jm(0.5)") == ("jm", {UNNAMED: ["0.5"]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be understood"),
        ("wmd(", "cannot be understood"),
        ("3d", "cannot be understood"),
        ("a(b=1, b=2)", "'b' is given twice"),
        ("a" * 1001, "at most 1,000 characters"),
    ],
)
def test_bad_specs(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_spec(text)
