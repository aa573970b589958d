"""A measure that a user adds works wherever counts are compared."""

from __future__ import annotations

from functools import partial
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
    with pytest.raises(InputError, match="built-in measure"):
        MEASURES.register("kl", total_variation)
    with pytest.raises(InputError, match="There is no measure named 'hellingr'. Did you mean"):
        divergence("a", "b", "hellingr")


def undefined(p: Array, q: Array) -> float:
    """NaN unless the texts share a word."""
    return float("nan") if not (p * q).any() else 1.0


def test_a_value_that_cannot_be_computed_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MEASURES, "_things", dict(MEASURES._things))
    MEASURES.register("mine", undefined)
    found = divergence(TEXTS[0], TEXTS[2], "mine", interval=0.9, p=True, resamples=20)
    assert not found.possible and found.interval is None and found.p is None
    assert found.notes == ["no value: mine could not be computed for these texts"]
    assert found.to_dict()["value"] is None
    shared = divergence(TEXTS[0], TEXTS[1], "mine")
    assert shared.value == 1 and shared.notes == []
    together = pairs(lx.Corpus.of(TEXTS), measure="mine")
    assert together.notes == ["4 of 6 pairs have no value: mine could not be computed for them"]
    assert [record["value"] for record in together.to_dicts()].count(None) == 4
    labeler = lx.DivergenceLabeler(measure="mine").fit(TEXTS, ["a", "a", "b"])
    with pytest.raises(InputError, match="could not be computed: no label"):
        labeler.predict([TEXTS[0]])


def test_resamples_that_cannot_be_computed_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MEASURES, "_things", dict(MEASURES._things))
    MEASURES.register("mine", undefined)
    found = divergence("a b c d e f", "a g h i j k", "mine", interval=0.9, p=True, resamples=20)
    assert found.value == 1 and found.interval is None and found.p is None
    assert found.notes == ["no error bars: mine could not be computed for some resamples"]


def test_an_added_measure_may_be_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MEASURES, "_things", dict(MEASURES._things))
    MEASURES.register("mine", lambda p, q: float(p.max() - q.max()))
    found = divergence("a b c d", "a a a b", "mine", interval=0.9, resamples=20)
    assert found.value < 0 and found.interval is not None and found.interval[0] < 0


def _return(value: Any, p: Array, q: Array) -> Any:
    return value


def test_what_a_measure_returns_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MEASURES, "_things", dict(MEASURES._things))
    for value in ("far", "1.5", [1.0], None):
        MEASURES.register("mine", partial(_return, value))
        with pytest.raises(
            InputError, match="What the measure 'mine' returns must be a number, or"
        ):
            divergence(TEXTS[0], TEXTS[1], "mine")
