"""Parts of texts, joined lines and metadata in names."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexfield as lx
from lexfield.errors import InputError
from lexfield.text import cut as cutting
from lexfield.text.cut import Cutter, NamePattern, compile_heading, is_double_spaced, join_lines
from lexfield.text.document import Document
from lexfield.text.segment import sentence_spans, split_words
from lexfield.text.source import Source

BOOK = """Contents

CHAPTER I
CHAPTER II

A preface of some words.

CHAPTER I

It began at dawn. Nobody waved.

CHAPTER II

It ended at dusk.
"""


def cut(text: str, **options: Any) -> list[Document]:
    return list(Cutter(**options).cut([Document("book", text, "book.txt", {"author": "me"})]))


def test_a_text_is_cut_at_its_headings() -> None:
    parts = cut(BOOK, split=r"CHAPTER [IVX]+")
    assert [one.id for one in parts] == ["book#0", "book#1", "book#2", "book#3"]
    assert [one.metadata.get("heading") for one in parts] == [
        None, "CHAPTER II", "CHAPTER I", "CHAPTER II",
    ]  # fmt: skip
    assert parts[2].text == "CHAPTER I\n\nIt began at dawn. Nobody waved.\n\n"
    assert parts[3].metadata == {"author": "me", "part_of": "book", "heading": "CHAPTER II"}
    cutter = Cutter(split="CHAPTER")
    assert len(list(cutter.cut([Document("a", BOOK), Document("b", "no heading")]))) == 5
    assert cutter.report() == [
        "no line matches 'CHAPTER', so taken whole: b",
        "headings without text, as in a table of contents: 1",
    ]


def test_a_heading_begins_a_line_and_is_short() -> None:
    text = f"In this CHAPTER nothing\n   CHAPTER one\nx\nCHAPTER {'long ' * 60}\ny"
    assert [one.metadata.get("heading") for one in cut(text, split="CHAPTER")] == [
        None, "CHAPTER one",
    ]  # fmt: skip


def test_slow_patterns_are_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_PATIENCE", 0.05)
    text = Document("slow", "\n".join(["a" * 60] * 500))
    began = time.thread_time()
    with pytest.raises(InputError, match=r"takes too long in slow\."):
        list(Cutter(split=".*.*.*.*=x").cut([text]))
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$", r"(a|a)*b", r"(a|aa)+$", r"((ab)*)*c", r"(.*,)*x", r"(?:a*){2,}b", r"(\w+\s?)+:",
        r"^(([a-z])+.)+[A-Z]", r"(?P<x>a+){3,9}", r"(a)(?:\1)+", r".*.*.*.*.*.*.*x",
    ],
)  # fmt: skip
def test_patterns_that_could_take_very_long_are_refused(pattern: str) -> None:
    started = time.perf_counter()
    with pytest.raises(InputError):
        cut("a" * 150 + "!\n" + "ab " * 60, split=pattern)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("pattern", ["", "x*", "(a", "a|", "[", "^", "(?=)", "y" * 501])
def test_patterns_that_match_nothing_or_are_malformed_are_refused(pattern: str) -> None:
    with pytest.raises(InputError, match="split|regular expression|empty line"):
        compile_heading(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"^(CHAPTER|BOOK) [IVXLC]+\.?$", r"#+ .*", r"\d{1,3}\.", r"(?i)act\s+\w+", "ACT (ONE|TWO)?"],
)
def test_usual_patterns_are_accepted(pattern: str) -> None:
    assert compile_heading(pattern)


@given(st.integers(0, 60), st.integers(1, 20))
def test_chunks_hold_every_word_once_and_the_rest_rule_holds(words: int, size: int) -> None:
    text = ", ".join(f"word{number}" for number in range(words)) + "."
    parts = cut(text, chunk=size)
    assert "".join(one.text for one in parts) == text
    sizes = [len(split_words(one.text)) for one in parts]
    assert sum(sizes) == words and all(n == size for n in sizes[:-1])
    rest = words % size
    if words < size:
        assert sizes == [words]
    elif 2 * rest >= size and rest:
        assert sizes[-1] == rest
    else:
        assert sizes[-1] == size + rest


def test_parts_are_drawn_the_same_every_time() -> None:
    text = " ".join(f"w{number}" for number in range(100))
    first = [one.id for one in cut(text, chunk=5, sample_chunks=3)]
    assert len(first) == 3 and first == [one.id for one in cut(text, chunk=5, sample_chunks=3)]
    cutter = Cutter(chunk=50, sample_chunks=5)
    assert len(list(cutter.cut([Document("a", text)]))) == 2
    assert cutter.report() == ["with fewer than 5 parts, so all are kept: a"]
    with pytest.raises(InputError, match="sample_chunks must be given with chunk or split"):
        Cutter(sample_chunks=3)


TYPED = [
    "It was a bright cold day in April, and the clocks were striking",
    "thirteen. Winston, his chin nuzzled into his breast in an effort",
    "to escape the wind, slipped quickly through the doors. The hall",
    "smelt of cabbage and old mats. At one end of it a poster, too",
    "large for indoor display, had been put up.",
]


def test_double_spaced_lines_are_joined_and_paragraphs_stay() -> None:
    typed = "\n\n".join(TYPED * 8)
    assert is_double_spaced(typed)
    joined = join_lines(typed)
    assert joined.split() == typed.split()
    wanted = len(sentence_spans("\n\n".join(["\n".join(TYPED)] * 8)))
    assert len(sentence_spans(typed)) > wanted == len(sentence_spans(joined))
    with_paragraphs = "\n\n\n".join(["\n\n".join(TYPED)] * 8)
    assert join_lines(with_paragraphs).count("\n\n\n") == 7
    cutter = Cutter()
    (document,) = cutter.cut([Document("typed", typed)])
    assert document.text == joined and "typed double-spaced" in cutter.report()[0]
    assert cut(typed, join_lines="never")[0].text == typed


@pytest.mark.parametrize(
    "text", [BOOK * 20, "\n\n".join(["Oh, a verse", "And another one"] * 40), "\n".join(TYPED * 9)]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert cut(text)[0].text == text


def test_joining_is_quick_on_strange_texts() -> None:
    for text in (
        "\n" * 200_000,
        " \n" * 100_000 + "x",
        "a\n\n" * 50_000,
        ("x" * 500 + "\n \n") * 999,
    ):
        started = time.perf_counter()
        join_lines(text)
        is_double_spaced(text)
        assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("pattern", "id", "fields"),
    [
        ("{author}_{title}_{year}", "austen_pride_and_prejudice_1813",
         {"author": "austen", "title": "pride_and_prejudice", "year": "1813"}),
        ("{author}_{title}", "folder/woolf_orlando", {"author": "woolf", "title": "orlando"}),
        ("{author}/{title}", "woolf/orlando", {"author": "woolf", "title": "orlando"}),
        ("{year}-{genre}", "1928-prose-fiction", {"year": "1928", "genre": "prose-fiction"}),
        ("{author}_{title}_{year}", "austen_emma", {}),
        ("{author}_{title}_{year}", " Woolf _ The Waves _ 1931 ",
         {"author": "Woolf", "title": "The Waves", "year": "1931"}),
        ("{author}_{year}", "Bronte\u0308_1853", {"author": "Bront\u00eb", "year": "1853"}),
        ("[{author}] {title}", "[Woolf] The Waves", {"author": "Woolf", "title": "The Waves"}),
    ],
)  # fmt: skip
def test_metadata_in_names(pattern: str, id: str, fields: dict[str, str]) -> None:
    assert NamePattern(pattern).read(id) == fields


@pytest.mark.parametrize("pattern", ["", "title", "{}", "{a}{b}", "{a}_{a}", "{1a}", "{a b}"])
def test_patterns_of_names_that_say_nothing(pattern: str) -> None:
    with pytest.raises(InputError, match="name_pattern must be fields"):
        NamePattern(pattern)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("austen_emma_1815", "woolf_orlando_1928", "notes"):
        (tmp_path / f"{name}.txt").write_text(BOOK)
    return tmp_path


def test_names_and_parts_from_files(folder: Path) -> None:
    names = "{author}_{title}_{year}"
    corpus = lx.Corpus.read(folder, name_pattern=names, split="CHAPTER", chunk=4)
    assert corpus.metadata(0) == {
        "author": "austen", "title": "emma", "year": "1815", "part_of": "austen_emma_1815",
    }  # fmt: skip
    assert "austen_emma_1815#3" in corpus.ids
    assert any("do not fit '{author}_{title}_{year}': notes" in note for note in corpus.notes)
    again = lx.Corpus.read(folder, split="CHAPTER", chunk=4)
    assert list(again.ids) == list(corpus.ids)
    found = lx.pairs(folder, measure="js", chunk=4, split="CHAPTER")
    assert found.ids == list(corpus.ids)
    texts = lx.pairs([Document("a", BOOK), Document("b", BOOK)], measure="js", split="CHAPTER")
    assert "b#3" in texts.ids


def test_what_has_been_read_is_not_cut_again(folder: Path) -> None:
    with pytest.raises(InputError, match="documents of its own. Leave out chunk"):
        lx.pairs(lx.Corpus.read(folder), chunk=5)


def test_missing_metadata_is_reported_before_anything_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "notes.txt").unlink()
    table = folder.parent / "table.csv"
    table.write_text("id,genre\nausten_emma_1815,novel\n")
    other = folder.parent / "other.csv"
    other.write_text("id,author\nemma,Austen\n")
    monkeypatch.setattr(Source, "text", lambda self: pytest.fail("was read"))

    def refuse(match: str, **options: Any) -> None:
        with pytest.raises(InputError, match=match):
            lx.pairs(folder, by="author", measure="js", **options)

    refuse(r"No document has the field 'author': the texts have no metadata\..*metadata.*name")
    refuse("have only genre", metadata=table)
    refuse("none of the 2 texts is named, such as 'austen_emma_1815'", metadata=other)
    other.write_text("id,author\nausten_emma_1815,\n", "utf-8")
    refuse("the column author of the table is empty", metadata=other)
    refuse("have only genre, title", name_pattern="{genre}_{title}")
    monkeypatch.undo()
    found = lx.pairs(folder, by="author", measure="js", name_pattern="{author}_{title}_{year}")
    assert found.labels == ["austen", "woolf"]


def test_records_may_have_any_field(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"id": "a", "text": "one two", "author": "x"}\n{"id": "b", "text": "two"}\n')
    assert lx.pairs(path, by="author", measure="js").labels == ["x", ""]


def test_the_same_pattern_is_safe_for_every_line() -> None:
    """The guard allows what Python matches quickly: no accepted pattern is slow on 200 letters."""
    for pattern in (r"[a-z ]+[a-z ]+[a-z ]+X", r"a*a*a*a*X", r"(?:[a-z]+ )?[a-z]+ [a-z]+X"):
        started = time.perf_counter()
        compile_heading(pattern).match("a" * 200)
        assert time.perf_counter() - started < 5
    assert re.match("a", "a")


def test_double_spacing_is_seen_with_spaces_in_empty_lines_and_above_the_text() -> None:
    lines = "\n \t\n".join(["we walked along the river", "and came to the old bridge"] * 15)
    assert is_double_spaced("\n\n  \n" + lines)
    assert not is_double_spaced("\n" + lines.replace("\n \t\n", "\n"))
    assert not is_double_spaced(lines.replace("we", "We").replace("and", "And"))
