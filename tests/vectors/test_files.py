"""The door: formats told apart, parameters, repairs that every format shares, gensim objects."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lexfield.errors import InputError, VectorsError
from lexfield.vectors.files import from_gensim, read_vectors
from lexfield.vectors.formats.common import VectorData
from lexfield.vectors.sources import load_vectors


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_result_is_c_order_float32(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x.txt", b"a 1 2\nb 3 4\n"))
    assert file.matrix.dtype == np.float32
    assert file.matrix.flags.c_contiguous
    assert file.words == ["a", "b"]
    assert file.notes == []
    assert file.compose is None


def test_format_is_told_from_content(tmp_path: Path) -> None:
    row = np.array([1, 2], "<f4").tobytes()
    cases = {
        "a.bin": (b"1 2\na 1 2\n", "word2vec-text"),  # the name misleads
        "b.txt": (b"1 2\na " + row, "word2vec-bin"),
        "c.vec": (b"1 2\na 1 2 \n", "fasttext-vec"),
        "d.vec.gz": (gzip.compress(b"1 2\na 1 2 \n", mtime=0), "fasttext-vec"),
        "e": (b"a 1 2\n", "glove"),
        "f.gz": (gzip.compress(b"1 2\na " + row, mtime=0), "word2vec-bin"),
        "g.txt": (b"1 2\na\t1\t2\n", "word2vec-text"),
    }
    for name, (data, format) in cases.items():
        file = read_vectors(write(tmp_path / name, data))
        assert (file.format, file.words) == (format, ["a"]), name
        np.testing.assert_array_equal(file.matrix, [[1, 2]], name)


def test_named_format_wins(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"12 3\n13 4\n")  # a header, or GloVe in one dimension
    file = read_vectors(path, format="glove")
    assert file.words == ["12", "13"]
    np.testing.assert_array_equal(file.matrix, [[3], [4]])


@pytest.mark.parametrize("limit", [0, -1, 1.5, "3"])
def test_limit_is_validated(tmp_path: Path, limit: object) -> None:
    with pytest.raises(InputError, match="limit must be"):
        load_vectors(tmp_path / "x", limit=limit)  # type: ignore[arg-type]


def test_format_is_validated(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"one of word2vec-text.*Got 'csv'"):
        read_vectors(tmp_path / "x", format="csv")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n \n", "is blank"),
        (b"\0\1\2\3 binary", "not in a format that lexfield knows"),
        (gzip.compress(b"a 1 2\n" * 100, mtime=0)[:-9], "compressed bytes"),
        (b"\x1f\x8bnot gzip", "compressed bytes"),
    ],
)
def test_unusable_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(VectorsError, match=message):
        read_vectors(write(tmp_path / "x", data))


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="cannot be read: No such file"):
        read_vectors(tmp_path / "none")
    with pytest.raises(VectorsError, match=r"without a model\.safetensors"):
        read_vectors(tmp_path)
    with pytest.raises(VectorsError, match="cannot be the path"):
        read_vectors("a\0b")
    if Path("/dev/zero").exists():
        with pytest.raises(VectorsError, match="is not a file"):
            read_vectors("/dev/zero")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("x.kv", 'KeyedVectors.load("x.kv").save_word2vec_format("x.bin", binary=True)'),
        ("x.model", 'Word2Vec.load("x.model").wv.save_word2vec_format("x.bin", binary=True)'),
    ],
)
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles_are_refused(tmp_path: Path, name: str, line: str, protocol: int) -> None:
    path = write(tmp_path / name, pickle.dumps({"vectors": [1, 2]}, protocol))
    with pytest.raises(VectorsError, match="is a pickle") as caught:
        read_vectors(path)
    assert line in caught.value.hint


def test_repeated_words_keep_the_first_row(tmp_path: Path) -> None:
    file = read_vectors(write(tmp_path / "x", b"a 1 1\nb 2 2\na 3 3\nb 4 4\nc 5 5\n"))
    assert file.words == ["a", "b", "c"]
    np.testing.assert_array_equal(file.matrix[:, 0], [1, 2, 5])
    assert file.notes == ["repeated words, all but the first row of each dropped: 2 ('a', 'b')"]


def test_rows_that_are_not_finite_are_dropped(tmp_path: Path) -> None:
    data = b"a nan 1\nb 1 2\nc 1 -inf\nd 1e300 0\ne inf 0\na 7 7\n"
    file = read_vectors(write(tmp_path / "x", data))
    assert file.words == ["b", "a"]  # the first usable row of a word counts
    assert file.notes == ["rows with NaN or inf, dropped: 4 ('a', 'c', 'd', …)"]
    assert np.isfinite(file.matrix).all()


def test_nothing_usable_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="contains no usable vectors") as caught:
        read_vectors(write(tmp_path / "x", b"a nan 1\n"))
    assert "NaN" in caught.value.hint
    with pytest.raises(VectorsError, match="contains no usable vectors"):
        read_vectors(write(tmp_path / "x", b"0 5\n"))


def test_progress_is_told_and_may_cancel(tmp_path: Path) -> None:
    path = write(tmp_path / "x", b"2 2\na 1 2\nb 3 4\n")
    calls: list[tuple[int, int | None]] = []
    read_vectors(path, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (2, 2)

    def cancel(done: int, total: int | None) -> None:
        raise OSError("stop")

    with pytest.raises(OSError, match="stop"):
        read_vectors(path, progress=cancel)


def test_binary_formats_are_not_read_zipped(tmp_path: Path) -> None:
    path = tmp_path / "x.npy.gz"
    with gzip.open(path, "wb") as out:
        np.save(out, np.ones((2, 2)))
    with pytest.raises(VectorsError, match="zipped numpy file") as caught:
        read_vectors(path)
    assert "gunzip x.npy.gz" in caught.value.hint


def test_memory_error_is_explained(tmp_path: Path) -> None:
    def full(done: int, total: int | None) -> None:
        raise MemoryError

    with pytest.raises(VectorsError, match="do not fit into memory"):
        read_vectors(write(tmp_path / "x", b"a 1 2\n"), progress=full)


def test_from_gensim() -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is a development dependency")
    keyed = models.KeyedVectors(3)
    keyed.add_vectors(["größe", "b"], np.arange(6, dtype=np.float32).reshape(2, 3))
    file = from_gensim(keyed)
    assert isinstance(file, VectorData)
    assert file.words == ["größe", "b"]
    np.testing.assert_array_equal(file.matrix, keyed.vectors)
    assert not np.shares_memory(file.matrix, keyed.vectors)
    model = models.FastText([["alpha", "beta"]] * 5, vector_size=4, min_count=1, bucket=50)
    words = from_gensim(model.wv)
    for row, word in enumerate(words.words):
        np.testing.assert_allclose(words.matrix[row], model.wv[word], atol=1e-6)
    with pytest.raises(VectorsError, match="Got FastText instead") as caught:
        from_gensim(model)
    assert ".wv" in caught.value.hint


def test_from_gensim_checks_shapes() -> None:
    for vectors in (np.ones((2, 2)), np.ones(1), np.ones((1, 2), int), np.ones((1, 0))):
        with pytest.raises(VectorsError):
            from_gensim(SimpleNamespace(index_to_key=["a"], vectors=vectors))
    file = from_gensim(SimpleNamespace(index_to_key=["a", "\ud800"], vectors=np.eye(2)))
    assert file.words == ["a", "?"]
    assert file.notes == ["words with half a character, which was replaced: 1"]
