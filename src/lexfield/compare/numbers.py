"""A number that belongs to a text, such as its year, from its style.

Ridge regression on each feature, as for authors (``compare.scores``), and the mean over the
features. Every known text is also predicted without itself. An interval reaches as far on both
sides as the errors on the known texts do: with n of them and level p, as far as the ⌈(n + 1) p⌉-th
smallest (the jackknife, as in Barber et al. 2021). It is infinite if there are too few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.authors import FEATURES
from lexfield.compare.scores import Layout, embed, multiply, regress
from lexfield.compare.style import count_features, parse_features
from lexfield.engine import single_thread
from lexfield.text.document import Document

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """Predictions for the texts in question and, each without itself, for the known ones."""

    asked: Matrix
    known: Matrix
    reach: float  # of an interval, on both sides


def predict_numbers(
    known: Sequence[Document],
    values: Sequence[float],
    asked: Sequence[Document] = (),
    *,
    features: str = FEATURES,
    level: float = 0.9,
) -> Numbers:
    """Predict numbers of texts from known ones of others."""
    texts = len(known)
    rows = np.arange(texts)
    left_out = np.append(rows, np.full(len(asked), -1))
    layout = Layout(rows, np.zeros(texts, np.int64), rows, np.arange(len(left_out)), left_out)
    truth = np.asarray(values, np.float64)[:, None]
    with single_thread():  # the same bits on any number of cores
        every = count_features([*known, *asked], features, among=rows)
        found = [
            regress(multiply(embed(counts, one, layout.pieces), layout.pieces), layout, truth)
            for counts, one in zip(every, parse_features(features), strict=True)
        ]
    predicted = np.mean(found, axis=0).ravel()
    errors = np.sort(np.abs(predicted[:texts] - truth.ravel()))
    rank = math.ceil((texts + 1) * level)
    reach = float(errors[rank - 1]) if rank <= texts else math.inf
    return Numbers(predicted[texts:], predicted[:texts], reach)
