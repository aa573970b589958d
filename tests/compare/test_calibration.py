"""Probabilities by hand, against a plain search, and whether what is said comes true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.compare.calibration import (
    CategoryModel,
    find_differences,
    fit_model,
    measure_calibration,
)
from lexfield.compare.labels import find_calibration_rows
from lexfield.errors import InputError

LABELS, NAMES = np.array(["a", "a", "b", "c"]), np.array(["a", "b", "c"])


def test_features_by_hand() -> None:
    far = np.array([[1.0, 3.0, 4.0, np.inf]])  # a, a, b; the last document is not to be seen
    found = find_differences(far, LABELS, NAMES)
    assert found[0, :2, 0] == pytest.approx([-1.5, 1.5])  # nearest: 1 and 4
    assert found[0, :2, 1] == pytest.approx([-1, 1])  # means: 2 and 4
    assert np.isinf(found[0, 2]).all()
    # one difference of ±1.5 has the square sum 4.5; three more categories have a spread of 1
    scale = np.sqrt((3 * 1 + 4.5) / (3 + 1))
    p = CategoryModel(np.ones(2), np.array([np.log(2) / 3 * scale, 0.0])).predict(found)
    assert p[0] == pytest.approx([2 / 3, 1 / 3, 0])
    with pytest.raises(InputError, match="infinitely far"):
        find_differences(np.array([[np.inf, np.inf]]), LABELS[:2], NAMES)


def test_between_two_candidates_the_strength_of_the_evidence_counts() -> None:
    known = np.array([[0.5, 0.9], [0.6, 0.8], [0.9, 0.4], [0.75, 0.7]])
    labels = np.array(["a", "b"])
    model = fit_model(find_differences(known, labels, labels), np.array([0, 0, 1, 1]))
    leads = np.array([-0.4, -0.1, -0.01, 0.0, 0.01, 0.1, 0.2, 0.4])
    asked = np.column_stack([np.full(len(leads), 0.7), 0.7 + leads])
    p = model.predict(find_differences(asked, labels, labels))[:, 0]
    assert (np.diff(p) > 0).all()
    assert p[3] == pytest.approx(0.5)
    assert p[4] == pytest.approx(0.5, abs=0.05)
    assert p[-1] > 0.8


def test_the_model_is_the_likeliest() -> None:
    rng = np.random.default_rng(3)
    far = rng.standard_normal((80, 4, 2))
    far -= far.mean(axis=1, keepdims=True)
    true = CategoryModel(np.ones(2), np.array([1.5, 0.5])).predict(far)
    truth = np.array([rng.choice(4, p=row) for row in true])
    found = fit_model(far, truth)

    def loss(weights: np.ndarray) -> float:
        share = 1 / 162
        target = np.full((80, 4), share / 3)
        target[np.arange(80), truth] = 1 - share
        p = CategoryModel(found.spread, weights).predict(far)
        return float(-(target * np.log(p)).sum())

    grid = np.linspace(0, 3, 61)
    best = min(loss(np.array([a, b])) for a in grid for b in grid)
    assert loss(found.weights) <= best + 1e-6
    assert (found.weights >= 0).all()


def test_a_few_right_ones_make_nothing_certain() -> None:
    far = np.array([[[-1.0, -1.0], [1.0, 1.0]]] * 3)
    model = fit_model(far, np.zeros(3, np.int64))
    assert model.doubt == 1 / 8  # 1/(2·3 + 2)
    plain = CategoryModel(model.spread, model.weights).predict(far)
    assert plain[:, 0] == pytest.approx(7 / 8, abs=1e-3)
    assert model.predict(far)[:, 0] == pytest.approx(7 / 8 * 7 / 8 + 1 / 8 * 1 / 8, abs=1e-3)
    assert model.predict(50 * far)[:, 0].max() <= 7 / 8  # three texts cannot show more


def test_doubt_keeps_ties_the_order_and_closed_categories() -> None:
    model = CategoryModel(np.ones(1), np.ones(1), doubt=0.1)
    far = np.array([[[0.0]] * 4, [[-1e3], [1e3], [np.inf], [np.inf]], [[0.0], *[[np.inf]] * 3]])
    p = model.predict(far)
    assert p[0] == pytest.approx([0.25] * 4)
    assert p[1, 0] < 0.9 and p[1] == pytest.approx([p[1, 0], 1 - p[1, 0], 0, 0])
    assert p[2] == pytest.approx([1, 0, 0, 0])


def test_equal_distances_say_nothing() -> None:
    far = np.zeros((3, 2, 2))
    assert fit_model(far, np.array([0, 1, 0])).predict(far) == pytest.approx(np.full((3, 2), 0.5))


def test_calibration_by_hand() -> None:
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.45, 0.55], [0.95, 0.05]])
    found = measure_calibration(p, np.array([0, 1, 1, 0]), bins=2)
    assert found.accuracy == 0.75
    assert [(b.documents, b.right) for b in found.bins] == [(4, 0.75)]
    assert found.error == pytest.approx(abs(0.8 - 0.75))
    assert found.log_loss == pytest.approx(-np.log([0.9, 0.2, 0.55, 0.95]).mean())
    assert found.to_dict()["bins"][0]["documents"] == 4


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(max_examples=30)
def test_probabilities_sum_to_one_and_follow_the_distances(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), 2)
    far = rng.random((5, len(labels)))
    found = find_differences(far, labels, np.arange(classes))
    p = CategoryModel(rng.random(2) + 0.1, rng.random(2) * 5).predict(found)
    assert p.sum(axis=1) == pytest.approx(1)
    assert (p >= 0).all()
    alone = CategoryModel(np.ones(2), np.array([3.0, 0.0])).predict(found)
    nearest = far.reshape(5, classes, 2).min(axis=2)
    assert (alone.argmax(axis=1) == nearest.argmin(axis=1)).all()


def test_who_can_be_labelled() -> None:
    assert find_calibration_rows(["a", "b", "a", "c"]).tolist() == [0, 2]
    with pytest.raises(InputError, match="nothing to tell apart"):
        find_calibration_rows(["a", "a"])
    with pytest.raises(InputError, match="Every document has a category of its own"):
        find_calibration_rows(["a", "b"])
