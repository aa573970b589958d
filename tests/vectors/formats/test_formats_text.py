"""word2vec and fastText text, GloVe."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import VectorsError
from lexfield.vectors.files import read_vectors
from lexfield.vectors.formats import common


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_gensim_round_trip(tmp_path: Path, zipped: bool) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is a development dependency")
    keyed = models.KeyedVectors(20)
    words = ["the", "Größe", "日本", "nan", "inf", "123", "1e5", "-", "\u00a0x", "😀🎉"]
    rows = np.random.default_rng(1).normal(size=(len(words), 20)).astype(np.float32)
    keyed.add_vectors(words, rows)
    path = tmp_path / ("x.txt.gz" if zipped else "x.txt")
    keyed.save_word2vec_format(str(path))
    file = read_vectors(path)
    assert (file.format, file.words, file.notes) == ("word2vec-text", words, [])
    np.testing.assert_array_equal(file.matrix, rows)


@pytest.mark.parametrize(
    "data",
    [
        b"2 2\r\na 1 2\r\nb 3 4\r\n",
        b"2 2\na 1 2 \nb 3 4 \n",  # fastText leaves a space at the end
        b"2 2\n  a 1 2\n\tb  3\t4\n",
        b"2 2\na 1 2\n\nb 3 4",
        b"\xef\xbb\xbf2 2\na 1 2\nb 3 4\n",
        b"\xef\xbb\xbfa 1 2\nb 3 4\n",
        b"a 1  2\nb 3 4\n",
        b"a +1 2e0\nb 3.0 .4e1\n\n\n",
    ],
)
def test_odd_but_good_lines(tmp_path: Path, data: bytes) -> None:
    file = read_vectors(write(tmp_path / "x", data))
    assert file.words == ["a", "b"]
    assert file.notes == []
    np.testing.assert_array_equal(file.matrix, [[1, 2], [3, 4]])


def test_glove_words_with_spaces(tmp_path: Path) -> None:
    """As in the file of 840 billion tokens."""
    data = b"the 1 2\n. . . 3 4\nat name@domain.com 5 6\n1 7 8\nnan 9 9\n"
    file = read_vectors(write(tmp_path / "x", data))
    assert file.words == ["the", ". . .", "at name@domain.com", "1", "nan"]
    np.testing.assert_array_equal(file.matrix[:, 0], [1, 3, 5, 7, 9])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a 1 2\nb 3\n", r"x:2: expected a word and 2 numbers. Got 1 numbers after 'b'"),
        (b"a 1 2\nb 3 4 5\n", r"x:2: expected a word and 2 numbers. Got 3 numbers after 'b'"),
        (b"2 2\na 1 2\n\nb 3\n", r"x:4: expected a word and 2 numbers. Got 1"),
        (b"a 1 2\nb 3 x4\n", r"x:2: 'x4' is not a number"),
        (b"a 1 2\nb 3 1-2\n", r"x:2: '1-2' is not a number"),
        (b"a 1 2\nb  1\nc 1\t2 3\n", r"x:2: expected a word and 2 numbers. Got 1"),
        (b"a\nb\n", r"x:1: expected a word and its numbers. Got 'a'"),
        (b"a b c\n", r"x:1: expected a word and its numbers"),
        (b"2 0\na\n", "1 to 65,536 dimensions. Got 0"),
        (b"2 65537\na 1\n", "1 to 65,536 dimensions. Got 65,537"),
        (b"a" + b" 1" * 65_537, "1 to 65,536 dimensions"),
        (b"999999999999 300\na 1\n", "its header promises 999,999,999,999 vectors of 300"),
        (b"9" * 18 + b" 65536\na 1\n", "its header promises"),
    ],
)
def test_malformed(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(VectorsError, match=message):
        read_vectors(write(tmp_path / "x", data))


def test_hostile_header_in_gzip(tmp_path: Path) -> None:
    path = write(tmp_path / "x.gz", gzip.compress(b"999999999999 300\na 1\n", mtime=0))
    with pytest.raises(VectorsError, match="at most"):
        read_vectors(path)


def test_header_named_but_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"a 1 2\n")
    with pytest.raises(VectorsError, match="x:1: expected a header") as caught:
        read_vectors(path, format="word2vec-text")
    assert "glove" in caught.value.hint


@pytest.mark.parametrize("count", [2, 5])
def test_header_count_is_only_noted(tmp_path: Path, count: int) -> None:
    data = b"%d 2\n" % count + b"a 1.000 2.000\nb 3.000 4.000\nc 5.000 6.000\n"
    file = read_vectors(write(tmp_path / "x", data))
    assert len(file.words) == 3
    assert file.notes == [f"the header promises {count} rows; the file has 3"]


def test_limit(tmp_path: Path) -> None:
    rows = b"a 1 2\n\nb 3 4\nc 5 6\nbad\n"  # what lies behind the limit is not even looked at
    file = read_vectors(write(tmp_path / "x", b"4 2\n" + rows), limit=2)
    assert file.words == ["a", "b"]
    assert file.notes == ["limit: the first 2 rows of 4 were read"]
    file = read_vectors(write(tmp_path / "x", rows), limit=3)
    assert file.notes == ["limit: the first 3 rows were read"]
    file = read_vectors(write(tmp_path / "x", rows[:-4]), limit=3)
    assert (len(file.words), file.notes) == (3, [])


def test_blocks_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that straddle blocks, and a limit at each place relative to them."""
    data = b"".join(b"w%d %d -%d.5\n" % (n, n, n) for n in range(40))
    path = write(tmp_path / "x", data)
    for block in (1, 7, 64):
        monkeypatch.setattr(common, "BLOCK", block)
        for limit in (1, 2, 39, 40, 41, None):
            file = read_vectors(path, limit=limit)
            assert file.words == [f"w{n}" for n in range(min(limit or 40, 40))]
            np.testing.assert_array_equal(file.matrix[:, 0], np.arange(len(file.words)))
            assert bool(file.notes) == (limit is not None and limit < 40)
        bad = write(tmp_path / "bad", data + b"w40 1\n")
        with pytest.raises(VectorsError, match="bad:41:"):
            read_vectors(bad)


def test_invalid_utf8_is_replaced_and_counted(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x", b"a\xff 1 2\nb 3 4\n\xc3 5 6\n"))
    assert file.words == ["a\ufffd", "b", "\ufffd"]
    assert file.notes == ["words with bytes that are not UTF-8, which were replaced: 2"]
    file = read_vectors(write(tmp_path / "x", b"\xff 1 2\n"))
    assert file.words == ["\ufffd"]


def test_rows_without_a_word_are_counted(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x", b"a 1 2\n 3 4\n\t5 6\n"))
    assert file.words == ["a"]
    assert file.notes == ["rows without a word, dropped: 2"]


def test_endless_line(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"a 1 2\nb " + b"1" * (9 << 20))
    with pytest.raises(VectorsError, match="x:2: a line over 4 MB"):
        read_vectors(path)


def test_speed(tmp_path: Path) -> None:
    """100,000 lines of 50 numbers take about a second; the bound leaves room for slow machines."""
    row = " ".join(f"{x:.5f}" for x in np.random.default_rng(0).normal(size=50))
    path = tmp_path / "x"
    path.write_text("".join(f"w{n} {row}\n" for n in range(20_000)))
    start = time.process_time()
    file = read_vectors(path)
    assert time.process_time() - start < 4 / 5 * 3
    assert file.matrix.shape == (20_000, 50)
