"""TEI: header and text, corpora, and other XML, which is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.documents import DOCUMENTS, TITLE
from tests.text.test_formats import write

from lexfield.errors import ReadError
from lexfield.text.read import Reader


def test_a_line_break_inside_a_word_of_tei(tmp_path: Path) -> None:
    body = '<p>cou<lb break="no"/>pé en<lb/>deux</p>'
    tei = f"<TEI><teiHeader/><text><body>{body}</body></text></TEI>"
    (found,) = Reader(write(tmp_path / "a.xml", tei.encode()))
    assert found.text == "coupé en deux"


def test_the_header_of_tei(tmp_path: Path) -> None:
    header = """<teiHeader><titleStmt><title>Der <hi>Sandmann</hi></title><author><persName>
    <surname>Hoffmann</surname>, <forename>Ernst</forename></persName></author></titleStmt>
    <publicationStmt><date when="2013"/></publicationStmt><biblFull><publicationStmt><date
    when="1817">im Jahr 1817</date></publicationStmt></biblFull></teiHeader>"""
    body = "<row><cell>a</cell><cell>b</cell></row><p><lem>So</lem><rdg>Anders</rdg>.</p>"
    tei = f'<TEI xml:lang="de">{header}<text><body>{body}</body></text></TEI>'
    (found,) = Reader(write(tmp_path / "a.xml", tei.encode()))
    assert found.text == "a b\n\nSo."
    assert found.metadata == {
        "title": "Der Sandmann", "author": "Hoffmann, Ernst", "date": "1817", "language": "de",
    }  # fmt: skip


def test_a_corpus_in_tei_has_many_texts(tmp_path: Path) -> None:
    header = "<teiHeader><titleStmt><title>{}</title>{}</titleStmt></teiHeader>"
    texts = "".join(
        f"<TEI>{header.format(title, '')}<text xml:lang='fr'><p>{title} text.</p></text></TEI>"
        for title in ("First", "Second")
    )
    shared = header.format("All", "<author>Anna</author>")
    data = f"<teiCorpus>{shared}{texts}</teiCorpus>".encode()
    first, second = Reader(write(tmp_path / "a.xml", data))
    assert (first.id, first.text) == ("a.xml:1", "First text.")
    assert (second.id, second.text) == ("a.xml:2", "Second text.")
    assert second.metadata == {"title": "Second", "author": "Anna", "language": "fr"}


def test_xml_of_any_name_is_not_read_as_text(tmp_path: Path) -> None:
    book = b'<?xml version="1.0"?>\n<FictionBook><p>One.</p></FictionBook>'
    with pytest.raises(ReadError, match="its root is <FictionBook>"):
        list(Reader(write(tmp_path / "a.fb2", book)))
    (found,) = Reader(write(tmp_path / "a.txt", DOCUMENTS["a.xml"]()))
    assert "<" not in found.text and found.metadata["title"] == TITLE
    (found,) = Reader(tmp_path / "a.fb2", format="text")
    assert found.text.startswith("<?xml")
