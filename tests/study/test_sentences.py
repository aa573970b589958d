from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from lexfield.errors import InputError, LexfieldError
from lexfield.study.build import StudyQuery, drop_repeats, read_queries


def test_lines_and_json(tmp_path: Path) -> None:
    lines = tmp_path / "q.txt"
    lines.write_bytes("\ufeffA storm.\r\n\n  A\u0007 calm  sea. \nA storm.\n".encode())
    assert read_queries(lines) == [StudyQuery("A storm."), StudyQuery("A calm sea.")]
    plain = tmp_path / "q.json"
    plain.write_text('["One.", "Two."]')
    assert read_queries(plain) == [StudyQuery("One."), StudyQuery("Two.")]
    plain.write_text('{"middle": ["One."], "college": ["One.", "Two."]}')
    assert [query.level for query in read_queries(plain)] == ["middle", "college", "college"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("q.txt", b" \n\n", "holds no queries"),
        ("q.txt", b"\xff\xfe", "not UTF-8"),
        ("q.txt", b"x" * 3000, "3,000 characters"),
        ("q.txt", b"\n".join(b"%d" % i for i in range(10_001)), "more than 10,000"),
        ("q.json", b"[1]", "not a text"),
        ("q.json", b'[" "]', "empty text"),
        ("q.json", b'{"a": 1}', "neither a list"),
        ("q.json", b"{", "is not JSON"),
        ("q.json", b"[" * 100_000, "is not JSON"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LexfieldError, match=message):
        read_queries(tmp_path / name)


def test_large_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("lexfield.study.build"), "MOST_BYTES", 10)
    (tmp_path / "q.json").write_text('["A long enough query."]')
    with pytest.raises(InputError, match="larger than"):
        read_queries(tmp_path / "q.json")


def test_drop_repeats() -> None:
    said = [
        "“No, never!”",
        "Never, no.",
        "no never",
        "  It   rains. ",
        "It rains!",
        "…",
        "x" * 3000,
    ]
    assert drop_repeats("It was I.", said) == ["“No, never!”", "Never, no.", "It rains."]
    assert drop_repeats("", ["\x1b[31mRed\x1b[0m\x07 \u202etext"]) == ["[31mRed [0m text"]
    assert drop_repeats("It rains", said)[-1] == "Never, no."
