from __future__ import annotations

import pytest

from lexfield.vectors.repair import How, repair

KNOWN = {"well": 0, "known": 1, "hello": 2, "Paris": 3, "all": 4}


@pytest.mark.parametrize(
    ("word", "how", "rows"),
    [
        ("hello", How.EXACT, [2]),
        ("Paris", How.EXACT, [3]),
        ("HELLO", How.LOWER, [2]),
        ("--hello...", How.TRIMMED, [2]),
        ("_Hello_", How.TRIMMED, [2]),
        ("he1lo", How.TRIMMED, [2]),
        ("a11", How.TRIMMED, [4]),
        ("well-known", How.SPLIT, [0, 1]),
        ("well_known/nowhere", How.SPLIT, [0, 1]),
        ("known's", How.SPLIT, [1]),
        ("xyzzy", How.UNKNOWN, []),
        ("x-y", How.UNKNOWN, []),
        ("...", How.UNKNOWN, []),
        ("", How.UNKNOWN, []),
    ],
)
def test_repair(word: str, how: How, rows: list[int]) -> None:
    assert repair(word, lambda w: KNOWN.get(w, -1)) == (how, rows)
