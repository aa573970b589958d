"""Function words and parts of speech follow the language of the texts."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec

import pytest

import lexfield as lx
from lexfield.compare.authors import attribute
from lexfield.compare.feature_language import count_languages, use_language
from lexfield.compare.style import count_features
from lexfield.errors import InputError


def test_the_language_of_the_texts_is_named() -> None:
    given = "mfw(5), pos(1-2), function"
    assert use_language(given, Counter(de=9, en=1)) == (
        "mfw(5), pos(1-2, language=de), function(de)"
    )
    assert use_language(given, Counter(en=9, de=1)) == given
    assert use_language("function(fr)", Counter(de=9)) == "function(fr)"


def test_a_language_without_a_tagger_is_refused() -> None:
    with pytest.raises(InputError, match="these texts are in Spanish"):
        use_language("pos", Counter(es=9))
    assert use_language("function", Counter(es=9)) == "function(es)"


@pytest.mark.skipif(not find_spec("textblob_de"), reason="the extra 'taggers' is not installed")
def test_german_words_have_german_parts_of_speech() -> None:
    (counts,) = count_features(["Das Haus, das Haus."], "pos(1, language=de)")
    found = dict(zip(counts.types, counts.matrix.toarray()[0].tolist(), strict=True))
    assert found["noun"] == 2 and "NN" not in found


def test_german_texts_are_attributed_by_german_features() -> None:
    words = {"a": "der und die in dem", "b": "wir nicht weil es auch"}
    nouns = iter("Hund Katze Haus Baum Tisch Stuhl".split())
    known = [
        lx.Document(
            f"{author}{number}",
            " ".join(f"{word} {noun}{place}" for place in range(20) for word in own.split()),
            metadata={"author": author, "language": "de"},
        )
        for author, own in words.items()
        for number in range(3)
        for noun in [next(nouns)]
    ]
    found = attribute(known, "author", features="function", rule="nearest")
    assert list(found.method.features) == ["function(de)"]


def test_texts_that_do_not_say_their_language_are_read() -> None:
    spanish = "El perro corre por la calle y los niños juegan en la plaza con sus amigos. " * 3
    assert set(count_languages([lx.Document("a", spanish)])) == {"es"}
    assert set(count_languages([lx.Document("a", spanish, metadata={"language": "de"})])) == {"de"}
