"""A search method from outside: registered by name, with parameters, with or without reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.engine.topk import top_k
from lexfield.errors import InputError
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.method import Mask, format_method
from lexfield.search.registry import METHODS, _parse, parse

TEXTS = ["A boat.", "The small boat came home.", "Storm.", "The storm passed over the hill."]


@dataclass(frozen=True)
class Longest:
    """The longest rows, without reasons."""

    words: int = 1
    name = "longest"

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        scores = np.where(rows.lengths >= self.words, rows.lengths, -np.inf)
        if among is not None:
            scores[~among] = -np.inf
        best = top_k(scores, k)
        return Found(best.tolist(), scores[best].tolist())


class Nth:
    """No dataclass: its parameters are those of ``__init__``."""

    name = "nth"

    def __init__(self, row: int, why: str = "asked for") -> None:
        self.row, self.why = row, why

    def search(self, rows: Any, query: Any, k: int, among: Any) -> Found:
        def explain(place: int) -> Explanation:
            return Explanation([Reason(query.text, self.why, 1.0)], additive=True)

        return Found([self.row], [1.0], explain)


@pytest.fixture
def own_methods() -> Iterator[None]:
    lx.register(Longest)
    lx.register(Nth)
    yield
    for name in ("longest", "nth"):
        del METHODS._things[name]
        METHODS._called.remove(name)
    _parse.cache_clear()


@pytest.fixture
def index(tmp_path: Path) -> lx.Index:
    return lx.Index.build(lx.Corpus.of(TEXTS), tmp_path / "i")


def test_it_is_found_by_name_with_parameters(own_methods: None, index: lx.Index) -> None:
    assert index.search("anything", "longest", 2).rows == [3, 1]
    few = index.search("anything", "longest(words=6)", 2)
    assert (few.rows, few.scores, few.method) == ([3], [6.0], "longest(words=6)")
    assert few[0].explanation.reasons == []
    assert few.to_dicts()[0]["explanation"]["reasons"] == []
    assert "longest" in METHODS.names()


def test_a_plain_class_with_reasons(own_methods: None, index: lx.Index) -> None:
    (hit,) = index.search("this", "nth(row=2, why=because)", 1)
    assert hit.text == "Storm."
    assert hit.explanation.reasons == [Reason("this", "because", 1.0)]
    assert format_method(parse("nth(row=2)")) == "nth(row=2)"


def test_filters_fusion_and_many_queries(own_methods: None, index: lx.Index) -> None:
    assert index.like("3", "longest", 2).rows == [1, 0]
    fused = index.search("the boat came home", "fuse(longest, jaccard)", 2)
    assert fused[0].text == "The small boat came home."
    for spec in ("longest", "fuse(longest, jaccard)"):
        many = list(index.search_many(["a boat"] * 120, spec, 2))  # enough for other processes
        assert len(many) == 120 and many[-1].rows == index.search("a boat", spec, 2).rows


def test_it_need_not_be_registered(index: lx.Index) -> None:
    assert index.search("anything", Longest(words=6)).rows == [3]
    assert [r.rows for r in index.search_many(["anything"] * 120, Longest(words=6))] == [[3]] * 120


def test_what_cannot_be_registered() -> None:
    with pytest.raises(InputError, match="'mean' is a built-in search method"):
        lx.register(type("Mean", (), {"name": "mean", "search": lambda self: None}))
    with pytest.raises(InputError, match="The name of a search method must be a word"):
        lx.register(type("Nameless", (), {"search": lambda self: None}))
    with pytest.raises(InputError, match="idle is not an extension that lexfield knows"):
        lx.register(type("Idle", (), {"name": "idle"}))


class Fixed:
    """Returns what it was given, whatever that is."""

    name = "fixed"

    def __init__(self, found: Any) -> None:
        self.found = found

    def search(self, rows: Any, query: Any, k: int, among: Any) -> Any:
        return self.found


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([1, 2], "'fixed' returned list where a Found is expected"),
        (None, "'fixed' returned NoneType where a Found is expected"),
        (Found([1, 2], [0.5]), "'fixed' returned 2 rows with 1 scores"),
        (
            Found(["a"], [0.5]),  # type: ignore[list-item]
            "'fixed' returned the row 'a'; a number from 0 to 3 is expected",
        ),
        (Found([99], [0.5]), "'fixed' returned the row 99; a number from 0 to 3 is expected"),
        (
            Found([1], ["high"]),  # type: ignore[list-item]
            "'fixed' returned the score 'high'; a number is expected",
        ),
    ],
)
def test_a_wrong_answer_is_one_sentence(index: lx.Index, found: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        index.search("anything", Fixed(found))
    with pytest.raises(InputError, match=message):
        index.like("3", Fixed(found))


def test_arrays_are_as_good_as_lists(index: lx.Index) -> None:
    ranking = index.search("anything", Fixed(Found(np.array([2, 0]), np.array([2, 1]))))  # type: ignore[arg-type]
    assert ranking.rows == [2, 0] and type(ranking.rows[0]) is int


def test_its_parameters_have_the_type_of_their_defaults(own_methods: None) -> None:
    with pytest.raises(InputError, match="words of longest must be a whole number. Got 'x'"):
        parse("longest(words=x)")
