"""Probabilities of labels: by hand, against a plain search, and whether what is said comes true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.diverge.certainty import (
    calibratable,
    calibration,
    features,
    fit_weights,
    probabilities,
)
from lexfield.errors import InputError


def test_features_by_hand() -> None:
    far = np.array([[1.0, 3.0, 4.0, np.inf]])  # a, a, b; the last document is not to be seen
    labels, names = np.array(["a", "a", "b", "c"]), np.array(["a", "b", "c"])
    z = features(far, labels, names)
    assert z[0, :2, 0] == pytest.approx([-1, 1])  # nearest: 1 and 4
    assert z[0, :2, 1] == pytest.approx([-1, 1])  # means: 2 and 4
    assert np.isinf(z[0, 2]).all()
    p = probabilities(z, np.array([np.log(2) / 2, 0.0]))
    assert p[0] == pytest.approx([2 / 3, 1 / 3, 0])
    with pytest.raises(InputError, match="infinitely far"):
        features(np.array([[np.inf, np.inf]]), labels[:2], names)


def test_weights_are_the_likeliest() -> None:
    rng = np.random.default_rng(3)
    z = rng.standard_normal((80, 4, 2))
    true = probabilities(z, np.array([1.5, 0.5]))
    truth = np.array([rng.choice(4, p=row) for row in true])
    found = fit_weights(z, truth)

    def loss(weights: np.ndarray) -> float:
        share = 1 / 82
        target = np.full((80, 4), share / 3)
        target[np.arange(80), truth] = 1 - share
        return float(-(target * np.log(probabilities(z, weights))).sum())

    grid = np.linspace(0, 3, 61)
    best = min(loss(np.array([a, b])) for a in grid for b in grid)
    assert loss(found) <= best + 1e-6
    assert (found >= 0).all()


def test_a_few_right_ones_make_nothing_certain() -> None:
    z = np.array([[[-1.0, -1.0], [1.0, 1.0]]] * 3)
    p = probabilities(z, fit_weights(z, np.zeros(3, np.int64)))
    assert p[:, 0] == pytest.approx(4 / 5, abs=1e-3)  # Platt's 1 − 1/(3 + 2)


def test_calibration_by_hand() -> None:
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.45, 0.55], [0.95, 0.05]])
    found = calibration(p, np.array([0, 1, 1, 0]), bins=2)
    assert found.accuracy == 0.75
    assert [(b.documents, b.right) for b in found.bins] == [(4, 0.75)]
    assert found.error == pytest.approx(abs(0.8 - 0.75))
    assert found.log_loss == pytest.approx(-np.log([0.9, 0.2, 0.55, 0.95]).mean())
    assert found.to_dict()["bins"][0]["documents"] == 4


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_probabilities_sum_to_one_and_follow_the_distances(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), 2)
    far = rng.random((5, len(labels)))
    z = features(far, labels, np.arange(classes))
    p = probabilities(z, rng.random(2) * 5)
    assert p.sum(axis=1) == pytest.approx(1)
    assert (p >= 0).all()
    alone = probabilities(z, np.array([3.0, 0.0]))
    nearest = far.reshape(5, classes, 2).min(axis=2)
    assert (alone.argmax(axis=1) == nearest.argmin(axis=1)).all()


def test_who_can_be_labelled() -> None:
    assert calibratable(["a", "b", "a", "c"]).tolist() == [0, 2]
    with pytest.raises(InputError, match="nothing to tell apart"):
        calibratable(["a", "a"])
