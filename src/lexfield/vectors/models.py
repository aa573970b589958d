"""Several models of the same words: how similar words are, and how certain that is.

Rekabsaz, Lupu and Hanbury (2016) train a model five times. The similarity of two words is then a
distribution, described by its mean and its (sample) standard deviation. The rank of a neighbour
differs between models too, so its best and worst rank are reported. How much the models disagree
depends on the similarity:

    ϱ(s) = mean of |sim_M(x, y) − sim_P(x, y)|  over the pairs with  s < sim_M(x, y) ≤ s + ε

M and P are two models, here every ordered pair; x is one of 100 representative words and y any
other word of the lexicon. The paper uses the words of Schnabel et al., which cover all frequencies.
By default ours are spread evenly over the logarithm of the rank by frequency, since a vector set
lists its words by falling frequency.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.engine.topk import top_k
from lexfield.errors import InputError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.store.folder import Store
from lexfield.store.provenance import record
from lexfield.vectors.wordvectors import WordVectors, check_neighbours

KIND = "models"
_BLOCK = 16_384
_WORDS = 10  # representative words per block


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
    def open(cls, folder: str | Path) -> Models:
        """Open the models of a folder with the most dimensions."""
        return max(open_all(folder).values(), key=lambda models: models.dims)

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
        check_neighbours(k, threshold)
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
    record(store)
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


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Mean difference of two models over pairs in a step that starts at ``similarity``."""

    similarity: float
    uncertainty: float
    pairs: int


def uncertainty(
    models: Models,
    words: int | Sequence[str] = 100,
    *,
    step: float = 0.05,
    progress: Progress = silent,
) -> Table[Uncertainty]:
    """Return the curve ϱ(s); steps without a pair are left out.

    ``words``: the representative words, or how many to choose. ``step`` is ε.
    """
    if len(models) < 2:
        raise InputError("Uncertainty needs at least two models. Got one.", "Train several models.")
    rows = _find_rows(models, words)
    starts = range(0, len(rows), _WORDS)
    bins = int(np.ceil(2 / step))

    def compare_block(start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        own = rows[start : start + _WORDS]
        cosines = np.array([model.unit[own] @ model.unit.T for model in models], np.float64)
        other = np.ones(cosines.shape[1:], bool)
        other[np.arange(len(own)), own] = False
        return _bin_differences(cosines[:, other], step, bins)

    counts, sums = np.zeros(bins, np.int64), np.zeros(bins)
    for count, total in map_blocks(compare_block, starts, progress=progress):
        counts += count
        sums += total
    found = [
        Uncertainty(round(-1 + step * place, 6), float(sums[place] / counts[place]), count)
        for place, count in enumerate(counts.tolist())
        if count
    ]
    title = f"uncertainty of {len(models)} models of {models.dims} dimensions, {len(rows)} words"
    return Table(found, title, models.notes)


def choose_representative(size: int, count: int) -> NDArray[np.int64]:
    """Return rows spread evenly over the logarithm of the rank; all if there are no more."""
    if count >= size:
        return np.arange(size)
    rows = np.geomspace(1, size, count).astype(np.int64) - 1
    for place in range(1, count):  # the first ranks are close together: take the next free one
        rows[place] = max(rows[place], rows[place - 1] + 1)
    return rows


def _find_rows(models: Models, words: int | Sequence[str]) -> NDArray[np.int64]:
    if isinstance(words, int):
        return choose_representative(len(models.words), words)
    known = [models[0].row(word) for word in words]
    if missing := [word for word, row in zip(words, known, strict=True) if row < 0]:
        raise InputError(f"The models lack {list_names(map(repr, missing))}.")
    check(len(known) >= 1, "words", "at least one", words)
    return np.array(known)


def _bin_differences(
    cosines: NDArray[np.float64], step: float, bins: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the number of pairs and the sum of differences per step of similarity."""
    counts, sums = np.zeros(bins, np.int64), np.zeros(bins)
    for first, second in permutations(cosines, 2):
        place = np.clip(np.ceil((first + 1) / step).astype(np.int64) - 1, 0, bins - 1)
        counts += np.bincount(place, minlength=bins)
        sums += np.bincount(place, np.abs(first - second), minlength=bins)
    return counts, sums
