"""Documents in the plane."""

from __future__ import annotations

from typing import Any

import pytest

from lexfield.answers.texts import placed
from lexfield.compare.pairs import pairs
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


def test_places_and_order_of_documents(corpus: Corpus) -> None:
    found = placed(pairs(corpus, **CHOSEN))
    assert sorted(one["order"] for one in found.records) == [0, 1, 2, 3, 4]
    order = {one["id"]: one["order"] for one in found.records}
    assert abs(order["a1"] - order["a2"]) == 1 and abs(order["b1"] - order["b2"]) == 1
