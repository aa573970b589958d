"""The compiled table of a set cover against the one in NumPy, to the bit."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.search.index import Index
from lexfield.search.table import add_values, best_values
from lexfield.text.corpus import Corpus
from tests.search.test_methods import build, corpora, queries

WITHOUT = {name: one for name, one in sys.modules.items() if name != "lexfield.search.table"}


def test_by_hand() -> None:
    """Two lists for the first query word, one for the second; row 3 may not be taken."""
    row = np.array([0, 2, 3, 2, 4, 0], np.int32)
    sizes, values = np.array([3, 2, 1]), np.array([0.5, 0.25, 2.0])
    scale, eligible = np.array([1.0, 1, 2, 1, 4]), np.array([1, 1, 1, 0, 1], bool)
    total = np.zeros(5)
    touched, totals = add_values(row, sizes, values, scale, eligible, total)
    assert touched.tolist() == [0, 2, 4] and totals.tolist() == [2.5, 1.5, 1.0]
    assert total.tolist() == [2.5, 0, 1.5, 0.5, 1.0]
    highest, matched = np.zeros((2, 3)), np.full((2, 3), -1)
    places, candidates = np.array([0, 0, 1]), np.array([0, 2, 4])
    holds = np.zeros((3, 3), bool)
    best_values(row, sizes, values, scale, places, candidates, total, highest, matched, holds)
    assert holds.tolist() == [[True, True, False], [False, True, True], [True, False, False]]
    assert highest.tolist() == [[0.5, 1.0, 1.0], [2.0, 0, 0]]
    assert matched.tolist() == [[0, 0, 1], [2, -1, -1]]
    assert not total.any()


def test_a_row_is_listed_once_and_only_with_a_value() -> None:
    """A value that is too small for the row's scale adds nothing."""
    row, sizes = np.array([0, 0, 1], np.int32), np.array([1, 2])
    values, scale = np.array([5e-324, 1.0]), np.array([0.1, 1.0])
    args = (values, scale, np.ones(2, bool), np.zeros(2))
    assert add_values(row, sizes, *args)[0].tolist() == [0, 1]
    assert add_values(row[:1], sizes[:1], *args[:3], np.zeros(2))[0].tolist() == []


@settings(max_examples=40, deadline=None)
@given(texts=corpora, query=queries, candidates=st.integers(1, 12), repeat=st.booleans())
def test_searches_are_the_same(texts: list[str], query: str, candidates: int, repeat: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = build(folder, texts)
        spec = f"setcover(candidates={candidates}, repeat={str(repeat).lower()}, min_tokens=0)"
        compiled = [index.search(query, spec, 4).to_dicts() for _ in range(2)]
        with patch.dict(sys.modules, WITHOUT, clear=True):
            plain = index.search(query, spec, 4).to_dicts()
        assert compiled == [plain, plain]


def test_a_large_index(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    words = np.array("boat ship canoe river water bread cake stone house tree the of and".split())
    texts = [" ".join(rng.choice(words, rng.integers(4, 12))) + "." for _ in range(2000)]
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    for query in ("the boat of stone", "bread and water", "a house by the river and trees"):
        compiled = index.search(query, k=8).to_dicts()
        with patch.dict(sys.modules, WITHOUT, clear=True):
            assert index.search(query, k=8).to_dicts() == compiled
