"""Counts spread over near words, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.diverge.counts import of_texts
from lexfield.diverge.options import Options
from lexfield.diverge.pairs import pairs
from lexfield.diverge.spread import spread

# car and auto have cosine 0.8, car and van 0.6; tree is at right angles to all
VECTORS = lx.WordVectors(
    ["car", "auto", "van", "tree"],
    np.array([[1, 0, 0], [0.8, 0.6, 0], [0.6, 0, 0.8], [0, 0, 0]], np.float32),
)


def test_a_word_gives_its_share_in_proportion_to_the_cosine() -> None:
    chosen = Options(space="latent", estimator="spread", share=0.7, threshold=0.5, vectors=VECTORS)
    counts = of_texts([["car", "car", "tree", "blob"], ["auto", "van"]])
    found = spread(counts, chosen)
    row = dict(zip(found.types, found.matrix.toarray()[0].tolist(), strict=True))
    # car keeps 0.3 of 2 and gives 1.4 to auto and van as 0.8 : 0.6
    assert row == pytest.approx({"car": 0.6, "auto": 0.8, "van": 0.6, "tree": 1, "blob": 1})
    assert found.totals.tolist() == counts.totals.tolist()


def test_near_words_bring_texts_together() -> None:
    options: dict[str, Any] = {
        "space": "latent",
        "estimator": "spread",
        "vectors": VECTORS,
        "threshold": 0.5,
    }
    for measure in ("kl", "js", "hellinger", "renyi"):
        apart = lx.divergence(["car", "tree"], ["auto", "tree"], measure)
        near = lx.divergence(["car", "tree"], ["auto", "tree"], measure, **options)
        assert 0 < near.value < apart.value
        whole = pairs(
            of_texts([["car", "tree"], ["auto", "tree"]]), k=3, measure=measure, **options
        )
        assert whole.matrix[0, 1] == pytest.approx(near.value, abs=1e-9)
