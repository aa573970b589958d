from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lexfield as lx
from lexfield.metric.choose import SHRINKAGES, choose_shrinkage


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
        points, some, weights="reliability", folds=3, progress=lambda done, _: told.append(done)
    )
    assert tried[0].shrinkage < 1 and told[-1] == 3 * len(SHRINKAGES)


def test_rows_without_a_label_are_in_the_way() -> None:
    points, names = groups(noise=0.1)
    among_themselves = choose_shrinkage(points, names.astype(str))[0].eleven_point
    crowd = np.concatenate([points, points + 0.01])
    labels = np.concatenate([names.astype(str), np.full(240, "")])
    assert choose_shrinkage(crowd, labels)[0].eleven_point < among_themselves - 0.2


def test_too_few_clusters_are_told() -> None:
    with pytest.raises(lx.LexfieldError, match="three are needed"):
        choose_shrinkage(np.eye(5), [0, 0, 1, 1, 2])
