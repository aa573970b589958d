from __future__ import annotations

from datetime import date

import pytest

from lexfield.text.dates import parse_date


@pytest.mark.parametrize(
    "text",
    [
        *("1850-03-12", "1850/3/12", "12.3.1850", "12 March 1850", "Mar. 12, 1850", "3/12/1850"),
        *("March 12th, 1850", "1850-03-12T10:00:00Z", "Tue, 12 Mar 1850 10:00:00 +0000"),
        *(
            "12-mar-1850",
            "12/Mar/1850 17:20",
            "12. März 1850",
            "12 de marzo de 1850",
            "12 mars 1850",
        ),
        *(
            "1850年3月12日",
            "1850년 3월 12일",
            "12 марта 1850",
            "mardi 12 mars 1850",
            "12 août 1850",
        ),
    ],
)
def test_one_day_in_many_forms(text: str) -> None:
    others = {"3/12/1850": date(1850, 12, 3), "12 août 1850": date(1850, 8, 12)}
    day = others.get(text, date(1850, 3, 12))
    assert parse_date(text) == (day.toordinal(), day.toordinal())


def test_months_and_years_are_spans() -> None:
    def span(first: date, last: date) -> tuple[int, int]:
        return first.toordinal(), last.toordinal()

    assert parse_date("1852-02") == span(date(1852, 2, 1), date(1852, 2, 29))
    assert parse_date("February 1852") == span(date(1852, 2, 1), date(1852, 2, 29))
    assert parse_date("1852") == span(date(1852, 1, 1), date(1852, 12, 31))
    assert parse_date("3/25/1850") == span(date(1850, 3, 25), date(1850, 3, 25))


def test_years_of_two_digits() -> None:
    for text in ("30/Sep/21 17:20", "30-Sep-21", "30/9/21", "9/30/21 17:20", "30 September 21"):
        assert parse_date(text) == (date(2021, 9, 30).toordinal(),) * 2
    assert parse_date("1/Feb/98") == (date(1998, 2, 1).toordinal(),) * 2


@pytest.mark.parametrize(
    "text",
    [
        "3.3.1",
        "3.3.21",
        "12 Uhr 1850",
        "",
        "soon",
        "1850-02-30",
        "0000",
        "1850-13",
        "12 Foo 1850",
        "123",
        "9" * 100,
    ],
)
def test_other_texts_are_no_dates(text: str) -> None:
    assert parse_date(text) is None
