"""Whitening: as by a loop over explicit matrices, without the text's own pieces."""

from __future__ import annotations

import numpy as np

from lexfield.compare import whitening
from lexfield.compare.layout import Layout
from lexfield.compare.whitening import whiten


def test_cosines_are_those_of_explicit_matrices() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(16, 30)) + 0.5  # ten pieces, four texts, two new ones
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    owners, texts = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3]), np.arange(10, 14)
    left_out: list[tuple[int, ...]] = [(0,), (1, 2), (2,), (3,), (), (0,)]
    layout = Layout(owners, np.array([0, 0, 1, 1]), texts, np.arange(10, 16), left_out)
    near, among = whiten(vectors @ vectors[:14].T, layout)

    def compare(own: tuple[int, ...], x: np.ndarray, y: np.ndarray) -> float:
        pieces = vectors[:10]
        spread = (np.linalg.norm(pieces, axis=1) ** 2).mean() - (pieces @ pieces.T).mean()
        z = np.array(
            [one - pieces[owners == a].mean(0) for a, one in zip(owners, pieces, strict=True)]
        )[~np.isin(owners, own)]
        metric = np.linalg.inv(z.T @ z + whitening._PENALTY * spread * np.eye(30))
        x, y = x - pieces.mean(axis=0), y - pieces.mean(axis=0)
        return float(x @ metric @ y / np.sqrt((x @ metric @ x) * (y @ metric @ y)))

    for row, own in enumerate(left_out):
        expected = [compare(own, vectors[10 + row], vectors[one]) for one in texts]
        np.testing.assert_allclose(near[row], expected)
    every = [[compare((), vectors[a], vectors[b]) for b in texts] for a in texts]
    np.testing.assert_allclose(among, every)


def test_texts_of_one_piece_are_centred_only() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(5, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.arange(5)
    layout = Layout(rows, rows % 2, rows, rows, [(row,) for row in range(5)])
    centred = vectors - vectors.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    near, among = whiten(vectors @ vectors.T, layout)
    np.testing.assert_allclose(near, centred @ centred.T)
    np.testing.assert_allclose(among, near)
