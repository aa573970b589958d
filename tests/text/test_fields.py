"""Conditions on metadata, against plain comparisons."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lexfield.errors import InputError
from lexfield.text.fields import (
    Column,
    choose_documents,
    find_source,
    list_values,
    match_where,
    missing_note,
    read_where,
)

YEARS = ["1811", "1850", "1850.0", "", "1899", "1925", "1,851"]
NUMBERS = [1811, 1850, 1850, None, 1899, 1925, 1851]


@pytest.mark.parametrize(
    ("condition", "test"),
    [
        ("year>=1850", lambda year: year >= 1850),
        ("year > 1850", lambda year: year > 1850),
        ("year<1850", lambda year: year < 1850),
        ("year<=1850", lambda year: year <= 1850),
        ("year=1850..1900", lambda year: 1850 <= year <= 1900),
        ("year=..1850", lambda year: year <= 1850),
        ("year=1899..", lambda year: year >= 1899),
        ("year=1850", lambda year: year == 1850),
        ("year=1811,1925", lambda year: year in (1811, 1925)),
        ("year==1850", lambda year: year == 1850),
        ("year=>1850", lambda year: year >= 1850),
        ("year =< 1850", lambda year: year <= 1850),
    ],
)
def test_numbers(condition: str, test: Callable[[int], bool]) -> None:
    column = Column("year", YEARS)
    assert column.kind == "number"
    found = match_where([column], read_where(condition))
    assert found.tolist() == [number is not None and test(number) for number in NUMBERS]


@pytest.mark.parametrize(
    ("condition", "found"),
    [("language=de", "de de-DE de_AT German"), ("language=de-DE", "de-DE"), ("language=fr", ""),
     ("language=en,German", "de de-DE de_AT German en"), ("language!=de", "en xx")],
)  # fmt: skip
def test_a_language_has_regions(condition: str, found: str) -> None:
    values = ["de", "de-DE", "de_AT", "German", "en", "xx"]
    held = match_where([Column("language", values)], read_where(condition))
    assert [value for value, is_held in zip(values, held, strict=True) if is_held] == found.split()


def test_dates() -> None:
    days = ["1850-03-01", "12 May 1849", "1900", "", "1899-12-31", "1850-03"]
    column = Column("date", days)
    assert column.kind == "date"
    for condition, expected in {
        "date<1900-01-01": [0, 1, 4, 5],
        "date<=1850": [0, 1, 5],
        "date>1850": [2, 4],
        "date>=1850-03-01": [0, 2, 4, 5],
        "date=1850": [0, 5],
        "date=1850..1899": [0, 4, 5],
    }.items():
        found = match_where([column], read_where(condition))
        assert found.nonzero()[0].tolist() == expected, condition
    assert column.show(column.bounds[0, 0]) == "1850-03-01"


def test_values_lists_and_several_conditions() -> None:
    authors = Column("author", ["Austen", "Eliot", "Poe, E. A.", "a..b", ""])
    years = Column("year", ["1811", "1860", "1840", "1900", "2000"])

    def find(*conditions: str) -> list[int]:
        return list(match_where([authors, years], read_where(conditions)).nonzero()[0])

    assert find("author=Austen,Eliot") == find("author=Austen", "author=Eliot") == [0, 1]
    assert find("author=Poe, E. A.") == [2]  # as it is written
    assert find('author="Poe, E. A.",Eliot') == find('author= Eliot , "Poe, E. A."') == [1, 2]
    assert find("author=a..b") == [3]
    assert find("author!=Austen,Eliot") == [2, 3, 4]
    assert find("author=Austen", "author=Eliot", "year>1850") == [1]
    assert find("year>1820", "year<1870") == [1, 2]
    assert read_where({"author": ["Austen", "Eliot"]}) == [
        ("author", "=", "Austen"),
        ("author", "=", "Eliot"),
    ]


def test_quotes_in_values() -> None:
    titles = Column("title", ['"Heart", he said', 'the "great", old', 'a "b"', "c"])

    def find(condition: str) -> list[int]:
        return list(match_where([titles], read_where(condition)).nonzero()[0])

    assert find('title="Heart", he said') == [0]  # as it is written
    assert find('title="""Heart"", he said",c') == [0, 3]
    assert find('title="the ""great"", old",a "b"') == [1, 2]


def test_mistakes_are_named() -> None:
    authors, years = Column("author", ["Austen", "Eliot"]), Column("year", ["1811", "1860"])
    with pytest.raises(InputError, match="'author' is not a condition"):
        read_where("author")
    with pytest.raises(InputError, match="author>3 needs numbers or dates; author has values such"):
        authors.match(">", "3")
    with pytest.raises(InputError, match="year>=soon needs a number; year has 1811 to 1860."):
        years.match(">=", "soon")
    assert authors.unmatched("=", "Austin,Eliot") == ["=Austin"]
    assert authors.unmatched("!=", "eliot") == ["=eliot"]
    assert authors.unmatched("!=", "Eliot") == authors.unmatched("!=", "Austen") == []
    assert years.unmatched(">", "1900") == [">1900"]
    note = missing_note("author", "=Austin", ["Eliot", "Austen"])
    assert (
        note == "no document has author=Austin; did you mean 'Austen'? The values are Eliot, Austen"
    )
    assert (
        missing_note("year", ">1900", ["1811"]) == "no document has year>1900; the values are 1811"
    )


def test_a_value_out_of_range_is_answered_with_the_range() -> None:
    years, days = ["1811", "1860"], ["3 May 2021", "2020-07-09"]
    assert missing_note("n", "=7", years) == "no document has n=7; the values are 1811, 1860"
    assert missing_note("n", ">1900", years) == (
        "no document has n>1900; write a number in the range of n: 1811 to 1860"
    )
    for part in (">2025", "=2025", "=2025..2030", "=soon"):
        assert missing_note("Created", part, days) == (
            f"no document has Created{part}; write a date in the range of Created:"
            " 2020-07-09 to 2021-05-03"
        )
    assert missing_note("Created", "=2023..2020", days) == (
        "no document has Created=2023..2020; write Created=2020..2023;"
        " the values are 2020-07-09 to 2021-05-03"
    )
    many = Column("n", [*map(str, range(2000, 0, -1)), "none", ""])
    assert missing_note("n", ">5000", list_values(many)).endswith("range of n: 1 to 2000")
    with pytest.raises(InputError, match=r"No document has n=9\.\.1\. Write n=1\.\.9; the values"):
        choose_documents(["a", "b"], [{"n": "3"}, {"n": "4"}], [("n", "=", "9..1")])


def test_a_year_is_found_in_the_only_field_of_dates_and_names_in_any_case() -> None:
    records = [{"Created": "2021-03-04", "Title": "A"}, {"Created": "5 May 2020", "title": ""}, {}]
    ids = ["a", "b", "c"]
    for name, value in (("year", "2020"), ("Year", "2020"), ("created", "5 May 2020")):
        chosen, notes = choose_documents(ids, records, [(name, "=", value)] * 2)
        assert (chosen, notes) == ([1], [f"{name} is taken from Created"])
    assert choose_documents(ids, records, [("id", "=", "b")]) == ([1], [])
    with pytest.raises(InputError, match="No document has metadata 'TITLE'. Did you mean"):
        choose_documents(ids, records, [("TITLE", "=", "A")])  # Title or title?
    several = [{**record, "Closed": "2022-01-01"} for record in records]
    with pytest.raises(InputError, match="several fields hold dates: Closed, Created. Name one"):
        choose_documents(ids, several, [("year", ">", "2000")])
    assert find_source("year", ["date", "Closed"], several) == "date"
    assert find_source("id", ["Id"], []) == find_source("words", ["Words"], []) == ""
