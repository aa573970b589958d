from __future__ import annotations

from pathlib import Path

import lexfield as lx


def test_a_bag_of_anything_that_is_text(index: lx.Index, tmp_path: Path) -> None:
    found = lx.bag("Only John could like John", k=1)
    assert found.to_dicts() == [{"type": "john", "count": 2, "frequency": 0.4}]
    assert (found.types, found.tokens, found.bag["only"]) == (4, 5, 1)
    (tmp_path / "a.txt").write_text("Only John could like John")
    assert lx.bag(tmp_path / "a.txt", k=1)[0] == found[0]
    assert lx.bag(index).tokens == lx.bag(index.corpus).tokens == lx.info(index)[0].tokens
    assert lx.bag(["one two", "two three"], ngram=2).types == 2
