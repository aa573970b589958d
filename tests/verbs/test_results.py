"""Notes on many queries: a few lines, the important ones first."""

from __future__ import annotations

from lexfield.results import Aside
from lexfield.verbs.results import gather_notes


def test_one_note_stands_for_many_of_its_kind() -> None:
    covered = [(f"query {n}", f"the first {n} rows cover every word") for n in range(1, 5)]
    absent = [("query 1", "not in the index: oven"), ("query 2", "not in the index: dough, salt")]
    scanned = [(f"query {n}", Aside(f"solved {n} of 9 rows")) for n in range(1, 61)]
    notes = gather_notes([*scanned, *absent, *covered])
    assert notes == [
        "query 1: not in the index: oven",
        "query 2: not in the index: dough, salt",
        "4 queries, such as query 1: the first 1 rows cover every word",
        "60 queries, such as query 1: solved 1 of 9 rows",
    ]
    assert [type(note) for note in notes] == [str, str, str, Aside]


def test_what_is_left_out_is_counted_and_asides_apart() -> None:
    letters = "abcdefghijkl"
    notes = gather_notes([*(("", f"note {x}") for x in letters), ("", Aside("an aside"))])
    assert notes[9:] == ["note j", "… and 2 more notes", "an aside"]
    assert type(notes[-2]) is str


def test_methods_are_called_methods() -> None:
    named = [(name, "not in the index: oven") for name in ("best", "bm25", "lm", "count")]
    assert gather_notes(named, "methods") == ["4 methods, such as best: not in the index: oven"]
