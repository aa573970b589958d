"""How often words occur over a field of the metadata, or along one document.

Rows are counted in groups: documents by the value of a field, in bins if there are many, or the
sentences of one document in parts with about as many words each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.index.bags import Bags
from lexfield.index.rows import Rows
from lexfield.text.fields import Column

_NORMAL = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Group:
    """Rows that are counted together.

    ``value`` is a number, the first day of a date, a plain value, or the middle of a part, from 0
    to 1. ``where`` are the conditions that its documents meet; ``id`` is the first sentence of a
    part.
    """

    value: float | str
    label: str
    rows: NDArray[np.int64]
    where: tuple[str, ...] = ()
    id: str = ""


def count_phrases(rows: Rows, query: str) -> NDArray[np.float64]:
    """Return how often each row holds a word or phrase, or any of several joined by ``+``.

    All forms of a word count where the index has a stemmer. Raise InputError if there is no word.
    """
    bags = Bags.of(rows)
    counts = np.zeros(len(rows))
    phrases = [rows.normalisation.words(part) for part in query.split("+")]
    if not all(phrases):
        hint = "Write a word, a phrase, or several joined by +."
        raise InputError(f"{query!r} is not made of words.", hint)
    for gram in dict.fromkeys(bags.terms(phrase) for phrase in phrases):
        found = bags.occurrences(gram)
        counts[found.rows] += found.counts
    return counts


def group_documents(column: Column, chosen: NDArray[np.int64], bins: int) -> list[Group]:
    """Return documents by the values of a field, in at most about ``bins`` groups.

    Numbers and dates are in order. If there are too many of them they are binned in steps of 1, 2
    or 5 times a power of ten, years or months; of plain values the most frequent are kept.
    """
    if column.kind == "values":
        return _group_values(column, chosen, bins)
    lows = column.bounds[chosen, 0]
    chosen, lows = chosen[~np.isnan(lows)], lows[~np.isnan(lows)]
    distinct, places = np.unique(lows, return_inverse=True)
    if len(distinct) <= bins:
        values = [column.values[chosen[np.argmax(places == n)]] for n in range(len(distinct))]
        return [
            Group(
                column.show(low) if column.kind == "date" else low,
                value,
                chosen[places == number],
                (f"{column.name}={value}",),
            )
            for number, (low, value) in enumerate(zip(distinct.tolist(), values, strict=True))
        ]
    return (_bin_dates if column.kind == "date" else _bin_numbers)(column, chosen, lows, bins)


def _group_values(column: Column, chosen: NDArray[np.int64], bins: int) -> list[Group]:
    held: dict[str, list[int]] = {}
    for number in chosen.tolist():
        if column.values[number]:
            held.setdefault(column.values[number], []).append(number)
    ranked = sorted(held.items(), key=lambda one: (-len(one[1]), one[0]))[:bins]
    return [
        Group(value, value, np.array(rows), (f"{column.name}={value}",)) for value, rows in ranked
    ]


def _bin_numbers(
    column: Column, chosen: NDArray[np.int64], lows: NDArray[np.float64], bins: int
) -> list[Group]:
    step = _choose_step(float(lows.max() - lows.min()) / bins)
    is_whole = step >= 1 and bool((lows == np.round(lows)).all())
    places = np.floor(lows / step)
    groups = []
    for place in np.unique(places).tolist():
        low, high = place * step, (place + 1) * step
        label = f"{low:g}–{high:g}"
        where = [f"{column.name}>={low:.15g}", f"{column.name}<{high:.15g}"]
        if is_whole:
            label = _name_range(f"{low:.0f}", f"{high - 1:.0f}")
            where = [f"{column.name}={low:.0f}..{high - 1:.0f}"]
        groups.append(Group(low, label, chosen[places == place], tuple(where)))
    return groups


def _bin_dates(
    column: Column, chosen: NDArray[np.int64], lows: NDArray[np.float64], bins: int
) -> list[Group]:
    days = [date.fromordinal(int(low)) for low in lows]
    months = np.array([12 * day.year + day.month - 1 for day in days])
    span = months.max() - months.min() + 1
    step = 1 if span <= bins else 12 * max(1, int(_choose_step(span / 12 / bins)))
    places = months // step
    groups = []
    for place in np.unique(places).tolist():
        (year, month), last = divmod(place * step, 12), (place * step + step - 1) // 12
        label = where = f"{year:04}-{month + 1:02}"
        if step > 1:
            label = _name_range(f"{year:04}", f"{last:04}")
            where = f"{max(1, year):04}..{last:04}"
        value = date(max(1, year), month + 1, 1).isoformat()
        rows = chosen[places == place]
        groups.append(Group(value, label, rows, (f"{column.name}={where}",)))
    return groups


def split_document(rows: Rows, own: NDArray[np.int64], bins: int) -> list[Group]:
    """Return sentences of one document, given in order, in parts of about as many words."""
    words = rows.lengths[own].astype(np.float64)
    middles = np.cumsum(words) - words / 2
    places = np.minimum(bins - 1, (bins * middles / max(1.0, words.sum())).astype(np.int64))
    groups = []
    for place in np.unique(places).tolist():
        part = own[places == place]
        id = str(rows.describe(int(part[0]))["id"])
        groups.append(Group((place + 0.5) / bins, f"part {place + 1} of {bins}", part, id=id))
    return groups


def _choose_step(least: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _name_range(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"


def find_interval(count: float, total: float) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score.

    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n): Wilson, Probable inference, the law of
    succession, and statistical inference, JASA 22, 1927; recommended by Brown, Cai and DasGupta,
    Interval estimation for a binomial proportion, Statistical Science 16, 2001.
    """
    if total <= 0:
        return 0.0, 1.0
    share, z = min(1.0, count / total), _NORMAL
    scale = 1 + z * z / total
    middle = (share + z * z / (2 * total)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def count_groups(
    counts: NDArray[np.float64], sizes: NDArray[np.float64], groups: Sequence[Group]
) -> list[tuple[Group, float, float]]:
    """Return each group with the sum of its counts and of its sizes; empty ones are left out."""
    sums = [(one, float(counts[one.rows].sum()), float(sizes[one.rows].sum())) for one in groups]
    return [found for found in sums if found[2] > 0]
