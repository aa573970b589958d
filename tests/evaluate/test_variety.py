from __future__ import annotations

import pytest

from lexfield.evaluate import variety as measures


def test_unique_share_by_hand() -> None:
    shares = measures.unique_share({"a": [[1, 2, 3], [7]], "b": [[3, 4, 5], [8]], "c": [[5], [8]]})
    assert shares == {"a": 3 / 4, "b": 1 / 4, "c": 0.0}
    assert measures.unique_share({"a": [[]]}) == {"a": 0.0}


def test_list_jaccard_by_hand() -> None:
    one = [["red", "sun"], ["red", "moon"], ["sea"]]  # 1/3, 0, 0
    two = [["x"], ["x"], []]  # 1, 0, 0
    assert measures.list_jaccard([one, two]) == pytest.approx((1 / 3 + 1) / 6)
    assert measures.list_jaccard([]) == 0


def test_redundancy_by_hand() -> None:
    texts = [["The red sun.", "The red moon."]]
    found = measures.measure_redundancy(texts, frozenset({"the"}))
    assert found == {
        "list_jaccard": pytest.approx(2 / 4),
        "list_jaccard_without_stopwords": pytest.approx(1 / 3),
        "list_jaccard_with_punctuation": pytest.approx(3 / 5),
    }
