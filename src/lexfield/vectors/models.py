"""Several models of the same words: how similar words are, and how certain that is.

Rekabsaz, Lupu and Hanbury (2016) train a model five times. The similarity of two words is then a
distribution, described by its mean and its (sample) standard deviation. The rank of a neighbour
differs between models too, so its best and worst rank are reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.errors import InputError, check, list_names
from lexfield.results import Table
from lexfield.store.folder import Store
from lexfield.vectors.wordvectors import WordVectors

KIND = "models"
_BLOCK = 16_384


@dataclass(frozen=True, slots=True)
class UncertainNeighbour:
    """A word near another in several models.

    similarity, deviation: mean and standard deviation of the cosine over the models.
    distance: Euclidean, between unit vectors at that mean.
    share: of the models that have it among their k nearest.
    best_rank, worst_rank: over the models, from 1.
    """

    word: str
    similarity: float
    distance: float
    deviation: float
    share: float
    best_rank: int
    worst_rank: int


class Models:
    """Models of the same words with the same number of dimensions, or any other sets.

    ``Models.open(folder)`` reads what ``train`` has written; ``Models([a, b, c])`` takes any sets
    and leaves out the words that one of them lacks.
    """

    def __init__(self, models: Sequence[WordVectors], *, name: str = "models") -> None:
        check(len(models) >= 1, "models", "at least one set", len(models))
        words, units, self.notes = align_units(models)
        self._models = [
            WordVectors(words, unit, name=model.name)
            for model, unit in zip(models, units, strict=True)
        ]
        self.words = words
        self.name = name

    @classmethod
    def open(cls, folder: str | Path, dims: int | None = None) -> Models:
        """Open the models of a folder with ``dims`` dimensions, by default the most."""
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

    def __iter__(self) -> Iterator[WordVectors]:
        return iter(self._models)

    def __getitem__(self, index: int) -> WordVectors:
        return self._models[index]

    @property
    def dims(self) -> int:
        """Dimensions of the first model; those of trained models are all the same."""
        return self._models[0].dims

    def similarity(self, a: str, b: str) -> tuple[float, float]:
        """Return mean and standard deviation of the cosine of two words over the models."""
        values = np.array([model.similarity(a, b) for model in self])
        return float(values.mean()), _deviation(values)

    def nearest(
        self, word: str, k: int = 10, *, threshold: float | None = None
    ) -> Table[UncertainNeighbour]:
        """Return the ``k`` words of highest mean similarity, or all of at least ``threshold``."""
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        check(threshold is None or -1 <= threshold <= 1, "threshold", "between -1 and 1", threshold)
        cosines = np.array([_compute_cosines(model, word) for model in self])
        mean = cosines.mean(axis=0)
        if (own := self._models[0].own_row(word)) >= 0:
            cosines[:, own] = mean[own] = -np.inf  # a word is not its own neighbour
        if threshold is None:
            rows = top_k(mean, k)
        else:
            rows = top_k(mean, int((mean >= threshold).sum()))
            k = len(rows)
        found = [self._describe(row, cosines, k) for row in rows.tolist()]
        title = f"nearest to {word!r} in {len(self)} models of {self.name}"
        return Table(found, title, self.notes)

    def _describe(self, row: int, cosines: NDArray[np.float64], k: int) -> UncertainNeighbour:
        own = cosines[:, row]
        similarity = min(1.0, float(own.mean()))
        ahead = cosines > own[:, None]
        ahead[:, :row] |= cosines[:, :row] == own[:, None]  # ties go to the lower row
        ranks = 1 + ahead.sum(axis=1)
        return UncertainNeighbour(
            self.words[row],
            similarity,
            math.sqrt(2 - 2 * similarity),
            _deviation(own),
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
    """Open all models of a folder, by number of dimensions; ``limit`` keeps the first words."""
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
    """Return whether a path is a folder that ``train`` has written."""
    return (Path(path) / "CURRENT").is_file() and Store.open(path).kind == KIND


def array_name(dims: int, seed: int) -> str:
    """Return the name of the stored matrix of a model."""
    return f"matrix.{dims}.{seed}"


def align_units(
    models: Sequence[WordVectors],
) -> tuple[Sequence[str], list[NDArray[np.float32]], list[str]]:
    """Return the words that all sets know, in the order of the first; their unit vectors in each
    set; and notes."""
    first, *others = models
    if not others:
        return first.words, [first.unit], []
    words = [word for word in first.words if all(word in other for other in others)]
    if not words:
        raise InputError(
            f"The {len(models)} sets of vectors have no word in common.",
            "Choose models of the same words.",
        )
    most = max(map(len, models))
    missing = most - len(words)
    notes = []
    if missing:
        notes.append(f"{missing:,} of {most:,} words are not in all sets and are left out")
    return words, [model.unit[[model.row(word) for word in words]] for model in models], notes


def _compute_cosines(model: WordVectors, word: str) -> NDArray[np.float64]:
    """Return the cosine of a word and every word of the model, in float64."""
    vector = model[word].astype(np.float64)
    vector /= np.linalg.norm(vector) or 1.0
    parts = []
    for start in range(0, len(model), _BLOCK):
        rows = model.unit[start : start + _BLOCK].astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)  # float32 rows have length 1 only approximately
        lengths[lengths == 0] = 1
        parts.append(rows @ vector / lengths)
    return np.concatenate(parts)


def _deviation(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
