"""Documents attributed from all the others, and one text from all."""

from __future__ import annotations

import pytest

from lexfield.compare.attribution import attribute
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document


def test_everybody_from_all_the_others(sample: Corpus) -> None:
    found = attribute(sample, "author")
    assert len(found.to_dicts()) == 64
    checked = found.calibration
    right = sum(record["right"] for record in found.to_dicts())
    assert right / 64 == checked.accuracy > 0.5  # one in eight by chance
    assert abs(checked.said - checked.accuracy) < 0.1
    assert found.notes == []


def test_one_text_does_not_see_its_own_label(sample: Corpus) -> None:
    found = attribute(sample, "author", "pell-sea")
    hidden = [
        Document(d.id, d.text, metadata={} if d.id == "pell-sea" else d.metadata)
        for d in sample.documents
    ]
    again = attribute(Corpus.of(hidden), "author", "pell-sea")
    assert again.to_dicts() == found.to_dicts()
    assert sum(record["probability"] for record in found.to_dicts()) == pytest.approx(1)
    assert found.evidence is not None
    assert found.evidence.predicted == found.to_dicts()[0]["label"]
    assert found.evidence.nearest[0].id != "pell-sea"
    assert found.evidence.words[0].part > 0


def test_two_candidates_get_as_many_probabilities_as_texts(sample: Corpus) -> None:
    two = [d for d in sample.documents if d.metadata["author"] in ("pell", "voss")]
    found = attribute(Corpus.of(two), "author")
    said = {round(record["probability"], 6) for record in found.to_dicts()}
    assert len(said) > len(two) / 2
    assert max(said) - min(said) > 0.1


def test_errors(sample: Corpus) -> None:
    with pytest.raises(InputError, match="no document 'nobody'"):
        attribute(sample, "author", "nobody")
    with pytest.raises(InputError, match="No document has the field 'shoe'"):
        attribute(sample, "shoe")
    lonely = Corpus.of(
        Document(str(i), f"text number {i} of them", metadata={"author": str(i // 2)})
        for i in range(5)
    )
    found = attribute(lonely, "author")
    (note,) = found.notes
    assert note.startswith("cannot be attributed, as no other document has their author: 1 of ")
