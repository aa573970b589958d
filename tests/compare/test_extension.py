"""A measure that a user adds works wherever counts are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lexfield as lx
from lexfield.compare.labels import label_text
from lexfield.compare.measures import MEASURES, Formula
from lexfield.compare.pair import divergence
from lexfield.compare.pairs import pairs
from lexfield.errors import InputError

TEXTS = ["the cat sat on the mat", "the dog sat on the log and the cat ran", "rain fell all day"]
Array = NDArray[np.float64]


def total_variation(p: Array, q: Array) -> Array:
    """Half the absolute difference of each word: one part per word."""
    return np.abs(p - q) / 2


def cosine_distance(p: Array, q: Array) -> float:
    return 1 - float(p @ q / np.linalg.norm(p) / np.linalg.norm(q))


@pytest.fixture(params=[total_variation, cosine_distance])
def formula(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Formula:
    monkeypatch.setattr(MEASURES, "_things", dict(MEASURES._things))
    MEASURES.register("mine", request.param)
    added: Formula = request.param
    return added


def frequencies(a: str, b: str) -> tuple[Array, Array]:
    words = sorted({*a.split(), *b.split()})
    p, q = (np.array([text.split().count(word) for word in words]) for text in (a, b))
    return p / p.sum(), q / q.sum()


def test_compare_and_pairs(formula: Formula) -> None:
    together = pairs(lx.Corpus.of(TEXTS), measure="mine")
    for i, j in np.ndindex(3, 3):
        if i != j:
            alone = divergence(TEXTS[i], TEXTS[j], "mine")
            expected = float(np.sum(formula(*frequencies(TEXTS[i], TEXTS[j]))))
            assert alone.value == pytest.approx(expected)
            assert together.matrix[i, j] == pytest.approx(alone.value)
    assert alone.unit == ""
    assert str(together) == "<Pairs: 3 documents, mine in the categorical space>"


def test_parts_explain_the_value(formula: Formula) -> None:
    found = divergence(TEXTS[0], TEXTS[1], "mine", interval=0.9, p=True, resamples=20)
    parts = sum(reason.contribution for reason in found.explanation.reasons)
    if formula is total_variation:
        assert parts == pytest.approx(found.value) and found.explanation.additive
    else:
        assert found.explanation.reasons == [] and not found.explanation.additive
    assert found.interval is not None and found.p is not None


def test_labels(formula: Formula) -> None:
    documents = [
        lx.Document("a", TEXTS[0], metadata={"about": "animals"}),
        lx.Document("b", TEXTS[1], metadata={"about": "animals"}),
        lx.Document("c", TEXTS[2], metadata={"about": "weather"}),
    ]
    found = label_text(lx.Corpus.of(documents), "all day the rain fell", "about", measure="mine")
    assert found.predicted == "weather"
    labeler = lx.DivergenceLabeler(measure="mine").fit(TEXTS, ["animals", "animals", "weather"])
    assert labeler.predict(["rain again"]).tolist() == ["weather"]


def test_near_words_but_no_clouds(formula: Formula) -> None:
    options: dict[str, Any] = {"space": "latent", "measure": "mine"}
    assert divergence(TEXTS[0], TEXTS[1], estimator="spread", **options).value > 0
    with pytest.raises(InputError, match="compares word counts, not clouds"):
        divergence(TEXTS[0], TEXTS[1], **options)


def test_own_measures_cannot_be_replaced() -> None:
    with pytest.raises(InputError, match="itself"):
        MEASURES.register("kl", total_variation)
    with pytest.raises(InputError, match="There is no measure named 'hellingr'. Did you mean"):
        divergence("a", "b", "hellingr")
