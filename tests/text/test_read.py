from __future__ import annotations

import gzip
import io
import json
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lexfield.errors import InputError, ReadError
from lexfield.text import readers
from lexfield.text import source as sources
from lexfield.text.corpus import Corpus
from lexfield.text.decode import strip_gutenberg
from lexfield.text.document import Document
from lexfield.text.kwic import kwic
from lexfield.text.read import Reader


def write(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_plain_text_and_gz(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.txt", "Hello there.\r\nAgain.")
    zipped = write(tmp_path / "b.txt.gz", gzip.compress(b"Zipped.", mtime=0))
    first, second = Reader([plain, zipped])
    assert first == Document("a", "Hello there.\nAgain.", str(plain))
    assert second.text == "Zipped."


def test_folder_skips_binaries_hidden_and_ignored(tmp_path: Path) -> None:
    write(tmp_path / "keep.txt", "kept")
    write(tmp_path / "sub/deep.md", "deep")
    write(tmp_path / "sub/.hidden", "no")
    write(tmp_path / "picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    write(tmp_path / ".gitignore", "*.log\nbuild/\n")
    write(tmp_path / "noise.log", "no")
    write(tmp_path / "build/out.txt", "no")
    write(tmp_path / "sub/.lexfieldignore", "draft*\n")
    write(tmp_path / "sub/draft1.txt", "no")
    write(tmp_path / "draft2.txt", "yes: the rule holds only below its own folder")
    reader = Reader(tmp_path)
    assert [d.id for d in reader] == ["draft2", "keep", "sub/deep"]
    assert dict(reader.skipped) == {
        ".gitignore": "hidden",
        "build/": "ignored",
        "noise.log": "ignored",
        "picture.png": "a PNG picture",
        "sub/.hidden": "hidden",
        "sub/.lexfieldignore": "hidden",
        "sub/draft1.txt": "ignored",
    }
    notes = Corpus.read(tmp_path).notes
    assert "skipped 1 (a PNG picture): picture.png" in notes


def test_a_json_list_is_read_as_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [
        {
            "id": 7,
            "text": 'A "[quoted]" text, with \\ and commas.',
            "n": 1.5,
            "list": [1, {"a": []}],
        },
        {"text": "Zwei"},
    ]
    lines = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records)))
    expected = [(d.text, d.metadata) for d in Reader(lines)]
    for indent in (None, 2):
        path = write(tmp_path / "a.json", "\n " + json.dumps(records, indent=indent) + "\n")
        found = list(Reader(path))
        assert [(d.text, d.metadata) for d in found] == expected
        assert [d.id for d in found] == ["7", "a.json:2"]
    assert list(Reader(write(tmp_path / "none.json", "[ ]"))) == []
    monkeypatch.setattr(readers, "MAX_DOCUMENT", 100)
    with pytest.raises(ReadError, match="is a JSON list of more than") as caught:
        list(Reader(path))
    assert "jq -c" in caught.value.hint


def test_jsonl_csv_tsv(tmp_path: Path) -> None:
    one = write(tmp_path / "a.jsonl", '{"id": 7, "text": "T", "n": 1.5, "list": [1]}\n\n')
    (document,) = Reader(one)
    assert document == Document("7", "T", f"{one}:1", {"n": "1.5", "list": "[1]"})
    two = write(tmp_path / "b.csv", 'key,title,body,level\nx,"A, b",hello,low\n')
    (document,) = Reader(two, text_fields=("title", "body"))
    assert (document.id, document.text) == ("x", "A, b\n\nhello")
    assert document.metadata == {"level": "low"}
    three = write(tmp_path / "c.tsv", "text\tk\nhello\t1\n")
    (document,) = Reader(three)
    assert (document.id, document.metadata) == ("c.tsv:2", {"k": "1"})


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"title": "A b", "text": "Hello."}, "A b\n\nHello."),
        ({"Body": "Hello.", "TITLE": "A b"}, "A b\n\nHello."),
        ({"title": "A b", "abstract": "Hello."}, "A b\n\nHello."),
        ({"Summary": "A b", "Description": "Hello."}, "A b\n\nHello."),
        ({"title": "A b", "summary": "C", "description": "Hello."}, "A b\n\nHello."),
        ({"summary": "A b", "text": "Hello."}, "Hello."),  # a summary is no title of a text
        ({"title": "A b", "text": ""}, "A b"),
        ({"title": "", "text": "Hello."}, "Hello."),
        ({"title": None, "text": "Hello."}, "Hello."),
        ({"title": " . ", "text": "Hello."}, "Hello."),
        ({"title": "A b.", "text": "\n a  B : hello."}, "\n a  B : hello."),
        ({"title": "A b", "text": "A b"}, "A b"),
        ({"title": "A b", "text": "A bee."}, "A b\n\nA bee."),
        ({"title": 7, "text": "Hello."}, "7\n\nHello."),
    ],
)
def test_a_title_begins_the_text_once(record: dict[str, object], text: str) -> None:
    (document,) = Reader(()).from_records([(1, record)], "row")
    assert document.text == text
    titles = [name for name in record if name.lower() in ("title", "summary")]
    assert set(document.metadata) == set(titles)  # where it stays


def test_the_title_field_can_be_named_or_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,title,headline,text,more\nx,T,H,Body.,M\n")
    options: list[tuple[dict[str, Any], str]] = [
        ({"title_field": "headline"}, "H\n\nBody."),
        ({"title_field": "none"}, "Body."),
        ({"title_field": "text"}, "Body."),
        ({"text_fields": ["text", "more"]}, "Body.\n\nM"),
        ({"text_fields": ["text", "more"], "title_field": "title"}, "T\n\nBody.\n\nM"),
        ({"text_fields": ["title", "more"], "title_field": "title"}, "T\n\nM"),
    ]
    for given, text in options:
        (document,) = Reader(path, **given)
        assert document.text == text
        used = given.get("text_fields", ["text"])
        assert set(document.metadata) == {"title", "headline", "text", "more"} - set(used)
    with pytest.raises(ReadError, match="a.csv:2: no field 'head' for the title; there are 'id'"):
        list(Reader(path, title_field="head"))


def test_the_title_is_a_sentence_of_its_own(tmp_path: Path) -> None:
    """Positions are those of the whole text, and the next sentence does not begin in the title."""
    path = write(tmp_path / "a.jsonl", '{"_id": "x", "title": "No sync", "text": "It stays. So?"}')
    corpus = Corpus.read(path)
    assert list(corpus.sentences) == ["No sync", "It stays.", "So?"]
    assert [sentence.id for sentence in corpus.sentences] == ["x#0", "x#1", "x#2"]
    frame = [{"_id": "x", "title": "No sync", "text": "It stays. So?"}]
    assert list(Corpus.from_frame(frame).sentences) == list(corpus.sentences)
    assert len(Corpus.from_frame(frame, title="none").sentences) == 2
    (found,) = kwic(corpus, "stays")
    assert (found.document, found.sentence) == ("x", 1)
    assert (found.left, found.match, found.right) == ("No sync It", "stays", ". So")


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs lexfield[parquet]")
    import pyarrow as pa

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"id": [1, 2], "text": ["x", "y"], "n": [None, 3]}), path)
    assert [d.text for d in Reader(path)] == ["x", "y"]
    assert [d.metadata["n"] for d in Reader(path)] == ["", "3"]
    write(tmp_path / "b.parquet", b"PAR1 nonsense")
    with pytest.raises(ReadError, match="cannot be read as parquet"):
        list(Reader(tmp_path / "b.parquet"))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"one\ntwo\n\nthree")))
    assert [d.text for d in Reader("-", format="lines")] == ["one", "two", "three"]


def test_metadata_is_joined_by_id_or_name(tmp_path: Path) -> None:
    write(tmp_path / "t/sub/a.txt", "x")
    table = write(tmp_path / "meta.csv", "id,author\na,pell\n")
    (document,) = Reader(tmp_path / "t", metadata=table)
    assert (document.id, document.metadata) == ("sub/a", {"author": "pell"})
    with pytest.raises(ReadError, match="no column names the texts; there are"):
        Reader(tmp_path / "t", metadata=write(tmp_path / "m2.csv", "name\nx\n"))


def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    for data in (b"The cat sat. A dog ran.", gzip.compress(b"The cat sat. A dog ran.")):
        pipe = tmp_path / f"{len(data)}.txt"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=[data])
        writer.start()
        (document,) = Reader([str(pipe)])
        writer.join()
        assert document.text == "The cat sat. A dog ran."


@pytest.mark.parametrize(
    ("data", "encoding", "expected"),
    [
        ("café".encode(), None, "café"),
        ("\ufeffcafé".encode(), None, "café"),
        ("café".encode("utf-16"), None, "café"),
        ("Ein schöner Tag für alle Bürger in München".encode("cp1252"), "cp1252", None),
        ("日本語".encode("shift_jis"), "shift_jis", "日本語"),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, encoding: str | None, expected: str | None) -> None:
    path = write(tmp_path / "a.txt", data)
    (document,) = Reader(path, encoding=encoding)
    assert document.text == (expected or data.decode("cp1252"))


def test_guessed_encoding_is_noted(tmp_path: Path) -> None:
    text = "Die Straßen von Köln sind für Fußgänger schön, die Brücke führt über den Fluß. " * 4
    path = write(tmp_path / "a.txt", text.encode("latin-1"))
    corpus = Corpus.read(path)
    assert corpus.documents[0].text == text
    assert any("not UTF-8, read as" in note for note in corpus.notes)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", '{"text": "ok"}\n{bad\n', "a.jsonl:2: not JSON"),
        ("a.jsonl", "[1]\n", "a.jsonl:1: not a JSON object"),
        ("a.jsonl", "[" * 100_000, "not JSON"),
        ("a.jsonl", '{"other": 1}\n', "no field 'text' or 'body'"),
        ("a.csv", "id,text\n1,x,extra\n", "a.csv:2: more fields than the 2 of the header"),
        ("a.csv", "id,text\n1\n", "a.csv:2: fewer fields"),
        ("a.csv", 'id,text\n1,"open\n', "a.csv:2: a quote is opened and not closed"),
        ("a.txt.gz", gzip.compress(b"hello" * 100, mtime=0)[:-9], "damaged gzip"),
        ("a.jsonl.gz", b"\x1f\x8b\x08broken", "damaged gzip"),
    ],
)
def test_bad_files_are_named_with_their_line(
    tmp_path: Path, name: str, data: str | bytes, message: str
) -> None:
    with pytest.raises(ReadError, match=message):
        list(Reader(write(tmp_path / name, data)))


def test_invalid_utf8_in_a_later_line(tmp_path: Path) -> None:
    lines = json.dumps({"text": "ok " * 100}).encode() + b"\n"
    path = write(tmp_path / "a.jsonl", lines * 500 + b'{"text": "\xff\xfe"}\n')
    with pytest.raises(ReadError, match="not valid utf-8") as caught:
        list(Reader(path))
    assert "as encoding" in caught.value.hint


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="does not exist"):
        list(Reader(tmp_path / "nowhere.txt"))
    with pytest.raises(ReadError, match="no encoding called 'klingon'"):
        Reader(tmp_path, encoding="klingon")
    with pytest.raises(InputError, match=r"format must be one of .* Got 'doc' instead"):
        Reader(tmp_path, format="doc")
    with pytest.raises(InputError, match="no text"):
        Corpus.read(tmp_path)
    path = write(tmp_path / "a.jsonl", '{"text": "x"}')
    with pytest.raises(ReadError, match="no field 'nr' for the id"):
        list(Reader(path, id_field="nr"))
    with pytest.raises(ReadError, match="not valid ascii"):
        list(Reader(write(tmp_path / "a.txt", "é"), encoding="ascii"))


def test_a_document_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_DOCUMENT", 100)
    with pytest.raises(ReadError, match="too large for one document"):
        list(Reader(write(tmp_path / "a.txt", "x" * 101)))
    with pytest.raises(ReadError, match=r"a\.jsonl:1: a line over"):
        list(Reader(write(tmp_path / "a.jsonl", "x" * 200)))


def test_gutenberg_is_stripped(tmp_path: Path) -> None:
    text = (
        "The Project Gutenberg eBook of X\n\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\n"
        "Body.\n\n*** END OF THE PROJECT GUTENBERG EBOOK X ***\nLicence\n"
    )
    assert strip_gutenberg(text) == "Body.\n"
    assert strip_gutenberg("No header. Plain text.") == "No header. Plain text."
    path = write(tmp_path / "a.txt", text)
    (kept,) = Reader(path, keep_gutenberg=True)
    assert kept.text == text


def test_an_index_is_not_read_as_texts(tmp_path: Path) -> None:
    from lexfield.search.index import Index

    Index.build(Corpus.of(["A storm at sea."]), tmp_path / "i")
    with pytest.raises(ReadError, match="is an index"):
        Corpus.read(tmp_path / "i")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "CURRENT").write_text("A text of this name is read.", "utf-8")
    assert len(Corpus.read(tmp_path / "texts").documents) == 1


@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz"])
def test_a_gzip_bomb_is_refused(tmp_path: Path, name: str) -> None:
    line = '{"text": "' + "a " * 500_000 + '"}\n'
    path = write(tmp_path / name, gzip.compress(line.encode() * 40))
    with pytest.raises(ReadError, match="expands to far more than its size"):
        list(Reader(path))
    path = write(tmp_path / name, gzip.compress(line.encode() * 10))  # unusual, but no harm
    assert sum(len(document.text) for document in Reader(path)) > 9_000_000


@pytest.mark.parametrize("kind", ["one text in many rows", "many texts"])
def test_a_parquet_bomb_is_refused(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    from pyarrow import parquet

    text = "a " * 100_000
    table = {
        "one text in many rows": {"text": [text] * 200},
        "many texts": {"text": [text + str(number) for number in range(200)]},
    }[kind]
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table(table), path, compression="zstd")
    assert path.stat().st_size < 100_000
    taken = pa.default_memory_pool().max_memory()
    with pytest.raises(ReadError, match="expands to far more than its size"):
        list(Reader(path))
    assert pa.default_memory_pool().max_memory() - taken < 150_000_000


def test_lists_of_a_parquet_file_are_left_out(tmp_path: Path) -> None:
    """They can be of any length: three million values in some hundred bytes."""
    pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    lists = pa.array([[0] * 3_000_000], pa.list_(pa.int8()))
    parquet.write_table(pa.table({"text": ["a"], "x": lists, "n": [1]}), path)
    reader = Reader(path)
    (document,) = reader
    assert document.text == "a" and document.metadata == {"n": "1"}
    assert reader.report() == [f"{path}: left out columns that are neither text nor numbers: x"]


def test_parquet_rows_are_the_same_however_many_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": [f"text {n}" for n in range(3000)]}), path)
    found = [(document.id, document.text) for document in Reader(path)]
    assert len(found) == 3000 and found[2999] == ("a.parquet:3000", "text 2999")
    monkeypatch.setattr(readers, "_ROOM", 100_000)
    assert [(document.id, document.text) for document in Reader(path)] == found


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("A secret.")
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "own.txt").write_text("The sea.")
    (folder / "again.txt").symlink_to(folder / "own.txt")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    corpus = Corpus.read(folder)
    assert list(corpus.ids) == ["again", "own"]
    assert any("link out of the folder" in note for note in corpus.notes)


def test_links_to_folders_are_reported(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("A text.")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert "skipped 1 (a link to a folder): loop/" in Corpus.read(tmp_path).notes


def test_guessed_columns_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b"Issue id,Summary,Description\n7,No sync,It stays.\n")
    corpus = Corpus.read(path)
    assert corpus["7"].text == "No sync\n\nIt stays."
    assert corpus.notes == [
        "a.csv: text from 'Description', title from 'Summary', id from 'Issue id'"
    ]
    assert not Corpus.read(path, text_fields=["Description"]).notes


@pytest.mark.parametrize(
    ("lines", "is_noted"),
    [
        ([f"12:00:{n} ERROR [disk] no space left on /var/lib/{n}" for n in range(12)], True),
        ([f"12:00:{n} ERROR [disk] no space left on /var/lib/{n}" for n in range(9)], False),
        (["The boat came home in the", "evening. Nobody had seen", "it leave."] * 8, False),
        (["今日は雨です。", "明日も雨でしょう。"] * 8, False),
    ],
)
def test_a_list_is_noted(tmp_path: Path, lines: list[str], is_noted: bool) -> None:
    path = write(tmp_path / "a.txt", "\n".join(lines).encode())
    notes = [note for note in Corpus.read(path).notes if "--format lines" in note]
    assert len(notes) == is_noted
    assert not any("--format" in note for note in Corpus.read(path, format="lines").notes)
