"""Whatever the bytes, a reader returns or raises VectorsError, soon and within memory."""

from __future__ import annotations

import gzip
import io
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexfield.errors import VectorsError
from lexfield.vectors.files import read_vectors

ROWS = np.random.default_rng(5).normal(size=(4, 3)).astype("<f4")
WORDS = ["a", "né", "日本", "123"]
TEXTS = ["word2vec-text", "glove", "fasttext-vec"]
FORMATS = [*TEXTS, "word2vec-bin", "fasttext-bin", "numpy"]
if find_spec("safetensors"):  # an extra
    FORMATS.append("safetensors")
relaxed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


def samples() -> dict[str, bytes]:
    """A small good file of each kind."""
    pairs = list(zip(WORDS, ROWS, strict=True))
    lines = "".join(f"{word} {' '.join(map(str, row.tolist()))}\n" for word, row in pairs).encode()
    npy, npz, packed = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(npy, ROWS)
    np.savez(npz, words=np.array(WORDS), vectors=ROWS)
    np.savez_compressed(packed, words=np.array(WORDS), vectors=ROWS)
    model = struct.pack("<2i12id", 793712314, 12, 3, 5, 5, 1, 5, 1, 2, 2, 6, 2, 3, 100, 1e-4)
    model += struct.pack("<3i2q", 5, 4, 1, 100, -1)
    for word in [*WORDS, "__label__x"]:
        model += word.encode() + b"\0" + struct.pack("<qb", 9, word.startswith("_"))
    model += struct.pack("<?2q", 0, 10, 3) + np.ones(30, "<f4").tobytes()
    model += struct.pack("<?2q", 0, 1, 3) + bytes(12)
    tensor = b'{"e":{"dtype":"F32","shape":[4,3],"data_offsets":[0,48]}}'
    files = {
        "word2vec-text": b"4 3\n" + lines,
        "glove": lines,
        "gzip": gzip.compress(b"4 3\n" + lines, mtime=0),
        "word2vec-bin": b"4 3\n" + b"".join(w.encode() + b" " + r.tobytes() for w, r in pairs),
        "fasttext-bin": model,
        "npy": npy.getvalue(),
        "npz": npz.getvalue(),
        "npz packed": packed.getvalue(),
        "safetensors": struct.pack("<Q", len(tensor)) + tensor + ROWS.tobytes(),
    }
    if "safetensors" not in FORMATS:
        del files["safetensors"]
    return files


SAMPLES = samples()


def survives(folder: Path, data: bytes, format: str | None = None) -> None:
    path = folder / "x.data"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text("\n".join(WORDS), encoding="utf-8")
    try:
        file = read_vectors(path, format=format)
    except VectorsError as error:
        assert error.message
    else:
        assert file.words and all(file.words)
        assert len(set(file.words)) == len(file.words) == len(file.matrix)
        assert file.matrix.dtype == np.float32 and np.isfinite(file.matrix).all()
        "".join(file.words).encode()
        if file.compose:
            file.compose("größer")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_good(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.data"
    path.write_bytes(SAMPLES[name])
    path.with_suffix(".txt").write_text("\n".join(WORDS), encoding="utf-8")
    file = read_vectors(path)
    assert file.words == WORDS
    assert file.notes == [] or name == "fasttext-bin"


@relaxed
@given(st.binary(max_size=300), st.sampled_from([None, *FORMATS]))
def test_random_bytes(tmp_path: Path, data: bytes, format: str | None) -> None:
    survives(tmp_path, data, format)


@relaxed
@given(st.text("0123456789 .-e\n\tan\r", max_size=80), st.sampled_from([None, *TEXTS]))
def test_random_text(tmp_path: Path, text: str, format: str | None) -> None:
    survives(tmp_path, text.encode(), format)


@relaxed
@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
def test_mutations(tmp_path: Path, name: str, data: st.DataObject) -> None:
    """A few spans of a good file overwritten, cut out or put in."""
    content = SAMPLES[name]
    piece = st.one_of(
        st.binary(max_size=9),
        st.sampled_from([b"\xff" * 4, b"\xff" * 8, b"\x7f", b"9" * 12, b"\0" * 8, b" ", b"\n"]),
    )
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        new = data.draw(piece)
        cut = data.draw(st.sampled_from([0, len(new), len(new) + 3]))
        content = content[:start] + new + content[start + cut :]
    survives(tmp_path, content)
    if name in FORMATS:
        survives(tmp_path, content, name)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_truncation(tmp_path: Path, name: str) -> None:
    for size in range(len(SAMPLES[name])):
        survives(tmp_path, SAMPLES[name][:size])
