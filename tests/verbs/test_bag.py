from __future__ import annotations

from pathlib import Path
from typing import Any

import lexfield as lx


def test_a_bag_of_anything_that_is_text(index: lx.Index, tmp_path: Path) -> None:
    found = lx.bag("Only John could like John", k=1)
    assert found.to_dicts() == [{"type": "john", "count": 2, "frequency": 0.4}]
    assert (found.types, found.tokens, found.bag["only"]) == (4, 5, 1)
    (tmp_path / "a.txt").write_text("Only John could like John")
    assert lx.bag(tmp_path / "a.txt", k=1)[0] == found[0]
    assert lx.bag(index).tokens == lx.bag(index.corpus).tokens == lx.info(index)[0].tokens
    assert lx.bag(["one two", "two three"], ngram=2).types == 2


def test_texts_of_an_index_are_cut_again_where_capitals_or_phrases_count(index: lx.Index) -> None:
    texts = [document.text for document in index.corpus.documents]
    options: Any = {"keep_case": True, "phrases": ["the cold"], "operation": "intersection"}
    found = lx.bag(index, other=index, **options)
    assert found.bag == lx.bag(texts, other=texts, **options).bag == lx.bag(index, **options).bag
    assert found.bag["The"] > 0 < found.bag["the cold"]
    assert lx.bag(index).bag["The"] == 0
