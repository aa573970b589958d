"""What is shown: blind, balanced, in an order of one's own, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.study.design import Design, can_ask, have_distinct_texts, plan

METHODS = ("t", "a", "b", "c", "d")
CHOOSE3 = Design("choose3", ("t",), ("a", "b", "c", "d"))
HEAD2HEAD = Design("head2head", ("t", "u"), ("a", "b"))


def lists(methods: tuple[str, ...], queries: int, count: int = 5) -> Any:
    number = iter(range(10**6))
    return {
        q: {m: [(next(number), f"{q} {m} {i}") for i in range(count)] for m in methods}
        for q in range(queries)
    }


def test_choose3_shows_one_sentence_of_each_method() -> None:
    shown = lists(METHODS, 50)
    planned = plan(CHOOSE3, shown, 7)
    assert sorted(question.query for question in planned) == list(range(50))
    for question in planned:
        assert sorted(question.methods) == sorted(METHODS)
        for method, ids in zip(question.methods, question.shown, strict=True):
            assert len(ids) == 1 and ids[0] in {i for i, _ in shown[question.query][method]}
    assert plan(CHOOSE3, shown, 7) == planned and plan(CHOOSE3, shown, 8) != planned


def test_every_method_stands_everywhere_equally_often() -> None:
    shown = lists(METHODS, 100)
    places: Counter[tuple[str, int]] = Counter()
    for seed in range(20):
        for question in plan(CHOOSE3, shown, seed):
            places.update((method, place) for place, method in enumerate(question.methods))
    # 2,000 questions, expected 400 a cell with a deviation of 18
    assert min(places.values()) > 310 and max(places.values()) < 490


def test_head2head_sets_each_pair_against_each_other_equally_often() -> None:
    planned = plan(HEAD2HEAD, lists(("t", "u", "a", "b"), 40), 3)
    pairs = Counter(tuple(sorted(question.methods)) for question in planned)
    assert set(pairs.values()) == {10} and len(pairs) == 4
    left = sum(question.methods[0] in "tu" for question in planned)
    assert 5 < left < 35


def test_a_sentence_is_never_shown_twice_in_a_question() -> None:
    same = {0: {m: [(5 * j + i, f"text {i}") for i in range(5)] for j, m in enumerate(METHODS)}}
    texts = {i: text for entries in same[0].values() for i, text in entries}
    for seed in range(30):
        (question,) = plan(CHOOSE3, same, seed)
        assert len({texts[i] for (i,) in question.shown}) == 5


def test_lists_are_equally_long_and_never_the_same() -> None:
    shown: Any = {0: {"t": [(1, "x"), (2, "y")], "u": [(3, "x")], "a": [(4, "x")], "b": [(5, "z")]}}
    for seed in range(20):
        (question,) = plan(HEAD2HEAD, shown, seed)
        assert {len(side) for side in question.shown} == {1}
        assert "b" in question.methods  # against a both lists would be x
    assert not can_ask(HEAD2HEAD, {m: [(0, "x")] for m in ("t", "u", "a", "b")})
    assert not can_ask(HEAD2HEAD, {**shown[0], "b": []})


@given(st.lists(st.sets(st.sampled_from("uvwxyz"), max_size=4), min_size=1, max_size=4))
def test_whether_allhave_distinct_texts(sets: list[set[str]]) -> None:
    slow = any(len(set(drawn)) == len(sets) for drawn in product(*sets))
    assert have_distinct_texts(sets) == slow


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("choose4", ("t",), ("a", "b", "c")), "kind must be one of"),
        (("choose3", ("t",), ("a", "b")), "baselines must be 3 to 8"),
        (("head2head", (), ("a",)), "targets must be 1 to 4"),
        (("head2head", ("a",), ("a",)), "named twice"),
        (("head2head", ("t",), ("a",), -1), "seed must be"),
    ],
)
def test_bad_designs(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Design(*arguments)
