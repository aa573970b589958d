from __future__ import annotations

import pytest

from lexfield.answers.attribution import attributed
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

CHOSEN = {"measure": "hellinger", "n": 1, "stopwords": None, "space": "categorical"}


def test_everybody_from_all_the_others(sample: Corpus) -> None:
    answer = attributed(sample, "author", chosen=CHOSEN)
    assert len(answer.records) == 64
    checked = answer.extra["calibration"]
    right = sum(record["right"] for record in answer.records)
    assert right / 64 == checked["accuracy"] > 0.5  # one in eight by chance
    assert abs(checked["said"] - checked["accuracy"]) < 0.1
    assert answer.notes == []


def test_one_text_does_not_see_its_own_label(sample: Corpus) -> None:
    answer = attributed(sample, "author", "pell-sea", chosen=CHOSEN)
    hidden = [
        Document(d.id, d.text, metadata={} if d.id == "pell-sea" else d.metadata)
        for d in sample.documents
    ]
    again = attributed(Corpus.of(hidden), "author", "pell-sea", chosen=CHOSEN)
    assert again.records == answer.records
    assert sum(record["probability"] for record in answer.records) == pytest.approx(1)
    assert answer.extra["predicted"] == answer.records[0]["label"]
    evidence = answer.extra["evidence"]
    assert evidence["nearest"][0]["id"] != "pell-sea"
    assert evidence["words"][0]["part"] > 0


def test_two_candidates_get_as_many_probabilities_as_texts(sample: Corpus) -> None:
    two = [d for d in sample.documents if d.metadata["author"] in ("pell", "voss")]
    answer = attributed(Corpus.of(two), "author", chosen=CHOSEN)
    said = {round(record["probability"], 6) for record in answer.records}
    assert len(said) > len(two) / 2
    assert max(said) - min(said) > 0.1


def test_errors(sample: Corpus) -> None:
    with pytest.raises(InputError, match="no document 'nobody'"):
        attributed(sample, "author", "nobody", chosen=CHOSEN)
    with pytest.raises(InputError, match="No document has the field 'shoe'"):
        attributed(sample, "shoe", chosen=CHOSEN)
    lonely = Corpus.of(
        Document(str(i), f"text number {i} of them", metadata={"author": str(i // 2)})
        for i in range(5)
    )
    answer = attributed(lonely, "author", chosen=CHOSEN)
    assert answer.notes == ["alone in their author, so never right: 1 documents"]
