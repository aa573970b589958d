"""One reader for every file of queries."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from lexfield.errors import ReadError
from lexfield.evaluate.queries import read_queries


def test_queries_from_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        '{"_id": 7, "text": "a b"}\n\n{"id": "x", "text": "c", "q": "d"}\n{"text": "e"}\n'
    )
    assert read_queries(file) == {"7": "a b", "x": "c", "4": "e"}
    file.write_text('{"n": 1, "q": "d"}')
    assert read_queries(file, "n", "q") == {"1": "d"}
    with pytest.raises(ReadError, match="Its fields are: n, q. Name another with text_field"):
        read_queries(file)


def test_lines_with_and_without_ids(tmp_path: Path) -> None:
    file = tmp_path / "q.tsv"
    file.write_bytes("\ufeffq1\ta storm\tat sea\r\n\n bread \nnot an id\tbut text\n".encode())
    assert read_queries(file) == {"q1": "a storm\tat sea", "3": "bread", "4": "not an id\tbut text"}
    file.write_text("{not json\n")
    with pytest.raises(ReadError, match="line 1: not JSON"):
        read_queries(file)
    file.write_text("a\tone\na\ttwo\n")
    with pytest.raises(ReadError, match="line 2: the id 'a' is used twice"):
        read_queries(file)
    file.write_text("2\tone\ntwo\n")
    with pytest.raises(ReadError, match="line 2: the id '2' is used twice"):
        read_queries(file)


def test_json_lines_need_no_suffix(tmp_path: Path) -> None:
    (tmp_path / "queries").write_text('\n{"id": "a", "text": "one"}\n{"id": "b", "text": "{two"}\n')
    assert read_queries(tmp_path / "queries") == {"a": "one", "b": "{two"}
    (tmp_path / "q.jsonl").write_text("a plain line\n")
    with pytest.raises(ReadError, match="not JSON"):
        read_queries(tmp_path / "q.jsonl")


def test_binary_and_oversized_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "queries.txt"
    path.write_bytes(b"%PDF-1.7\nstorm")
    with pytest.raises(ReadError, match="is a PDF document, not text"):
        read_queries(path)
    path.write_text("storm\nboat\n")
    monkeypatch.setattr(import_module("lexfield.evaluate.queries"), "MOST_BYTES", 8)
    with pytest.raises(ReadError, match="is larger than"):
        read_queries(path)
