"""word2vec binary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import VectorsError
from lexfield.vectors.files import read_vectors
from lexfield.vectors.formats import common

WORDS = ["the", "Größe", "日本", "nan", "123", "😀🎉"]
ROWS = np.random.default_rng(2).normal(size=(len(WORDS), 5)).astype("<f4")


def binary(end: bytes = b"") -> bytes:
    rows = zip(WORDS, ROWS, strict=True)
    body = b"".join(word.encode() + b" " + row.tobytes() + end for word, row in rows)
    return b"%d 5\n" % len(WORDS) + body


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["x.bin", "x.bin.gz"])
def test_gensim_round_trip(tmp_path: Path, name: str) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is a development dependency")
    keyed = models.KeyedVectors(5)
    keyed.add_vectors(WORDS, ROWS)
    keyed.save_word2vec_format(str(tmp_path / name), binary=True)
    file = read_vectors(tmp_path / name)
    assert (file.format, file.words, file.notes) == ("word2vec-bin", WORDS, [])
    np.testing.assert_array_equal(file.matrix, ROWS)


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("block", [1, 10, 1 << 18])
def test_with_and_without_line_ends(
    tmp_path: Path, end: bytes, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "BLOCK", block)
    file = read_vectors(write(tmp_path / "x", binary(end)))
    assert file.words == WORDS
    np.testing.assert_array_equal(file.matrix, ROWS)


def test_limit(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x", binary()), limit=2)
    assert file.words == WORDS[:2]
    assert file.notes == ["limit: the first 2 rows of 6 were read"]


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    data = binary()
    for size in range(len(data)):
        with pytest.raises(VectorsError):
            read_vectors(write(tmp_path / "x", data[:size]), format="word2vec-bin")
        with pytest.raises(VectorsError):
            read_vectors(write(tmp_path / "x", data[:size]))


def test_truncation_counts_what_was_read(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="5 of 6 vectors could be read"):
        read_vectors(write(tmp_path / "x", binary()[:-1]))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"6000000000 5\n", "its header promises 6,000,000,000 vectors"),
        (b"6 70000\n", "dimensions. Got 70,000"),
        (b"6 0\n", "dimensions. Got 0"),
        (b"-6 5\n", "does not begin with the header"),
        (b"9" * 5000 + b" 5\n", "does not begin with the header"),
    ],
)
def test_hostile_headers(tmp_path: Path, header: bytes, message: str) -> None:
    path = write(tmp_path / "x", header + binary().partition(b"\n")[2])
    with pytest.raises(VectorsError, match=message):
        read_vectors(path, format="word2vec-bin")


def test_word_without_end(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"2 1\n" + b"\xff" * 100_000)
    with pytest.raises(VectorsError, match="damaged after 0 of 2 vectors: no end of word"):
        read_vectors(path)


def test_repairs(tmp_path: Path) -> None:
    rows = [(b"a", 1.0), (b"\xff", 2.0), (b"b", np.nan), (b"a", 3.0), (b"", 4.0)]
    body = b"".join(w + b" " + np.array([v, 0], "<f4").tobytes() for w, v in rows)
    file = read_vectors(write(tmp_path / "x", b"5 2\n" + body))
    assert file.words == ["a", "\ufffd"]
    np.testing.assert_array_equal(file.matrix[:, 0], [1, 2])
    assert len(file.notes) == 4


def test_more_rows_than_the_header_says_are_noted(tmp_path: Path) -> None:
    data = b"5 5\n" + binary().partition(b"\n")[2]
    file = read_vectors(write(tmp_path / "x", data))
    assert file.words == WORDS[:5]
    assert file.notes == ["the file continues after the 5 rows of its header: not read"]
