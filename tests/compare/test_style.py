"""Style features beside slow, obvious counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexfield as lx
from lexfield.compare.style import StyleCounts, count_features, parse_features
from lexfield.errors import InputError
from lexfield.text.segment import split_tokens

TEXTS = [
    "The cat sat on the mat; the cat didn't “purr” — did it? No…",
    "A dog, a big dog! It barked at the cat, and the cat ran.",
    "It was the best of times, it was the worst of times.",
]


def ngrams(items: list[str], low: int, high: int, glue: str = "") -> Counter[str]:
    return Counter(
        glue.join(items[i : i + n]) for n in range(low, high + 1) for i in range(len(items) - n + 1)
    )


def clean(text: str) -> str:
    for old, new in {"“": '"', "”": '"', "’": "'", "—": " -- ", "…": "..."}.items():
        text = text.replace(old, new)
    return text.lower()


def is_word(token: str) -> bool:
    return any(letter.isalnum() for letter in token)


def within(text: str, low: int, high: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for piece in clean(text).split():
        found += ngrams([" ", *piece, " "], low, high)
    return found


ORACLES: dict[str, Callable[[str], Counter[str]]] = {
    "mfw(1000)": lambda text: Counter(t for t in split_tokens(clean(text)) if is_word(t)),
    "punct": lambda text: Counter(t for t in split_tokens(clean(text)) if not is_word(t)),
    "word(1-2)": lambda text: ngrams(split_tokens(clean(text)), 1, 2, " "),
    "word3": lambda text: ngrams(split_tokens(clean(text)), 3, 3, " "),
    "char(2-5)": lambda text: within(text, 2, 5),
    "char4": lambda text: within(text, 4, 4),
    "char(3, across=true)": lambda text: ngrams([*" ".join(clean(text).split()), " "], 3, 3),
}


def rows(counts: StyleCounts) -> list[dict[str, int]]:
    dense = counts.matrix.toarray()
    return [{type: int(n) for type, n in zip(counts.types, row, strict=True) if n} for row in dense]


@pytest.mark.parametrize("spec", ORACLES)
def test_counts_are_those_of_a_loop(spec: str) -> None:
    (counts,) = count_features(TEXTS, spec)
    assert rows(counts) == [dict(ORACLES[spec](text)) for text in TEXTS]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("ab .,'—Ä-", max_size=40), min_size=1, max_size=4))
def test_any_text_is_counted_as_by_a_loop(texts: list[str]) -> None:
    for spec in ("word(1-2)", "char(2-5)"):
        (counts,) = count_features(texts, spec)
        assert rows(counts) == [dict(ORACLES[spec](text)) for text in texts]


def test_long_texts_are_counted_as_short_ones() -> None:
    long = [text * 50 for text in TEXTS]
    for spec in ("word(1-2)", "char(3, across=true)"):
        (counts,) = count_features(long, spec)
        assert rows(counts) == [dict(ORACLES[spec](text)) for text in long]


def test_the_most_frequent_types_come_first_and_sizes_count_all() -> None:
    (counts,) = count_features(TEXTS, "mfw(3)")
    assert counts.types[0] == "the" and len(counts.types) == 3
    assert counts.sizes.tolist() == [13, 14, 12]
    assert counts.shares.toarray()[0, 0] == 3 / 13
    kept = counts.keep(np.array([1]))
    assert kept.sizes.tolist() == [14] and kept.ids == ["1"]


def test_only_the_texts_among_choose_the_types() -> None:
    (counts,) = count_features(TEXTS, "mfw(1000)", among=np.array([0, 1]))
    assert "worst" not in counts.types and counts.matrix.shape[0] == 3


def test_culling_keeps_what_most_texts_hold() -> None:
    (counts,) = count_features(TEXTS, "mfw(1000, culling=100)")
    assert set(counts.types) == {"the", "it"}


def test_function_words_are_the_stopwords() -> None:
    (counts,) = count_features(TEXTS, "function")
    assert "the" in counts.types and "cat" not in counts.types
    assert counts.sizes.tolist() == [13, 14, 12]


def test_parts_of_speech_keep_punctuation() -> None:
    pytest.importorskip("textblob")
    (counts,) = count_features(["The house, the dog."], "pos(2)")
    assert rows(counts) == [{"DT NN": 2, "NN ,": 1, ", DT": 1, "NN .": 1}]


def test_a_combination_counts_each_feature_and_keeps_ids() -> None:
    corpus = lx.Corpus.of(
        [lx.Document("a", TEXTS[0], metadata={"author": "x"}), lx.Document("b", TEXTS[1])]
    )
    words, marks = count_features(corpus, "mfw(5), punct")
    assert words.ids == marks.ids == ["a", "b"] and words.metadata[0]["author"] == "x"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("mfw", "mfw(500)"),
        ("mfw2000", "mfw(2000)"),
        ("mfw(2000,culling=20)", "mfw(2000, culling=20)"),
        ("char4", "char(4)"),
        ("char(2-5)", "char(2-5)"),
        ("char(4,across=true)", "char(4, across=true)"),
        ("word2", "word(2)"),
        ("word", "word(1-2)"),
        ("pos", "pos(1-3)"),
        ("pos(2, language=de)", "pos(2, language=de)"),
        ("function(de)", "function(de)"),
        ("punct", "punct"),
        ("char(4, most=100)", "char(4, most=100)"),
    ],
)
def test_specs_round_trip(given: str, expected: str) -> None:
    (feature,) = parse_features(given)
    assert str(feature) == expected
    assert parse_features(str(feature)) == [feature]


@pytest.mark.parametrize(
    "spec",
    (
        "|mfv(3)|char(0)|char(5-2)|char(x)|word(1-2, 3)|punct(3)|mfw(x)|mfw(5, culling=200)"
        "|word(1, across=true)|char(4, weight=2)|mfw(5, most=0)|function(xx)|char(4, across=2)"
    ).split("|"),
)
def test_malformed_specs_are_refused(spec: str) -> None:
    with pytest.raises(InputError):
        parse_features(spec)
