from __future__ import annotations

import pytest

from lexfield.errors import InputError
from lexfield.text.normalise import Normalisation, stem_words, stemmers


def test_stems() -> None:
    assert stem_words(["ships", "shipping", "running"], "english") == ["ship", "ship", "run"]
    assert stem_words(["Häuser", "Haus"], "german") == ["Haus", "Haus"]
    assert stem_words(["ships"], "none") == ["ships"]
    assert {"english", "french", "porter"} <= set(stemmers())


def test_an_unknown_stemmer() -> None:
    with pytest.raises(InputError, match=r"no stemmer 'englsh'. Did you mean 'english'\?"):
        stem_words(["a"], "englsh")
    with pytest.raises(InputError, match="There are: none, arabic"):
        Normalisation(stem="klingon")


def test_a_stemmer_leaves_texts_as_they_are() -> None:
    assert Normalisation(stem="english")("Two Ships") == "two ships"
