"""One filter for every verb that reads texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lexfield as lx
from lexfield.errors import InputError


def test_texts_are_filtered_before_anything_is_computed(sample_index: lx.Index) -> None:
    where = "author=pell,carter"
    kept = [one for one in sample_index if one.metadata["author"] in ("pell", "carter")]
    corpus = lx.Corpus.of(kept)
    assert lx.bag(sample_index, where=where).to_dicts() == lx.bag(corpus).to_dicts()
    found = lx.kwic(sample_index, "sea", where=where)
    assert found.to_dicts() == lx.kwic(corpus, "sea").to_dicts()
    assert len(lx.map(sample_index, measure="js", where=where)) == len(kept)
    assert lx.zipf(sample_index, where=where, nulls=False).to_dicts()[0] | {"name": ""} == (
        lx.zipf(corpus, nulls=False).to_dicts()[0] | {"name": ""}
    )
    with pytest.raises(InputError, match="No document has author=pel. Did you mean 'pell'"):
        lx.kwic(sample_index, "sea", where="author=pel")
    with pytest.raises(InputError, match="No document has metadata 'autor'. Did you mean 'author'"):
        lx.kwic(sample_index, "sea", where="autor=pell")


def test_groups_are_compared_with_groups(sample_index: lx.Index) -> None:
    groups = [
        lx.Corpus.of([d for d in sample_index if d.metadata["author"] == name])
        for name in ("pell", "voss")
    ]
    sides: dict[str, Any] = {"a_where": ["author=pell"], "b_where": ["author=voss"]}
    found = lx.keyness(sample_index, sample_index, **sides)
    assert found.to_dicts() == lx.keyness(*groups).to_dicts()
    assert (found.a, found.b) == ("author=pell", "author=voss")
    compared = lx.compare(sample_index, sample_index, measure="js", **sides)
    assert compared[0].value == pytest.approx(lx.compare(*groups, measure="js")[0].value)
    assert (compared[0].a, compared[0].b) == ("author=pell", "author=voss")
    both = lx.keyness(sample_index, sample_index, where="topic!=sea", **sides)
    assert both.tested < found.tested


def test_places_are_shown_in_parts(sample_index: lx.Index) -> None:
    every = lx.kwic(sample_index, "the", where="id=pell-sea")
    part = lx.kwic(sample_index, "the", where="id=pell-sea", start=3, k=2)
    assert part.results == every.results[3:5] and part.totals == every.totals
    assert part.notes == [f"pell-sea: 4 to 5 of {len(every):,} places"]


def test_the_year_comes_from_the_date_if_there_is_no_year(tmp_path: Path) -> None:
    dates = {"a": "1999-03-04T10:00:00", "b": "3. Oktober 1850", "c": "1999", "d": ""}
    texts = [lx.Document(id, f"Das Wasser {id} fließt.", metadata={"date": date} if date else {})
             for id, date in dates.items()]  # fmt: skip
    index = lx.Index.build(lx.Corpus.of(texts), tmp_path / "a.idx")
    points = lx.trend(index, "Wasser", by="year")
    assert [(one.label, one.count) for one in points] == [("1850", 1), ("1999", 2)]
    assert [one.id for one in lx.documents(index, where="year>=1900", sort="-id")] == ["c", "a"]
    assert [one.id for one in lx.documents(index, sort="-year")] == ["a", "c", "b", "d"]
    assert {hit.document for hit in lx.search(index, "Wasser", where="year=1850")} == {"b"}
    assert len(lx.kwic(index, "Wasser", where="year=1990..2000")) == 2
    dated = lx.Document("a", "Wasser.", metadata={"date": "1999", "year": "1850"})
    other = lx.Index.build(lx.Corpus.of([dated]), tmp_path / "b.idx")
    assert [one.label for one in lx.trend(other, "Wasser", by="year")] == ["1850"]
