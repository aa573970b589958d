from __future__ import annotations

import time
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.text import segment
from lexfield.text.normalise import Normalisation
from lexfield.text.segment import (
    BREAK,
    mark_sentences,
    sentence_spans,
    split_pieces,
    split_words,
    word_spans,
)


def sentences(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop.", ["Don't", "stop"]),
        ("pi is 3.14, or 1,000.5!", ["pi", "is", "3.14", "or", "1,000.5"]),
        ("'quoted' James' o'clock", ["quoted", "James", "o'clock"]),
        ("covid19's a1b2", ["covid19", "s", "a1b2"]),
        ("well-known snake_case", ["well", "known", "snake", "case"]),
        ("l’été à Zürich", ["l’été", "à", "Zürich"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("我爱你 カタカナ", ["我", "爱", "你", "カタカナ"]),
        ("𝒜𝓁 🙂 ok", ["𝒜𝓁", "ok"]),
        ("e\u0301tude", ["e\u0301tude"]),
        ("", []),
        ("... --- !!!", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected
    assert [text[a:b] for a, b in word_spans(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. We stay.", ["It rains.", "We stay."]),
        ("Dr. Weiss met Mr. J. Doe at St. Anne. He left.", 2),
        ("See p. 12 and No. 7 for more. Then stop.", 2),
        ('"What?" he said. "No!" she cried.', ['"What?" he said.', '"No!" she cried.']),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
        ("She lives in the U.S. The end.", 2),
        ("It cost 3.50 dollars. Cheap.", 2),
        ("no capital. here. at all", ["no capital. here. at all"]),
        ("A title\n\nA paragraph that goes\non here. Done.", 3),
        ("你好。你呢？好！", ["你好。", "你呢？", "好！"]),
        ("यह वाक्य है। दूसरा वाक्य।", 2),
        ("Wait... What?! Yes.", ["Wait...", "What?!", "Yes."]),
        ("   \n\n  ", []),
        ("", []),
        ("one", ["one"]),
        (". Then it goes on.", [".", "Then it goes on."]),
    ],
)
def test_sentences(text: str, expected: list[str] | int) -> None:
    found = sentences(text)
    assert (len(found) if isinstance(expected, int) else found) == expected


@given(st.text())
def test_sentences_keep_every_visible_character(text: str) -> None:
    spans = sentence_spans(text)
    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text() | st.text(alphabet="aΣ!?. \n\u0301é"), st.sampled_from([1, 2, 4096]))
def test_cutting_at_once_equals_cutting_a_sentence_at_a_time(text: str, together: int) -> None:
    """The one-pass path against the obvious one."""
    normalise = Normalisation()
    text = text.replace(BREAK, " ")
    with patch.object(segment, "_BATCH", together):
        batches = [(list(bounds), marked) for bounds, marked in mark_sentences(text, normalise)]
    bounds = [bound for some, _ in batches for bound in some]
    spans = list(zip(bounds[::2], bounds[1::2], strict=True))
    assert spans == sentence_spans(text)
    tokens = split_words("".join(marked for _, marked in batches))
    slow: list[str] = []
    for start, end in spans:
        slow += [*split_words(normalise(text[start:end])), BREAK]
    # A mark at a sentence's start can join the letter before it only when both are in one string.
    assert tokens.count(BREAK) == len(spans)
    assert "".join(tokens) == "".join(slow)


@given(st.text(alphabet="abcXYZ019'’.,-_ é中ひ"))
def test_words_are_the_same_in_ascii_and_unicode_patterns(text: str) -> None:
    if text.isascii():
        assert split_words(text) == split_words(f"{text} é")[:-1]


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ".",
        '."',
        ". ",
        "'",
        "a.",
        "1,",
        "\n",
        "\n ",
        "?!",
        "Mr. ",
        "é",
        "。",
        '. "',
        "((",
        "\u0301",
        "\u0323\u0301",
    ],
)
def test_cutting_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()  # which other work on the machine does not lengthen
            for _, marked in mark_sentences(text, Normalisation()):
                split_words(marked)
            best = min(best, time.process_time() - start)
        return best

    small, large = seconds(50_000), seconds(400_000)  # 8 times the text; 50 leaves room for noise
    assert large < 50 * max(small, 1e-2), f"{unit!r}: {small:.4f}s → {large:.4f}s"


def test_a_point_after_nothing_but_space() -> None:
    text = "One" + " " * 40 + ". Two came."
    assert [text[a:b] for a, b in sentence_spans(text)][-1] == "Two came."
    assert sentence_spans(" " * 40 + ". Two")


@given(
    st.lists(st.text(alphabet="abXZ019'’‘“—….,-_ \n!\x01\x7f\xa0é٣中ひ😀\u0301") | st.text()),
    st.sampled_from([1, 3, 20, 1 << 18]),
)
def test_pieces_hold_the_words_of_the_whole(texts: list[str], size: int) -> None:
    marked = "".join(one for text in texts for _, one in mark_sentences(text, Normalisation()))
    pieces = list(split_pieces(marked, size))
    assert "".join(pieces) == marked
    assert [word for piece in pieces for word in split_words(piece)] == split_words(marked)
