"""The table of file formats, and readers that users write."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lexfield as lx
from lexfield.errors import InputError, ReadError
from lexfield.text import readers
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.read import Reader
from lexfield.text.readers import READERS, read_csv
from lexfield.text.source import Source, name_text

FIELDS = st.text(st.characters(exclude_categories=["Cs"]))


class Zipped:
    """Texts in a zip archive, each a document."""

    suffixes = (".texts",)

    def read(self, source: Source) -> Iterator[Document]:
        with zipfile.ZipFile(source) as archive:
            for name in archive.namelist():
                yield Document(name, archive.read(name).decode())


class Notebook:
    """Cells of a notebook as records."""

    suffixes = (".ipynb",)

    def read(self, source: Source) -> Iterator[tuple[int, dict[str, object]]]:
        for number, cell in enumerate(json.loads(source.text())["cells"], 1):
            yield number, {"text": "".join(cell["source"]), "kind": cell["cell_type"]}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    READERS.register("zipped", Zipped())
    READERS.register("notebook", Notebook())
    yield
    del READERS._things["zipped"], READERS._things["notebook"]


def test_a_registered_reader_reads_its_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.texts", "w") as archive:
        archive.writestr("one", "The sea.")
        archive.writestr("two", "The land.")
    cells = [{"cell_type": "markdown", "source": ["A ", "title"]}]
    (tmp_path / "b.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    (tmp_path / "c.txt").write_text("Plain.", "utf-8")
    corpus = Corpus.read(tmp_path)
    assert [d.text for d in corpus] == ["The sea.", "The land.", "A title", "Plain."]
    assert corpus["b.ipynb:1"].metadata == {"kind": "markdown"}
    assert [d.id for d in Reader(tmp_path / "a.texts", format="zipped")] == ["one", "two"]


def test_a_registered_reader_is_a_format_of_every_verb(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": ["A ship at sea."]}]
    (tmp_path / "b.json").write_text(json.dumps({"cells": cells}), "utf-8")
    built = lx.index(tmp_path / "b.json", output=tmp_path / "i", format="notebook").index
    assert [document.text for document in built] == ["A ship at sea."]


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "The reader 'broken' returned NoneType where documents or pairs"),
        (["a text"], "The reader 'broken' yielded 'a text' where documents or pairs"),
        ([(1, "a text")], "The reader 'broken' yielded"),
    ],
)
def test_what_a_reader_returns_is_checked(tmp_path: Path, found: object, message: str) -> None:
    class Broken:
        suffixes = ()

        def read(self, source: Source) -> object:
            return found

    (tmp_path / "a.txt").write_text("A text.", "utf-8")
    READERS.register("broken", Broken())  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        list(Reader(tmp_path / "a.txt", format="broken"))
    READERS.forget("broken")


def test_a_reader_of_files_does_not_read_standard_input() -> None:
    with pytest.raises(ReadError, match="cannot be read from standard input"):
        list(Reader("-", format="zipped"))


def test_formats_are_listed_in_the_error() -> None:
    with pytest.raises(InputError, match=", ".join(READERS.names())):
        Reader("-", format="doc")


def rows(path: Path, data: str, delimiter: str = ",") -> list[list[str]]:
    path.write_bytes(data.encode())
    return [list(record.values()) for _, record in read_csv(Source(path), delimiter)]  # type: ignore[arg-type]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=3, max_size=3))
)
@example([["a", 'b "c",\r\n d', "e"], ["", "", ""]])
def test_a_table_that_was_written_is_read(tmp_path: Path, table: list[list[str]]) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["x", "y", "z"], *table])
    found = [list(record.values()) for _, record in read_csv(Source(path, encoding="utf-8"))]
    assert found == table


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('a\n"b" c\n', r"x\.csv:2: ',' expected after '\"'"),
        ('a\n"b\nc', r"x\.csv:3: a quote is opened and not closed"),
        ('a\n"' + "ab\n" * 500_000 + '"', r"x\.csv:\d+: a field over 1 MB"),
    ],
)
def test_errors_name_the_file_and_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, message: str
) -> None:
    monkeypatch.setattr(readers, "MAX_DOCUMENT", 1 << 20)
    with pytest.raises(ReadError, match=message):
        rows(tmp_path / "x.csv", data)


def test_tables_may_be_separated_by_semicolons_or_tabs(tmp_path: Path) -> None:
    for mark in ";\t":
        path = tmp_path / "table.csv"
        path.write_text(f"\nid{mark}text\na{mark}One, two.\nb{mark}Three.\n", "utf-8")
        found = [(one.id, one.text) for one in lx.Corpus.read(path).documents]
        assert found == [("a", "One, two."), ("b", "Three.")]


def test_an_id_has_no_suffix_if_a_file_is_one_document() -> None:
    single = ("text", "pdf", "docx", "odt", "epub", "html", "rtf", "markdown", "eml", "tei")
    for suffix in (suffix for name in single for suffix in READERS.get(name).suffixes):
        assert name_text(Source(Path(f"a{suffix}"))) == "a"
    assert name_text(Source(Path("a.csv"))) == "a.csv"
