"""The approximate neighbours, against the full scan."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.topics import approximate
from lexfield.topics.simplex import Neighbours
from tests.topics.test_simplex import MIXTURES, check_contract, draw


@pytest.mark.parametrize(
    ("method", "options", "least"),
    [
        ("KdTree", {}, 1.0),
        ("KdTree", {"eps": 0.5}, 0.8),
        ("PStableHashes", {"radius": 1.2, "delta": 0.05}, 0.9),
        ("Ivf", {"probes": 20}, 0.8),
        ("Hnsw", {}, 0.8),
    ],
)
def test_recall_of_the_approximate(method: str, options: dict[str, Any], least: float) -> None:
    if method in ("Ivf", "Hnsw"):
        pytest.importorskip("faiss")
    mixtures, queries = draw(7, 2000, 30, 0.1), draw(8, 20, 30, 0.1)
    truth = Neighbours(mixtures, "scan").query(queries, 10)
    build = partial(getattr(approximate, method), **options)
    found = approximate.ApproximateNeighbours(mixtures, build).query(queries, 10)
    recall = np.mean(
        [len(set(a) & set(b)) / 10 for a, b in zip(found.rows, truth.rows, strict=True)]
    )
    assert recall >= least
    assert not any(proof.exact for proof in found.certificate)
    for row, far in zip(found.rows, found.distances, strict=True):
        well = row >= 0
        assert (np.diff(far[well]) >= 0).all()


@pytest.mark.parametrize("method", ["KdTree", "PStableHashes", "Ivf", "Hnsw"])
def test_one_contract(method: str) -> None:
    if method in ("Ivf", "Hnsw"):
        pytest.importorskip("faiss")
    options = {"radius": 0.8} if method == "PStableHashes" else {}
    build = partial(getattr(approximate, method), **options)
    neighbours = approximate.ApproximateNeighbours(MIXTURES, build)
    check_contract(neighbours, method)
    with pytest.raises(InputError, match="says nothing about KL"):
        neighbours.query(neighbours.mixtures[7], 1, "kl")


def test_bad_options() -> None:
    with pytest.raises(InputError, match="radius must be"):
        approximate.PStableHashes(np.ones((1, 1)), radius=0)
    with pytest.raises(InputError, match="eps must be"):
        approximate.KdTree(np.ones((1, 1)), eps=-1)


def test_collisions_are_as_the_formula_says() -> None:
    """Two points at distance c meet in a hash as often as Datar et al. say."""
    rng = np.random.default_rng(0)
    for distance in (0.3, 1.0, 2.5):
        steps = rng.standard_normal(200_000) * distance
        shifts = rng.uniform(0, 2.0, 200_000)
        met = (np.floor((steps + shifts) / 2.0) == 0).mean()
        assert float(approximate.collision(distance, 2.0)) == pytest.approx(met, abs=0.005)
    assert float(approximate.collision(0.0, 2.0)) == pytest.approx(1.0)


def test_hashing_keeps_its_promise() -> None:
    """A point within the radius is found with probability 1 − δ at least."""
    mixtures = draw(11, 1500, 20, 0.3)
    roots = np.sqrt(mixtures)
    hits = total = 0
    for seed in range(5):
        hashes = approximate.PStableHashes(roots, radius=0.6, delta=0.1, seed=seed)
        assert hashes.tables >= 1
        for q in roots[:40]:
            near = set(np.flatnonzero(np.linalg.norm(roots - q, axis=1) <= 0.6).tolist())
            got = set(hashes.candidates(q, 1500).tolist())
            assert got <= near
            hits, total = hits + len(got), total + len(near)
    assert hits / total >= 0.9
    rng = np.random.default_rng(0)
    hashes_, tables = approximate.choose_hashes(roots.astype(np.float32), 0.6, 0.1, rng)
    miss = (1 - float(approximate.collision(0.6, 2.4)) ** hashes_) ** tables
    assert miss <= 0.1
