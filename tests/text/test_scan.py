"""Compiled loops find the sentences and words that the regular expressions find."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lexfield.sample import TEXTS
from lexfield.text import builder, word_numbers
from lexfield.text.corpus import Corpus
from lexfield.text.language_data import list_codes
from lexfield.text.normalise import Normalisation
from lexfield.text.scan import scan_spans
from lexfield.text.segment import (
    BREAK,
    CLOSERS,
    OPENERS,
    STOPS,
    WIDE_CLOSERS,
    WIDE_STOPS,
    find_spans,
    split_words,
)
from lexfield.text.word_numbers import WordNumbers

SAMPLE = sorted(TEXTS.glob("*.txt"))
PARTS = [
    *STOPS, *WIDE_STOPS, *CLOSERS, *WIDE_CLOSERS, *OPENERS, *"\n \t\xa0\u202f\u3000_,",
    *"aAbBsStXZ019とっ、，あ漢〇٣éßıİ\u0301\u200d\x1c\x85", "\n\n", "\n \n", ". ", "The ", "Er ",
    "Mr.", "Dr. ", "e.g. ", "No. 5", "St. ", "z.B. ", "15. ", "U.S. ", "p. 3", " 's morgens ",
    "don’t", "3.14", "...", "? ! ",
]  # fmt: skip


def check(text: str, language: str, numbers: WordNumbers, known: dict[str, int]) -> None:
    assert list(scan_spans(text, language)) == list(find_spans(text, language))
    wanted = [known.setdefault(word, len(known)) for word in split_words(text)]
    assert numbers.add_text(text).tolist() == wanted


@pytest.fixture
def numbers() -> WordNumbers:
    numbers = WordNumbers()
    numbers.compile()
    return numbers


def test_the_sample(numbers: WordNumbers) -> None:
    known = {BREAK: 0}
    for path in SAMPLE:
        check(path.read_text("utf-8"), "en", numbers, known)
    assert list(numbers.take_names()) == list(known)


@pytest.mark.parametrize("seed", range(4))
def test_texts_made_of_what_matters(numbers: WordNumbers, seed: int) -> None:
    draw, known, languages = random.Random(seed), {BREAK: 0}, list_codes()
    for _ in range(2000):
        text = "".join(draw.choices(PARTS, k=draw.randint(1, 40)))
        check(text, draw.choice(languages), numbers, known)


def test_texts_of_any_characters(numbers: WordNumbers) -> None:
    draw, known = random.Random(5), {BREAK: 0}
    for _ in range(2000):
        codes = [draw.choice((draw.randint(0, 0xD7FF), draw.randint(32, 126))) for _ in range(40)]
        check("".join(map(chr, codes)), "en", numbers, known)


def test_a_long_run_of_marks_takes_linear_time(numbers: WordNumbers) -> None:
    text = "." * 1_000_000 + "x"
    assert list(scan_spans(text, "en")) == [(0, len(text))]


def test_characters_beyond_the_basic_plane(numbers: WordNumbers) -> None:
    check("A 🐈 sat. The 𝒳 ran! 𠀀𠀁 end.", "en", numbers, {BREAK: 0})


def test_a_table_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_numbers, "_FIRST", 2)
    numbers, draw = WordNumbers(), random.Random(6)
    words = ["".join(draw.choices("abcdé", k=draw.randint(1, 40))) for _ in range(3000)]
    first = numbers.add_words(words[:500])
    numbers.compile()
    rest = numbers.add_text(" ".join(words[500:]))
    known = {word: number for number, word in enumerate(dict.fromkeys([BREAK, *words]))}
    assert [*first, *rest] == [known[word] for word in words]
    assert len(numbers) == len(known)
    assert list(numbers.take_names()) == list(known)


@pytest.mark.parametrize("tokenizer", ["words", str.split])
def test_a_corpus_is_the_same_either_way(
    monkeypatch: pytest.MonkeyPatch, tokenizer: object
) -> None:
    corpora = []
    for many in (0, 100_000, 1 << 40):  # compiled from the start, from somewhere on, and never
        monkeypatch.setattr(builder, "_MANY", many)
        normalisation = Normalisation(tokenizer=tokenizer)  # type: ignore[arg-type]
        corpora.append(Corpus.read([str(path) for path in SAMPLE], normalisation=normalisation))
    first, *others = corpora
    for other in others:
        assert list(first.vocabulary) == list(other.vocabulary)
        assert first.arrays.keys() == other.arrays.keys()
        for name, array in first.arrays.items():
            assert np.array_equal(array, other.arrays[name]), name
