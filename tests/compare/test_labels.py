"""Labels by divergence: hand-made distances, a scikit-learn estimator, and its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import lexfield as lx
from lexfield.compare.labels import find_category_distances, label_text, leave_one_out
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

# four documents: two of each label, and one outlier of "b" that is nearest to "a"
DISTANCES = np.array(
    [
        [0.0, 0.1, 0.4, 0.5, 0.3],
        [0.1, 0.0, 0.6, 0.5, 0.9],
        [0.4, 0.6, 0.0, 0.2, 0.3],
        [0.5, 0.5, 0.2, 0.0, 0.4],
        [0.3, 0.9, 0.5, 0.4, 0.0],
    ]
)
LABELS = np.array(list("aabbb"))
SEA = ["the ship and the sea and the wind", "a ship on the sea in the wind", "sea wind ship sails"]
LAND = ["the farm and the field and the cow", "a cow on the farm in a field", "field cow farm barn"]


def test_each_rule_by_hand() -> None:
    classes = np.array(["a", "b"])
    last = DISTANCES[4:].copy()
    last[0, 4] = np.inf  # itself
    mean = find_category_distances(last, LABELS, classes, "category", 5)
    assert mean[0] == pytest.approx([(0.3 + 0.9) / 2, (0.5 + 0.4) / 2])
    nearest = find_category_distances(last, LABELS, classes, "nearest", 5)
    assert nearest[0] == pytest.approx([0.3, 0.4])
    vote = find_category_distances(last, LABELS, classes, "vote", 3)  # 0.3 a, 0.4 b, 0.5 b
    assert vote[0].argmin() == 1 and np.ceil(-vote[0]).tolist() == [1, 2]
    even = find_category_distances(last, LABELS, classes, "vote", 2)  # one each: the nearer one
    assert even[0].argmin() == 0
    assert leave_one_out(DISTANCES, LABELS, "category").tolist() == list("aabbb")
    assert leave_one_out(DISTANCES, LABELS, "nearest").tolist() == list("aabba")
    assert leave_one_out(DISTANCES, LABELS, "vote", 2).tolist() == list("aabba")


def test_a_class_without_any_document_is_infinitely_far() -> None:
    for rule in ("category", "nearest", "vote"):
        far = find_category_distances(DISTANCES, LABELS, np.array(["a", "b", "c"]), rule, 2)
        assert np.isinf(far[:, 2]).all()


def test_a_category_with_one_member_is_never_chosen_for_it() -> None:
    found = leave_one_out(DISTANCES, np.array(list("abcde")), "category")
    assert all(a != b for a, b in zip(found, "abcde", strict=True))


def test_impossible_estimates_give_no_label() -> None:
    labeler = lx.DivergenceLabeler(space="latent", measure="kl", k=2, options={"dimension": 1.0})
    labeler.fit(SEA + LAND, ["sea"] * 3 + ["land"] * 3)
    with pytest.raises(InputError, match="estimates are impossible.*spread"):
        labeler.predict(["the wind and the ship sails the sea", "the cow of the barn on a field"])


@pytest.mark.parametrize("rule", ["category", "nearest", "vote"])
@pytest.mark.parametrize(
    "options",
    [
        {"space": "categorical"},
        {"space": "categorical", "measure": "kl", "options": {"stopwords": "en"}},
        {"space": "latent", "options": {"estimator": "spread"}},
    ],
    ids=str,
)
def test_texts_get_the_label_of_their_like(rule: str, options: dict[str, Any]) -> None:
    labeler = lx.DivergenceLabeler(rule=rule, neighbours=3, **options)
    labeler.fit(SEA + LAND, ["sea"] * 3 + ["land"] * 3)
    new = ["the wind and the ship sails the sea", "the cow of the barn on a field"]
    assert labeler.predict(new).tolist() == ["sea", "land"]
    proba = labeler.predict_proba(new)
    assert proba.sum(axis=1) == pytest.approx([1, 1])
    assert labeler.classes_[proba.argmax(axis=1)].tolist() == ["sea", "land"]
    one_by_one = [labeler.predict([text])[0] for text in new]
    assert one_by_one == ["sea", "land"]
    assert clone(labeler).get_params() == labeler.get_params()


@pytest.mark.parametrize("rule", ["category", "nearest"])
def test_probabilities_follow_the_evidence(rule: str) -> None:
    labeler = lx.DivergenceLabeler(rule=rule).fit(SEA + LAND, ["sea"] * 3 + ["land"] * 3)
    texts = [f"{SEA[0]} {' '.join(LAND[0].split()[:n])}" for n in range(len(LAND[0].split()) + 1)]
    p = labeler.predict_proba(texts)[:, labeler.classes_.tolist().index("sea")]
    assert len(np.unique(p.round(6))) == len(p)
    assert p[0] > p[-1]
    with pytest.raises(InputError, match="Every document has a category of its own"):
        lx.DivergenceLabeler().fit(SEA[:1] + LAND[:1], ["sea", "land"]).predict_proba(SEA)


def test_it_keeps_the_rules_of_scikit_learn_estimators() -> None:
    failed = [
        check["check_name"]
        for check in check_estimator(lx.DivergenceLabeler(), on_fail=None)
        if check["status"] == "failed"
    ]
    assert failed == []


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a b", "c d"], ["x"], "labels"),
        (["a b", "c d"], ["x", "x"], "one class, 'x'"),
        ([], [], "no texts"),
        ("a b", ["x"], "list"),
    ],
)
def test_bad_training_data_is_told(texts: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lx.DivergenceLabeler().fit(texts, labels)


def test_bad_texts_and_parameters_are_told() -> None:
    labeler = lx.DivergenceLabeler().fit(SEA + LAND, ["sea"] * 3 + ["land"] * 3)
    with pytest.raises(InputError, match="Text 1 has no words"):
        labeler.predict(["ship", "…"])
    with pytest.raises(InputError, match="rule"):
        labeler.set_params(rule="best").predict(["ship"])
    with pytest.raises(InputError, match="measure"):
        lx.DivergenceLabeler(measure="cosine").fit(SEA + LAND, ["sea"] * 3 + ["land"] * 3)


@pytest.fixture
def corpus() -> Corpus:
    texts = {
        "a1": ("sea", "The ship sailed over the sea and the ship sank."),
        "a2": ("sea", "A ship on the sea met another ship."),
        "b1": ("land", "The farmer ploughed the field with a horse."),
        "b2": ("land", "A horse stood in the field of the farmer."),
        "none": ("", "Nothing is known of this."),
    }
    return Corpus.of(
        [
            Document(id, text, id, {"where": kind} if kind else {})
            for id, (kind, text) in texts.items()
        ]
    )


@pytest.mark.parametrize("rule", ["nearest", "category", "vote"])
def test_a_text_gets_the_label_of_its_like(corpus: Corpus, rule: str) -> None:
    found = label_text(
        corpus, "The ship and the sea.", "where", rule=rule, neighbours=3, measure="hellinger"
    )
    assert found.predicted == "sea" and found.evidence.rather_than == "land"
    assert {one.id for one in found.evidence.nearest} <= {"a1", "a2", "b1", "b2"}
    assert list(found.divergences) == ["sea", "land"]
    assert found.notes == ["left out, without where: none"]


def test_an_equal_text_is_at_distance_zero(corpus: Corpus) -> None:
    text = corpus.documents[2].text
    found = label_text(corpus, text, "where", rule="nearest", measure="hellinger")
    assert next(iter(found.divergences)) == "land"
    assert found.divergences["land"] == pytest.approx(0, abs=1e-6)


def test_texts_without_words_or_known_labels_are_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="no words"):
        label_text(corpus, "…", "where")
    with pytest.raises(InputError, match="field 'colour'"):
        label_text(corpus, "The ship.", "colour")
    one = Corpus.of([Document("a", "The ship.", "a", {"where": "sea"})])
    with pytest.raises(InputError, match="nothing to tell apart|All documents"):
        label_text(one, "The ship.", "where")
