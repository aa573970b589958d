"""A new text gets the label of those it is like."""

from __future__ import annotations

from typing import Any

import pytest

from lexfield.answers.texts import label_text, placed
from lexfield.diverge.pairs import pairs
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

CHOSEN: dict[str, Any] = {"measure": "hellinger", "n": 1, "stopwords": None}


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
        corpus, "The ship and the sea.", "where", rule=rule, neighbours=3, chosen=CHOSEN
    )
    assert found.extra["predicted"] == "sea" and found.extra["evidence"]["rather_than"] == "land"
    assert {one["id"] for one in found.extra["evidence"]["nearest"]} <= {"a1", "a2", "b1", "b2"}
    assert [one["label"] for one in found.records] == ["sea", "land"]


def test_an_equal_text_is_at_distance_zero(corpus: Corpus) -> None:
    text = corpus.documents[2].text
    found = label_text(corpus, text, "where", rule="nearest", neighbours=1, chosen=CHOSEN)
    assert found.records[0] == {"label": "land", "divergence": pytest.approx(0, abs=1e-6)}


def test_what_cannot_be_labelled_is_told(corpus: Corpus) -> None:
    options: dict[str, Any] = {"rule": "nearest", "neighbours": 1, "chosen": CHOSEN}
    with pytest.raises(InputError, match="no words"):
        label_text(corpus, "…", "where", **options)
    with pytest.raises(InputError, match="field 'colour'"):
        label_text(corpus, "The ship.", "colour", **options)
    one = Corpus.of([Document("a", "The ship.", "a", {"where": "sea"})])
    with pytest.raises(InputError, match="nothing to tell apart|All documents"):
        label_text(one, "The ship.", "where", **options)


def test_places_and_order_of_documents(corpus: Corpus) -> None:
    found = placed(pairs(corpus, **CHOSEN))
    assert sorted(one["order"] for one in found.records) == [0, 1, 2, 3, 4]
    order = {one["id"]: one["order"] for one in found.records}
    assert abs(order["a1"] - order["a2"]) == 1 and abs(order["b1"] - order["b2"]) == 1
