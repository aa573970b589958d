"""fastText models: gensim's as the peer, hand-made ones for what gensim does not write."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import VectorsError
from lexfield.vectors.files import read_vectors
from lexfield.vectors.formats.fasttext import Subwords

MAGIC = 793712314


def model(
    words: list[bytes],
    *,
    dims: int = 3,
    bucket: int = 7,
    minn: int = 2,
    maxn: int = 4,
    labels: int = 0,
    magic: int = MAGIC,
    version: int = 12,
    pruned: int = -1,
    quantised: int = 0,
    rows: int | None = None,
    claimed: int | None = None,
) -> bytes:
    """A model whose input matrix counts 0, 1, 2, … so that every row is known."""
    rows = len(words) + bucket if rows is None else rows
    count = len(words) if claimed is None else claimed
    out = struct.pack("<2i", magic, version)
    out += struct.pack("<12id", dims, 5, 5, 1, 5, 1, 2, 2, bucket, minn, maxn, 100, 1e-4)
    out += struct.pack("<3i2q", count + labels, count, labels, 100, pruned)
    out += b"".join(word + b"\0" + struct.pack("<qb", 9, 0) for word in words)
    out += b"".join(b"__label__%d\0" % n + struct.pack("<qb", 9, 1) for n in range(labels))
    out += struct.pack("<?2q", quantised, rows, dims)
    out += np.arange((len(words) + bucket) * dims, dtype="<f4").tobytes()
    return out + struct.pack("<?2q", 0, 1, dims) + bytes(4 * dims)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def plain_ids(word: bytes, minn: int, maxn: int, buckets: int) -> list[int]:
    """n-gram rows the slow way, one character after the other."""
    if word == b"</s>":
        return []
    text = b"<" + word + b">"
    starts = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80] + [len(text)]
    ids = []
    for i in range(len(starts) - 1):
        for n in range(max(minn, 1), maxn + 1):
            if i + n >= len(starts) or (n == 1 and (i == 0 or i + n == len(starts) - 1)):
                continue
            value = 2166136261
            for byte in text[starts[i] : starts[i + n]]:
                value ^= byte if byte < 128 else byte | 0xFFFFFF00
                value = value * 16777619 % 2**32
            ids.append(value % buckets)
    return ids


@given(
    st.lists(st.one_of(st.text(max_size=12).map(lambda t: t.encode(errors="replace")),
                       st.binary(max_size=12), st.just(b"</s>")), max_size=6),
    st.integers(0, 4),
    st.integers(0, 5),
    st.integers(1, 1000),
)  # fmt: skip
def test_ngrams_are_those_of_the_definition(
    words: list[bytes], minn: int, more: int, buckets: int
) -> None:
    maxn = max(1, minn + more)
    subwords = Subwords(minn, maxn, np.zeros((buckets, 1), np.float32))
    ids, counts = subwords.ngrams(words)
    ends = np.cumsum(counts)
    for word, end, count in zip(words, ends, counts, strict=True):
        expected = sorted(plain_ids(word, minn, maxn, buckets))
        assert sorted(ids[end - count : end].tolist()) == expected


def test_known_hashes() -> None:
    """FNV-1a of single letters, computed from the definition by hand: (basis ^ byte) * prime."""
    subwords = Subwords(1, 1, np.zeros((2**20, 1), np.float32))
    assert subwords.ngrams([b"a"])[0].tolist() == [0xE40C292C % 2**20]
    signed = ((2166136261 ^ 0xFFFFFFC3) * 16777619) % 2**32
    signed = ((signed ^ 0xFFFFFFA9) * 16777619) % 2**32
    assert subwords.ngrams(["é".encode()])[0].tolist() == [signed % 2**20]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    pytest.importorskip("gensim", reason="gensim is a development dependency")
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    lines = ["the größte city ist schön", "日本 語 の ベクトル", "naïve café the city", "a I 😀🎉"]
    gensim = FastText(
        [line.split() for line in lines] * 10,
        vector_size=11,
        min_count=1,
        min_n=2,
        max_n=5,
        bucket=500,
        epochs=3,
        seed=3,
        workers=1,
    )
    path = tmp_path_factory.mktemp("fasttext") / "x.bin"
    save_facebook_model(gensim, str(path))
    return gensim.wv, path


def test_vocabulary_equals_gensim(trained: tuple[Any, Path]) -> None:
    keyed, path = trained
    file = read_vectors(path)
    assert (file.format, file.notes) == ("fasttext-bin", [])
    assert file.words == keyed.index_to_key
    for word, row in zip(file.words, file.matrix, strict=True):
        np.testing.assert_allclose(row, keyed[word], atol=1e-5)


def test_unknown_words_equal_gensim(trained: tuple[Any, Path]) -> None:
    keyed, path = trained
    subwords = read_vectors(path).compose
    assert subwords is not None
    for word in ("größter", "cities", "日本語", "x", "é", "😀🎉😀", "The City", "ё" * 50):
        assert word not in keyed.key_to_index
        vector = subwords(word)
        assert vector is not None and vector.dtype == np.float32
        np.testing.assert_allclose(vector, keyed[word], atol=1e-5)


def test_limit_keeps_the_ngrams(trained: tuple[Any, Path]) -> None:
    keyed, path = trained
    file = read_vectors(path, limit=3)
    assert file.words == keyed.index_to_key[:3]
    np.testing.assert_allclose(file.matrix[2], keyed[file.words[2]], atol=1e-5)
    assert file.notes == [f"limit: the first 3 rows of {len(keyed)} were read"]
    assert isinstance(file.compose, Subwords) and len(file.compose.buckets) == 500


def test_hand_made_model(tmp_path: Path) -> None:
    words = [b"</s>", "né".encode()]
    file = read_vectors(write(tmp_path / "x.bin", model(words, labels=2)))
    assert file.words == ["</s>", "né"]
    assert file.notes == ["2 labels of the classifier were skipped"]
    rows = np.arange(27, dtype=np.float32).reshape(9, 3)
    np.testing.assert_array_equal(file.matrix[0], rows[0])  # no n-grams for the end of sentence
    mean = rows[[1, *(2 + n for n in plain_ids(words[1], 2, 4, 7))]].mean(axis=0)
    np.testing.assert_allclose(file.matrix[1], mean, rtol=1e-6)
    assert file.compose is not None
    assert file.compose("</s>") is None
    assert file.compose("\ud800") is not None


def test_words_without_ngrams(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x", model([b"a", b"b"], maxn=0, minn=0)))
    assert file.compose is None
    np.testing.assert_array_equal(file.matrix, [[0, 1, 2], [3, 4, 5]])
    short = Subwords(3, 6, np.ones((5, 2), np.float32))
    assert short("") is None


def test_invalid_utf8_is_hashed_as_it_stands(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x", model([b"a\xff\x80b"])))
    assert file.words == ["a\ufffd\ufffdb"]
    rows = np.arange(24, dtype=np.float32).reshape(8, 3)
    ids = [0, *(1 + n for n in plain_ids(b"a\xff\x80b", 2, 4, 7))]
    np.testing.assert_allclose(file.matrix[0], rows[ids].mean(axis=0), rtol=1e-6)
    assert "not UTF-8, which were replaced: 1" in file.notes[0]


def test_broken_ngram_vectors_count_as_zero(tmp_path: Path) -> None:
    good, bad = (np.array([value], "<f4").tobytes() for value in (9, np.nan))
    data = model([b"a"]).replace(good, bad)
    file = read_vectors(write(tmp_path / "x", data))
    assert file.notes == ["1 n-gram vectors were not finite and count as zero"]
    assert isinstance(file.compose, Subwords) and np.isfinite(file.compose.buckets).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"magic": 1}, "it begins with 1, not 793712314"),
        ({"version": 11}, "of version 12 can be read. Got 11"),
        ({"quantised": 1}, "is a quantised fastText model"),
        ({"pruned": 5}, "is a quantised fastText model"),
        ({"dims": 0}, "dimensions. Got 0"),
        ({"dims": 70_000}, "dimensions. Got 70,000"),
        ({"maxn": 1_000_000}, "out of range"),
        ({"minn": -1}, "out of range"),
        ({"rows": 5}, "expected a matrix of 8 by 3. Got 5 by 3"),
        ({"rows": 2**60}, "its header promises a matrix of 1,152,921"),
        ({"claimed": 2**30}, "its header promises a dictionary of 1,073,741,824 entries"),
        ({"claimed": -5}, "do not agree"),
        ({"claimed": 2}, "truncated|damaged"),
    ],
)
def test_refused(tmp_path: Path, changes: dict[str, int], message: str) -> None:
    path = write(tmp_path / "x.bin", model([b"a"], **changes))
    with pytest.raises(VectorsError, match=message):
        read_vectors(path, format="fasttext-bin")


def test_hostile_bucket_count(tmp_path: Path) -> None:
    data = bytearray(model([b"a"]))
    data[40:44] = struct.pack("<i", 2**31 - 1)
    with pytest.raises(VectorsError, match="expected a matrix of 2,147,483,648 by 3"):
        read_vectors(write(tmp_path / "x", bytes(data)))


def test_labels_alone_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="holds 2 labels and no words"):
        read_vectors(write(tmp_path / "x", model([], labels=2)))


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    data = model([b"a", "né".encode()], labels=1)
    for size in range(len(data)):
        with pytest.raises(VectorsError):
            read_vectors(write(tmp_path / "x", data[:size]), format="fasttext-bin")


def test_bounds_of_subwords() -> None:
    with pytest.raises(VectorsError, match="minn=5, maxn=3"):
        Subwords(5, 3, np.ones((5, 2), np.float32))
    with pytest.raises(VectorsError, match="Got shape"):
        Subwords(2, 3, np.zeros((0, 3), np.float32))
