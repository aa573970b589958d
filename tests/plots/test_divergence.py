"""The geometry behind the pictures."""

from __future__ import annotations

import numpy as np

from lexfield.compare.trees import symmetric
from lexfield.plots.divergence import map_places


def test_both_directions_count_and_nothing_is_negative_or_endless() -> None:
    given = np.array([[0, 1, np.inf], [3, 0, -1], [2, -1, 0]], float)
    both = symmetric(given)
    assert (both == both.T).all() and both.min() == 0 and np.isfinite(both).all()
    assert both[1, 2] == 0 and both[0, 1] == 3  # all are lifted by the least, −1


def test_points_of_a_plane_find_their_places_again() -> None:
    points = np.random.default_rng(0).normal(size=(12, 2))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    places = map_places(apart)
    assert np.allclose(np.linalg.norm(places[:, None] - places[None], axis=2), apart, atol=0.02)
