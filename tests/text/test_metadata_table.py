"""Tables of metadata beside the texts, and fields in the texts themselves."""

from pathlib import Path

from tests.text.test_read import write

from lexfield.text.corpus import Corpus
from lexfield.text.read import Reader


def test_a_sidecar_may_name_paths(tmp_path: Path) -> None:
    for name in ("1821/a.txt", "1822/a.txt", "b.txt", "c.txt"):
        write(tmp_path / "letters" / name, b"A text.")
    rows = r"""file,author
letters/1821/a.txt,Anna
letters/1822/a.txt,Ada
C:\letters\b.txt,Bea
./c.txt,Cleo
c.txt,Cora
"""
    table = write(tmp_path / "m.csv", rows)
    reader = Reader(tmp_path / "letters", metadata=table)
    found = {document.id: document.metadata.get("author") for document in reader}
    assert found == {"1821/a": "Anna", "1822/a": "Ada", "b": "Bea", "c": "Cora"}
    assert reader.report() == ["metadata: records that match no text: 1 (./c.txt)"]
    reader = Reader(tmp_path / "letters" / "1821", metadata=table)
    assert [document.metadata for document in reader] == [{}]  # of two that are called so
    table = write(tmp_path / "twice.csv", "file,author\nc.txt,Cleo\nc.txt,Cora\n")
    reader = Reader(tmp_path / "letters" / "c.txt", metadata=table)
    assert [document.metadata for document in reader] == [{"author": "Cora"}]
    assert reader.report() == [
        "metadata: ids with several records, of which the last is used: 1 (c.txt)"
    ]


def test_a_sidecar_is_matched_whatever_the_case_and_the_form_of_accents(tmp_path: Path) -> None:
    for name in ("Emma.TXT", "Bronte\u0308.txt", "Anna.txt"):
        write(tmp_path / "t" / name, b"A text.")
    rows = "file,n\nx/emma.txt,1\nBront\u00eb.txt,2\nanna.txt,3\nANNA.txt,4\n"
    table = write(tmp_path / "m.csv", rows.encode())
    reader = Reader(tmp_path / "t", metadata=table)
    found = {document.id: document.metadata.get("n") for document in reader}
    assert found == {"Emma": "1", "Bronte\u0308": "2", "Anna": None}  # of two alike
    reader.check_field("n")


def test_the_field_may_be_in_front_matter(tmp_path: Path) -> None:
    for start in ("---\nauthor: A\n---\n", "\ufeff+++\nauthor = 'A'\n+++\n"):
        Reader(write(tmp_path / "a.txt", f"{start}A text.".encode())).check_field("author")


def test_a_sidecar_is_matched_by_file_name(tmp_path: Path) -> None:
    texts = tmp_path / "t"
    texts.mkdir()
    for name in ("emma.txt", "anna.txt", "none.txt"):
        write(texts / name, b"A text.")
    table = write(tmp_path / "m.csv", b"File,author\nemma.txt,Austen\nanna,Tolstoy\nlost.txt,X\n")
    corpus = Corpus.read(texts, metadata=table)
    assert corpus["emma"].metadata == {"author": "Austen"}
    assert corpus["anna"].metadata == {"author": "Tolstoy"}
    assert "metadata: records that match no text: 1 (lost.txt)" in corpus.notes
    assert "metadata: texts without a record: 1 (none)" in corpus.notes
    Reader(texts, metadata=table).check_field("author")
    write(texts / "anna.txt", b"").unlink()
    Reader(texts, metadata=table).check_field("author")  # only named with a suffix
