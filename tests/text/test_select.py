"""Some documents of a corpus are the corpus of these documents."""

from __future__ import annotations

import numpy as np
import pytest

import lexfield as lx


@pytest.mark.parametrize("rows", [[3], [0, 5, 6], [7, 2], list(range(64)), []])
def test_selected_documents_are_as_if_cut_anew(sample: lx.Corpus, rows: list[int]) -> None:
    found = sample.select(rows)
    expected = lx.Corpus.of([sample.documents[row] for row in rows])
    for name, array in expected.arrays.items():
        assert np.array_equal(found.arrays[name], array), name
    for name, strings in expected.strings.items():
        assert list(found.strings[name]) == list(strings), name
