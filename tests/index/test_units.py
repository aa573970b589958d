from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexfield.index.units import BINS, add_counted, add_sorted, character_bins, count_letters
from lexfield.text.corpus import Corpus


@given(st.lists(st.text(st.sampled_from("aZé9 .’漢😀\n"), max_size=400), max_size=6))
def test_counts_are_those_of_characters(texts: list[str]) -> None:
    found = count_letters(Corpus.of(texts), "document")
    assert found["characters"].tolist() == [len(text) for text in texts]
    for row, text in enumerate(texts):
        kinds = [int(character_bins()[character.encode()[0]]) for character in text]
        expected = [min(kinds.count(kind), 255) for kind in range(BINS)]
        assert found["letters"][:, row].tolist() == expected


def test_counted_words_add_up_to_the_same_bits() -> None:
    random = np.random.default_rng(0)
    tokens, starts = random.integers(0, 50, 3000), np.array([0, 0, 700, 3000])
    places, values = np.arange(50) - 5, random.normal(size=45)  # the first five have no vector
    sets = [
        np.unique(tokens[a:b], return_counts=True)
        for a, b in np.stack([starts[:-1], starts[1:]], 1)
    ]
    words, counts = (np.concatenate(part) for part in zip(*sets, strict=True))
    offsets = np.append(0, np.cumsum([len(own) for own, _ in sets]))
    rows = np.array([2, 0, 1])
    found = add_counted(rows, offsets, words, counts, places, values)
    assert found.tolist() == add_sorted(starts, tokens, places, values)[rows].tolist()
