"""Packed files are read like others, within the same bounds."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from lexfield.errors import ReadError
from lexfield.text.packed import find_packing, strip_packing
from lexfield.text.read import Reader

KINDS: list[tuple[str, str, Callable[[bytes], bytes]]] = [
    ("gzip", ".gz", gzip.compress), ("bzip2", ".bz2", bz2.compress), ("xz", ".xz", lzma.compress)
]  # fmt: skip


@pytest.mark.parametrize(("kind", "suffix", "pack"), KINDS)
def test_packed_texts_and_tables_are_read(
    tmp_path: Path, kind: str, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    long = b"One line of a long text.\n" * 20_000
    (tmp_path / f"a.txt{suffix}").write_bytes(pack(long) + pack(b"The last line."))  # two parts
    (tmp_path / f"b.csv{suffix}").write_bytes(pack(b"id,text\n1,hello\n"))
    first, second = Reader(tmp_path, join_lines="never")
    assert first.text == (long + b"The last line.").decode()
    assert (second.id, second.text) == ("1", "hello")
    assert find_packing(pack(b"x")[:10]) == kind


@pytest.mark.parametrize(("kind", "suffix", "pack"), KINDS)
def test_damaged_and_growing_files_are_refused(
    tmp_path: Path, kind: str, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"a.txt{suffix}"
    packed = pack(bytes(range(32, 127)) * 50)
    path.write_bytes(packed[:-20])
    with pytest.raises(ReadError, match=f"is a damaged {kind} file: its end is missing"):
        list(Reader(path))
    path.write_bytes(packed[:30] + b"\xff" * 9 + packed[39:])
    with pytest.raises(ReadError, match=f"is a damaged {kind} file"):
        list(Reader(path))
    path.write_bytes(pack(b"a" * (20 << 20)))
    with pytest.raises(ReadError, match="expands to far more than its size"):
        list(Reader(path))


def test_a_file_may_not_ask_for_much_memory(tmp_path: Path) -> None:
    packed = bytearray(lzma.compress(b"hello", check=lzma.CHECK_NONE))
    packed[16] = 40  # of its block header: a dictionary of 4 GB
    packed[20:24] = zlib.crc32(packed[12:20]).to_bytes(4, "little")
    path = tmp_path / "a.txt.xz"
    path.write_bytes(packed)
    with pytest.raises(ReadError, match="damaged xz file"):
        list(Reader(path))


def test_texts_that_begin_like_packed_files_are_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("BZh is how bzip2 begins.")
    assert [one.text for one in Reader(tmp_path)] == ["BZh is how bzip2 begins."]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.txt.gz", "a.txt"), ("A.TAR.BZ2", "A.TAR"), ("a.txz", "a.tar"), ("a.txt", "a.txt")],
)
def test_names_of_packed_files(name: str, expected: str) -> None:
    assert strip_packing(name) == expected
