"""Training: a seed gives the same bytes whatever the hash seed and the number of cores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError, NotAStoreError, StoreError
from lexfield.store.folder import verify
from lexfield.text.corpus import Corpus
from lexfield.vectors.models import Models, is_models, open_all
from lexfield.vectors.train import train

pytest.importorskip("gensim", reason="the extra train is not installed")

CODE = """
import sys
from lexfield import Corpus
from lexfield.vectors.train import train
from lexfield.sample import TEXTS
train(Corpus.read(TEXTS / "voss-sea.txt"), sys.argv[1], models=2, dimensions=[8], epochs=2, least=2)
"""


def test_models_of_the_sample(sample: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    told: list[tuple[int, int | None]] = []
    found = train(
        sample, folder, models=3, dimensions=[12, 8], epochs=2,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told[-1] == (6, 6)
    assert len(found) == 3 and found.dims == 12
    assert is_models(folder) and not is_models(tmp_path)
    assert list(open_all(folder)) == [8, 12]
    assert len(open_all(folder)[8]) == 3 and open_all(folder)[8].dims == 8
    with pytest.raises(InputError, match=r"no models of 9 dimensions. There are those of 8, 12"):
        lx.near("sea", models=folder, dimensions=9)
    often = {
        word
        for word, count in zip(sample.vocabulary.words, sample.vocabulary.counts, strict=True)
        if count >= 5
    }
    assert set(found.words) == often
    assert not np.array_equal(found[0].matrix, found[1].matrix)
    assert not any(check.problem for check in verify(folder))
    with pytest.raises(InputError, match="There are models at"):
        train(sample, folder)
    again = train(sample, folder, models=1, dimensions=[4], epochs=1, replace=True)
    assert len(again) == 1 and list(open_all(folder, 50)[4].words) == list(again.words[:50])
    with pytest.raises(NotAStoreError):
        Models.open(tmp_path / "nowhere")


def test_a_folder_with_other_files_is_refused_before_the_work(
    sample: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    told: list[int] = []
    with pytest.raises(StoreError, match="other files"):
        train(sample, tmp_path, progress=lambda done, _: told.append(done))
    assert not told and (tmp_path / "mine.txt").read_text("utf-8") == "mine"


def test_a_seed_gives_the_same_vectors(tmp_path: Path) -> None:
    matrices = []
    for hash_seed, threads in (("1", "1"), ("2", "2")):
        folder = tmp_path / hash_seed
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "LEXFIELD_THREADS": threads}
        subprocess.run([sys.executable, "-c", CODE, str(folder)], check=True, env=environment)
        matrices.append([model.matrix for model in Models.open(folder)])
    for one, other in zip(*matrices, strict=True):
        assert np.array_equal(one, other)


def test_fasttext(tmp_path: Path) -> None:
    corpus = Corpus.of(["the cat sat on the mat and the dog sat on the log " * 20] * 3)
    with pytest.raises(InputError, match="Only 8 words occur at least 5 times"):
        train(corpus, tmp_path / "few")
    words = " ".join(f"word{i} other{i}" for i in range(20))
    corpus = Corpus.of([words] * 6)
    found = train(
        corpus, tmp_path / "parts", models=1, dimensions=[6], algorithm="fasttext", epochs=2
    )
    assert len(found) == 1 and len(found.words) == 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": 0}, "seeds must be"),
        ({"dimensions": []}, "dimensions must be"),
        ({"dimensions": [0]}, "dimensions must be"),
        ({"algorithm": "glove"}, "algorithm must be"),
        ({"epochs": 0}, "epochs must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**31}, "seed must be below"),
    ],
)
def test_bad_input(
    sample: Corpus, tmp_path: Path, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        lx.train_vectors(sample, output=tmp_path / "x", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()
