"""What people send is looked at before it is believed."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.serve import tasks
from lexfield.serve.uploads import Sent, keep
from lexfield.text.decode import ENCRYPTED_OFFICE, OLD_OFFICE, SAMPLE
from lexfield.text.formats.archive import Bounds
from lexfield.text.read import Reader
from lexfield.text.readers import READERS
from tests import documents

ENCRYPTED = OLD_OFFICE + bytes(SAMPLE) + ENCRYPTED_OFFICE


def zipped(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_texts_and_tables_are_kept_under_harmless_names(tmp_path: Path) -> None:
    sent = [
        Sent("../../etc/passwd", b"root"),
        Sent("C:\\texts\\Brief an María.txt", "Liebe Mar\u00eda.".encode()),
        Sent("data.CSV", b"id,text\n1,hello\n"),
        Sent("notes", b"a"),
        Sent("notes.txt", b"b"),
        Sent("...", b"c"),
        Sent("report.v2", b"d"),
    ]
    names, _ = keep(sent, tmp_path)
    assert names == [
        "passwd.txt", "Brief an María.txt", "data.csv", "notes.txt", "notes 2.txt", "text.txt",
        "report.v2.txt",
    ]  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert (tmp_path / "notes 2.txt").read_bytes() == b"b"


def test_names_in_every_script_are_kept_as_they_are(tmp_path: Path) -> None:
    given = ["L’été à Évreux.txt", "हिन्दी की किताब.txt", "ภาษาไทย.md", "吾輩は猫である（上）.txt"]
    names, _ = keep([Sent(name, name.encode()) for name in given], tmp_path)
    assert names == given
    (tmp_path / "long").mkdir()
    (long,), _ = keep([Sent("漢字" * 120 + ".docx", documents.docx())], tmp_path / "long")
    assert long.startswith("漢字" * 30) and len(long.encode()) < 256 and long.endswith(".docx")
    (tmp_path / "sly").mkdir()
    (sly,), _ = keep([Sent('a<b>:"?*|#%\u202e\n&.txt', b"x")], tmp_path / "sly")
    assert sly == "a_b_.txt"


def test_a_zip_is_unpacked_flat_without_what_systems_put_in_it(tmp_path: Path) -> None:
    data = zipped({
        "a/one.txt": b"one", "b/one.txt": b"two", "../out.txt": b"three",
        "__MACOSX/x": b"x", ".DS_Store": b"x", "a/.hidden": b"x",
    })  # fmt: skip
    assert keep([Sent("x.bin", data)], tmp_path)[0] == ["one.txt", "one 2.txt", "out.txt"]
    assert (tmp_path / "out.txt").is_file()  # and not beside the folder
    assert not (tmp_path.parent / "out.txt").exists()


def test_links_in_a_zip_are_not_followed(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("text.txt", "text")
    assert keep([Sent("x.zip", out.getvalue())], tmp_path)[0] == ["text.txt"]


def test_documents_are_kept_as_they_are(tmp_path: Path) -> None:
    sent = [
        Sent("a.docx", documents.docx()),
        Sent("b.zip", zipped({"c.epub": documents.epub(), "d.html": documents.html()})),
        Sent("e", documents.rtf()),
    ]
    assert keep(sent, tmp_path)[0] == ["a.docx", "c.epub", "d.html", "e.txt"]
    texts = [document.text for document in Reader(tmp_path)]
    assert len(texts) == 4 and all("came home at night" in text for text in texts)


def test_text_and_tables_are_read_as_what_they_are(tmp_path: Path) -> None:
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    table = io.BytesIO()
    pq.write_table(pa.table({"id": ["t"], "text": ["A table."]}), table)
    sent = [Sent("a.pdf", b"A text."), Sent("b.parquet", b"B."), Sent("c.txt", table.getvalue())]
    assert keep(sent, tmp_path)[0] == ["a.pdf", "b.parquet", "c.txt"]
    assert [one.text.strip() for one in Reader(tmp_path)] == ["A text.", "B.", "A table."]


def test_gzip_bzip2_and_xz_are_unpacked(tmp_path: Path) -> None:
    assert keep([Sent("a.txt.gz", gzip.compress(b"hello"))], tmp_path)[0] == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"hello"
    tar = documents.tar({"b.txt": b"A text."})
    sent = [Sent("b.tar.bz2", bz2.compress(tar)), Sent("c.TXZ", lzma.compress(tar))]
    assert keep(sent, tmp_path)[0] == ["b.tar", "c.tar"]
    assert [one.text.strip() for one in Reader(tmp_path)] == ["hello", "A text.", "A text."]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "picture"),
        ("a.txt", b"\x7fELF\x02\x01", "program"),
        ("a.txt", b"abc\0def\0\0\0\1\2\3" * 99, "not text"),
        ("a.css", b"p { color: red }", "style sheet of a web page"),
        ("x/App.JS", b"let x = 1", "script"),
        ("a.docx", ENCRYPTED, "a.docx is an encrypted Office document"),
        ("a.docx", zipped({"[Content_Types].xml": b"<x/>"}), "Office"),
        ("a.zip", zipped({"b.zip": zipped({"c.txt": b"c"})}), "archive itself"),
        ("a.zip", b"PK\x03\x04broken", "damaged zip"),
        ("a.gz", b"\x1f\x8b\x08broken", "damaged gzip"),
        ("a.txt.bz2", bz2.compress(b"hello")[:-9], "damaged bzip2"),
        ("a.txt.xz", lzma.compress(b"hello")[:-9], "damaged xz"),
        ("a.zip", zipped({".hidden": b"x"}), "no text"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        keep([Sent(name, data)], tmp_path)


def test_what_is_no_text_is_left_out_beside_texts(tmp_path: Path, client: Any) -> None:
    picture, text = b"\x89PNG\r\n\x1a\n", b"The cat sat on the mat."
    names, left_out = keep([Sent("a.png", picture), Sent("b.txt", text)], tmp_path)
    assert names == ["b.txt"] and left_out == ["left out: a.png is a PNG picture, not text"]
    files = [("files", ("a.png", picture)), ("files", ("b.txt", text))]
    job = client.post("/v1/indexes", files=files, data={"name": "mixed"}).json()
    finished(client, job)
    told = client.get(f"/v1/jobs/{job['id']}/result").json()
    assert told["results"][0]["documents"] == 1 and left_out[0] in told["notes"]


def test_damaged_files_do_not_stop_the_others(tmp_path: Path) -> None:
    inner = zipped({"c.txt": b"c"})
    data = bytearray(zipped({"a.txt": b"A text.", "b.txt": b"B" * 50, "d.zip": inner}, 0))
    data[data.index(b"BBB")] ^= 1  # the checksum tells
    broken = gzip.compress(b"hello " * 50)[:-9]
    sent = [Sent("x.zip", bytes(data)), Sent("e.txt.gz", broken), Sent("f.txt", b"An f.")]
    names, left_out = keep(sent, tmp_path)
    assert names == ["a.txt", "f.txt"]
    assert left_out[:2] == [
        "left out: x.zip/b.txt is damaged",
        "left out: d.zip in x.zip is an archive itself",
    ]
    assert left_out[2].startswith("left out: e.txt.gz is a damaged gzip file")


def test_archives_have_limits(tmp_path: Path) -> None:
    many = zipped({f"{i}.txt": b"x" for i in range(11)})
    with pytest.raises(InputError, match="entries"):
        keep([Sent("a.zip", many)], tmp_path, Bounds(entries=10))
    bomb = zipped({"a.txt": b"a" * 3_000_000})
    with pytest.raises(InputError, match="100 times"):
        keep([Sent("a.zip", bomb)], tmp_path)
    with pytest.raises(InputError, match="100 times"):
        keep([Sent("a.gz", gzip.compress(b"a" * 3_000_000))], tmp_path)
    with pytest.raises(InputError, match="100 times"):
        keep([Sent("a.xz", lzma.compress(b"a" * 3_000_000))], tmp_path)
    large = zipped({"a.txt": b"a" * 600, "b.txt": b"b" * 600})
    with pytest.raises(InputError, match="MB"):
        keep([Sent("a.zip", large)], tmp_path, Bounds(unpacked=1000))
    with pytest.raises(InputError, match="more than 2"):
        keep([Sent("a", b"a"), Sent("b", b"b"), Sent("c", b"c")], tmp_path, Bounds(entries=2))


def test_a_zip_that_lies_about_its_size_is_cut_off(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": b"a" * 3_000_000}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")  # claims ten bytes
    with pytest.raises(InputError):
        keep([Sent("a.zip", bytes(data))], tmp_path)


def finished(client: Any, job: dict[str, Any]) -> dict[str, Any]:
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
        lines = [line for line in stream.iter_lines() if line.startswith("data: ")]
    stages = [json.loads(line[6:]) for line in lines]
    assert {"reading documents", "embedding words"} & {one["stage"] for one in stages}
    last: dict[str, Any] = stages[-1]
    return last


def test_files_become_an_index_that_can_be_searched_and_deleted(client: Any) -> None:
    files = [
        ("files", ("sea.txt", b"The grey ship sailed over the cold sea at night.")),
        ("files", ("more.zip", zipped({"land.txt": b"The farmer ploughed the dry field alone."}))),
    ]
    started = client.post("/v1/indexes", files=files, data={"name": "Zwei Texte!"})
    assert started.status_code == 202, started.text
    assert finished(client, started.json())["state"] == "done"
    found = client.get("/v1/search", params={"index": "zwei-texte", "q": "a boat on the ocean"})
    assert found.json()["results"][0]["source"] == "sea.txt"
    listed = client.get("/v1/indexes").json()["indexes"]
    assert [one["uploaded"] for one in listed if one["id"] == "zwei-texte"] == [True]
    assert client.delete("/v1/indexes/zwei-texte").status_code == 204
    assert client.get("/v1/indexes/zwei-texte").status_code == 404
    assert client.delete("/v1/indexes/sample").status_code == 400
    assert client.get("/v1/indexes/sample").status_code == 200


def test_a_text_becomes_an_index(client: Any) -> None:
    text = "One fine day the cat came home. Nobody asked it where it had been."
    job = client.post("/v1/indexes", data={"text": text, "name": "cat"}).json()
    assert finished(client, job)["state"] == "done"
    assert client.get("/v1/indexes/cat").json()["results"][0]["sentences"] == 2
    again = client.post("/v1/indexes", data={"text": text, "name": "cat"}).json()
    assert finished(client, again)["index"] == "cat-2"  # nothing is replaced


def test_the_column_that_is_chosen_for_titles_is_the_title(client: Any) -> None:
    table = b"key,heading,text,year\n7,The cat,It slept all day.,1850\n"
    sent = {"name": "headed", "title_field": "heading", "id_field": "key"}
    job = client.post("/v1/indexes", files=[("files", ("t.csv", table))], data=sent).json()
    assert finished(client, job)["state"] == "done"
    listed = client.get("/v1/documents", params={"index": "headed"}).json()["results"]
    assert listed[0]["metadata"] == {"title": "The cat", "year": "1850"}


def test_wrong_uploads_say_so_and_leave_nothing(client: Any) -> None:
    def status(**sent: Any) -> tuple[int, str]:
        answer = client.post("/v1/indexes", **sent)
        return answer.status_code, answer.json()["error"]

    assert status() == (400, "Nothing was sent.")
    assert status(files=[("files", ("a.txt", b"\x7fELF\x02"))])[0] == 400
    assert "klingon" in status(data={"text": "hello", "language": "klingon"})[1]
    folder = client.app.state.server.library.folder
    assert not list((folder / "waiting").glob("uploads-*/tmp*"))


def test_a_build_that_fails_leaves_nothing(client: Any) -> None:
    job = client.post("/v1/indexes", files=[("files", ("a.csv", b"x,y\n1,2\n"))]).json()
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
        last = [line for line in stream.iter_lines() if line.startswith("data: ")][-1]
    body = json.loads(last[6:])
    assert body["state"] == "failed" and "no field" in body["problem"]["error"]
    folder = client.app.state.server.library.folder
    assert (
        not list((folder / "waiting").glob("uploads-*/tmp*"))
        and not (folder / "indexes" / "a").exists()
    )


def last_event(client: Any, job: dict[str, Any]) -> dict[str, Any]:
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
        last = [line for line in stream.iter_lines() if line.startswith("data: ")][-1]
    found: dict[str, Any] = json.loads(last[6:])
    return found


def test_a_table_of_very_many_columns_is_refused_and_mixes_nothing_up(client: Any) -> None:
    """Its error names thousands of columns: more than fits into one line to the server."""
    wide = ",".join(f"gene_ENSG{number:011d}" for number in range(60_000))
    job = client.post("/v1/indexes", files=[("files", ("wide.csv", f"{wide}\n{wide}\n".encode()))])
    body = last_event(client, job.json())
    assert body["state"] == "failed" and "and 59,980 more" in body["problem"]["error"]
    for word in ("winter", "machine", "lantern"):
        options = {"index": "sample", "q": word, "k": 1, "method": ["bm25"]}
        job = client.post("/v1/jobs", json={"verb": "search", "options": options}).json()
        assert last_event(client, job)["state"] == "done"
        asked = client.get(f"/v1/jobs/{job['id']}/result").json()
        again = client.get("/v1/search", params={**options, "format": "json"}).json()
        assert asked["results"] == again["results"]
        assert all(word in one["text"].lower() for one in asked["results"])


def test_errors_do_not_show_where_the_server_keeps_things(client: Any) -> None:
    job = client.post("/v1/indexes", files=[("files", ("a.csv", b"x,y\n1,2\n"))]).json()
    body = last_event(client, job)
    folder = client.app.state.server.library.folder
    assert body["problem"]["error"].startswith("a.csv:") and str(folder) not in str(body)


def test_a_registered_reader_reads_what_is_sent(tmp_path: Path) -> None:
    class Verses:
        suffixes = (".verses",)

        def read(self, source: Any) -> Any:
            yield from ()

    READERS.register("verses", Verses())
    try:
        assert keep([Sent("a.VERSES", b"one")], tmp_path)[0] == ["a.verses"]
    finally:
        READERS.forget("verses")


def test_an_upload_of_many_words_leaves_out_what_takes_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without stored neighbours of its words it is there sooner, and answers the same."""
    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "a.txt").write_text("The boat came home. A dog barked at the ship.")
    none: dict[str, Any] = dict.fromkeys(("title_field", "id_field", "language"))
    answers = []
    for most in (100, 3):
        monkeypatch.setattr(tasks, "_MOST_BALLS", most)
        target = tmp_path / f"{most}.idx"
        place = {"folder": str(tmp_path / "sent"), "target": str(target), "left_out": []}
        tasks.build("a", {**place, **none, "text_field": []}, {}, "")
        index = Index.open(target)
        assert index.lexicon.has_balls == (most == 100)
        answers.append([(hit.id, hit.score) for hit in index.search("a vessel", "ideas")])
    assert answers[0] == answers[1] != []
