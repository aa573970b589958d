"""Messages of one text are read without the library's loop over lines, with the same result."""

from __future__ import annotations

from email import message_from_bytes
from pathlib import Path

import pytest

from lexfield.text.formats.mail import _parse
from lexfield.text.read import Reader

MESSAGES = [
    b"Subject: x\nContent-Type: text/plain\n\nbody\n\nmore\n",
    b"Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n",
    b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nca=E9 \xe9\n",
    b"Subject: x\n\n",
    b"Subject: no body",
    b"Subject: x\nno header\nTo: y\n\nbody\n",
    b"Subject: x\rTo: y\r\rbody",
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo\n--b--\n",
]


@pytest.mark.parametrize("data", MESSAGES)
def test_every_message_has_the_parts_that_the_library_finds(data: bytes) -> None:
    ours, theirs = _parse(data), message_from_bytes(data)
    assert ours.items() == theirs.items()
    assert [part.get_payload(decode=True) for part in ours.walk()] == [
        part.get_payload(decode=True) for part in theirs.walk()
    ]


def test_a_header_without_an_empty_line_below_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(b"Subject: A walk\nWe went to the river.\n\nIt was cold.\n")
    (document,) = Reader(path)
    assert document.text == "A walk\n\nWe went to the river.\n\nIt was cold."


def test_lines_that_begin_with_from_are_restored(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_text(
        "From a@b.c Tue Mar 12 10:11:12 2019\nSubject: One\n\n"
        ">From here on.\n>>From it.\n> Not.\n\n"
        "From a@b.c Tue Mar 12 10:11:13 2019\nSubject: Two\n\nEnd.\n"
    )
    first, second = Reader(path)
    assert first.text == "One\n\nFrom here on.\n>From it.\n> Not." and second.text == "Two\n\nEnd."


def test_mail_from_windows_that_calls_itself_latin1(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    header = b"Subject: One\nContent-Type: text/plain; charset=iso-8859-1\n\n"
    path.write_bytes(header + "“It’s a café” – or not".encode("cp1252"))
    (found,) = Reader(path)
    assert found.text == "One\n\n“It’s a café” – or not"
