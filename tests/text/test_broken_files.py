"""Documents that are cut off or empty: each is named, and the others are read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.documents import DOCUMENTS
from tests.text.test_formats import write

from lexfield.errors import ReadError
from lexfield.text.corpus import Corpus
from lexfield.text.source import CUT_OFF

_SENT = b"From a@b.org Mon Jan  1 10:00:00 2020\nSubject: x\n\nHello.\n\n"
LONG_LINES = {
    "a.txt": b"a b " * 100_000 + "\ncafé\n".encode("latin-1"),
    "a.mbox": _SENT + b"From " + b"1:11" * 50_000,
    "a.html": b"<html><title>" + b"</title " * 40_000,
    "a.md": b"[" * 400_000,
}
CUT = dict.fromkeys(("a.docx", "a.epub", "a.odt", "a.zip"), "its end is missing")
CUT["a.xml"] = "it ends too early"


@pytest.mark.parametrize("name", ["a.html", "a.rtf", "a.eml", *CUT])
def test_files_that_are_cut_off_are_reported(tmp_path: Path, name: str) -> None:
    data = DOCUMENTS[name]()
    path = write(tmp_path / name, data[: int(0.7 * len(data))])
    if name in CUT:
        with pytest.raises(ReadError, match=CUT[name]) as caught:
            Corpus.read(path)
        assert caught.value.hint == "Copy or download it again."
    else:
        assert f"{path}: {CUT_OFF}" in Corpus.read(path).notes
        assert not any(CUT_OFF in note for note in Corpus.read(write(path, data)).notes)


def test_empty_files_are_named(tmp_path: Path) -> None:
    for name in ("a.txt", "b.csv", "c.jsonl", "d.html", "e.zip"):
        with pytest.raises(ReadError, match=rf"{name} is empty\."):
            Corpus.read(write(tmp_path / name, b""))
    write(tmp_path / "f.txt", b"A text.")
    write(tmp_path / "g.txt", b" \n")
    write(tmp_path / "h.csv", b"id,text\n")
    assert Corpus.read(tmp_path).notes == [
        "documents without words: 1 (g)",
        "skipped 5 (empty): a.txt, b.csv, c.jsonl and 2 more",
        f"{tmp_path / 'h.csv'}: holds no texts",
    ]


def test_ids_that_are_used_twice_do_not_stop_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"id,text\n1,One text.\n2,Two.\n")
    write(tmp_path / "b.csv", b"id,text\n1,Another.\n3,Three.\n3,Again.\n")
    corpus = Corpus.read(tmp_path)
    assert corpus.ids[:] == ["1", "2", "b.csv:1", "3"]
    assert any(note.startswith("ids that another file also uses: 1;") for note in corpus.notes)
    assert any(
        "the rest, from line 4: the id '3' is used twice): b.csv" in note for note in corpus.notes
    )


@pytest.mark.parametrize("name", LONG_LINES)
def test_the_time_for_a_long_line_grows_with_its_length_alone(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, LONG_LINES[name])
    began = time.process_time()
    Corpus.read(path)
    assert time.process_time() - began < 3
