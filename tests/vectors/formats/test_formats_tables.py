"""NumPy and safetensors files, whose words are kept apart."""

from __future__ import annotations

import gzip
import json
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexfield.errors import VectorsError
from lexfield.vectors.files import read_vectors
from lexfield.vectors.formats.common import VectorData

WORDS = ["the", "Größe", "日本"]
ROWS = np.random.default_rng(4).normal(size=(3, 4))


def expect(file: VectorData, format: str, rows: Any = ROWS) -> None:
    assert (file.format, file.words, file.notes) == (format, WORDS, [])
    np.testing.assert_array_equal(file.matrix, np.asarray(rows, np.float32))
    assert file.matrix.flags.c_contiguous and file.matrix.dtype == np.float32


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4"])
@pytest.mark.parametrize("suffix", [".txt", ".words"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path: Path, kind: str, suffix: str, order: Any) -> None:
    rows = np.array(ROWS, kind, order=order)
    np.save(tmp_path / "x.npy", rows)
    (tmp_path / f"x{suffix}").write_bytes("\r\n".join([*WORDS, ""]).encode())
    expect(read_vectors(tmp_path / "x.npy"), "numpy", rows)
    file = read_vectors(tmp_path / "x.npy", limit=2)
    assert file.words == WORDS[:2]
    np.testing.assert_array_equal(file.matrix, rows[:2].astype(np.float32))
    assert file.notes == ["limit: the first 2 rows of 3 were read"]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["U", "S"])
def test_npz(tmp_path: Path, packed: bool, kind: str) -> None:
    words = np.array(WORDS if kind == "U" else [word.encode() for word in WORDS])
    save = np.savez_compressed if packed else np.savez
    save(tmp_path / "x.npz", words=words, vectors=ROWS, other=np.ones(3))
    expect(read_vectors(tmp_path / "x.npz"), "numpy")
    assert read_vectors(tmp_path / "x.npz", limit=1).words == WORDS[:1]


def test_npy_without_words(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ROWS)
    with pytest.raises(VectorsError, match="vectors but no words") as caught:
        read_vectors(tmp_path / "x.npy")
    assert "x.txt or x.words" in caught.value.hint
    (tmp_path / "x.txt").write_text("a\nb\n")
    with pytest.raises(VectorsError, match=r"number of words \(2\) .* number of vectors \(3\)"):
        read_vectors(tmp_path / "x.npy")


def test_pickles_inside_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([["a"], [1]], object), allow_pickle=True)
    with pytest.raises(VectorsError, match="contains Python objects"):
        read_vectors(tmp_path / "x.npy")
    np.savez(tmp_path / "x.npz", words=np.array(WORDS, object), vectors=ROWS)
    with pytest.raises(VectorsError, match="contains Python objects"):
        read_vectors(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "rows", [np.ones(3), np.ones((3, 2), int), np.ones((3, 2, 2)), np.ones((3, 0))]
)
def test_npy_of_a_wrong_shape(tmp_path: Path, rows: Any) -> None:
    np.save(tmp_path / "x.npy", rows)
    with pytest.raises(VectorsError, match=r"a matrix of floats|dimensions"):
        read_vectors(tmp_path / "x.npy")


def npy(shape: str, data: bytes = b"", kind: str = "<f4") -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy("(999999999999, 300)", bytes(100)), "its header promises shape"),
        (npy("(3, 99999999)", bytes(100)), "its header promises shape"),
        (npy("(-3, -4)", bytes(100)), "is damaged"),
        (npy("(" * 3000), "is not a NumPy array"),
        (npy("__import__('os')"), "is not a NumPy array"),
        (b"\x93NUMPY\3\0" + bytes(20), "is not a NumPy array"),
        (npy("(3, 4)", bytes(47)), "its header promises|truncated"),
        (npy("(0, 4)"), "contains no usable vectors"),
    ],
)
def test_hostile_npy(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x.npy").write_bytes(data)
    (tmp_path / "x.txt").write_bytes(b"")
    with pytest.raises(VectorsError, match=message):
        read_vectors(tmp_path / "x.npy")


ONE = npy("(1, 2)", bytes(8))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"vectors": ONE}, "has no array 'words'"),
        ({"words": npy("(1,)", b"a", "|S1")}, "has no array 'vectors'"),
        ({"vectors": npy("(9999999, 9999)"), "words": b""}, "its header promises"),
        ({"vectors": ONE, "words": npy("(1,)", b"abcd", "<U1")}, "is not a character"),
        ({"vectors": ONE, "words": npy("(1,)", bytes(8), "<f8")}, "of words"),
        ({"vectors": ONE, "words": npy("(2,)", b"ab", "|S1")}, "does not match"),
        ({"vectors": ONE, "words": npy("(1,)", b"", "|S0")}, "of words"),
    ],
)
def test_hostile_npz(tmp_path: Path, members: dict[str, bytes], message: str) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    with pytest.raises(VectorsError, match=message):
        read_vectors(tmp_path / "x.npz")


def test_npz_packed_otherwise(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("vectors.npy", ONE)
    with pytest.raises(VectorsError, match="in a way NumPy does not use"):
        read_vectors(tmp_path / "x.npz")


def save_tensors(path: Path, **tensors: Any) -> None:
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is an extra")
    numpy.save_file(tensors, path)


def tokenizer(vocabulary: Any, added: list[dict[str, Any]] | None = None) -> str:
    return json.dumps({"model": {"vocab": vocabulary}, "added_tokens": added or []})


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_safetensors_with_words(tmp_path: Path, kind: str) -> None:
    rows = ROWS.astype(kind)
    save_tensors(tmp_path / "x.safetensors", emb=rows, bias=np.ones(3))
    (tmp_path / "x.words").write_text("\n".join(WORDS), encoding="utf-8")
    expect(read_vectors(tmp_path / "x.safetensors"), "safetensors", rows)


@pytest.mark.parametrize(
    "content",
    [
        tokenizer({"Größe": 1, "日本": 2, "the": 0}),
        tokenizer([["the", -1.5], ["Größe", -2], ["日本", -3]]),
        tokenizer({"Größe": 1, "the": 0}, [{"id": 2, "content": "日本"}]),
        tokenizer({"Größe": 1, "日本": 2, "the": 0}, [{"id": 0, "content": "the"}]),
    ],
)
def test_model2vec(tmp_path: Path, content: str) -> None:
    save_tensors(tmp_path / "model.safetensors", embeddings=ROWS)
    (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    expect(read_vectors(tmp_path), "safetensors")
    expect(read_vectors(tmp_path / "model.safetensors"), "safetensors")
    file = read_vectors(tmp_path, limit=2)
    assert (file.words, len(file.matrix)) == (WORDS[:2], 2)
    assert file.notes == ["limit: the first 2 rows of 3 were read"]


def test_model2vec_with_shared_vectors_and_weights(tmp_path: Path) -> None:
    mapping, weights = np.array([1, 0, 1]), np.array([1.0, 2.0, 0.5])
    path = tmp_path / "model.safetensors"
    save_tensors(path, embeddings=ROWS[:2].astype("f4"), mapping=mapping, weights=weights)
    (tmp_path / "tokenizer.json").write_text(tokenizer({w: n for n, w in enumerate(WORDS)}))
    expect(read_vectors(path), "safetensors", ROWS[mapping].astype("f4") * weights[:, None])
    save_tensors(path, embeddings=ROWS[:2], mapping=np.array([0, 1, 2]))
    with pytest.raises(VectorsError, match="leads outside its 2 vectors"):
        read_vectors(path)
    save_tensors(path, embeddings=ROWS, weights=weights[:2])
    with pytest.raises(VectorsError, match=r"number of weights \(2\)"):
        read_vectors(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tokenizer({"a": 0, "b": 1}), r"number of words \(2\)"),
        (tokenizer({"a": 0, "b": 1, "c": 3}), "without gaps"),
        (tokenizer({"a": 0, "b": 1, "c": "2"}), "without gaps"),
        (tokenizer([[1, 0], ["b", 0], ["c", 0]]), "must be text"),
        (tokenizer({"a": [], "b": {}}), "is not a tokenizer"),
        ("{}", "is not a tokenizer"),
        ("[]", "is not a tokenizer"),
        ("[" * 100_000, "is not a tokenizer"),
        ("not json", "is not a tokenizer"),
    ],
)
def test_bad_tokenizers(tmp_path: Path, content: str, message: str) -> None:
    save_tensors(tmp_path / "model.safetensors", embeddings=ROWS)
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(VectorsError, match=message):
        read_vectors(tmp_path)


def test_half_characters_of_json_are_replaced(tmp_path: Path) -> None:
    save_tensors(tmp_path / "model.safetensors", embeddings=ROWS)
    (tmp_path / "tokenizer.json").write_text(tokenizer({"a": 0, "b": 1, "\ud800": 2}))
    file = read_vectors(tmp_path)
    assert file.words == ["a", "b", "?"]
    assert len(file.notes) == 1


@pytest.mark.parametrize(
    "tensors",
    [
        {"a": ROWS, "b": ROWS},
        {"a": ROWS.astype("i1")},
        {"a": ROWS[0]},
        {},
    ],
)
def test_safetensors_without_one_matrix(tmp_path: Path, tensors: dict[str, Any]) -> None:
    save_tensors(tmp_path / "x.safetensors", **tensors)
    with pytest.raises(VectorsError, match="expected one matrix of floats"):
        read_vectors(tmp_path / "x.safetensors", format="safetensors")


def test_bfloat16_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("safetensors", reason="safetensors is an extra")
    header = json.dumps({"e": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}).encode()
    data = struct.pack("<Q", len(header)) + header + bytes(8)
    (tmp_path / "x.safetensors").write_bytes(data)
    with pytest.raises(VectorsError, match=r"Got e BF16\[2, 2\]") as caught:
        read_vectors(tmp_path / "x.safetensors")
    assert "float32" in caught.value.hint
    for size in range(len(data)):
        (tmp_path / "x.safetensors").write_bytes(data[:size])
        with pytest.raises(VectorsError):
            read_vectors(tmp_path / "x.safetensors", format="safetensors")


def test_files_that_unpack_to_very_much(tmp_path: Path) -> None:
    words = np.array([f"w{number}" for number in range(3000)])
    np.savez_compressed(tmp_path / "x.npz", words=words, vectors=np.zeros((3000, 3000), "f4"))
    with pytest.raises(VectorsError, match="the file holds at most"):
        read_vectors(tmp_path / "x.npz")
    lines = b"".join(b"w%d" % number + b" 0" * 3000 + b"\n" for number in range(5000))
    (tmp_path / "x.vec.gz").write_bytes(gzip.compress(lines))
    with pytest.raises(VectorsError, match="expands to far more than its size"):
        read_vectors(tmp_path / "x.vec.gz")
    save_tensors(
        tmp_path / "x.safetensors",
        embeddings=np.ones((1, 9000), "f4"),
        mapping=np.zeros(3000, np.int8),
    )
    (tmp_path / "x.txt").write_text("\n".join(words))
    with pytest.raises(VectorsError, match="its mapping makes 3,000 vectors of 1"):
        read_vectors(tmp_path / "x.safetensors")
    assert len(read_vectors(tmp_path / "x.safetensors", limit=9).words) == 9


def test_a_header_of_very_many_tensors(tmp_path: Path) -> None:
    one = '"%d": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}'
    header = ("{" + ", ".join(one % number for number in range(6000)) + "}").encode()
    (tmp_path / "x.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(VectorsError, match="is not a file of vectors: its header has"):
        read_vectors(tmp_path / "x.safetensors", format="safetensors")


def test_a_length_that_is_a_lie_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\2\0" + struct.pack("<I", 900_000_000) + bytes(9))
    tracemalloc.start(1)
    with pytest.raises(VectorsError, match="is not a NumPy array"):
        read_vectors(tmp_path / "x.npy")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 1_000_000
