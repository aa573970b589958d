"""Every method against the full scan; the certified one to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.arrays import Array
from lexfield.errors import InputError
from lexfield.topics import simplex
from lexfield.topics.certified import CertifiedSearch
from lexfield.topics.neighbours import METHODS, Candidates, Neighbours
from tests.topics.test_simplex import oracle


def draw(seed: int, rows: int, topics: int, alpha: float, floor: float = 0.0) -> Any:
    made = np.random.default_rng(seed).dirichlet(np.full(topics, alpha), rows) + floor
    return made / made.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("measure", ["js", "hellinger", "he", "kl"])
def test_the_scan_is_the_definition(measure: str) -> None:
    mixtures = draw(1, 60, 8, 0.3, 1e-3)
    q = draw(2, 1, 8, 0.3)[0]
    expected = sorted((oracle(q, row, measure), i) for i, row in enumerate(mixtures))[:5]
    rows, distances, certificate = Neighbours(mixtures, "scan").query(q, 5, measure)
    assert rows.tolist() == [row for _, row in expected]
    np.testing.assert_allclose(distances, [d for d, _ in expected], atol=1e-12)
    assert certificate.exact and certificate.candidates == 60


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    alpha=st.sampled_from([0.01, 0.05, 0.3, 1.0, 20.0]),
    floor=st.sampled_from([0.0, 1e-4]),
    topics=st.sampled_from([2, 7, 60]),
    rows=st.sampled_from([1, 30, 1500]),
    k=st.sampled_from([1, 10, 40]),
    measure=st.sampled_from(["js", "hellinger", "he"]),
    kind=st.sampled_from([np.float32, np.float64]),
    masked=st.booleans(),
)
def test_certified_equals_the_scan_to_the_bit(
    seed: int, alpha: float, floor: float, topics: int, rows: int, k: int, measure: str,
    kind: Any, masked: bool,
) -> None:  # fmt: skip
    mixtures = draw(seed, rows, topics, alpha, floor)
    if not np.isfinite(mixtures).all():
        return
    mixtures[rows // 2] = mixtures[0]  # a tie
    mixtures = mixtures.astype(kind)
    allowed = np.random.default_rng(seed).random(rows) < 0.3 if masked else None
    queries = np.concatenate([draw(seed + 1, 3, topics, alpha, floor), mixtures[:1]])
    scan, certified = Neighbours(mixtures, "scan"), Neighbours(mixtures)
    for q in queries:
        if not np.isfinite(q).all():
            continue
        a = scan.query(q, k, measure, allowed=allowed)
        b = certified.query(q, k, measure, allowed=allowed)
        assert a.rows.tolist() == b.rows.tolist()
        assert a.distances.tolist() == b.distances.tolist()
        proof = b.certificate
        assert proof.exact and proof.candidates <= rows
        if len(b.rows):
            assert proof.kth == b.distances[-1] <= proof.bound
            rest = np.ones(rows, bool) if allowed is None else allowed.copy()
            rest[b.rows] = False
            nearest = scan.query(q, 1, measure, allowed=rest).distances
            assert not len(nearest) or nearest[0] >= proof.kth


def test_bounds_are_below_every_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list bounds themselves, for thresholds from hardly any entry to nearly all."""
    from lexfield.topics import certified as module
    from lexfield.topics.kernels import divergences

    mixtures = draw(3, 400, 50, 0.1)
    q = draw(4, 1, 50, 0.1)[0]
    for threshold in (1e-6, 1e-3, 0.05, 0.5):
        monkeypatch.setattr(module, "choose_threshold", lambda _, t=threshold: t)
        search = CertifiedSearch(mixtures)
        lists = search.lists
        for measure in (0, 1):
            bounds = np.zeros(400, np.float32)
            weights, everything = search.weights(measure), np.zeros(0, bool)
            module.bound_rows(measure, q, lists, weights, everything, bounds)
            exact = divergences(measure, q, mixtures, np.arange(400))
            assert (bounds <= exact + 1e-5).all()
            if threshold == 1e-6:  # nearly everything is listed: what is lost is the steps
                assert (exact - bounds).max() < 0.15
        rows, found, looked, bound = search.query(q, 10, 0, None)
        expected = np.lexsort((np.arange(400), divergences(0, q, mixtures, np.arange(400))))[:10]
        assert rows.tolist() == expected.tolist()
        assert looked >= 10 and bound >= found[-1]


def test_many_neighbours_are_a_scan() -> None:
    mixtures = draw(5, 3000, 10, 0.2)
    found = Neighbours(mixtures).query(mixtures[0], 2500)
    assert found.certificate.exact and found.certificate.candidates == 3000
    assert len(found.rows) == 2500


def test_most_rows_are_never_looked_at() -> None:
    mixtures = draw(5, 20_000, 100, 0.02).astype(np.float32)
    q = draw(6, 1, 100, 0.02)[0]
    found = Neighbours(mixtures).query(q, 10)
    assert found.certificate.candidates < 200
    assert found.rows.tolist() == Neighbours(mixtures, "scan").query(q, 10).rows.tolist()


def check_contract(method: str | Callable[[Array], Candidates], name: str) -> Neighbours:
    """Check what every method promises; return neighbours of ``draw(9, 300, 10, 0.5)``."""
    mixtures = draw(9, 300, 10, 0.5)
    neighbours = Neighbours(mixtures, method)
    rows, distances, certificate = neighbours.query(mixtures[7], 5)
    assert rows[0] == 7 and distances[0] == 0.0  # itself
    assert certificate.method == name and certificate.to_dict()["rows"] == 300
    again = neighbours.query(mixtures[7], 5)
    assert again.rows.tolist() == rows.tolist()
    assert len(neighbours.query(mixtures[7], 10_000).rows) <= 300
    many = neighbours.query(mixtures[:3], 4, "hellinger")
    assert many.rows.shape == many.distances.shape == (3, 4)
    assert many.rows[:, 0].tolist() == [0, 1, 2]
    only = np.zeros(300, bool)
    only[[7, 8]] = True
    assert set(neighbours.query(mixtures[7], 5, allowed=only).rows.tolist()) <= {7, 8}
    with pytest.raises(InputError, match="k must be"):
        neighbours.query(mixtures[7], 0)
    with pytest.raises(InputError, match="has 11 topics where 10 are expected"):
        neighbours.query(np.full(11, 1 / 11))
    return neighbours


@pytest.mark.parametrize("method", METHODS)
def test_one_contract(method: str) -> None:
    neighbours = check_contract(method, method)
    assert neighbours.query(neighbours.mixtures[7], 1, "kl").rows.tolist() == [7]


def test_bad_methods_and_matrices() -> None:
    with pytest.raises(InputError, match="method must be"):
        Neighbours([[1.0]], "magic")
    with pytest.raises(InputError, match="sums to 2"):
        Neighbours([[1.0, 1.0]])
    assert Neighbours([[0.5, 0.5 + 4e-7]]).notes


def test_public_names() -> None:
    assert simplex.Neighbours is Neighbours
