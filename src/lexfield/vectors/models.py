"""Several models of the same words: how near words are, and how sure that is.

Rekabsaz, Lupu and Hanbury (2016) train a model five times: the similarity of two words is then not
a number but a distribution, given here by its mean and its (sample) standard deviation. A
neighbour's rank differs from model to model too: how much is said beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check, list_names
from lexfield.results import Table
from lexfield.store.folder import Store
from lexfield.vectors.shared import shared_units
from lexfield.vectors.wordvectors import WordVectors

KIND = "models"
_BLOCK = 16_384


@dataclass(frozen=True, slots=True)
class UncertainNeighbour:
    """A word near another in several models.

    similarity, deviation: mean and standard deviation of the cosine over the models.
    distance: Euclidean, between unit vectors at that mean.
    share: of the models that have it among as many nearest as were asked for.
    best_rank, worst_rank: over the models, from 1.
    """

    word: str
    similarity: float
    distance: float
    deviation: float
    share: float
    best_rank: int
    worst_rank: int


class Models(Sequence[WordVectors]):
    """Models of the same words and the same number of dimensions, or sets from elsewhere.

    ``Models.open(folder)`` reads what ``train`` has written; ``Models([a, b, c])`` takes any sets
    and leaves out the words that not all of them know.
    """

    def __init__(self, models: Sequence[WordVectors], *, name: str = "models") -> None:
        check(len(models) >= 1, "models", "at least one set", len(models))
        words, units, self.notes = shared_units(models)
        self._models = [
            WordVectors(words, unit, name=model.name)
            for model, unit in zip(models, units, strict=True)
        ]
        self.words = words
        self.name = name

    @classmethod
    def open(cls, folder: str | Path, dims: int | None = None) -> Models:
        """The models of a folder with ``dims`` dimensions; of the most, if not said."""
        by_dims = open_all(folder)
        chosen = max(by_dims) if dims is None else dims
        if chosen not in by_dims:
            known = list_names(sorted(by_dims))
            raise InputError(
                f"{folder} has no models of {chosen} dimensions.", f"It has those of {known}."
            )
        return by_dims[chosen]

    def __len__(self) -> int:
        return len(self._models)

    @overload
    def __getitem__(self, index: int) -> WordVectors: ...
    @overload
    def __getitem__(self, index: slice) -> list[WordVectors]: ...
    def __getitem__(self, index: int | slice) -> WordVectors | list[WordVectors]:
        return self._models[index]

    @property
    def dims(self) -> int:
        """Dimensions of the first model: trained ones all have the same."""
        return self._models[0].dims

    def similarity(self, a: str, b: str) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of two words over the models."""
        values = np.array([model.similarity(a, b) for model in self])
        return float(values.mean()), float(_deviation(values))

    def nearest(
        self, word: str, k: int = 10, *, threshold: float | None = None
    ) -> Table[UncertainNeighbour]:
        """The ``k`` words of highest mean similarity, or all with at least ``threshold``."""
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        check(threshold is None or -1 <= threshold <= 1, "threshold", "between -1 and 1", threshold)
        cosines = np.array([_cosines(model, word) for model in self])
        mean = cosines.mean(axis=0)
        if (own := self._models[0].own_row(word)) >= 0:
            cosines[:, own] = mean[own] = -np.inf
        order = np.argsort(-mean, kind="stable")[: len(mean) - (own >= 0)]
        rows = order[:k] if threshold is None else order[mean[order] >= threshold]
        found = [
            self._neighbour(int(row), cosines, len(rows) if threshold is not None else k)
            for row in rows
        ]
        title = f"nearest to {word!r} in {len(self)} models of {self.name}"
        return Table(found, title, self.notes)

    def _neighbour(self, row: int, cosines: NDArray[np.float64], k: int) -> UncertainNeighbour:
        own = cosines[:, row]
        similarity = min(1.0, float(own.mean()))
        ahead = cosines > own[:, None]
        ahead[:, :row] |= cosines[:, :row] == own[:, None]  # ties go to the lower row
        ranks = 1 + ahead.sum(axis=1)
        return UncertainNeighbour(
            self.words[row],
            similarity,
            math.sqrt(2 - 2 * similarity),
            float(_deviation(own)),
            float((ranks <= k).mean()),
            int(ranks.min()),
            int(ranks.max()),
        )

    def __repr__(self) -> str:
        return (
            f"<Models {self.name!r}: {len(self)} × {len(self.words):,} words × {self.dims}"
            " dimensions>"
        )


def open_all(folder: str | Path, limit: int | None = None) -> dict[int, Models]:
    """All models of a folder, by their number of dimensions; ``limit`` keeps the first words."""
    store = Store.open(folder, KIND)
    words = list(store.strings("words"))[:limit]
    by_dims: dict[int, list[WordVectors]] = {}
    for dims, seed in store.meta["models"]:
        matrix = store.array(array_name(dims, seed))[:limit]
        name = f"{store.meta['name']} {dims}d seed {seed}"
        by_dims.setdefault(dims, []).append(WordVectors(words, matrix, name=name))
    return {
        dims: Models(models, name=store.meta["name"]) for dims, models in sorted(by_dims.items())
    }


def is_models(path: str | Path) -> bool:
    """Whether a path is a folder that ``train`` has written."""
    return (Path(path) / "CURRENT").is_file() and Store.open(path).kind == KIND


def array_name(dims: int, seed: int) -> str:
    """What the matrix of a model is kept under."""
    return f"matrix.{dims}.{seed}"


def _cosines(model: WordVectors, word: str) -> NDArray[np.float64]:
    """To every word of the model, in float64."""
    vector = model[word].astype(np.float64)
    vector /= np.linalg.norm(vector) or 1.0
    parts = []
    for start in range(0, len(model), _BLOCK):
        rows = model.unit[start : start + _BLOCK].astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)  # float32 rows are of length 1 only nearly
        lengths[lengths == 0] = 1
        parts.append(rows @ vector / lengths)
    return np.concatenate(parts)


def _deviation(values: NDArray[Any]) -> Any:
    return values.std(ddof=1) if len(values) > 1 else 0.0
