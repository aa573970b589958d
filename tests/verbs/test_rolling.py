"""Where ``lexfield rolling`` says that another hand takes over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.compare.authors import Authors, attribute
from lexfield.verbs import rolling as module

WORDS = " ".join(f"word{number}" for number in range(1600))


@pytest.mark.parametrize("mixed", ["ann", "bob"])
def test_the_span_holds_the_change_whoever_gets_the_mixed_windows(
    mixed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window that both hands wrote goes to one of them, whatever share of it is theirs."""
    change = 830

    def judge(*args: Any, **options: Any) -> Authors:
        found = attribute(*args, **options)
        starts = [int(one.id.split()[-1].replace(",", "")) for one in found.texts]
        later = [s >= change or (mixed == "bob" and s + 400 > change) for s in starts]
        p = np.where(np.array(later)[:, None], [0.01, 0.99], [0.99, 0.01])
        return replace(found, probabilities=p, foreign=np.zeros(len(p), bool))

    monkeypatch.setattr(module, "find_authors", judge)
    known = [
        lx.Document(f"{name}{number}", f"{text} {number} " * 30, metadata={"author": name})
        for name, text in (("ann", "the sea was calm and wide"), ("bob", "a bank pays no interest"))
        for number in range(3)
    ]
    (found,) = lx.rolling(WORDS, known=known, window=400, features="word(1)").changes
    assert (found.before, found.after) == ("ann", "bob")
    assert found.low <= change <= found.high
    assert found.near == (found.low + found.high) // 2
