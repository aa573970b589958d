"""Every combination by hand, and what holds for all of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.evaluate.fusion import HOW, NORMALISE, fuse, fuse_runs
from lexfield.evaluate.trec import Run

A = [("x", 10.0), ("y", 6.0), ("z", 2.0)]
B = [("y", 0.9), ("w", 0.1)]


@pytest.mark.parametrize(
    ("how", "normalise", "expected"),
    [
        # ranks: A gives x 1, y 2/3, z 1/3; B gives y 1, w 1/2
        ("min", "rank", {"x": 1, "y": 2 / 3, "w": 1 / 2, "z": 1 / 3}),
        ("max", "rank", {"x": 1, "y": 1, "w": 1 / 2, "z": 1 / 3}),
        ("sum", "rank", {"y": 5 / 3, "x": 1, "w": 1 / 2, "z": 1 / 3}),
        ("anz", "rank", {"x": 1, "y": 5 / 6, "w": 1 / 2, "z": 1 / 3}),
        ("mnz", "rank", {"y": 10 / 3, "x": 1, "w": 1 / 2, "z": 1 / 3}),
        # min–max: A gives x 1, y 1/2, z 0; B gives y 1, w 0
        ("min", "minmax", {"x": 1, "y": 1 / 2, "z": 0, "w": 0}),
        ("sum", "minmax", {"y": 3 / 2, "x": 1, "z": 0, "w": 0}),
        ("mnz", "minmax", {"y": 3, "x": 1, "z": 0, "w": 0}),
        ("sum", "none", {"x": 10, "y": 6.9, "z": 2, "w": 0.1}),
        ("rrf", "rank", {"y": 1 / 62 + 1 / 61, "x": 1 / 61, "w": 1 / 62, "z": 1 / 63}),
    ],
)
def test_by_hand(how: str, normalise: str, expected: dict[str, float]) -> None:
    fused = fuse([A, B], how, normalise=normalise)
    assert fused.ids == list(expected)
    for hit in fused:
        assert hit.score == pytest.approx(expected[hit.id])


def test_what_each_list_gave() -> None:
    fused = fuse([A, B], "mnz", normalise="rank", names=["first", "second"])
    y = fused[0]
    assert (y.id, y.rank) == ("y", 1)
    assert [(p.list, p.rank, p.score) for p in y.parts] == [("first", 2, 6.0), ("second", 1, 0.9)]
    assert [p.contribution for p in y.parts] == [pytest.approx(4 / 3), pytest.approx(2)]
    assert fused.to_dicts()[0]["parts"][0]["list"] == "first"


@given(
    st.lists(
        st.dictionaries(st.integers(0, 20), st.floats(-1e6, 1e6), min_size=1, max_size=15),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(HOW),
    st.sampled_from(NORMALISE),
)
def test_properties(lists: list[dict[int, float]], how: str, normalise: str) -> None:
    fused = fuse(lists, how, normalise=normalise)
    assert sorted(fused.ids) == sorted({identity for one in lists for identity in one})
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)
    for hit in fused:
        total = sum(part.contribution for part in hit.parts)
        assert total == pytest.approx(hit.score, rel=1e-9, abs=1e-9)
        assert len(hit.parts) == sum(hit.id in one for one in lists)
        if len(hit.parts) == 1 and how != "rrf":  # in one list only: keeps its score
            assert hit.score == pytest.approx(hit.parts[0].normalised)
    if how in ("min", "max", "sum", "mnz", "anz") and len(lists) == 1 and normalise == "rank":
        ordered = sorted(lists[0], key=lambda identity: -lists[0][identity])
        assert fused.ids == ordered


def test_equal_scores_are_the_best_there_is() -> None:
    fused = fuse([[("a", 3.0), ("b", 3.0)]], "sum", normalise="minmax")
    assert [hit.score for hit in fused] == [1.0, 1.0]
    assert fused.ids == ["a", "b"]


def test_runs() -> None:
    one, two = Run("one", {"1": A, "2": B}), Run("two", {"1": B})
    fused = fuse_runs([one, two], "sum")
    assert fused["1"].ids == ["y", "x", "w", "z"]
    assert fused["2"].ids == ["y", "w"]  # only one run has it


@pytest.mark.parametrize(
    ("rankings", "options", "message"),
    [
        ([], {}, "nothing to fuse"),
        ([A], {"how": "best"}, "how must be"),
        ([A], {"normalise": "z"}, "normalise must be"),
        ([A], {"names": ["a", "b"]}, "names must be"),
        (["text"], {}, "must be a ranking"),
        ([[1, 2]], {}, "pairs of an id and a score"),
        ([[("a", float("nan"))]], {}, "not a finite number"),
        ([[("a", 1.0), ("a", 0.5)]], {}, "contains a document twice"),
    ],
)
def test_errors(rankings: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fuse(rankings, **options)
