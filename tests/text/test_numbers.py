from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexfield import Corpus
from lexfield.text import corpus as module
from lexfield.text import numbers
from lexfield.text.normalise import Normalisation
from lexfield.text.numbers import Words, as_bytes
from lexfield.text.segment import BREAK, marked, pieces, words

TEXTS = st.text(alphabet="abXZ019'’‘“—….,-_ \n!\x01\x7f\xa0é٣中ひ😀\u0301") | st.text()


@settings(deadline=None)  # the first call compiles
@given(
    st.lists(TEXTS, max_size=6), st.sampled_from([3, 20, 1 << 20]), st.sampled_from([1, 1 << 20])
)
@example(
    ["don't 'tis o'1 1'o 3.14 1,2,3. a.b 1.a 'x' 9'", "l'été n’est 1.٣ 中ひ", "Ends with 3."], 5, 2
)
@example(["", "!!!", "a", "é"], 1, 1)
def test_numbers_stand_for_the_words_that_the_pattern_cuts(
    texts: list[str], size: int, room: int
) -> None:
    table = Words()
    found: list[str] = []
    for text in (marked(text, Normalisation())[1] for text in texts):
        with patch.object(numbers, "_ROOM", room):
            parts = [table.number(as_bytes(part)).tolist() for part in pieces(text, size)]
        names = [BREAK, *table.names()]
        assert [names[number] for part in parts for number in part] == words(text)
        found += words(text)
    assert list(table.names()) == [word for word in dict.fromkeys(found) if word != BREAK]


def test_the_table_grows_in_the_middle_of_a_text() -> None:
    text = " ".join(f"w{number}" for number in range(100_000))
    table = Words()
    assert table.number(as_bytes(f"{text} {text}")).tolist() == [*range(1, 100_001)] * 2
    assert table.names()[-1] == "w99999"


def test_words_with_one_hash_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word in one slot: with the slots full of others, names are what is compared."""
    table = Words()
    table._slots = table._slots[:16].copy()
    assert table.number(as_bytes("a b c d e f g h i j k a")).tolist() == [*range(1, 12), 1]


@pytest.mark.parametrize(("name", "size"), [("_COMPILED", 50), ("_COMPILED", 1),
                                            ("_MOST_WORDS", 4), ("_BLOCK", 3)])  # fmt: skip
def test_a_corpus_is_the_same_either_way(
    monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    texts = ["The sea, the sea! It's 3.14.", "Été à la mer. 中国", "", "Nobody's sea; the end", "é"]
    plain = Corpus.of(texts)
    monkeypatch.setattr(module, name, size)
    compiled = Corpus.of(texts)
    for name in ("tokens", "token_offsets", "sentence_spans", "sentence_offsets"):
        assert getattr(compiled, name).tolist() == getattr(plain, name).tolist()
    assert list(compiled.vocabulary) == list(plain.vocabulary)
    assert compiled.vocabulary.counts.tolist() == plain.vocabulary.counts.tolist()


def test_numbering_is_linear_in_text_of_new_words_only() -> None:
    import time

    def seconds(size: int) -> float:
        text = " ".join(f"{number:x}" for number in range(size)).encode()
        start = time.process_time()
        Words().number(text)
        return time.process_time() - start

    seconds(1000)
    assert seconds(800_000) < 50 * max(seconds(100_000), 1e-2)
