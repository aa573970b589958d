"""Distances by hand and by slow code; the bounds between them on Dirichlet samples; neighbours by
every method against the full scan, the certified one to the bit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from lexfield.errors import InputError, ReadError
from lexfield.topics import simplex, topic_lists
from lexfield.topics.affinity import (
    HELLINGER_SQUARED,
    JS,
    KL,
    affinity,
    find_excess,
    find_slopes,
)
from lexfield.topics.certified import CertifiedSearch, bound_row, divergence, divergences
from lexfield.topics.simplex import (
    METHODS,
    Neighbours,
    check_mixture,
    check_mixtures,
    read_mixtures,
)


def oracle(p: Any, q: Any, measure: str) -> float:
    """Straight from the definitions, in Python's own numbers."""

    def kl(a: Any, b: Any) -> float:
        return sum(
            0.0 if x == 0 else math.inf if y == 0 else x * math.log(x / y)
            for x, y in zip(a, b, strict=True)
        )

    if measure == "kl":
        return kl(p, q)
    if measure == "js":
        middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
        return (kl(p, middle) + kl(q, middle)) / 2
    if measure == "capacitory":  # Topsøe: KL(p‖m) + KL(q‖m)
        middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
        return kl(p, middle) + kl(q, middle)
    if measure == "triangle":
        return float(sum((x - y) ** 2 / (x + y) for x, y in zip(p, q, strict=True) if x + y))
    he = sum((math.sqrt(x) - math.sqrt(y)) ** 2 for x, y in zip(p, q, strict=True))
    return he if measure == "he" else math.sqrt(he / 2)


def pair(draw_: np.random.Generator, alpha: float, size: int) -> tuple[Any, Any]:
    made = draw_.dirichlet(np.full(size, alpha), 2)
    made[made < 1e-9] = 0
    made /= made.sum(axis=1, keepdims=True)
    return made[0], made[1]


def test_by_hand() -> None:
    p, q = [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]
    assert simplex.distance(p, q, "js") == pytest.approx(math.log(2) / 2)
    assert simplex.distance(p, q, "he") == pytest.approx(1.0)
    assert simplex.distance(p, q, "hellinger") == pytest.approx(math.sqrt(0.5))
    assert simplex.distance(p, q, "kl") == math.inf
    assert simplex.distance([0.25, 0.75], [0.5, 0.5], "kl") == pytest.approx(
        0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    )
    assert simplex.distance(p, p) == 0.0
    assert simplex.distance([1, 0], [0, 1]) == pytest.approx(math.log(2))


@settings(max_examples=150)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.001, 0.01, 0.1, 1.0, 10.0, 100.0]),
    st.sampled_from([2, 3, 50, 200]),
)
def test_distances_and_bounds(seed: int, alpha: float, size: int) -> None:
    p, q = pair(np.random.default_rng(seed), alpha, size)
    if not (np.isfinite(p).all() and np.isfinite(q).all()):
        return
    for measure in simplex.MEASURES:
        assert simplex.distance(p, q, measure) == pytest.approx(oracle(p, q, measure), abs=1e-12)
    js, he = simplex.distance(p, q, "js"), simplex.distance(p, q, "he")
    square = simplex.distance(p, q, "hellinger") ** 2
    assert simplex.distance(q, p, "js") == pytest.approx(js, abs=1e-14)
    assert math.log(2) * square <= js + 1e-12
    assert js <= square + 1e-12
    low, high = simplex.bounds(min(1.0, math.sqrt(square)))
    assert low - 1e-12 <= js <= high + 1e-12
    delta, c = simplex.distance(p, q, "triangle"), simplex.distance(p, q, "capacitory")
    assert 0.5 * delta - 1e-12 <= c <= math.log(2) * delta + 1e-12  # eq. 5 of the paper
    assert he - 1e-12 <= delta <= 2 * he + 1e-12  # eq. 6
    assert 0.5 * he - 1e-12 <= c <= 2 * math.log(2) * he + 1e-12  # eq. 7
    for number, name in ((JS, "js"), (KL, "kl")):
        assert divergence(number, p, q) == pytest.approx(oracle(p, q, name), abs=1e-12)
    assert divergence(HELLINGER_SQUARED, p, q) == pytest.approx(square, abs=1e-12)
    assert bound_row(HELLINGER_SQUARED, np.sqrt(p), q) == pytest.approx(square, abs=1e-12)
    least = bound_row(JS, np.sqrt(p), q)
    assert math.log(2) * square - 1e-12 <= least <= divergence(JS, p, q) + 1e-12


def test_the_bounds_are_attained() -> None:
    far = 1e-4
    p, q = [1 - far, far, 0.0], [1 - far, 0.0, far]  # ratios of 1 and of infinity only
    square = simplex.distance(p, q, "hellinger") ** 2
    assert simplex.distance(p, q, "js") == pytest.approx(math.log(2) * square)
    p, q = [0.5, 0.5], [0.5001, 0.4999]  # ratios near 1 only
    square = simplex.distance(p, q, "hellinger") ** 2
    assert simplex.distance(p, q, "js") == pytest.approx(square, rel=1e-5)
    assert simplex.bounds(0.5) == pytest.approx((math.log(2) / 4, 1 / 4))
    assert simplex.bounds(1.0) == pytest.approx((math.log(2), math.log(2)))


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_what_the_certified_search_relies_on(seed: int, measure: int) -> None:
    """s grows in both, is homogeneous, and merging cells does not lower its sum."""
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.gamma(0.2, 1, 4) + 1e-12
    assert affinity(measure, a + c, b) >= affinity(measure, a, b) - 1e-12
    assert affinity(measure, a, b) == pytest.approx(affinity(measure, b, a))
    assert affinity(measure, 3 * a, 3 * b) == pytest.approx(3 * affinity(measure, a, b), rel=1e-6)
    apart = affinity(measure, a, b) + affinity(measure, c, d)
    assert apart <= affinity(measure, a + c, b + d) + 1e-12
    assert affinity(0, a, b) <= math.log(2) * affinity(1, a, b) + 1e-12
    assert affinity(measure, 0.0, b) == 0.0
    for ratio in (0.01, 1.0, 20.0, c / d):
        mu, nu = find_slopes(measure, ratio)
        assert affinity(measure, a, b) <= mu * a + nu * b + 1e-12
        touched = mu * ratio * b + nu * b
        assert affinity(measure, ratio * b, b) == pytest.approx(touched, rel=1e-6)
        excess = find_excess(measure, a, b, mu)
        tried = [affinity(measure, a, x) - mu * x for x in np.linspace(0, b, 50)]
        assert max(tried) <= excess + 1e-12 and excess <= nu * a + 1e-12


def test_the_chord_under_the_divergence() -> None:
    """What the second bound of JS relies on: ψ / (1 − u) is concave in u = √(1 − d²)."""
    u = np.linspace(0, 1, 1001)[:-1]
    d = np.sqrt(1 - u**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        less = np.where(d < 1, (1 - d) * np.log1p(-d), 0)
    curve = ((1 + d) * np.log1p(d) + less) / 2 / (1 - u)
    assert np.diff(curve, 2).max() < 0
    assert (curve >= math.log(2) + (1 - math.log(2)) * u).all()


def test_values_of_rows() -> None:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(20, 0.1), 6).astype(np.float32)
    found = divergences(JS, rows[0].astype(float), rows, np.array([0, 5, 3]))
    assert found[0] == 0
    assert found[1] == pytest.approx(oracle(rows[0].astype(float), rows[5].astype(float), "js"))


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.5], [0.2, 0.3, 0.5], "Q has 3 topics where 2 are expected"),
        ([0.5, 0.6], [0.5, 0.5], "sums to 1.1"),
        ([1.5, -0.5], [0.5, 0.5], "negative value"),
        ([math.nan, 1], [0.5, 0.5], "NaN"),
        ([0.0, 0.0], [0.5, 0.5], "all zeros"),
        ([[0.5, 0.5]], [0.5, 0.5], "must be a row of numbers"),
        (["a", "b"], [0.5, 0.5], "must be numbers"),
    ],
)
def test_bad_mixtures(p: Any, q: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        simplex.distance(p, q)


def test_unknown_measures() -> None:
    with pytest.raises(InputError, match="measure must be 'js' or"):
        simplex.distance([1.0], [1.0], "cosine")
    with pytest.raises(InputError, match="hellinger must be"):
        simplex.bounds(1.5)


def draw(seed: int, rows: int, topics: int, alpha: float, floor: float = 0.0) -> Any:
    made = np.random.default_rng(seed).dirichlet(np.full(topics, alpha), rows) + floor
    return made / made.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("measure", ["js", "hellinger", "he", "kl", "triangle", "capacitory"])
def test_the_scan_is_the_definition(measure: str) -> None:
    mixtures = draw(1, 60, 8, 0.3, 1e-3)
    q = draw(2, 1, 8, 0.3)[0]
    expected = sorted((oracle(q, row, measure), i) for i, row in enumerate(mixtures))[:5]
    rows, distances, certificate = Neighbours(mixtures, "scan").query(q, 5, measure)
    assert rows.tolist() == [row for _, row in expected]
    np.testing.assert_allclose(distances, [d for d, _ in expected], atol=1e-12)
    assert certificate.exact and certificate.candidates == 60


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    alpha=st.sampled_from([0.01, 0.05, 0.3, 1.0, 20.0]),
    floor=st.sampled_from([0.0, 1e-4]),
    topics=st.sampled_from([2, 7, 60]),
    rows=st.sampled_from([1, 30, 1500]),
    k=st.sampled_from([1, 10, 40]),
    measure=st.sampled_from(["js", "hellinger", "he", "capacitory"]),
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
    scan, proved = Neighbours(mixtures, "scan"), Neighbours(mixtures)
    for q in queries:
        if not np.isfinite(q).all():
            continue
        a = scan.query(q, k, measure, allowed=allowed)
        b = proved.query(q, k, measure, allowed=allowed)
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


@pytest.mark.parametrize("lower", [1, 3, 1000])
@pytest.mark.parametrize("ratio", [0.02, 1.0, 30.0])
@pytest.mark.parametrize("threshold", [1e-6, 1e-3, 0.05, 0.5])
def test_bounds_are_below_every_value(
    monkeypatch: pytest.MonkeyPatch, threshold: float, ratio: float, lower: float
) -> None:
    """The list bounds themselves, for thresholds from hardly any entry to nearly all."""
    mixtures = draw(3, 400, 50, 0.1)
    q = draw(4, 1, 50, 0.1)[0]
    plan = topic_lists.Plan(threshold, threshold / lower, ratio)
    monkeypatch.setattr(topic_lists, "choose_plans", lambda _: (plan, plan))
    search = CertifiedSearch(mixtures)
    for measure in (JS, HELLINGER_SQUARED):
        bounds = np.zeros(400, np.float32)
        weights, everything = search.weights(measure), np.zeros(0, bool)
        topic_lists.bound_rows(measure, q, search.lists, weights, everything, bounds)
        exact = divergences(measure, q, mixtures, np.arange(400))
        assert (bounds <= exact + 1e-5).all()
        if threshold == 1e-6:  # nearly everything is listed: what is lost is the steps
            assert (exact - bounds).max() < 0.15
    rows, found, looked, bound = search.query(q, 10, JS, None)
    expected = np.lexsort((np.arange(400), divergences(JS, q, mixtures, np.arange(400))))[:10]
    assert rows.tolist() == expected.tolist()
    assert looked >= 10 and bound >= found[-1]


def test_rows_in_several_chunks() -> None:
    mixtures = draw(7, 66_000, 4, 0.3).astype(np.float32)
    mixtures[65_990] = mixtures[12]
    found = Neighbours(mixtures).query(mixtures[12], 5)
    assert found.rows[:2].tolist() == [12, 65_990] and found.certificate.exact
    assert found.rows.tolist() == Neighbours(mixtures, "scan").query(mixtures[12], 5).rows.tolist()


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


MIXTURES = draw(9, 300, 10, 0.5)


def check_contract(neighbours: Neighbours, name: str) -> None:
    """Check what every method promises about neighbours in ``MIXTURES``."""
    mixtures = neighbours.mixtures
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


@pytest.mark.parametrize("method", METHODS)
def test_one_contract(method: str) -> None:
    neighbours = Neighbours(MIXTURES, method)
    check_contract(neighbours, method)
    assert neighbours.query(neighbours.mixtures[7], 1, "kl").rows.tolist() == [7]


def test_bad_methods_and_matrices() -> None:
    with pytest.raises(InputError, match="method must be"):
        Neighbours([[1.0]], "magic")
    with pytest.raises(InputError, match="sums to 2"):
        Neighbours([[1.0, 1.0]])
    assert Neighbours([[0.5, 0.5 + 4e-7]]).notes


ROWS = np.array([[0.5, 0.5], [0.25, 0.75]])


def test_good_rows_are_left_alone() -> None:
    matrix, notes = check_mixtures(ROWS)
    assert matrix is ROWS or np.shares_memory(matrix, ROWS)
    assert not notes
    assert check_mixtures(ROWS.astype(np.float32))[0].dtype == np.float32
    assert check_mixtures([[1, 0], [0, 1]])[0].dtype == np.float64


def test_nearly_one_is_scaled_with_a_note() -> None:
    nearly = ROWS * [[1 + 5e-7], [1.0]]
    matrix, notes = check_mixtures(nearly)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-15)
    assert notes == ["1 rows of the mixtures summed to one only within 1e-6 and were rescaled"]
    assert nearly[0].sum() > 1  # what was given is not touched


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ROWS * 1.00001,
            "Row 0 of the mixtures is not a probability distribution: it sums to 1.00001",
        ),
        ([[0.5, 0.5], [1.5, -0.5]], "Row 1 .* negative value"),
        ([[0.5, 0.5], [np.nan, 1]], "Row 1 .* NaN"),
        ([[0.5, 0.5], [np.inf, 0]], "Row 1 .* infinite"),
        ([[0.5, 0.5], [0.0, 0.0]], "all zeros: a document without words"),
        ([[0.5, 0.5], [1.0]], "different lengths"),
        ([0.5, 0.5], "must be a matrix"),
        (np.empty((0, 3)), "must be a matrix"),
    ],
)
def test_what_is_refused(rows: ArrayLike, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_mixtures(rows)


def test_one() -> None:
    with pytest.raises(InputError, match="has 2 topics where 3 are expected"):
        check_mixture([0.5, 0.5], 3)


def test_files(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", ROWS)
    matrix, ids, notes = read_mixtures(tmp_path / "m.npy")
    np.testing.assert_array_equal(matrix, ROWS)
    assert ids is None and not notes
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY nonsense")
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    for name in ("bad.npy", "objects.npy"):
        with pytest.raises(ReadError, match="cannot be read as a NumPy array"):
            read_mixtures(tmp_path / name)
    with pytest.raises(ReadError, match="does not exist"):
        read_mixtures(tmp_path / "none.npy")
    (tmp_path / "m.txt").write_text("x")
    with pytest.raises(ReadError, match=r"neither .npy nor .parquet"):
        read_mixtures(tmp_path / "m.txt")


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"id": ["a", "b"], "t0": ROWS[:, 0], "t1": ROWS[:, 1]})
    parquet.write_table(table, tmp_path / "m.parquet")
    matrix, ids, _ = read_mixtures(tmp_path / "m.parquet")
    np.testing.assert_array_equal(matrix, ROWS)
    assert ids == ["a", "b"]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(ReadError, match="cannot be read as a table"):
        read_mixtures(tmp_path / "bad.parquet")
