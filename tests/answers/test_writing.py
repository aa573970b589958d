from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.answers.writing import suggested
from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

TEXT = (
    "The boat came home. Nobody had seen the storm coming. The harbour lay quiet in the dark."
    " A gull cried over the water."
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    other = "Bread wants a slow fire and much patience. The gale broke the mast of our ship."
    return Index.build(Corpus.of([Document("sea", TEXT), Document("rest", other)]), tmp_path / "i")


def test_suggestions_show_how_their_text_went_on(index: Index) -> None:
    answer = suggested(index, "It was morning. A storm broke over the ship.", 2)
    assert answer.extra["asked"] == "A storm broke over the ship."
    first = answer.records[0]
    assert first["text"] == "The gale broke the mast of our ship."
    assert first["went_on"] == ""  # the last sentence of its text
    assert "ship" in first["takes_up"]
    later = {record["text"]: record["went_on"] for record in answer.records}
    assert later.get("Nobody had seen the storm coming.", "The harbour lay quiet in the dark.") == (
        "The harbour lay quiet in the dark."
    )


def test_the_draft_is_not_suggested(index: Index) -> None:
    answer = suggested(index, TEXT, 5, sentences=2)
    assert answer.extra["asked"].startswith("The harbour lay")
    assert not {record["id"] for record in answer.records} & {f"sea#{i}" for i in range(4)}


def test_errors(index: Index) -> None:
    with pytest.raises(InputError, match="no words"):
        suggested(index, " \n ")
    with pytest.raises(InputError, match="sentences"):
        suggested(index, "A storm.", sentences=0)
