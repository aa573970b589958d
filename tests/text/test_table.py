from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexfield.errors import ReadError
from lexfield.text.table import Rows


def rows(text: str, delimiter: str = ",", longest: int = 1000) -> list[list[str]]:
    return list(Rows(io.StringIO(text, newline=""), delimiter, longest, "x.csv"))


def library(text: str, delimiter: str = ",") -> list[list[str]] | None:
    """The standard library's reader, which skips no empty line; None for an error."""
    try:
        lines = io.StringIO(text, newline="")
        return [row for row in csv.reader(lines, delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return None


@given(st.text(alphabet='",\t\n\ra é\0'), st.sampled_from([",", "\t"]))
@example('a,"b ""c"",\r\n d",e\n\n"",\n', ",")
@example('a"b,c""d\n', ",")
def test_rows_are_those_of_the_library(text: str, delimiter: str) -> None:
    expected = library(text, delimiter)
    if expected is None:
        with pytest.raises(ReadError):
            rows(text, delimiter)
    else:
        assert rows(text, delimiter) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a\n"b" c\n', "x.csv:2: ',' expected after a closing quote"),
        ('a\n"b\nc', "x.csv:3: a quote is opened and not closed"),
        ('"' + "ab\n" * 500 + '"', "a field over 0 MB"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        rows(text)
