from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexfield.index.units import (
    BINS,
    add_counted,
    add_products,
    character_bins,
    count_letters,
    multiply_halves,
)
from lexfield.text.corpus import Corpus


@given(st.lists(st.text(st.sampled_from("aZé9 .’漢😀\n"), max_size=400), max_size=6))
def test_counts_are_those_of_characters(texts: list[str]) -> None:
    found = count_letters(Corpus.of(texts), "document")
    assert found["characters"].tolist() == [len(text) for text in texts]
    for row, text in enumerate(texts):
        kinds = [int(character_bins()[character.encode()[0]]) for character in text]
        expected = [min(kinds.count(kind), 255) for kind in range(BINS)]
        assert found["letters"][:, row].tolist() == expected


def test_products_of_halves_are_those_of_double_precision() -> None:
    draw = np.random.default_rng(0)
    sizes = np.array([[1.0], [1e-6], [0.0], [6e4]])  # normal, subnormal, zero, nearly the largest
    halves = (draw.uniform(-1, 1, (4, 64)) * sizes).astype(np.float16)
    vector, rows = draw.normal(size=64).astype(np.float32), np.array([3, 0, 1, 2])
    found = multiply_halves(halves.view(np.uint16), rows, vector)
    expected = halves[rows].astype(np.float64) @ vector.astype(np.float64)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-18)


def test_counted_words_add_up_to_the_same_sums() -> None:
    random = np.random.default_rng(0)
    tokens, starts = random.integers(0, 50, 3000), np.array([0, 0, 700, 3000])
    places = np.arange(50) - 5  # the first five have no vector
    products = random.integers(-(1 << 36), 1 << 36, 45)
    sets = [
        np.unique(tokens[a:b], return_counts=True)
        for a, b in np.stack([starts[:-1], starts[1:]], 1)
    ]
    words, counts = (np.concatenate(part) for part in zip(*sets, strict=True))
    offsets = np.append(0, np.cumsum([len(own) for own, _ in sets]))
    rows = np.array([2, 0, 1])
    found = add_counted(rows, offsets, words, counts, places, products)
    sums = add_products(tokens, starts[:-1], np.diff(starts), places, products)
    assert found.tolist() == sums[rows].tolist()
