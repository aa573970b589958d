"""Dates as people write them: 1850-03-12, 12.3.1850, 12 March 1850, 3. Oktober 1850, 1850."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from functools import cache

from lexfield.text.language_data import list_codes, read_language

_NAME = r"(?P<name>[^\W\d_]{3,14})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_YEAR, _SHORT, _TIME = r"(?P<year>\d{4})", r"(?P<year>\d{4}|\d\d)", r"(?:,?[T ]\d.*)?"
_FORMS = [
    re.compile(form, re.I)
    for form in (
        rf"{_YEAR}(?:[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}}))?)?{_TIME}",
        rf"(?P<day>\d{{1,2}})(?P<mark>[./-])(?P<month>\d{{1,2}})(?P=mark){_YEAR}{_TIME}",
        rf"(?P<day>\d{{1,2}})/(?P<month>\d{{1,2}})/{_SHORT}{_TIME}",
        rf"(?:[^\W\d_]{{2,12}}\.?,? )?{_DAY}(?: |-|/| de ){_NAME}(?:,? |-|/| de ){_SHORT}(?: .*)?",
        rf"{_NAME} {_DAY},? {_YEAR}(?: .*)?",
        rf"{_NAME},?(?: | de ){_YEAR}",
        rf"{_YEAR}[年년](?: ?(?P<month>\d{{1,2}})[月월](?: ?(?P<day>\d{{1,2}})[日일])?)?",
    )
]
_LONGEST = 60  # characters


def parse_date(text: str) -> tuple[int, int] | None:
    """Return the first and the last day that a text can stand for, or None if it is not a date.

    Days are counted as by ``date.toordinal``. Of 3/4/1850 the first number is the day unless only
    the second one can be. A year of two digits is between 1969 and 2068.
    """
    text = text.strip()
    found = next((m for form in _FORMS if (m := form.fullmatch(text[:_LONGEST]))), None)
    if found is None:
        return None
    parts = found.groupdict()
    day, month = parts.get("day"), parts.get("month")
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year < 69 else 1900
    if name := parts.get("name"):
        month = _months().get(name.lower())
        if month is None:
            return None
    try:
        if month is None:
            return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()
        if day is None:
            last = monthrange(year, int(month))[1]
            return date(year, int(month), 1).toordinal(), date(year, int(month), last).toordinal()
        if int(month) > 12 and int(day) <= 12:
            month, day = day, month
        only = date(year, int(month), int(day)).toordinal()
    except ValueError:  # 31 February, year 0
        return None
    return only, only


@cache
def _months() -> dict[str, str]:
    """Return the number of a month by its names, and by their first three letters or more."""
    found: dict[str, str] = {}
    for code in ("en", *list_codes()):  # where they differ, mar is March
        for number, names in enumerate(read_language(code).months, 1):
            for name in names.split("|"):
                for end in range(3, len(name) + 1):
                    found.setdefault(name[:end], str(number))
    return found
