"""Documents in every format say the same; damaged, hostile and foreign files are refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from tests import documents
from tests.documents import AUTHOR, DOCUMENTS, FIRST, SECOND, TITLE

from lexfield.errors import LexfieldError, MissingExtraError, ReadError
from lexfield.text.corpus import Corpus
from lexfield.text.decode import ENCRYPTED_OFFICE, OLD_OFFICE, SAMPLE
from lexfield.text.formats.pdf import CHILD, join_pages
from lexfield.text.read import Reader
from lexfield.verbs.attribute import choose_texts
from lexfield.verbs.input import choose_text

SHARED = Path(__file__).parents[3] / "shared" / "data" / "formats"
HAS_PDF = subprocess.run([sys.executable, "-c", "import pypdfium2"], capture_output=True).returncode
needs_pdf = pytest.mark.skipif(bool(HAS_PDF), reason="the extra 'documents' is not installed")
ONE = [
    pytest.param(name, marks=needs_pdf) if name == "a.pdf" else name
    for name in DOCUMENTS
    if name not in ("a.mbox", "a.zip", "a.tar")
]
BOMB = documents.pack({"word/document.xml": b" " * 40_000_000})
ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def words(text: str) -> list[str]:
    return text.replace("\u00a0", " ").split()


@pytest.mark.parametrize("name", ONE)
def test_every_format_says_the_same(tmp_path: Path, name: str) -> None:
    (found,) = Reader(write(tmp_path / name, DOCUMENTS[name]()))
    assert found.id == "a"
    title = [TITLE] if name == "a.eml" else []
    assert words(found.text) == words(" ".join([*title, FIRST, SECOND]))
    expected = {"title": TITLE, "author": AUTHOR, "date": "2020-05-01", "language": "en"}
    lacking = {"a.srt": set(expected), "a.vtt": {"title", "author", "date"}, "a.eml": {"language"},
               "a.rtf": {"language"}}  # fmt: skip
    known = {**found.metadata, "date": found.metadata.get("date", "")[:10]}
    for field in set(expected) - lacking.get(name, set()):
        assert known[field] == expected[field]


@pytest.mark.parametrize("name", ONE)
def test_the_content_decides_where_a_suffix_is_wrong(tmp_path: Path, name: str) -> None:
    if name.endswith((".pdf", ".docx", ".odt", ".epub", ".rtf", ".html")):
        reader = Reader(write(tmp_path / "a.txt", DOCUMENTS[name]()))
        (found,) = reader
        assert words(found.text) == words(f"{FIRST} {SECOND}")
        assert "a.txt: read as" in reader.report()[0]


@pytest.mark.parametrize(
    "suffix", ["pdf", "docx", "odt", "epub", "rtf", "zip", "tar", "parquet", "pdf.gz"]
)
def test_plain_text_is_read_whatever_its_suffix_is(tmp_path: Path, suffix: str) -> None:
    data = "Die Tür war zu, und niemand öffnete sie.".encode("latin-1")
    data = gzip.compress(data) if suffix.endswith("gz") else data
    path = write(tmp_path / f"a.{suffix}", data)
    for encoding in (None, "latin-1"):
        reader = Reader(path, encoding=encoding)
        (found,) = reader
        assert found.text == "Die Tür war zu, und niemand öffnete sie."
        assert reader.report()[0] == f"{path}: read as text, because it is plain text"


def test_a_document_with_something_before_it_is_no_plain_text(tmp_path: Path) -> None:
    (found,) = Reader(write(tmp_path / "a.rtf", b"\n" + documents.rtf()))
    assert words(found.text) == words(f"{FIRST} {SECOND}")
    with pytest.raises((ReadError, MissingExtraError), match="damaged PDF|extra"):
        list(Reader(write(tmp_path / "a.pdf", b"\nHTTP/1.1 200 OK\n%PDF-1.7 and so on")))


def test_scripts_in_an_archive_are_left_out(tmp_path: Path) -> None:
    data = documents.pack({"a.html": "<p>One.</p>", "site/a.css": "p {}", "site/A.JS": "let x"})
    reader = Reader(write(tmp_path / "a.zip", data))
    assert [document.id for document in reader] == ["a.zip/a"]
    assert len(reader.skipped) == 2
    assert {reason for _, reason in reader.skipped} == {"a script or style sheet of a web page"}


def test_a_mailbox_has_many_messages(tmp_path: Path) -> None:
    reader = Reader(write(tmp_path / "a.mbox", DOCUMENTS["a.mbox"]()))
    one, two = reader
    assert (one.id, two.id, two.text) == ("a.mbox:1", "a.mbox:2", "Two\n\nFrom here on.")
    assert reader.report() == [f"{tmp_path / 'a.mbox'}: attachments are left out"]


@pytest.mark.parametrize(
    "mode", ["zip", "tar", "tar.gz", "tgz", "tar.bz2", "tbz2", "tar.xz", "txz"]
)
def test_archives_hold_files_of_every_format(tmp_path: Path, mode: str) -> None:
    inside = {
        "x/b.docx": documents.docx(), "c.txt": FIRST.encode(), "d.csv": b"id,text\n1,hello\n",
        "e.png": b"\x89PNG\r\n\x1a\n\0", ".hidden": b"x", "in.zip": documents.pack({"a.txt": "a"}),
        "f.jsonl": b'{"text": "ok"}\n{bad\n',
    }  # fmt: skip
    data = documents.pack(inside) if mode == "zip" else documents.tar(inside)
    for end, compress in (("gz", gzip.compress), ("2", bz2.compress), ("xz", lzma.compress)):
        data = compress(data) if mode.endswith(end) else data
    reader = Reader(write(tmp_path / f"a.{mode}", data))
    found = {document.id: document for document in reader}
    archive = f"a.{mode}"
    ids = [f"{archive}/x/b", f"{archive}/c", "1", "f.jsonl:1"]
    assert list(found) == ids and words(found[ids[0]].text) == words(f"{FIRST} {SECOND}")
    assert found[ids[1]].source == str(tmp_path / archive / "c.txt")
    reasons = dict(reader.skipped)
    assert reasons[f"{archive}/e.png"] == "a PNG picture"
    assert reasons[f"{archive}/in.zip"] == "an archive in an archive"
    assert reasons[f"{archive}/f.jsonl"].startswith("the rest, from line 2: not JSON")
    assert reader.report()[0] == "files read: 3; skipped: others 2, pictures 1"


BAD = [
    ("a.docx", b"", "is empty"),
    ("a.docx", b"plain \0 text", "is not a Word document"),
    ("a.epub", b"plain \0 text", "is not an EPUB book"),
    ("a.docx", documents.docx()[:300], "damaged Word document"),
    ("a.docx", documents.docx("<w:p>"), "damaged XML"),
    ("a.docx", documents.docx("<w:p>" * 600), "nested more than 500"),
    ("a.docx", documents.docx(head=ENTITY), "defines entities"),
    ("a.docx", BOMB, "unpacks to more than"),
    ("a.docx", documents.pack({"word/x": b"x"}), "word/document.xml is missing"),
    ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
     "a.docx is encrypted"),
    ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99, "old Office document"),
    ("a.odt", documents.odt("<m><encryption-data/></m>"), "a.odt is encrypted"),
    ("a.epub", documents.epub('<e><c URI="O/a.xhtml"/></e>'), "a.epub is encrypted"),
    ("a.xml", documents.tei(ENTITY), "defines entities"),
    ("a.xml", b"<rss><item>x</item></rss>", "is read: its root is <rss>"),
    ("a.xml", b"<TEI><text>cut", "damaged XML"),
    ("a.rtf", b"hello\0", "is not an RTF document"),
    ("a.doc", OLD_OFFICE + bytes(SAMPLE) + ENCRYPTED_OFFICE, "a.doc is an encrypted Office"),
    ("a.rtf", b"{\\rtf1" + b"{" * 6000, "nested more than"),
    ("a.eml", b"", "is empty"),
    ("a.eml", b"\x89PNG\r\n\x1a\n\0", "picture"),
    ("a.mbox", b"Subject: x\n\nno from line", "is not a mailbox"),
    ("a.srt", b"hello", "has no subtitles"),
    ("a.zip", b"PK\x03\x04broken", "damaged zip"),
    ("a.zip", documents.pack({"a.txt": b"a" * 60_000_000}), "unpacks to more than"),
    ("a.tar", documents.tar({"a.txt": b"x" * 600})[:700], "damaged tar"),
    ("a.pdf", b"", "is empty"),
    ("a.pdf", b"plain \0 text", "is not a PDF"),
    ("a.svg", b"<svg><text>A</text></svg>", "an SVG picture"),
    ("a.json", b'[["a", "b"]]', "a.json:1: not a JSON object"),
    ("a.json", b'[{"text": "a"}, {"text": "b"}', "a.json:2: not JSON .*the list is not closed"),
    ("a.json", b'[{"text": "a"}]\n{"text": "b"}', "a.json:2: not JSON .*more after the list"),
    ("a.json", b'[{"text": "a"},]', "a.json:2: not JSON"),
    ("a.json", b'[{"text": "a", "n": [' + b"[" * 150_000 + b"]" * 150_000 + b"]}]",
     "a.json:1: not JSON .*more than 100,000 strings, commas and brackets"),
    ("a.json", b'{"items": [{"text": "a"}]}', "no field 'text'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "message"), BAD)
def test_bad_files_are_refused_in_one_sentence(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        Corpus.read(write(tmp_path / name, data))
    assert name in caught.value.message and "\n" not in caught.value.message


def test_a_bomb_among_files_is_reported_with_the_entry(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", b"A text.")
    write(tmp_path / "b.zip", documents.pack({"c.txt": b"a" * 60_000_000}))
    reader = Reader(tmp_path)
    assert len(list(reader)) == 1
    assert any(note.startswith("skipped 1 (c.txt unpacks to more") for note in reader.report())


@needs_pdf
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (documents.pdf(())[:400], "damaged PDF"),
        (documents.pdf(()), "PDF without text"),
        (documents.pdf((), picture=True), "a scanned PDF"),
        (documents.pdf(("12",), picture=True), "a scanned PDF"),
        (documents.pdf(extra="/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(" + "o" * 32 + ")/U("
                       + "u" * 32 + ")>>/ID[(a)(b)]"), "an encrypted PDF"),
    ],
)  # fmt: skip
def test_a_pdf_without_text_is_refused_as_what_it_is(
    tmp_path: Path, data: bytes, message: str
) -> None:
    with pytest.raises(ReadError, match=message):
        Corpus.read(write(tmp_path / "a.pdf", data))


@needs_pdf
def test_pages_that_are_pictures_are_counted(tmp_path: Path) -> None:
    reader = Reader(write(tmp_path / "a.pdf", documents.pdf(pictures=3)))
    (found,) = reader
    assert FIRST in found.text
    assert any("pictures, without text: 3 of 4" in note for note in reader.notes)
    with pytest.raises(ReadError, match="a scanned PDF"):
        Corpus.read(write(tmp_path / "b.pdf", documents.pdf(("12",), pictures=3)))


@needs_pdf
def test_programs_that_name_no_author_are_not_believed(tmp_path: Path) -> None:
    data = documents.pdf().replace(f"({AUTHOR})".encode(), b"(anonymous)")
    (found,) = Reader(write(tmp_path / "a.pdf", data))
    assert "author" not in found.metadata and found.metadata["title"] == TITLE


def test_a_damaged_entry_does_not_stop_an_archive(tmp_path: Path) -> None:
    data = documents.pack({"a.txt": "First text.", "b.txt": "Second text."}, zipfile.ZIP_STORED)
    reader = Reader(write(tmp_path / "a.zip", data.replace(b"First text", b"Worst text", 1)))
    assert [found.text for found in reader] == ["Second text."]
    assert reader.skipped == [("a.zip/a.txt", "damaged")]


def test_names_in_archives_are_only_names(tmp_path: Path) -> None:
    files = {"../up.txt": b"Up.", "./a/here.txt": b"Here.", "__MACOSX/x.txt": b"x", ".b": b"x"}
    for path, data in (("a.zip", documents.pack(files)), ("a.tar", documents.tar(files))):
        found = list(Reader(write(tmp_path / path, data)))
        assert [(one.id, one.text) for one in found] == [
            (f"{path}/up", "Up."), (f"{path}/a/here", "Here.")
        ]  # fmt: skip


def test_the_extra_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    path = write(tmp_path / "a.pdf", documents.pdf())
    with pytest.raises(MissingExtraError) as caught:
        Corpus.read(path)
    assert "pip install 'lexfield[documents]'" in caught.value.hint
    write(tmp_path / "b.txt", b"A text.")
    assert (
        "skipped 1 (needs pip install 'lexfield[documents]'): a.pdf" in Corpus.read(tmp_path).notes
    )


def test_pages_lose_their_numbers_and_words_their_breaks() -> None:
    pages = [
        f"{n + 7} A HEAD\r\nChapter {n}\r\nthe tele\ufffescope, a tea\ufffeparty,"
        f" Jack-in-the\ufffebox\r\n{n + 7}" for n in range(3)
    ]  # fmt: skip
    found = join_pages([*pages, "a tea-party and 1\r\nxiv", ""])
    line = "the telescope, a tea-party, Jack-in-the-box"
    expected = [f"Chapter {n}\n{line}" for n in range(3)]
    assert found == "\n".join([*expected, "a tea-party and 1"])


@needs_pdf
def test_mutations_of_a_pdf(tmp_path: Path) -> None:
    """The other formats are fuzzed in tests/fault; this one is read by another process."""
    chance, good = random.Random(7), documents.pdf()
    pieces = [b"\0", b"\xff" * 4, b"<", b">", b"(", b"\\", b"9" * 9, b"\n", b""]
    for _ in range(8):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(data) + 1)
            data[place : place + chance.choice([0, 1, 8])] = chance.choice(pieces)
        try:
            assert all(one.text for one in Reader(write(tmp_path / "a.pdf", bytes(data))))
        except LexfieldError as error:
            assert error.message


def test_a_folder_of_many_kinds_is_read_to_its_end(tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path / f"{number}.txt", b"A text.")
    write(tmp_path / "report.docx", documents.docx())
    write(tmp_path / "report.html", documents.html())
    write(tmp_path / "bad.docx", b"PK\x03\x04 no")
    write(tmp_path / "table.csv", b"a,b\n1,2\n")
    for number in range(3):
        write(tmp_path / f"{number}.png", b"\x89PNG\r\n\x1a\n\0")
    for number in range(5):
        write(tmp_path / f"{number}.eml", documents.eml())
    corpus = Corpus.read(tmp_path)
    assert len(corpus) == 27 and {"report", "report.html"} < set(corpus.ids)
    assert corpus.notes[0] == "files read: 27; skipped: pictures 3, damaged or empty 1, others 1"
    assert "skipped 3 (a PNG picture): 0.png, 1.png, 2.png" in corpus.notes
    assert sum("attachments are left out" in note for note in corpus.notes) == 1


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.docx", {"word/document.xml": "<d><p><r><t>Text.</t></r></p></d>"}),
        ("a.odt", {"content.xml": "<d><p>Text.</p></d>"}),
    ],
)
def test_documents_need_no_metadata(
    tmp_path: Path, name: str, parts: dict[str, str | bytes]
) -> None:
    (found,) = Reader(write(tmp_path / name, documents.pack(parts)))
    assert (found.text, found.metadata) == ("Text.", {})


def test_fonts_of_rtf_have_encodings(tmp_path: Path) -> None:
    data = rb"{\rtf1\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}"
    data += rb"\f0 caf\'e9 {\f1 \'cf\'f0\'e8\'e2\'e5\'f2} \'e9t\'e9}"
    (found,) = Reader(write(tmp_path / "a.rtf", data))
    assert found.text == "café Привет été"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real documents are not here")
@needs_pdf
def test_real_documents() -> None:
    (alice,) = Reader(SHARED / "carroll-wonderland.pdf")
    assert len(alice.text.split()) > 26_000 and "bookshelves; here and there" in alice.text
    assert alice.text.count("\nChapter ") == 12 and "CHAPTER 1." not in alice.text
    (glass,) = Reader(SHARED / "carroll-lookingglass.docx")
    assert glass.text.startswith("THROUGH THE LOOKING-GLASS\n\nBy Lewis Carroll\n\n")


@needs_pdf
def test_one_process_reads_many_pdfs(tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path / f"{number}.pdf", documents.pdf())
    write(tmp_path / "9b.pdf", documents.pdf(())[:400])
    start = time.process_time() + sum(os.times()[2:4])
    reader = Reader(tmp_path)
    assert len(list(reader)) == 20 and reader.skipped == [("9b.pdf", "a damaged PDF")]
    assert time.process_time() + sum(os.times()[2:4]) - start < 1.5  # 80 ms each before
    assert CHILD._process is None


@needs_pdf
def test_a_pdf_that_ends_the_process_does_not_harm_the_next() -> None:
    good = documents.pdf()
    try:
        assert not CHILD.read(good)["problem"]
        assert CHILD._process is not None
        CHILD._process.kill()
        assert not CHILD.read(good)["problem"]
    finally:
        CHILD.close()


@pytest.mark.parametrize("name", [pytest.param("a.pdf", marks=needs_pdf), "a.docx", "a.odt"])
def test_a_text_in_question_may_be_a_document(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, DOCUMENTS[name]())
    assert words(choose_text(path, Corpus.of([])).text) == words(f"{FIRST} {SECOND}")
    (asked,) = choose_texts(path, [], [])
    assert words(asked.text) == words(f"{FIRST} {SECOND}")


def test_what_systems_and_web_pages_leave_in_folders_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "page_files").mkdir()
    (tmp_path / "page.html").write_text("<html><body><p>The text.</p></body></html>")
    for name in ("page_files/a.js", "page_files/b.css", "desktop.ini", "Thumbs.db", "~$a.docx"):
        (tmp_path / name).write_text("var x = 1;")
    corpus = Corpus.read(tmp_path)
    assert list(corpus.ids) == ["page"]
    assert "files read: 1; skipped: hidden or ignored 3, others 2" in corpus.notes
    assert [found.id for found in Reader(tmp_path / "page_files" / "a.js")] == ["a.js"]
