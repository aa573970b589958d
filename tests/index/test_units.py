from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lexfield.index.units import BINS, character_bins, count_letters
from lexfield.text.corpus import Corpus


@given(st.lists(st.text(st.sampled_from("aZé9 .’漢😀\n"), max_size=400), max_size=6))
def test_counts_are_those_of_characters(texts: list[str]) -> None:
    found = count_letters(Corpus.of(texts), "document")
    assert found["characters"].tolist() == [len(text) for text in texts]
    for row, text in enumerate(texts):
        kinds = [int(character_bins()[character.encode()[0]]) for character in text]
        expected = [min(kinds.count(kind), 255) for kind in range(BINS)]
        assert found["letters"][:, row].tolist() == expected
