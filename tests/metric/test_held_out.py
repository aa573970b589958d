"""Does a metric help on groups that it was not learned from? The answers here are known."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.metric.choose import measure_recovery
from lexfield.metric.held_out import evaluate_metric, take_points


def make(noise: float) -> tuple[np.ndarray, list[str]]:
    """Thirty groups of four around centres; ``noise`` stretches one axis that tells nothing."""
    rng = np.random.default_rng(4)
    labels = [f"g{number}" for number in range(30) for _ in range(4)]
    centres = np.repeat(rng.normal(size=(30, 6)), 4, axis=0)
    points = centres + 0.3 * rng.normal(size=(120, 6))
    points[:, 0] += noise * rng.normal(size=120)
    return points, labels


def test_average_precision_by_hand() -> None:
    points = np.array([[0.0], [1.0], [2.0], [3.0]])
    found = measure_recovery(points, ["a", "b", "a", "a"])
    # from 0: b at 1, a at 2, a at 3; from 2: b and a at 1 (the first in order first), a at 2
    assert found.queries.tolist() == [0, 2, 3]
    expected = [(1 / 2 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2, (1 / 1 + 2 / 3) / 2]
    np.testing.assert_allclose(found.average_precisions, expected)


def test_a_metric_helps_where_an_axis_is_noise() -> None:
    points, labels = make(noise=6.0)
    scores = {s.measure: s for s in evaluate_metric(take_points(points), labels, kmeans=True)}
    assert scores["map"].low > 0.1 and scores["kmeans"].difference > 0
    assert scores["map"].low <= scores["map"].difference <= scores["map"].high
    assert scores["map"].queries == 120 and scores["kmeans"].queries == 5


def test_a_metric_of_random_groups_does_not_help() -> None:
    points, labels = make(noise=0.0)
    shuffled = np.random.default_rng(1).permutation(labels).tolist()
    score = evaluate_metric(take_points(points), shuffled)[0]
    assert score.low <= 0
    with pytest.raises(InputError, match="folds need"):
        evaluate_metric(take_points(points[:12]), labels[:12])


def test_on_the_sphere_lengths_do_not_matter() -> None:
    points, labels = make(noise=6.0)
    lengths = np.random.default_rng(2).uniform(0.1, 10, (len(points), 1))
    found, scaled = (
        evaluate_metric(take_points(rows), labels, shrinkage=0.0, sphere=True)[0]
        for rows in (points, points * lengths)
    )
    assert scaled.metric == pytest.approx(found.metric, abs=1e-9)
    assert found.metric > found.euclidean
