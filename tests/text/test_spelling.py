from __future__ import annotations

import random
from functools import cache

from lexfield.text.corpus import Corpus
from lexfield.text.kwic import kwic
from lexfield.text.spelling import fold, note_misspelt, note_words


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


def test_words_that_may_have_been_meant() -> None:
    texts = ["The government received the letters.", "Latter letters, letters to the governor."]
    words = Corpus.of(texts).vocabulary
    assert note_misspelt(["goverment", "lettres"], words) == [
        "did you mean 'government' for 'goverment', 'letters' for 'lettres'?"
    ]
    assert note_misspelt(["recieved"], words) == ["did you mean 'received' for 'recieved'?"]
    assert note_misspelt(["tha", "r2d2", "harbour", "goevrmetn"], words) == []


def test_close_words_are_those_that_a_full_scan_finds() -> None:
    """Against the definition: the fewest changes, then the most frequent word."""
    rng = random.Random(3)
    known = sorted({"".join(rng.choices("abcde", k=rng.randint(4, 9))) for _ in range(400)})
    words = Corpus.of([" ".join(known), " ".join(known[::3])]).vocabulary
    for _ in range(100):
        asked = "".join(rng.choices("abcde", k=rng.randint(4, 9)))
        most = 2 if len(asked) >= 8 else 1
        near = [(count_changes(asked, w), -int(n), w)
                for w, n in zip(words.words, words.counts, strict=True)]  # fmt: skip
        best = min(near)
        expected = [f"did you mean {best[2]!r} for {asked!r}?"] if best[0] <= most else []
        assert note_misspelt([asked], words) == expected


def count_changes(a: str, b: str) -> int:
    """Letters added, left out, replaced, or swapped with the next, by the recursive definition."""

    @cache
    def count(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        ways = [
            count(i - 1, j) + 1,
            count(i, j - 1) + 1,
            count(i - 1, j - 1) + (a[i - 1] != b[j - 1]),
        ]
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            ways.append(count(i - 2, j - 2) + 1)
        return min(ways)

    return count(len(a), len(b))
