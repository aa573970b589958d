from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import import_reproduce

measures = import_reproduce("suggestion_measures")


def test_unique_share_by_hand() -> None:
    shares = measures.unique_share({"a": [[1, 2, 3], [7]], "b": [[3, 4, 5], [8]], "c": [[5], [8]]})
    assert shares == {"a": 3 / 4, "b": 1 / 4, "c": 0.0}
    assert measures.unique_share({"a": [[]]}) == {"a": 0.0}


def test_list_jaccard_by_hand() -> None:
    one = [["red", "sun"], ["red", "moon"], ["sea"]]  # 1/3, 0, 0
    two = [["x"], ["x"], []]  # 1, 0, 0
    assert measures.list_jaccard([one, two]) == pytest.approx((1 / 3 + 1) / 6)
    assert measures.list_jaccard([]) == 0


def test_relevance_by_hand() -> None:
    queries = np.array([[1.0, 0.0], [0.0, 1.0]])
    suggested = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, 0.8]])
    assert measures.relevance(queries, suggested, np.array([0, 0, 1])) == pytest.approx(
        (1 + 0.6 + 0.8) / 3
    )
