"""Counts over fields and along texts, against counting word by word."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.index.trend import (
    count_phrases,
    find_interval,
    group_documents,
    split_document,
)
from lexfield.text.fields import Column


def test_phrases_are_counted_in_every_row(sample: lx.Corpus) -> None:
    index = lx.Index(sample, stemmer="none")
    rows = index.rows("sentence")
    for query in ("the sea", "sea", "boat + ship", "of the + in the"):
        phrases = [part.split() for part in query.split("+")]
        expected = []
        for sentence in index.corpus.sentences:
            words = index.normalisation.words(sentence)
            starts = range(len(words))
            expected.append(sum(words[i : i + len(one)] == one for one in phrases for i in starts))
        assert count_phrases(rows, query).tolist() == expected
    for wrong in ("!", "sea + ", "+"):
        with pytest.raises(InputError, match="is not made of words"):
            count_phrases(rows, wrong)


def test_numbers_are_binned_in_round_steps() -> None:
    years = list(range(1801, 1900))
    column = Column("year", [*map(str, years), ""])
    groups = group_documents(column, np.arange(100), 12)
    assert [one.label for one in groups][:2] == ["1800–1809", "1810–1819"]
    assert sum(len(one.rows) for one in groups) == 99
    for one in groups:
        (where,) = one.where
        field, _, value = where.partition("=")
        assert field == "year"
        assert column.match("=", value).nonzero()[0].tolist() == one.rows.tolist()
    few = group_documents(Column("year", ["1850", "1850.0", "1790"]), np.arange(3), 10)
    assert [(one.value, one.label, one.rows.tolist()) for one in few] == [
        (1790.0, "1790", [2]),
        (1850.0, "1850", [0, 1]),
    ]
    parts = group_documents(Column("x", [f"{n / 100}" for n in range(100)]), np.arange(100), 7)
    assert [one.label for one in parts][:2] == ["0–0.2", "0.2–0.4"]
    assert parts[0].where == ("x>=0", "x<0.2")


@pytest.mark.parametrize(
    ("step", "labels"), [(40, ["1850-01", "1850-02"]), (9000, ["1840–1859", "1860–1879"])]
)
def test_dates_are_binned_by_month_or_year(step: int, labels: list[str]) -> None:
    first = date(1850, 1, 1).toordinal()
    days = [date.fromordinal(first + n * step // 5).isoformat() for n in range(50)]
    column = Column("day", days)
    groups = group_documents(column, np.arange(50), 15)
    assert [one.label for one in groups][:2] == labels
    for one in groups:
        (where,) = one.where
        value = where.removeprefix("day=")
        assert column.match("=", value).nonzero()[0].tolist() == one.rows.tolist()


def test_a_document_is_split_into_parts_of_equal_length(sample: lx.Corpus) -> None:
    index = lx.Index(sample)
    rows = index.rows("sentence")
    own = np.flatnonzero(rows.documents == 3)
    groups = split_document(rows, own, 4)
    assert np.concatenate([one.rows for one in groups]).tolist() == own.tolist()
    sizes = [int(rows.lengths[one.rows].sum()) for one in groups]
    assert max(sizes) - min(sizes) < 2 * rows.lengths[own].max()
    assert [one.value for one in groups] == [0.125, 0.375, 0.625, 0.875]
    assert groups[0].id == f"{index.corpus.ids[3]}#0"


def test_wilson_interval() -> None:
    low, high = find_interval(1, 10)  # by hand: (0.1 + 0.192 ± …) / 1.384
    assert (round(low, 4), round(high, 4)) == (0.0179, 0.4042)
    assert find_interval(0, 10)[0] == 0 and find_interval(10, 10)[1] == pytest.approx(1)
    assert find_interval(0, 0) == (0, 1)
