from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lexfield as lx
from lexfield.evaluate.measures import by_query
from lexfield.evaluate.trec import Run
from lexfield.metric.choose import SHRINKAGES, choose_shrinkage, measure_recovery

from . import oracle


def groups(noise: float, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Groups that two features tell apart, while ``noise`` shakes six others."""
    rng = np.random.default_rng(seed)
    names = np.repeat(np.arange(30), 8)
    centres = rng.normal(size=(30, 2)) * 3
    signal = centres[names] + rng.normal(size=(240, 2)) * 0.3
    return np.column_stack([signal, noise * rng.normal(size=(240, 6))]), names


def test_the_metric_is_chosen_where_it_helps() -> None:
    points, names = groups(noise=5)
    tried = choose_shrinkage(points, names)
    assert tried[0].shrinkage < 0.1
    euclid = next(row for row in tried if row.shrinkage == 1)
    assert tried[0].eleven_point > euclid.eleven_point + 0.3
    assert {row.shrinkage for row in tried} == set(SHRINKAGES)


def test_euclidean_distance_is_chosen_where_nothing_can_be_learned() -> None:
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(20, 40)) * 2
    names = np.repeat(np.arange(20), 2)
    points = centres[names] + rng.normal(size=(40, 40)) * 0.5
    assert choose_shrinkage(points, names)[0].shrinkage >= 0.5


def test_labels_may_be_missing_and_weights_are_used() -> None:
    points, names = groups(noise=5)
    some = np.where(np.arange(240) % 5 == 0, "", names.astype(str))
    told: list[int] = []
    tried = choose_shrinkage(
        points, some, weights="reliability", progress=lambda done, _: told.append(done)
    )
    assert tried[0].shrinkage < 1 and told[-1] == 5 * len(SHRINKAGES)


def test_rows_without_a_label_are_in_the_way() -> None:
    points, names = groups(noise=0.1)
    among_themselves = choose_shrinkage(points, names.astype(str))[0].eleven_point
    crowd = np.concatenate([points, points + 0.01])
    labels = np.concatenate([names.astype(str), np.full(240, "")])
    assert choose_shrinkage(crowd, labels)[0].eleven_point < among_themselves - 0.2


def test_too_few_clusters_are_told() -> None:
    with pytest.raises(lx.LexfieldError, match="three are needed"):
        choose_shrinkage(np.eye(5), [0, 0, 1, 1, 2])


def test_by_hand() -> None:
    # On a line: a at 0, 1, 5; b at 2, 3. From 0 the order is 1(a) 2(b) 3(b) 5(a).
    points = np.array([[0.0], [1], [5], [2], [3]])
    found = measure_recovery(points, ["a", "a", "a", "b", "b"])
    assert found.queries.tolist() == [0, 1, 2, 3, 4]
    # Two right of four: precision 1 up to recall 0.5, then 2/4.
    assert found.precisions[0].tolist() == [1.0] * 6 + [0.5] * 5
    assert found.r_precisions[0] == 0.5
    # From 2 (b): 1 and 3 are equally far, the first row is taken first, so b is second.
    assert found.precisions[3].tolist() == [0.5] * 11 and found.r_precisions[3] == 0
    assert found.eleven_point == pytest.approx(found.precisions.mean())


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(3, 25), clusters=st.integers(1, 4))
def test_equals_the_slow_way_and_trec_eval(seed: int, size: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(size, 3))
    names = [0, 0, *rng.integers(0, clusters, size - 2).tolist()]
    found = measure_recovery(points, names)
    runs, qrels = {}, {}
    for place, query in enumerate(found.queries.tolist()):
        levels, r_precision = oracle.precisions(points, names, query)
        np.testing.assert_allclose(found.precisions[place], levels)
        assert found.r_precisions[place] == pytest.approx(r_precision)
        others = [i for i in range(size) if i != query]
        runs[str(query)] = [
            (str(i), -float(np.linalg.norm(points[i] - points[query]))) for i in others
        ]
        qrels[str(query)] = {str(i): int(names[i] == names[query]) for i in others}
    measured = by_query(Run("r", runs), qrels, ["11pt", "rprec"])
    # trec_eval rounds the wanted number of right rows its own way, but not for these
    wanted = np.array([names.count(names[query]) - 1 for query in found.queries.tolist()])
    same = np.isin(wanted, [1, 2, 5, 10])
    np.testing.assert_allclose(
        found.precisions.mean(axis=1)[same], measured["11pt"][same], atol=1e-6
    )
    np.testing.assert_allclose(found.r_precisions, measured["rprec"], atol=1e-6)


def test_rows_without_label_or_company_are_no_queries() -> None:
    points = np.arange(5.0)[:, None]
    found = measure_recovery(points, ["a", "", "a", "b", None])
    assert found.queries.tolist() == [0, 2]
    drawn = measure_recovery(np.arange(50.0)[:, None], [0] * 50, most=10)
    assert len(drawn.queries) == 10


def test_nothing_to_recover_is_told() -> None:
    with pytest.raises(lx.LexfieldError, match="nothing to recover"):
        measure_recovery(np.eye(3), ["a", "b", "c"])
    with pytest.raises(lx.LexfieldError, match="3 rows have 2 labels"):
        measure_recovery(np.eye(3), ["a", "b"])
