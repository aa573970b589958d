from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.vectors import library
from lexfield.vectors.library import import_file, listing, load
from lexfield.vectors.wordvectors import WordVectors

TEXT = "3 2\nsun 1 0\nmoon 0 1\nstar 1 1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sky.vec"
    path.write_text(TEXT)
    return path


def test_a_file_is_parsed_once(file: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = WordVectors.load(file)
    monkeypatch.setattr(library, "read_vectors", None)  # a second parse would fail
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
    names = {entry.name: entry for entry in listing()}
    assert (names["sky"].words, names["sky"].dims) == (2, 2)
    assert "default" in names
    assert len(load("sky")) == 2
    assert len(load("sky", limit=1)) == 1


def test_where_no_copy_can_be_kept_the_file_still_loads(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    monkeypatch.setenv("LEXFIELD_HOME", str(blocked))
    vectors = load(file)
    assert len(vectors) == 3
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
        vectors = load(path)
        assert "applepear" not in vectors
        np.testing.assert_allclose(vectors["applepear"], model.wv["applepear"], atol=1e-5)


def test_bad_use(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no vectors called 'nothing'.*Known by name: default"):
        load("nothing")
    with pytest.raises(InputError, match="cannot be the name"):
        import_file(file, "../evil")
    with pytest.raises(InputError, match="cannot be the name"):
        import_file(file, "default")
    with pytest.raises(InputError, match="limit must be"):
        load(file, limit=0)
