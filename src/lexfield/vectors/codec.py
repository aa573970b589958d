"""Vectors of words in context, 36 bytes each.

A vector of length 1 loses the mean of all, is turned onto the 144 principal axes, which are mixed
by a fixed rotation so that all have the same variance σ², and each coordinate is kept as the
nearest of four levels, those of Lloyd and Max for a normal distribution. What is read back has
length 1 again. Queries are projected but not rounded, so only one side has this error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import single_thread

AXES = 144  # at most; four to a byte
_LEVELS = np.array([-1.5104, -0.4528, 0.4528, 1.5104])  # Max 1960, for σ = 1
_EDGE = 0.9816


@dataclass(frozen=True)
class Codec:
    """How vectors become codes and back."""

    mean: NDArray[np.float32]  # of vectors of length 1
    axes: NDArray[np.float32]  # dims × axes
    scale: float  # σ

    @classmethod
    def fit(cls, vectors: NDArray[np.float32]) -> Codec:
        """Return the codec of these vectors; the same for the same vectors."""
        vectors = unit(vectors.astype(np.float64))
        mean = vectors.mean(axis=0)
        centred = unit(vectors - mean)
        size = min(AXES, vectors.shape[1] // 4 * 4 or vectors.shape[1])
        with single_thread():
            _, turned = np.linalg.eigh(centred.T @ centred)
            mixing, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(size, size)))
            axes = turned[:, ::-1][:, :size] @ mixing
            scale = float(np.sqrt(np.mean((centred @ axes) ** 2))) or 1.0
        return cls(mean.astype(np.float32), axes.astype(np.float32), scale)

    def project(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return vectors on the axes, as they are compared with what ``decode`` returns."""
        turned: NDArray[np.float32] = unit(unit(vectors) - self.mean) @ self.axes
        return turned

    def encode(self, vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return a row of bytes per vector."""
        turned = self.project(vectors) / self.scale
        codes = (turned > -_EDGE).astype(np.uint8) + (turned > 0) + (turned > _EDGE)
        short = -codes.shape[1] % 4
        codes = np.pad(codes, ((0, 0), (0, short)))
        codes = codes.reshape(len(codes), codes.shape[1] // 4, 4)
        packed: NDArray[np.uint8] = (codes << np.array([0, 2, 4, 6], np.uint8)).sum(
            axis=2, dtype=np.uint8
        )
        return packed

    def decode(self, codes: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return vectors of length 1 on the axes."""
        turned = self.levels[codes].reshape(len(codes), 4 * codes.shape[1])
        turned = turned[:, : self.axes.shape[1]]
        lengths = np.sqrt(np.einsum("ij,ij->i", turned, turned))[:, None]
        decoded: NDArray[np.float32] = turned / lengths
        return decoded

    @cached_property
    def levels(self) -> NDArray[np.float32]:
        """Return the four coordinates of each byte."""
        places = np.arange(256)[:, None] >> np.array([0, 2, 4, 6]) & 3
        table: NDArray[np.float32] = (_LEVELS[places] * self.scale).astype(np.float32)
        return table


def unit(vectors: NDArray[Any]) -> NDArray[Any]:
    """Return rows of length 1; zero rows stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))
