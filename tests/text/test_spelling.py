from __future__ import annotations

from lexfield.text.corpus import Corpus
from lexfield.text.kwic import kwic
from lexfield.text.spelling import fold, note_words


def test_other_spellings_are_noted_if_they_are_more_frequent() -> None:
    corpus = Corpus.of(["Natásha sang. Natásha danced. Natasha? Zoe and Zoë, and naïve, naïve."])
    words = corpus.vocabulary
    assert note_words(["natasha"], words) == [
        "'natasha' differs only by accents from 'natásha' (2 times)"
    ]
    assert note_words(["natásha", "zoe", "zoë", "sang", "xyz"], words) == []
    assert note_words(["naive", "näive"], words) == [
        "'naive' differs only by accents from 'naïve' (2 times)",
        "'näive' differs only by accents from 'naïve' (2 times)",
    ]
    assert kwic(corpus, "naive").notes[1].startswith("'naive' differs only by accents from")
    assert fold("Ĳssel Été") == "ijssel ete"
