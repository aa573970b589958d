"""What a collection holds, by its metadata."""

from __future__ import annotations

from typing import Any

import pytest

import lexfield as lx
from lexfield.errors import InputError

RECORDS = {
    "emma": ("Austen", "1815", "A handsome clever girl. She was rich."),
    "silas": ("Eliot", "1861", "A weaver lived alone."),
    "gatsby": ("Fitzgerald", "1925", "A green light at the end of the dock."),
    "notes": ("Austen", "", "Nothing."),
}


@pytest.fixture(scope="module")
def books() -> lx.Index:
    return lx.Index(
        [
            lx.Document(id, text, metadata={"author": author, **({"year": year} if year else {})})
            for id, (author, year, text) in RECORDS.items()
        ]
    )


def ids(found: Any) -> list[str]:
    return [row.id for row in found]


def test_documents_can_be_filtered_and_counted(index: lx.Index) -> None:
    found = lx.documents(index, containing="WATER")
    assert found.to_dicts() == [
        {"id": "sea", "tokens": 12, "metadata": {"place": "water", "language": "en"}}
    ]
    assert "place=water" in repr(found)
    assert lx.documents(index, k=2).notes == ["the first 2 of 3 documents"]
    assert lx.documents(index, containing="xyz").notes == ["no id or metadata contains 'xyz'"]


def test_documents_are_sorted_and_listed_in_parts(books: lx.Index) -> None:
    assert ids(lx.documents(books, sort="year")) == ["emma", "silas", "gatsby", "notes"]
    assert ids(lx.documents(books, sort="-year")) == ["gatsby", "silas", "emma", "notes"]
    assert ids(lx.documents(books, sort="-words")) == ["gatsby", "emma", "silas", "notes"]
    assert ids(lx.documents(books, sort="-id")) == ["silas", "notes", "gatsby", "emma"]
    assert ids(lx.documents(books, sort="-author")) == ["gatsby", "silas", "emma", "notes"]
    part = lx.documents(books, sort="id", start=1, k=2)
    assert ids(part) == ["gatsby", "notes"] and (part.total, part.start) == (4, 1)
    assert part.notes == ["2 to 3 of 4 documents"]
    with pytest.raises(InputError, match="sorted by 'yaer'. Did you mean 'year'"):
        lx.documents(books, sort="-yaer")


def test_conditions_apply_to_lists_and_searches(books: lx.Index) -> None:
    assert ids(lx.documents(books, where=["year>=1850", "author!=Eliot"])) == ["gatsby"]
    assert ids(lx.documents(books, where={"author": ["Austen", "Eliot"]})) == [
        *("emma", "silas", "notes")
    ]
    hits = lx.search(books, "a light", where="year=1900..2000", k=4)
    assert {hit.document for hit in hits} == {"gatsby"}
    nothing = lx.documents(books, where="author=Austin")
    assert not nothing.results and nothing.notes[0].startswith(
        "no document has author=Austin; did you mean 'Austen'? The values are Austen"
    )
    with pytest.raises(InputError, match="No document has metadata 'autor'. Did you mean 'author'"):
        lx.documents(books, where="autor=Austen")


def test_facets_count_values_within_a_filter(books: lx.Index) -> None:
    author, year = lx.facets(books).to_dicts()
    assert author["kind"] == "values" and author["values"][0] == {"value": "Austen", "count": 2}
    assert (author["distinct"], author["missing"], author["low"]) == (3, 0, None)
    assert (year["kind"], year["low"], year["high"], year["missing"]) == ("number", 1815, 1925, 1)
    assert "year        1815 to 1925 (1 without)" in repr(lx.facets(books))
    late = lx.facets(books, where="year>1850")
    assert late.documents == 2
    assert [one.value for one in late[0].values] == ["Eliot", "Fitzgerald"]
    assert (late[-1].low, late[-1].high) == (1861, 1925)
    dated = lx.Index([lx.Document("a", "One text.", metadata={"day": "12 May 1849"})])
    (day,) = lx.facets(dated)
    assert (day.kind, day.low, day.high) == ("date", "1849-05-12", "1849-05-12")


def test_a_year_is_taken_from_a_field_of_dates() -> None:
    days = {"a": "12 May 1849", "b": "1850-01-02", "c": "3.4.1848"}
    made = lx.Index([lx.Document(id, "A sea.", metadata={"Created": d}) for id, d in days.items()])
    note = "year is taken from Created"
    found = lx.documents(made, sort="-year", where="year>=1849")
    assert ([one.id for one in found], found.notes) == (["b", "a"], [note])
    by_case = lx.documents(made, sort="created")
    assert [one.id for one in by_case] == ["c", "a", "b"]
    assert by_case.notes == ["created is taken from Created"]
    trend = lx.trend(made, "sea", by="year")
    assert [point.label for point in trend] == ["1848", "1849", "1850"] and note in trend.notes
    assert note in lx.search(made, "sea", where="year=1850").notes


def test_hits_are_counted_and_continued(books: lx.Index) -> None:
    every = lx.search(books, "a green light", k=4)
    assert every.matches == 1
    rest = lx.search(books, "a green light", k=2, start=2)
    assert [(hit.rank, hit.id) for hit in rest] == [
        (hit.rank, hit.id) for hit in every.results[2:4]
    ]
    (hit,) = lx.search(books, "a green light", unit="document", k=1)
    (passage,) = hit.passages
    assert (passage.id, passage.sentence, passage.score > 0) == ("gatsby#0", 0, True)
    assert lx.search(books, "lights", where="author=Austen").matches == 0
    assert lx.search(books, "weavers").matches == 1  # in any of its forms
