from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.utils.estimator_checks import check_estimator

import lexfield as lx
from lexfield.metric.distortion import metric_eigenvalues

from . import oracle


def test_by_hand() -> None:
    # Two clusters about (1, 0) and (11, 5): deviations ±(1, 0) and ±(0, 2), so A = diag(2, 8),
    # |A|^½ = 4 and M = 4 diag(1/2, 1/8) = diag(2, 1/2).
    rows = np.array([[0.0, 0], [2, 0], [11, 3], [11, 7]])
    learned = lx.MinimumDistortion(shrinkage=0.0).fit(rows, ["a", "a", "b", "b"])
    np.testing.assert_allclose(learned.metric_, np.diag([2, 0.5]), atol=1e-12)
    np.testing.assert_allclose(learned.map_, np.diag([2**0.5, 0.5**0.5]), atol=1e-12)
    assert learned.rank_ == 2 and learned.clusters_ == 2 and learned.notes_ == []
    # Both clusters are now equally wide: 2·√2 = 4·√½.
    mapped = learned.transform(rows)
    widths = [np.linalg.norm(mapped[1] - mapped[0]), np.linalg.norm(mapped[3] - mapped[2])]
    np.testing.assert_allclose(widths, [8**0.5, 8**0.5])


def test_shrinkage_by_hand() -> None:
    # A = diag(2, 8), mean eigenvalue 5: half way it is diag(3.5, 6.5), and M = √(3.5·6.5) A⁻¹.
    rows = np.array([[0.0, 0], [2, 0], [11, 3], [11, 7]])
    learned = lx.MinimumDistortion(shrinkage=0.5).fit(rows, ["a", "a", "b", "b"])
    expected = np.sqrt(3.5 * 6.5) / np.array([3.5, 6.5])
    np.testing.assert_allclose(np.diag(learned.metric_), expected)
    euclid = lx.MinimumDistortion(shrinkage=1).fit(rows, ["a", "a", "b", "b"])
    np.testing.assert_allclose(euclid.metric_, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(euclid.transform(rows), rows, atol=1e-14)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), features=st.integers(1, 6), sparse=st.booleans())
def test_it_is_the_minimum_and_equals_the_formula(seed: int, features: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(12 * features, features)) @ rng.normal(size=(features, features))
    names = rng.integers(0, 4, len(rows)).tolist()
    learned = lx.MinimumDistortion().fit(csr_matrix(rows) if sparse else rows, names)
    scatter = oracle.scatter(rows, names, {})
    np.testing.assert_allclose(learned.metric_, oracle.metric(scatter), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(learned.map_ @ learned.map_, learned.metric_, rtol=1e-6, atol=1e-9)
    assert np.linalg.slogdet(learned.metric_)[1] == pytest.approx(0, abs=1e-8)
    # eq. 4: no other metric of determinant 1 has less distortion, tr(MA)
    least = np.trace(learned.metric_ @ scatter)
    for _ in range(5):
        root = rng.normal(size=(features, features))
        other = root @ root.T
        other /= np.exp(np.linalg.slogdet(other)[1] / features)
        assert np.trace(other @ scatter) >= least * (1 - 1e-9)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), rank=st.integers(1, 5), more=st.integers(1, 5))
def test_singular_scatter_uses_the_pseudo_inverse(seed: int, rank: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(rank + more, rank)))[0]
    rows = rng.normal(size=(40, rank)) @ axes.T
    names = (np.arange(40) % 3).tolist()
    learned = lx.MinimumDistortion().fit(rows, names)
    assert learned.rank_ == rank
    scatter = oracle.scatter(rows, names, {})
    sigmas = np.linalg.eigvalsh(scatter)[-rank:]
    expected = np.prod(sigmas) ** (1 / rank) * np.linalg.pinv(scatter, rcond=1e-10, hermitian=True)
    np.testing.assert_allclose(learned.metric_, expected, rtol=1e-6, atol=1e-8)
    assert "rank" in learned.notes_[-1] and "pseudo-inverse" in learned.notes_[-1]
    # on its range the determinant is 1
    own = np.linalg.eigvalsh(learned.metric_)[-rank:]
    assert np.log(own).sum() == pytest.approx(0, abs=1e-8)


def test_streams_and_blocks_give_the_same_metric(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows, names = rng.normal(size=(500, 8)).astype(np.float32), rng.integers(0, 40, 500)
    whole = lx.MinimumDistortion(shrinkage=0.1).fit(rows, names)
    np.save(tmp_path / "rows.npy", rows)
    mapped = lx.MinimumDistortion(shrinkage=0.1).fit(
        np.load(tmp_path / "rows.npy", mmap_mode="r"), names
    )
    np.testing.assert_array_equal(mapped.metric_, whole.metric_)
    parts = lx.MinimumDistortion(shrinkage=0.1)
    for start in range(0, 500, 90):
        parts.partial_fit(rows[start : start + 90], names[start : start + 90])
    np.testing.assert_allclose(parts.metric_, whole.metric_, rtol=1e-9, atol=1e-11)
    assert parts.rank_ == 8


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_determinants_do_not_overflow(scale: float) -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(900, 400))  # |A| is about 10^(2·140·400) at the larger scale
    learned = lx.MinimumDistortion().fit(rows * scale, np.arange(900) % 3)
    plain = lx.MinimumDistortion().fit(rows, np.arange(900) % 3)
    np.testing.assert_allclose(learned.metric_, plain.metric_, rtol=1e-6, atol=1e-9)


def test_five_thousand_dimensions_do_not_overflow() -> None:
    values = np.logspace(-12, 2, 5000)  # their product is 10^-25,000
    own = metric_eigenvalues(values, 0.0, 1e-15)
    assert np.isfinite(own).all() and (own > 0).all()
    assert np.log(own).sum() == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(own * values, np.full(5000, own[0] * values[0]), rtol=1e-9)


def test_weights() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(60, 3)) * ([[1.0]] * 40 + [[5.0]] * 20)
    names = ["a"] * 40 + ["b"] * 18 + ["c"] * 2
    sizes = {"a": 40, "b": 18, "c": 2}
    by_size = {name: 1 / size for name, size in sizes.items()}
    variances = {
        name: oracle.scatter(rows[[n == name for n in names]], [0] * size, {}).trace() / (size - 1)
        for name, size in sizes.items()
    }
    by_trust = {name: 1 / value for name, value in variances.items()}
    given_: list[tuple[Any, dict[Any, float]]] = [
        ("inverse_size", by_size),
        ("reliability", by_trust),
        ({"a": 2.0, "b": 0.0, "c": 1.0}, {"a": 2.0, "b": 0.0, "c": 1.0}),
    ]
    for weights, expected in given_:
        learned = lx.MinimumDistortion(weights=weights).fit(rows, names)
        wanted = oracle.metric(oracle.scatter(rows, names, expected))
        np.testing.assert_allclose(learned.metric_, wanted, rtol=1e-8)
    near = lx.MinimumDistortion(weights="reliability").fit(1e-3 * rows, names)
    far = lx.MinimumDistortion(weights="reliability").fit(rows, names)
    np.testing.assert_allclose(near.metric_, far.metric_, rtol=1e-6)  # whatever the unit
    with pytest.raises(lx.LexfieldError, match="see all rows"):
        lx.MinimumDistortion(weights="reliability").partial_fit(rows, names)


def test_a_wide_tolerance_leaves_narrow_directions_out() -> None:
    rows = np.array([[0.0, 0], [2, 0], [11, 3], [11, 7]])  # A = diag(2, 8)
    assert lx.MinimumDistortion(tolerance=0.3).fit(rows, [0, 0, 1, 1]).rank_ == 1
    assert lx.MinimumDistortion(tolerance=0.2).fit(rows, [0, 0, 1, 1]).rank_ == 2


def test_members_without_company_or_label_are_counted() -> None:
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(10, 2))
    names = np.array(["a", "a", "a", "b", "b", "c", None, "", float("nan"), "d"], object)
    learned = lx.MinimumDistortion().fit(rows, names)
    assert (learned.clusters_, learned.singletons_, learned.unlabelled_) == (2, 2, 3)
    assert "3 rows have no label" in learned.notes_[0]
    assert "2 clusters have one member" in learned.notes_[1]
    only = lx.MinimumDistortion().fit(rows[:5], names[:5])
    np.testing.assert_allclose(learned.metric_, only.metric_)
    numbers = [0.0, 0, 0, 1, 1, 2, np.nan, np.nan, np.nan, 3]
    np.testing.assert_allclose(lx.MinimumDistortion().fit(rows, numbers).metric_, only.metric_)


def test_constant_features_and_few_rows_work_and_say_the_rank() -> None:
    rng = np.random.default_rng(7)
    rows = np.column_stack([rng.normal(size=(30, 2)), np.full(30, 7.0)])
    learned = lx.MinimumDistortion().fit(rows, np.arange(30) % 4)
    assert learned.rank_ == 2
    assert not learned.metric_[2].any() or np.abs(learned.metric_[2]).max() < 1e-12
    few = lx.MinimumDistortion().fit(rng.normal(size=(6, 50)), [0, 0, 0, 1, 1, 1])
    assert few.rank_ == 4 and "of 4 differences within clusters" in few.notes_[0]
    shrunk = lx.MinimumDistortion(shrinkage=0.1).fit(rng.normal(size=(6, 50)), [0, 0, 0, 1, 1, 1])
    assert shrunk.rank_ == 50 and shrunk.notes_ == []


@pytest.mark.parametrize(
    ("rows", "names", "message"),
    [
        (np.eye(3), ["a", "b", "c"], "None of the 3 clusters has two members"),
        (np.ones((4, 2)), [0, 0, 1, 1], "no variation within clusters"),
        (np.array([[1.0, np.nan], [0, 1]]), [0, 0], "NaN"),
        (np.array([[1.0, 2], [0, 1], [np.inf, 0]]), [0, 0, 1], "infinity"),
        (np.array([[1e308, 1], [-1e308, 1], [1e308, 9]]), [0, 0, 1], "too large"),
        (np.full((4, 40), 1.7e308) * [[1], [1], [-1], [-1]], [0, 0, 1, 1], "no variation"),
        (np.eye(3), ["a", "b"], "3 rows have 2 labels"),
        (np.eye(3), [None, "", None], "None of the 0 clusters"),
        (np.eye(3), None, "y"),
    ],
)
def test_bad_rows_are_told(rows: Any, names: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lx.MinimumDistortion().fit(rows, names)


@pytest.mark.parametrize(
    "options",
    [
        {"shrinkage": -0.1},
        {"shrinkage": 2},
        {"shrinkage": "much"},
        {"weights": "heavy"},
        {"weights": {"a": -1.0}},
        {"tolerance": 1.0},
    ],
)
def test_bad_parameters_are_told(options: dict[str, Any]) -> None:
    with pytest.raises(lx.LexfieldError, match=next(iter(options))):
        lx.MinimumDistortion(**options).fit(np.eye(4), [0, 0, 1, 1])


def test_it_keeps_the_rules_of_scikit_learn_estimators() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is skipped without the array API
        checks = check_estimator(lx.MinimumDistortion(), on_fail=None)
    assert [check["check_name"] for check in checks if check["status"] == "failed"] == []
    assert sum(check["status"] == "passed" for check in checks) > 40


def test_names_of_features_out() -> None:
    learned = lx.MinimumDistortion().fit(np.eye(4)[:, :2], [0, 0, 0, 0])
    assert list(learned.get_feature_names_out()) == ["minimumdistortion0", "minimumdistortion1"]
