"""``search``, ``bags``, ``balls``, ``duplicates`` and ``inspire`` as Python functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.errors import InputError
from lexfield.index.ranking import Hit
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.verbs.compare import duplicates
from lexfield.verbs.inspire import balls, inspire
from lexfield.verbs.search import bags, search

QUERY = "The fishing boat came home before the storm."


def test_search(sample_index: Index) -> None:
    found = search(sample_index, QUERY, k=3)
    assert [row.rank for row in found] == [1, 2, 3]
    assert found.to_dicts() == [hit.to_dict() for hit in sample_index.search(QUERY, k=3)]
    by_path = search(str(sample_index.path), QUERY, k=3)
    assert by_path.to_dicts() == found.to_dicts()
    assert found._repr_html_().startswith("<table>") and "1." in repr(found)
    with pytest.raises(InputError, match="k must be a whole number"):
        search(sample_index, QUERY, k=0)
    with pytest.raises(InputError, match="Give either a query"):
        search(sample_index)
    with pytest.raises(InputError, match="one method"):
        search(sample_index, QUERY, method=["mean", "bm25"], run=True)


def test_a_run_needs_no_reasons(sample_index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    found = search(sample_index, QUERY, run=True)
    monkeypatch.setattr(Hit, "to_dict", None)
    assert len(list(found.lines())) == 5 and found.is_data


def test_bags_are_searched_for_documents(sample_index: Index) -> None:
    text = '3*sea + 2*"the boat"'
    found = bags(sample_index, text)
    options = {"method": "count", "unit": "document", "algebra": True}
    assert found.to_dicts() == search(sample_index, text, **options).to_dicts()  # type: ignore[arg-type]
    assert all("#" not in row.id for row in found)
    assert len(bags(sample_index, like="pell-sea", method="bm25")) == 5


def test_balls(sample_index: Index) -> None:
    rows = {row.word: row for row in balls(sample_index, "a storm at sea xqzzy", r=5)}
    assert rows["storm"].inside and 0 < len(rows["storm"].ball) <= 5
    assert not rows["xqzzy"].known and rows["xqzzy"].ball == []
    assert all(one.word != "sea" and one.distance > 0 for one in rows["sea"].ball)
    with pytest.raises(InputError, match="r must be a whole number from 1 to 50"):
        balls(sample_index, "storm", r=51)


def test_duplicates(tmp_path: Path) -> None:
    texts = ["The cat sat on the warm mat.", "A dog barked.", "The cat sat on a warm mat!"]
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    (pair,) = duplicates(index)
    assert (pair.a, pair.b, pair.similarity) == ("0", "2", 1.0)
    assert duplicates(str(tmp_path / "i")).to_dicts() == duplicates(index).to_dicts()
    with pytest.raises(InputError, match="threshold must be a number above 0 and at most 1"):
        duplicates(index, threshold=0)
    assert repr(duplicates(["a cat", "the sea"])) == (
        "note: no duplicates: no two documents have a similarity of at least 0.8"
    )


TEXT = (
    "The boat came home. Nobody had seen the storm coming. The harbour lay quiet in the dark."
    " A gull cried over the water."
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    other = "Bread wants a slow fire and much patience. The gale broke the mast of our ship."
    return Index.build(Corpus.of([Document("sea", TEXT), Document("rest", other)]), tmp_path / "i")


def test_suggestions_show_how_their_text_went_on(index: Index) -> None:
    found = inspire(index, "It was morning. A storm broke over the ship.", k=2)
    assert found.asked == "A storm broke over the ship."
    assert found[0].text == "The gale broke the mast of our ship."
    assert found[0].went_on == ""  # the last sentence of its text
    assert "ship" in found[0].takes_up
    later = {row.text: row.went_on for row in found}
    assert later.get("Nobody had seen the storm coming.", "The harbour lay quiet in the dark.") == (
        "The harbour lay quiet in the dark."
    )


def test_the_draft_is_not_suggested(index: Index, tmp_path: Path) -> None:
    found = inspire(index, TEXT, k=5, sentences=2)
    assert found.asked.startswith("The harbour lay")
    assert not {row.id for row in found} & {f"sea#{i}" for i in range(4)}
    (tmp_path / "draft.txt").write_text(TEXT)
    for draft in (tmp_path / "draft.txt", str(tmp_path / "draft.txt"), Document("draft", TEXT)):
        assert inspire(index, draft, k=5, sentences=2).to_dicts() == found.to_dicts()


def test_drafts_that_cannot_be_used(index: Index, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no words"):
        inspire(index, " \n ")
    with pytest.raises(InputError, match="sentences must be"):
        inspire(index, "A storm.", sentences=0)
    with pytest.raises(InputError, match="not a file with text"):
        inspire(index, tmp_path)
    with pytest.raises(InputError, match="no file"):
        inspire(index, "draft.txt")
