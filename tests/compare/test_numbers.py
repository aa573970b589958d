"""Numbers from style: leaving a text out is what fitting without it gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lexfield.compare.numbers import predict_numbers
from lexfield.text.document import Document

FEATURES = "word(1), char(2)"


def write_texts(years: list[int]) -> list[Document]:
    """Return texts in which one word gives way to another over the years."""
    rng = np.random.default_rng(1)
    texts = []
    for number, year in enumerate(years):
        new = (year - 1800) / 200
        words = np.where(rng.random(400) < new, "radio", "thou")
        common = rng.choice([a + b for a in "aeiou" for b in "bdfglmnr"], 400)
        texts.append(Document(str(number), " ".join(np.ravel([words, common], "F"))))
    return texts


YEARS = list(range(1800, 2000, 10))
TEXTS = write_texts(YEARS)


def test_a_text_left_out_is_predicted_as_by_the_others_alone() -> None:
    every = predict_numbers(TEXTS, YEARS, features=FEATURES)
    for row in (0, 7, 19):
        others = [*TEXTS[:row], *TEXTS[row + 1 :]]
        values = [*YEARS[:row], *YEARS[row + 1 :]]
        alone = predict_numbers(others, values, [TEXTS[row]], features=FEATURES)
        # the penalty, in mean squared lengths, changes a little with the texts
        assert every.known[row] == pytest.approx(alone.asked[0], abs=1)


def test_years_are_found_and_intervals_hold() -> None:
    found = predict_numbers(TEXTS, YEARS, write_texts([1850, 1950]), features=FEATURES)
    assert found.asked == pytest.approx([1850, 1950], abs=30)
    errors = np.sort(np.abs(found.known - YEARS))
    assert found.reach.tolist() == [errors[math.ceil(21 * 0.9) - 1]] * 2
    assert set(predict_numbers(TEXTS[:6], YEARS[:6], features=FEATURES).reach) == {math.inf}


def test_short_texts_have_the_interval_of_short_excerpts() -> None:
    short = [Document("short", " ".join(one.text.split()[:64])) for one in write_texts([1850])]
    both = predict_numbers(TEXTS, YEARS, [*short, *write_texts([1850])], features=FEATURES)
    assert both.reach[0] > 1.5 * both.reach[1]
    middles = [Document(t.id, " ".join(t.text.split()[368:432])) for t in TEXTS]
    errors = []
    for row, year in enumerate(YEARS):
        left_out = [(row,)]
        one = predict_numbers(TEXTS, YEARS, [middles[row]], left_out, features=FEATURES)
        errors.append(abs(one.asked[0] - year))
    assert both.reach[0] == pytest.approx(sorted(errors)[math.ceil(21 * 0.9) - 1])
    assert predict_numbers(TEXTS, YEARS, short, features=FEATURES).reach[0] == both.reach[0]


def test_a_left_out_text_does_not_tell_its_own_number() -> None:
    values = np.random.default_rng(0).permutation(YEARS)
    found = predict_numbers(TEXTS, values.tolist(), features=FEATURES)
    assert np.corrcoef(found.known, values)[0, 1] < 0.3
