"""A number that belongs to a text, such as its year, from its style.

Ridge regression on each feature, as for authors (``compare.scores``), and the mean over the
features. Every known text is also predicted without itself and, for each text in question that is
shorter, by an excerpt of its length. An interval reaches as far on both sides as the errors on the
known texts of that length do: with n of them and level p, as far as the ⌈(n + 1) p⌉-th smallest
(the jackknife, as in Barber et al. 2021). It is infinite if there are too few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.authors import FEATURES
from lexfield.compare.copies import find_copies
from lexfield.compare.feature_language import count_languages, use_language
from lexfield.compare.known import cut_excerpt, group_by_length
from lexfield.compare.layout import Layout
from lexfield.compare.scores import embed, multiply, regress
from lexfield.compare.style import count_features, parse_features
from lexfield.engine import single_thread
from lexfield.text.document import Document

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """Predictions for the texts in question and, each without itself, for the known ones.

    reach: of the interval of each text in question, or of the known ones if there are none, on
    both sides.
    """

    asked: Matrix
    known: Matrix
    reach: Matrix


def predict_numbers(
    known: Sequence[Document],
    values: Sequence[float],
    asked: Sequence[Document] = (),
    left_out: Sequence[tuple[int, ...]] = (),
    *,
    features: str = FEATURES,
    level: float = 0.9,
) -> Numbers:
    """Predict numbers of texts from known ones of others; ``left_out`` are the known texts that do
    not count for each text in question."""
    features = use_language(features, count_languages(known))
    texts = len(known)
    rows = np.arange(texts)
    written = [one.text.split() for one in known]
    lengths = np.array([len(one.text.split()) for one in (asked or known)])
    groups = group_by_length(lengths, np.array([len(one) for one in written]))
    groups = groups if asked else np.zeros(texts, np.int64)
    sizes = sorted({0, *groups.tolist()})
    copies = find_copies([one.text for one in known])
    excerpts = [cut_excerpt(words, size) for size in sizes[1:] for words in written]
    new = [one for one in excerpts if one is not None]
    places = iter(range(texts, texts + len(new)))
    rows_of_excerpts = [
        row % texts if one is None else next(places) for row, one in enumerate(excerpts)
    ]
    first = texts + len(new)
    scored = np.array([*rows, *rows_of_excerpts, *range(first, first + len(asked))], np.int64)
    every_left_out = [*copies * len(sizes), *(left_out or [()] * len(asked))]
    layout = Layout(rows, np.zeros(texts, np.int64), rows, scored, every_left_out)
    truth = np.asarray(values, np.float64)[:, None]
    with single_thread():  # the same bits on any number of cores
        every = count_features(
            [one.text for one in known] + new + [one.text for one in asked], features, among=rows
        )
        found = [
            regress(multiply(embed(counts, one, layout.pieces), layout.pieces), layout, truth)
            for counts, one in zip(every, parse_features(features), strict=True)
        ]
    predicted = np.mean(found, axis=0).ravel()
    errors = np.abs(predicted[: texts * len(sizes)].reshape(len(sizes), texts) - truth.ravel())
    rank = math.ceil((texts + 1) * level)
    reaches = np.sort(errors, axis=1)[:, rank - 1] if rank <= texts else np.full(len(sizes), np.inf)
    reach = np.asarray(reaches[np.searchsorted(sizes, groups)])
    return Numbers(predicted[texts * len(sizes) :], predicted[:texts], reach)
