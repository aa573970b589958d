"""Measures by hand, by slow code, and the tests of significance."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.evaluate.measures import (
    by_query,
    compare,
    evaluate,
    paired_t,
    parse_measures,
    randomisation,
)
from lexfield.evaluate.trec import Run

QRELS = {"1": {"a": 1, "c": 1, "x": 0}, "2": {"b": 1}, "3": {"a": 1}}
RUN = Run.of("mine", {"1": [("a", 3.0), ("b", 2.0), ("c", 1.0)], "2": [("a", 2.0), ("b", 1.0)]})


def test_by_hand() -> None:
    # query 1: relevant at ranks 1 and 3 of two; query 2: at rank 2; query 3 has no answer
    expected = {
        "map": ((1 + 2 / 3) / 2 + 1 / 2 + 0) / 3,
        "p@5": (2 / 5 + 1 / 5) / 3,
        "p@1": 1 / 3,
        "r@2": (1 / 2 + 1) / 3,
        "recall@2": (1 / 2 + 1) / 3,
        "precision@5": (2 / 5 + 1 / 5) / 3,
        "rprec": (1 / 2 + 0) / 3,
        "11pt": ((6 * 1 + 5 * 2 / 3) / 11 + 1 / 2) / 3,
        "iprec@0.5": (1 + 1 / 2) / 3,
        "mrr": (1 + 1 / 2) / 3,
        "ndcg@10": ((1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)) + 1 / math.log2(3)) / 3,
    }
    table = evaluate(RUN, QRELS, list(expected))
    assert {row.measure: row.value for row in table} == pytest.approx(expected)
    assert all(row.queries == 3 for row in table)
    assert table.notes == ["1 judged query has no answer and counts as 0"]


def slow(ranked: list[str], judged: dict[str, int], name: str) -> float:
    relevant = {document for document, grade in judged.items() if grade > 0}
    hits = [document in relevant for document in ranked]
    if name == "map":
        found = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
        return sum(found) / len(relevant) if relevant else 0.0
    if name == "p@3":
        return sum(hits[:3]) / 3
    if name == "r@3":
        return sum(hits[:3]) / len(relevant) if relevant else 0.0
    return sum(hits[: len(relevant)]) / len(relevant) if relevant else 0.0


@settings(max_examples=60)
@given(
    st.permutations(list("abcdefgh")),
    st.dictionaries(st.sampled_from(list("abcdefgh")), st.integers(0, 1), min_size=1),
)
def test_against_slow_code(ranked: list[str], judged: dict[str, int]) -> None:
    run = Run("r", {"q": [(document, float(-i)) for i, document in enumerate(ranked)]})
    names = ["map", "p@3", "r@3", "rprec"]
    found = by_query(run, {"q": judged}, names)
    for name in names:
        assert found[name][0] == pytest.approx(slow(ranked, judged, name))


def test_notes_and_errors() -> None:
    table = evaluate(Run.of("r", {"1": [("a", 1.0)], "9": [("a", 1.0)]}), {"1": {"a": 1}}, ["map"])
    assert table.notes == ["1 query of the run was not judged and does not count"]
    with pytest.raises(InputError, match="answers none of the judged queries"):
        evaluate(Run.of("r", {"9": [("a", 1.0)]}), QRELS)
    assert parse_measures("MAP, p@10,map") == ["map", "p@10"]
    for wrong in ("p@0", "f1", "p@", "iprec@2", "p@1;drop"):
        with pytest.raises(InputError, match="There is no measure"):
            parse_measures(wrong)
    with pytest.raises(InputError, match="No measure"):
        parse_measures(" , ")


def test_comparing() -> None:
    other = Run.of("other", {"1": [("b", 2.0), ("a", 1.0)], "2": [("b", 1.0)], "3": [("a", 1.0)]})
    (row,) = compare(RUN, other, QRELS, ["map"])
    gaps = [5 / 6 - 1 / 4, 1 / 2 - 1, 0 - 1]
    assert row.difference == pytest.approx(np.mean(gaps))
    assert (row.better, row.worse) == (1, 2)
    assert compare(RUN, RUN, QRELS, ["map"])[0].p_t == 1.0


def test_randomisation_is_exact_for_few_queries() -> None:
    gaps = np.array([0.3, -0.1, 0.2, 0.0, 0.4, 0.15])
    moving = gaps[gaps != 0]
    signs = list(product((-1, 1), repeat=len(moving)))
    reached = sum(abs(np.dot(s, moving)) >= abs(moving.sum()) - 1e-12 for s in signs)
    assert randomisation(gaps) == pytest.approx(reached / len(signs))
    assert randomisation(np.zeros(4)) == 1.0


def test_both_tests_agree_where_there_are_many() -> None:
    rng = np.random.default_rng(0)
    clear, chance = rng.normal(0.1, 0.2, 200), rng.normal(0.0, 0.2, 200)
    assert paired_t(clear) < 1e-4 and randomisation(clear) < 1e-3
    assert randomisation(chance) == pytest.approx(paired_t(chance), abs=0.03)
    assert randomisation(chance) == randomisation(chance)
    assert paired_t(np.array([0.1])) == 1.0 and paired_t(np.array([0.1, 0.1])) == 0.0
