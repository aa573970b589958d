from __future__ import annotations

import pytest

from lexfield.vectors.repair import WordMatch, repair

KNOWN = {"well": 0, "known": 1, "hello": 2, "Paris": 3, "all": 4}


@pytest.mark.parametrize(
    ("word", "match", "rows"),
    [
        ("hello", WordMatch.EXACT, [2]),
        ("Paris", WordMatch.EXACT, [3]),
        ("HELLO", WordMatch.LOWER, [2]),
        ("--hello...", WordMatch.TRIMMED, [2]),
        ("_Hello_", WordMatch.TRIMMED, [2]),
        ("he1lo", WordMatch.TRIMMED, [2]),
        ("a11", WordMatch.TRIMMED, [4]),
        ("well-known", WordMatch.SPLIT, [0, 1]),
        ("well_known/nowhere", WordMatch.SPLIT, [0, 1]),
        ("known's", WordMatch.SPLIT, [1]),
        ("xyzzy", WordMatch.UNKNOWN, []),
        ("x-y", WordMatch.UNKNOWN, []),
        ("...", WordMatch.UNKNOWN, []),
        ("", WordMatch.UNKNOWN, []),
    ],
)
def test_repair(word: str, match: WordMatch, rows: list[int]) -> None:
    assert repair(word, lambda w: KNOWN.get(w, -1)) == (match, rows)
