"""How texts are compared: every choice with its default, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.compare import delta
from lexfield.compare.count_table import CountTable, Measure
from lexfield.compare.hubs import KINDS
from lexfield.compare.knn import STEPS
from lexfield.compare.measures import find_measure
from lexfield.compare.smoothing import parse_smoothing, sum_rows
from lexfield.errors import InputError, check, correct
from lexfield.results import JsonObject
from lexfield.specs import parse_spec
from lexfield.vectors.wordvectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

UNITS = {"nats": 1.0, "bits": 1.0 / math.log(2)}
_CHOICES = {
    "space": ("categorical", "latent"),
    "unit": tuple(UNITS),
    "estimator": ("plain", "extrapolated", "equal_radius", "calibrated", "spread"),
    "points": ("tokens", "types"),
}


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """
    measure     kl, js, renyi, hellinger, minmax, delta, cosine-delta, eder-delta, quadratic-delta,
                or one that was added; ``renyi(0.3)`` also sets alpha
    space       categorical: counts of n-grams; latent: clouds of word vectors
    unit        nats or bits
    alpha       the order of renyi
    stopwords   a language whose stopwords are left out; None keeps all
    n           words per n-gram (categorical)
    features    features of style instead of words, such as char4; see ``style.py`` (categorical)
    mfw         compare this many of the most frequent types; None: all, for a Delta 2,000 (counts)
    culling     compare only types that at least this percentage of the texts have (counts)
    hubs        correct for texts that are near to very many: centre or local; None: do not
    smoothing   shared, additive(λ) or jm(λ) (kl and renyi of counts)
    k           which neighbour measures the density (latent)
    estimator   plain: Póczos et al.; spread: counts spread over near words and compared as counts;
                for kl also extrapolated: from k, 2k, 4k and 8k to none, less biased in up to 30
                dimensions; equal_radius: Wang et al., needs no exponent; calibrated: the bias on
                similar Gaussian clouds is subtracted (arrays only) (latent)
    limit       kl by its closed limit; False: by the mean of α = 1 ± 1e-5 (latent, plain)
    points      tokens: a word counts as often as it occurs; types: once (latent)
    dimension   exponent of distance: ambient, intrinsic, or a number (latent)
    reduce      None, or pca(20) for the first 20 principal axes (latent)
    vectors     word vectors, or the name of a set (latent)
    share       how much of its count a word passes on to near words (spread)
    threshold   words are near from this cosine on (spread)
    allow_unknown  compare even if most words have no vector (latent)
    """

    measure: str = "kl"
    space: str = "categorical"
    unit: str = "nats"
    alpha: float = 0.5
    stopwords: str | None = None
    n: int = 1
    features: str | None = None
    mfw: int | None = None
    culling: float = 0.0
    hubs: str | None = None
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
        self._read_measure()
        find_measure(self.measure)
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            check(value in choices, name, f"one of {', '.join(choices)}", value)
        number = isinstance(self.alpha, int | float) and 0 < self.alpha <= 100 and self.alpha != 1
        check(number, "alpha", "over 0 and at most 100", self.alpha)
        check(isinstance(self.n, int) and 1 <= self.n <= 100, "n", "from 1 to 100", self.n)
        check(isinstance(self.k, int) and 1 <= self.k <= 10_000, "k", "from 1 to 10,000", self.k)
        ok = self.mfw is None or (isinstance(self.mfw, int) and self.mfw >= 1)
        check(ok, "mfw", "at least 1", self.mfw)
        check(0 <= self.culling <= 100, "culling", "from 0 to 100", self.culling)
        ok = self.hubs is None or self.hubs in KINDS
        check(ok, "hubs", f"one of {', '.join(KINDS)}", self.hubs)
        check(0 < self.share < 1, "share", "between 0 and 1", self.share)
        check(0 < self.threshold < 1, "threshold", "between 0 and 1", self.threshold)
        d = self.dimension
        if isinstance(d, str):
            is_exponent = d in ("ambient", "intrinsic")
        else:
            is_exponent = not isinstance(d, bool) and 0 < d <= 10_000
        exponents = "'ambient', 'intrinsic' or a number from 0 to 10,000"
        check(is_exponent, "dimension", exponents, d)
        parse_smoothing(self.smoothing)
        _ = self.axes
        self._check_estimator()

    def _read_measure(self) -> None:
        """Replace a measure such as ``renyi(0.3)`` by its name and its order."""
        spec = parse_spec(self.measure, "measure")
        given = [*spec.values, *spec.parameters.values()]
        if given:
            ok = spec.name == "renyi" and len(given) == 1 and set(spec.parameters) <= {"alpha"}
            check(ok, "measure", "a name, or renyi(0.5)", self.measure)
            try:
                object.__setattr__(self, "alpha", float(str(given[0])))
            except ValueError:
                check(False, "the order of renyi", "a number", given[0])
        object.__setattr__(self, "measure", spec.name)
        if spec.name == "renyi" and self.alpha == 1:  # its limit is KL: Eq. 5 of Hare et al.
            is_plain = self.space == "latent" and self.estimator == "plain"
            for name, value in (("measure", "kl"), ("alpha", 0.5), ("limit", not is_plain)):
                object.__setattr__(self, name, value)

    def _check_estimator(self) -> None:
        if self.estimator not in ("plain", "spread"):
            check(self.measure == "kl", "measure", f"'kl' for {self.estimator}", self.measure)
            check(self.limit, "limit", f"True for {self.estimator}", self.limit)
        if self.estimator == "calibrated":
            check(self.dimension == "ambient", "dimension", "'ambient' here", self.dimension)
        if self.space == "categorical":
            return
        check(self.n == 1, "n", "1 in the latent space", self.n)
        no_style = self.features is None
        check(no_style, "features", "left out in the latent space", self.features)
        if not self.compares_counts:
            frequent = self.mfw is None and not self.culling
            check(frequent, "mfw and culling", "left out for clouds", self.mfw or self.culling)
        if self.definition.estimate is None and not self.compares_counts:
            raise InputError(
                f"{self.measure} compares word counts, not clouds.",
                "Use the categorical space, or the estimator spread.",
            )
        if self.measure == "renyi" or not self.limit:
            least = f"over |alpha − 1| = {self.alpha - 1}"
            check(self.k > abs(self.alpha - 1), "k", least, self.k)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ComparisonOptions:
        """Make options from keyword arguments. Raise InputError for an unknown name, with the
        nearest known one."""
        names = [field.name for field in fields(cls)]
        for name in given:
            if name not in names:
                hint = correct(name, names, f"There are: {', '.join(names)}.")
                raise InputError(f"There is no option {name!r}.", hint)
        return cls(**given)

    def to_dict(self) -> JsonObject:
        """Return the options as JSON can hold them, without the vectors."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "vectors"}

    def make_table(
        self,
        left: csr_matrix,
        right: csr_matrix,
        collection: Array,
        known: csr_matrix | None = None,
    ) -> CountTable:
        """Return two matrices of counts, to be compared with these options.

        ``collection`` holds the counts behind ``jm``. ``known`` texts, by default those on the
        right, decide which types are the most frequent ones and how frequencies are standardised.
        """
        known, types = right if known is None else known, np.empty(0, np.int64)
        if self.definition.is_standardised:
            if known.shape[0] < delta.FEWEST:
                raise delta.refuse_few(self.measure)
            types = delta.choose_types(known, self.mfw or delta.FREQUENT, self.culling)
        elif self.mfw or self.culling:
            columns = delta.choose_types(known, self.mfw, self.culling)
            left, right, collection = left[:, columns], right[:, columns], collection[columns]
        for matrix in (left, right):
            if (sum_rows(matrix) == 0).any():
                these = "these " if self.mfw or self.culling else ""
                raise InputError(f"A text without {these}words has no divergence.", "Leave it out.")
        how = parse_smoothing(self.smoothing if self.definition.is_smoothed else "shared")
        words = np.empty(0)
        if how.kind != "shared":
            both = np.asarray(left.sum(axis=0)).ravel() + np.asarray(right.sum(axis=0)).ravel()
            words = np.asarray(collection, np.float64)
            words = np.where((words == 0) & (both > 0), 1, words)  # a word it lacks counts once
        return CountTable(left, right, self.definition, how, self.alpha, words, known, types)

    def load_vectors(self) -> WordVectors:
        if isinstance(self.vectors, WordVectors):
            return self.vectors
        return WordVectors.load(self.vectors)

    @property
    def definition(self) -> Measure:
        """The measure itself."""
        return find_measure(self.measure)

    @property
    def compares_counts(self) -> bool:
        """Are counts compared rather than clouds?"""
        return self.space == "categorical" or self.estimator == "spread"

    @property
    def spreads_counts(self) -> bool:
        """Are counts spread over near words before they are compared?"""
        return self.space == "latent" and self.estimator == "spread"

    @property
    def ignores_unshared(self) -> bool:
        """Are words that only one text holds ignored?"""
        return self.smoothing.strip() == "shared" and self.definition.is_smoothed

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest possible value, in nats."""
        return self.definition.least, self.definition.most

    @property
    def scale(self) -> float:
        """What turns nats into the unit; 1 for a measure that has none."""
        return UNITS[self.unit] if self.definition.is_logarithmic else 1.0

    @property
    def axes(self) -> int | None:
        """How many principal axes to keep; None for all dimensions."""
        if self.reduce is None:
            return None
        spec = parse_spec(self.reduce, "reduction")
        size = spec.values[0] if len(spec.values) == 1 and not spec.parameters else ""
        ok = spec.name == "pca" and size.isdecimal() and len(size) <= 6
        check(ok, "reduce", "like pca(20)", self.reduce)
        return int(size)

    @property
    def required_ks(self) -> list[int]:
        """Which neighbours the estimator needs."""
        return [self.k * step for step in STEPS] if self.estimator == "extrapolated" else [self.k]

    @property
    def orders(self) -> tuple[float, ...]:
        """The orders α that the estimator needs."""
        return self.definition.orders(self.alpha, self.limit)

    def check_for_texts(self) -> None:
        """Raise InputError if the estimator needs distinct points, for words repeat."""
        ok = self.estimator != "calibrated"
        check(ok, "estimator", "another one for texts (calibrated is for arrays)", self.estimator)
