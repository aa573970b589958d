from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.vectors import sources
from lexfield.vectors.formats.common import VectorData
from lexfield.vectors.sources import import_file, list_sets, load_vectors
from lexfield.vectors.wordvectors import WordVectors

TEXT = "3 2\nsun 1 0\nmoon 0 1\nstar 1 1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sky.vec"
    path.write_text(TEXT)
    return path


def test_a_file_is_parsed_once(file: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = WordVectors.load(file)
    monkeypatch.setattr(sources, "read_vectors", None)  # a second parse would fail
    second = WordVectors.load(file)
    assert list(first.words) == list(second.words) == ["sun", "moon", "star"]
    assert second["moon"].tolist() == [0, 1]
    assert not second.matrix.flags.owndata


def test_a_changed_file_is_read_again(file: Path) -> None:
    WordVectors.load(file)
    file.write_text(TEXT.replace("moon", "mars "))
    assert "mars" in WordVectors.load(file)


def test_a_damaged_copy_is_made_again(file: Path, own_home: Path) -> None:
    WordVectors.load(file)
    (matrix,) = (own_home / "cache").rglob("matrix.npy")
    data = bytearray(matrix.read_bytes())
    data[-1] ^= 1
    matrix.write_bytes(data)
    assert WordVectors.load(file)["star"].tolist() == [1, 1]
    assert WordVectors.load(file)["star"].tolist() == [1, 1]


def test_import_list_and_limit(file: Path) -> None:
    assert import_file(file, "sky", limit=2).name == "sky"
    names = {entry.name: entry for entry in list_sets()}
    assert (names["sky"].words, names["sky"].dims) == (2, 2)
    assert "default" in names
    assert len(load_vectors("sky").words) == 2
    assert len(load_vectors("sky", limit=1).words) == 1


def test_where_no_copy_can_be_kept_the_file_still_loads(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    monkeypatch.setenv("LEXFIELD_HOME", str(blocked))
    vectors = load_vectors(file)
    assert len(vectors.words) == 3
    assert "no copy was kept" in vectors.notes[-1]


def test_fasttext_subwords_are_kept(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("gensim.models.fasttext", reason="gensim is not installed")
    sentences = [["apple", "apples", "pear"], ["pear", "apples", "appletree"]] * 20
    model = fasttext.FastText(
        sentences, vector_size=6, min_count=1, bucket=200, epochs=1, workers=1, seed=1
    )
    path = tmp_path / "tiny.bin"
    fasttext.save_facebook_model(model, str(path))
    for _ in range(2):  # parsed, then mapped
        vectors = WordVectors.load(path)
        assert "applepear" not in vectors
        np.testing.assert_allclose(vectors["applepear"], model.wv["applepear"], atol=1e-5)


def test_bad_use(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no vectors called 'nothing'.*Known by name: default"):
        load_vectors("nothing")
    with pytest.raises(InputError, match="cannot be the name"):
        import_file(file, "../evil")
    with pytest.raises(InputError, match="cannot be the name"):
        import_file(file, "default")
    with pytest.raises(InputError, match="limit must be"):
        load_vectors(file, limit=0)


def test_multiplied_vectors_compose_too() -> None:
    def compose(word: str) -> NDArray[np.float32] | None:
        return np.array([3, 4], np.float32) if word == "sunrise" else None

    data = VectorData(["sun", "moon"], np.eye(2, dtype=np.float32), compose=compose)
    mapped = data.multiply(np.array([[2.0, 1.0], [0.0, 1.0]]), "under m")
    assert mapped.name == "under m"
    assert mapped.matrix.tolist() == [[2, 1], [0, 1]]
    assert mapped.compose is not None
    composed = mapped.compose("sunrise")
    assert composed is not None and composed.tolist() == [6, 7]
    assert mapped.compose("nothing") is None


def test_the_package_set_is_decoded_once() -> None:
    assert WordVectors.default() is WordVectors.load("default")
    short = WordVectors.load("default", limit=10)
    assert len(short) == 10
    assert np.shares_memory(short.matrix, WordVectors.default().matrix)
