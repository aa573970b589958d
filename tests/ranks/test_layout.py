"""Layouts: PCA beside scikit-learn's, t-SNE and MDS by what they promise."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from numpy.typing import NDArray

import lexfield as lx
from lexfield.errors import InputError, MissingExtraError
from lexfield.ranks.layout import _report_seconds, layout, place_rows
from lexfield.ranks.speech import speech
from lexfield.vectors.nearest import unit_rows


@pytest.fixture(scope="module")
def groups() -> NDArray[np.float32]:
    rng = np.random.default_rng(0)
    centres = np.eye(3, 20)
    return (centres[np.repeat(np.arange(3), 40)] + 0.05 * rng.normal(size=(120, 20))).astype(
        np.float32
    )


def test_pca_is_scikit_learns(groups: NDArray[np.float32]) -> None:
    from sklearn.decomposition import PCA

    ours = place_rows(groups, "pca")
    theirs = PCA(2).fit_transform(unit_rows(groups))
    signs = np.sign((ours * theirs).sum(axis=0))
    assert np.allclose(ours, theirs * signs, atol=1e-4)


@pytest.mark.parametrize("method", ["tsne", "mds"])
def test_groups_stay_apart(groups: NDArray[np.float32], method: str) -> None:
    places = place_rows(groups, method)
    middles = np.array([places[i * 40 : (i + 1) * 40].mean(axis=0) for i in range(3)])
    gaps = np.linalg.norm(places[:, None] - middles, axis=2)
    assert (gaps.argmin(axis=1) == np.repeat(np.arange(3), 40)).all()
    assert (place_rows(groups, method) == places).all()  # same seed, same layout


def test_layout_of_a_corpus(sample: lx.Corpus) -> None:
    found = layout(sample, "pca", words=100, name="sample")
    assert len(found.words) == 100 and found.words[0] == "the"
    assert "100 most frequent of" in found.notes[0]
    record = found.to_dicts()[0]
    assert record["word"] == "the" and record["speech"] == "other"
    assert record["count"] == int(sample.vocabulary.counts[0])


def test_a_long_layout_tells_the_time() -> None:
    told: list[tuple[int, int | None]] = []
    with _report_seconds(lambda done, total: told.append((done, total))):
        time.sleep(2.5)
    assert told == [(1, None), (2, None)]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("Two words.", {}, "too few to lay out"),
        ("Xqzzy wrrgl.", {}, "have no word of this text"),
        ("Two words.", {"method": "mds", "words": 6000}, "10 to 5,000 for mds"),
        ("Two words.", {"words": 3}, "words must be"),
    ],
)
def test_refusals(text: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        layout(lx.Corpus.of([text]), **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="projection must be one of tsne, pca, mds"):
        lx.layout(lx.Corpus.of([text]), projection="umap")  # type: ignore[arg-type]


def test_without_textblob_words_are_laid_out_without_classes(
    sample: lx.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textblob", None)
    monkeypatch.setitem(sys.modules, "textblob.en", None)
    found = layout(sample, "pca", words=50)
    assert {record["speech"] for record in found.to_dicts()} == {"other"}
    assert any("pip install 'lexfield[speech]'" in note for note in found.notes)
    with pytest.raises(MissingExtraError, match=r"lexfield\[speech\]"):
        speech(sample)
