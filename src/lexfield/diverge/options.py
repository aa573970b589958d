"""How texts are compared: every choice with its default, checked once, at the door."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace
from typing import Any

from lexfield.diverge.categorical import MEASURES, smoothing_of
from lexfield.diverge.estimate import UNITS
from lexfield.diverge.knn import STEPS
from lexfield.diverge.points import axes_of, check_dimension
from lexfield.errors import InputError, check
from lexfield.vectors.wordvectors import WordVectors

SPACES = ("categorical", "latent")
ESTIMATORS = ("plain", "extrapolated", "equal_radius", "calibrated", "spread")


@dataclass(frozen=True, kw_only=True)
class Options:
    """
    measure     kl, js, renyi or hellinger
    space       categorical: counts of n-grams; latent: clouds of word vectors
    unit        nats or bits
    alpha       the order of renyi
    stopwords   a language whose stopwords are left out; None keeps all
    n           words of an n-gram (categorical)
    smoothing   shared, additive(λ) or jm(λ) (categorical kl and renyi)
    k           which neighbour measures the density (latent)
    estimator   plain: Póczos et al.; for kl also extrapolated: from k, 2k, 4k and 8k to none, less
                biased in up to 30 dimensions; equal_radius: Wang et al., needs no exponent;
                calibrated: less the bias seen on Gaussian clouds alike (arrays only); spread:
                counts spread over near words and compared as counts, any measure (latent)
    limit       kl by its closed limit; False: by the mean of α = 1 ± 1e-5 (latent, plain)
    points      tokens: a word counts as often as it occurs; types: once (latent)
    dimension   exponent of distance: ambient, intrinsic, or a number (latent)
    reduce      None, or pca(20) for the first 20 principal axes (latent)
    vectors     word vectors, or the name of a set (latent)
    share       how much of its count a word gives to near words (spread)
    threshold   words are near from this cosine on (spread)
    allow_unknown  compare though most words have no vector (latent)
    """

    measure: str = "kl"
    space: str = "categorical"
    unit: str = "nats"
    alpha: float = 0.5
    stopwords: str | None = None
    n: int = 1
    smoothing: str = "jm"
    k: int = 3
    estimator: str = "plain"
    limit: bool = True
    points: str = "tokens"
    dimension: str | float = "ambient"
    reduce: str | None = None
    vectors: WordVectors | str = "default"
    share: float = 0.3
    threshold: float = 0.6
    allow_unknown: bool = False

    def __post_init__(self) -> None:
        check(self.measure in MEASURES, "measure", f"one of {', '.join(MEASURES)}", self.measure)
        check(self.space in SPACES, "space", f"one of {', '.join(SPACES)}", self.space)
        check(self.unit in UNITS, "unit", f"one of {', '.join(UNITS)}", self.unit)
        number = isinstance(self.alpha, int | float) and 0 < self.alpha <= 100 and self.alpha != 1
        check(number, "alpha", "over 0, at most 100 and not 1", self.alpha)
        check(isinstance(self.n, int) and 1 <= self.n <= 100, "n", "from 1 to 100", self.n)
        check_dimension(self.dimension)
        axes_of(self.reduce)
        smoothing_of(self.smoothing)
        check(isinstance(self.k, int) and 1 <= self.k <= 10_000, "k", "from 1 to 10,000", self.k)
        named = self.estimator in ESTIMATORS
        check(named, "estimator", f"one of {', '.join(ESTIMATORS)}", self.estimator)
        if self.estimator in ("extrapolated", "equal_radius", "calibrated"):
            check(self.measure == "kl", "measure", f"'kl' for {self.estimator}", self.measure)
        if self.estimator == "calibrated":
            check(self.dimension == "ambient", "dimension", "'ambient' here", self.dimension)
            check(self.limit, "limit", "True for calibrated", self.limit)
        check(0 < self.share < 1, "share", "between 0 and 1", self.share)
        check(0 < self.threshold < 1, "threshold", "between 0 and 1", self.threshold)
        if self.space == "latent":
            check(self.n == 1, "n", "1 in the latent space", self.n)
            if self.measure == "renyi" or not self.limit:
                check(
                    self.k > abs(self.alpha - 1),
                    "k",
                    f"over |alpha − 1| = {self.alpha - 1}",
                    self.k,
                )

    @classmethod
    def of(cls, given: dict[str, Any]) -> Options:
        """From keyword arguments; a wrong name is told with the nearest right one."""
        names = [field.name for field in fields(cls)]
        for name in given:
            if name not in names:
                close = difflib.get_close_matches(name, names, 1)
                hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(names)}."
                raise InputError(f"There is no option {name!r}.", hint)
        return cls(**given)

    def loaded(self) -> WordVectors:
        """The word vectors themselves."""
        if isinstance(self.vectors, WordVectors):
            return self.vectors
        return WordVectors.load(self.vectors)

    @property
    def counted(self) -> bool:
        """Are counts compared, and not clouds?"""
        return self.space == "categorical" or self.estimator == "spread"

    def for_texts(self) -> None:
        """Refuse what holds for points only: words repeat and no Gaussian does."""
        ok = self.estimator != "calibrated"
        check(ok, "estimator", "another one for texts (calibrated is for arrays)", self.estimator)

    @property
    def neighbours(self) -> list[int]:
        """Which neighbours have to be met."""
        return [self.k * step for step in STEPS] if self.estimator == "extrapolated" else [self.k]

    def with_k(self, k: int) -> Options:
        return replace(self, k=k)
