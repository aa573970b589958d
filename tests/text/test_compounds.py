"""Words written together in a query and apart in texts, or the other way round."""

import pytest

from lexfield.text.compounds import read_compounds
from lexfield.text.normalise import Normalisation

PLAIN = Normalisation()


def read(text: str, held: str) -> tuple[list[str], list[str]]:
    return read_compounds(PLAIN.words(text), text, PLAIN, frozenset(held.split()))


@pytest.mark.parametrize(
    ("text", "held", "expected"),
    [
        ("iphone15", "iphone 15", "iphone 15"),
        ("water 750ml", "water 750 ml", "water 750 ml"),
        ("3.5kg", "3.5 kg", "3.5 kg"),
        ("parseHTTPResponse", "parse http response", "parse http response"),
        ("WH1000XM5", "wh 1000xm5", "wh 1000xm5"),  # the fewest parts
        ("256 gb", "256gb", "256gb"),
        ("name node fails", "namenode fails", "namenode fails"),
        ("get user by id", "user by id getuserbyid", "user by id getuserbyid"),
    ],
)
def test_words_are_read_as_texts_write_them(text: str, held: str, expected: str) -> None:
    words, notes = read(text, held)
    assert words == expected.split()
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("name node", "name node namenode"),  # texts have both words
        ("forestnight", "forest night"),  # nothing says where to cut
        ("forestNight", "forest"),  # only a part
        ("9c2b", "9 c 2 b"),  # letters are no words
        ("ABC1" * 5, "abc 1"),  # as in keys and checksums
        ("", ""),
    ],
)
def test_other_words_stay(text: str, held: str) -> None:
    assert read(text, held) == (PLAIN.words(text), [])


def test_a_note_says_what_was_read() -> None:
    held = "iphone 15 256gb a1 b2 c3 a b c"
    assert read("iphone15 256 gb", held)[1] == [
        "read 'iphone15' as 'iphone 15', '256 gb' as '256gb'"
    ]
    (note,) = read("xA1 xB2 xC3 xD4", "xa 1 xb 2 xc 3 xd 4")[1]
    assert note == "read 'xa1' as 'xa 1', 'xb2' as 'xb 2', 'xc3' as 'xc 3' and 1 more"
