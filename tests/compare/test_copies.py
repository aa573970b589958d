"""Copies beside a plain comparison of sets."""

from __future__ import annotations

import re

import numpy as np

from lexfield.compare.copies import find_copies
from lexfield.text.corpus import Corpus


def cut(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[n : n + 5]) for n in range(max(1, len(words) - 4))}


def test_copies_are_those_of_sets() -> None:
    rng = np.random.default_rng(4)
    base = [rng.choice(list("abcdefghijklmn"), 60).tolist() for _ in range(4)]
    texts = []
    for n in range(12):
        words = list(base[n % 4])
        for place in rng.integers(0, 60, n):
            words[place] = "x"
        texts.append(" ".join(words[: 30 + 5 * (n % 7)]))
    found = find_copies(texts)
    sets = [cut(text) for text in texts]
    several = 0
    for row, mine in enumerate(sets):
        same = {n for n, one in enumerate(sets) if len(mine & one) >= min(len(mine), len(one)) / 2}
        assert set(found[row]) == same and found[row][0] == row
        several += len(same) > 1
    assert several > 4
    for rows, every in zip(find_copies(texts[:6], texts[6:]), found[6:], strict=True):
        assert set(rows) == {n for n in every if n < 6}


def test_a_text_is_known_in_any_dress(sample: Corpus) -> None:
    known = sample.texts[:10]
    text = known[3]
    changed = [
        f"A Heading\n\nby Nobody\n{text}",
        text.upper(),
        re.sub(r"\b(he|she|they)\b", "Joan", text),
        " ".join(text.split()[100:200]),
        f"{known[0]} {text}",
        sample.texts[20],
        "",
        "once",
    ]
    assert [sorted(rows) for rows in find_copies(known, changed)] == [
        [3], [3], [3], [3], [0, 3], [], [], [],
    ]  # fmt: skip
    assert find_copies([], ["a"]) == [()]
