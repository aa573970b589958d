"""Dates as people write them: 1850-03-12, 12.3.1850, 12 March 1850, March 1850, 1850."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_FORMS = [
    re.compile(form, re.I)
    for form in (
        r"(?P<year>\d{4})(?:[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?)?(?:[T ]\d.*)?",
        r"(?P<day>\d{1,2})[./-](?P<month>\d{1,2})[./-](?P<year>\d{4})(?:[T ]\d.*)?",
        r"(?:[a-z]{3,9}\.?,? )?(?P<day>\d{1,2})(?:st|nd|rd|th)?[ -]"
        rf"{_MONTH},?[ -](?P<year>\d{{4}})(?: .*)?",
        rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})(?: .*)?",
        rf"{_MONTH},? (?P<year>\d{{4}})",
    )
]
_LONGEST = 60  # characters


def parse_date(text: str) -> tuple[int, int] | None:
    """Return the first and the last day that a date may mean, or None if it is none.

    Days are counted as by ``date.toordinal``. Of 3/4/1850 the first number is the day unless only
    the second one can be.
    """
    text = text.strip()
    found = next((m for form in _FORMS if (m := form.fullmatch(text[:_LONGEST]))), None)
    if found is None:
        return None
    parts = found.groupdict()
    name = (parts.get("name") or "")[:3].lower()
    year, day = int(parts["year"]), parts.get("day")
    month = _MONTHS.index(name) + 1 if name else parts.get("month")
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
