"""Words in context: by hand, and beside a slow walk over the words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.kwic import kwic
from lexfield.text.normalise import Normalisation

CORPUS = Corpus.of(
    [
        Document(
            "whale", "Call me Ishmael. The white whale swam; a White\n Whale, he said. “Whale!”"
        ),
        Document("other", "No whale here."),
    ]
)


def lines(*arguments: object, **options: object) -> list[tuple[str, str, str]]:
    found = kwic(CORPUS, *arguments, **options)  # type: ignore[arg-type]
    return [(line.left, line.match, line.right) for line in found]


def test_by_hand() -> None:
    assert lines("whale", window=2) == [
        ("The white", "whale", "swam; a"),
        ("a White", "Whale", ", he said"),
        ("he said. “", "Whale", ""),
        ("No", "whale", "here"),
    ]
    found = kwic(CORPUS, "WHALE", window=0)
    assert [(line.document, line.sentence) for line in found] == [
        ("whale", 1), ("whale", 1), ("whale", 2), ("other", 0),
    ]  # fmt: skip
    assert {(line.left, line.right) for line in found} <= {("", ""), ("“", "")}


def test_phrases_stay_within_sentences_and_contexts_within_documents() -> None:
    assert [line[1] for line in lines("white whale")] == ["white whale", "White Whale"]
    assert lines("ishmael the") == []
    assert lines("said whale") == []
    left, _, right = lines("white whale", window=100)[0]
    assert left == "Call me Ishmael. The"
    assert right == "swam; a White Whale, he said. “Whale"
    assert lines("here", window=9) == [("No whale", "here", "")]


def test_several_phrases_in_any_order() -> None:
    both = kwic(CORPUS, ["whale", "swam", "whale", "kraken"], window=1)
    assert [line.match.lower() for line in both] == ["whale", "swam", "whale", "whale", "whale"]
    assert both.notes == ["'kraken' does not occur"]
    assert [left for left, *_ in lines("whale", window=1, sort="left")] == [
        "No", "said. “", "white", "White",
    ]  # fmt: skip
    right = [line[2] for line in lines("whale", window=1, sort="right")]
    assert right == ["", ", he", "here", "swam"]
    first = kwic(CORPUS, "whale", k=2)
    assert [line.document for line in first] == ["whale", "whale", "other"]
    assert first.notes == ["whale: the first 2 of 3 places"]
    assert not len(kwic(CORPUS, "!!"))


def test_the_limit_is_per_text_and_totals_are_real() -> None:
    """A text full of the word must not hide the places of the texts after it."""
    corpus = Corpus.of(
        [Document("a", "sea " * 100), Document("b", "The sea."), Document("c", "No.")]
    )
    found = kwic(corpus, "sea", k=40)
    assert [line.document for line in found] == ["a"] * 40 + ["b"]
    assert found.totals == {"a": 100, "b": 1} and found.totals["c"] == 0
    assert found.notes == ["a: the first 40 of 100 places"]
    assert found.title == "101 places of sea"
    by_left = kwic(corpus, "sea", k=1, sort="left")
    assert {line.document for line in by_left} == {"a", "b"}
    two = kwic(Corpus.of([Document("a", "the sea " + "the " * 50)]), ["the", "sea"], k=2)
    assert [line.match for line in two] == ["the", "sea", "the"]
    assert two.notes == ["a: the first 2 of 51 places of 'the'"]
    many = Corpus.of(["sea sea."] * 9)
    assert kwic(many, "sea", k=1).notes == ["the first 1 places per text; 9 texts hold more"]


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=1, max_size=6),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3),
    st.integers(0, 4),
)
@settings(max_examples=150)
def test_beside_a_slow_walk(texts: list[list[str]], phrase: list[str], window: int) -> None:
    documents = ["\n\n".join([" ".join(text), "b c"]) for text in texts]
    corpus = Corpus.of(documents)
    expected = []
    for text in texts:
        flat = [*text, "b", "c"]
        bounds = [range(len(text)), range(len(text), len(flat))]
        for start in range(len(flat) - len(phrase) + 1):
            end = start + len(phrase)
            within = any(start in one and end - 1 in one for one in bounds)
            if flat[start:end] == phrase and within:
                expected.append(
                    (
                        " ".join(flat[max(0, start - window) : start]),
                        " ".join(phrase),
                        " ".join(flat[end : end + window]),
                    )
                )
    found = kwic(corpus, " ".join(phrase), window=window)
    assert [(line.left, line.match, line.right) for line in found] == expected


def test_text_that_normalising_changes() -> None:
    """A decomposed letter is one character more than what is indexed."""
    corpus = Corpus.of(["Le cafe\u0301 d’Anne est grand."])
    (line,) = kwic(corpus, "café")
    assert line.left == "Le" and line.right.endswith("est grand")
    assert [line.match for line in kwic(corpus, "d'anne")] == ["d’Anne"]


@pytest.mark.parametrize(
    ("phrases", "options", "message"),
    [
        ([], {}, "phrases must be"),
        ("a", {"window": -1}, "window must be"),
        ("a", {"sort": "up"}, "sort must be"),
        ("a", {"k": 0}, "k must be"),
    ],
)
def test_bad_input(phrases: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lines(phrases, **options)


def test_every_form_of_a_word_and_of_the_words_of_a_phrase() -> None:
    text = "Whales swam by. The whale's boat; two whaling boats. A wheel."
    corpus = Corpus.of(text, normalisation=Normalisation(stem="english"))
    assert [line.match for line in kwic(corpus, "whale")] == []
    assert [line.match for line in kwic(corpus, "whale", forms=True)] == [
        "Whales", "whale's", "whaling",
    ]  # fmt: skip
    assert [line.match for line in kwic(corpus, "whales boat", forms=True)] == [
        "whale's boat", "whaling boats",
    ]  # fmt: skip
    assert not len(kwic(corpus, "ship", forms=True))
