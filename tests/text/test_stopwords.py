from __future__ import annotations

import pytest

from lexfield.errors import InputError
from lexfield.text.stopwords import languages, stopwords


def test_lists() -> None:
    assert {"the", "don't", "of"} <= stopwords("en")
    assert stopwords("english") == stopwords("en")
    assert "computer" not in stopwords("en")
    assert "nicht" in stopwords("de")
    assert len(languages()) >= 20
    assert stopwords("none") == stopwords(None) == frozenset()


def test_unknown_language() -> None:
    with pytest.raises(InputError, match="no language 'xx'"):
        stopwords("xx")


def test_question_words_are_stopwords_in_every_large_language() -> None:
    asked = {
        "en": "who when why", "de": "wer wann warum", "es": "quién cuándo qué", "fr": "qui quoi",
        "it": "chi quando", "pt": "quem quando onde", "nl": "wie waarom", "ja": "誰 どこ っ",
    }  # fmt: skip
    for language, words in asked.items():
        assert set(words.split()) <= stopwords(language)
