"""Texts whose words have no vectors: said when an index is built, refused by what needs vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.cluster.build_shards import build_sharded
from lexfield.compare.pair import divergence
from lexfield.compare.pairs import pairs
from lexfield.errors import InputError
from lexfield.index.learn_metric import learn_metric
from lexfield.ranks.layout import layout
from lexfield.ranks.zipf import zipf
from lexfield.vectors.coverage import FEW, LEAST, LEAST_OF_FEW, Coverage

FLORES = Path(__file__).parents[3] / "shared" / "data" / "flores"
CHINESE = "周一，斯坦福大学医学院的科学家宣布，他们发明了一种新的诊断工具。当地媒体报道了这件事。"
TEXTS = [
    CHINESE,
    CHINESE[10:] + "总统在海上看见了一条船。",
    "他们坐船回家，海上有风暴。" + CHINESE[:20],
]
ENGLISH = "The boat came home before the storm, and the whole village went down to the harbour."


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> lx.Index:
    documents = [
        lx.Document(str(i), text, "", {"group": "ab"[i % 2]}) for i, text in enumerate(TEXTS * 2)
    ]
    corpus, path = lx.Corpus.of(documents), tmp_path_factory.mktemp("zh") / "i"
    return lx.Index.build(corpus, path, vectors="default")


def test_how_much_is_enough() -> None:
    assert Coverage(FEW, int(FEW * LEAST), "v").is_enough
    assert not Coverage(FEW, int(FEW * LEAST) - 1, "v").is_enough
    assert Coverage(1000, int(1000 * LEAST_OF_FEW), "v").is_enough
    assert not Coverage(1000, int(1000 * LEAST_OF_FEW) - 1, "v").is_enough
    assert Coverage(4, 0, "v").is_enough  # too few to tell
    assert Coverage(1000, 400, "v").require(False) == [
        "60% of the words in the texts have no vector in 'v': results that rest on vectors say"
        " little about them"
    ]
    assert Coverage(1000, 650, "v").require(False) == []


def test_building_says_so(chinese: lx.Index) -> None:
    (note,) = (note for note in chinese.info()["notes"] if "no vector" in note)
    assert "100% of the words" in note or "99% of the words" in note
    assert "bm25" in note and "--vectors" in note and "--allow-unknown" in note
    assert chinese.info()["vectors"]["coverage"]["unknown"]["tokens"] > 0


@pytest.mark.parametrize("spec", ["ideas", "mean", "wmd", "translation", "bm25(extend=true)",
                                  "fuse(bm25, mean)"])  # fmt: skip
def test_methods_that_go_by_vectors_are_refused(chinese: lx.Index, spec: str) -> None:
    asks: list[Any] = [
        lambda **how: chinese.search("海上风暴", spec, **how),
        lambda **how: chinese.like("0", spec, **how),
        lambda **how: list(chinese.search_many(["海上风暴"] * 2, spec, **how))[1],
    ]
    for ask in asks:
        with pytest.raises(InputError, match="no vector in 'default'") as error:
            ask()
        assert "say little: allow_unknown=True. " in error.value.hint
        assert "--allow-unknown (allow_unknown=True)" in error.value.typed[1]
        found = ask(allow_unknown=True)
        assert any("say little" in note for note in found.notes)


@pytest.mark.parametrize("spec", ["bm25", "lm", "count", "frequency", "bow", "jaccard", "edit"])
def test_methods_without_vectors_work(chinese: lx.Index, spec: str) -> None:
    found = chinese.search("海上风暴", spec)
    assert len(found) and not any("vector" in note for note in found.notes)


def test_the_latent_space_is_refused(chinese: lx.Index) -> None:
    corpus = chinese.corpus
    asks: list[Any] = [
        lambda **how: divergence(TEXTS[0], TEXTS[1], space="latent", k=1, **how),
        lambda **how: divergence(TEXTS[0], TEXTS[1], space="latent", estimator="spread", **how),
        lambda **how: divergence(ENGLISH * 3, TEXTS[1], space="latent", k=1, **how),
        lambda **how: pairs(corpus, space="latent", k=1, **how),
        lambda **how: zipf(corpus, space="latent", clusters=10, **how),
        lambda **how: layout(corpus, "pca", **how),
        lambda **how: learn_metric(chinese, "group", "m", **how),
    ]
    for ask in asks:
        with pytest.raises(InputError, match="have no vector in 'default'"):
            ask()
        try:  # with so few words it may fail later, but for another reason
            ask(allow_unknown=True)
        except InputError as error:
            assert "allow_unknown" not in str(error)
    assert divergence(TEXTS[0], TEXTS[1]).value > 0
    assert divergence(ENGLISH, ENGLISH + " Nobody waved at them.", space="latent", k=1).value


def test_shards_refuse_too(chinese: lx.Index, tmp_path: Path) -> None:
    index = build_sharded(list(chinese.corpus.documents), tmp_path / "i", shards=2)
    assert any("no vector" in note for note in index.info()["notes"])
    with pytest.raises(InputError, match="no vector"):
        index.search("海上风暴", "mean")
    assert any("words alone decide" in note for note in index.search("海上风暴").notes)
    assert len(index.search("海上风暴", "bm25"))


def test_a_word_without_a_vector_is_never_covered(tmp_path: Path) -> None:
    texts = ["The qxzzy sails home over the sea.", "A ship sank at sea in the storm.", ENGLISH]
    index = lx.Index.build(lx.Corpus.of(texts), tmp_path / "i")
    for spec in ("ideas", "setcover"):
        found = index.search("qxzzy sails 海", spec, 3)
        assert all({"qxzzy", "海"} <= set(h.explanation.facts["uncovered"]) for h in found)
        assert not any(note.endswith("every word of the query") for note in found.notes)
        assert "sails" not in found[len(found) - 1].explanation.facts["uncovered"]


def test_what_is_added_counts(tmp_path: Path) -> None:
    index = lx.Index.build(lx.Corpus.of([ENGLISH]), tmp_path / "i")
    assert index.coverage.is_enough
    index.add([lx.Document("zh", CHINESE * 3)])
    assert not index.coverage.is_enough
    assert index.info()["vectors"]["coverage"]["unknown"]["tokens"] > 50


@pytest.mark.skipif(not FLORES.is_dir(), reason="FLORES is not here")
@pytest.mark.parametrize("path", sorted(FLORES.glob("*.txt")), ids=lambda path: path.stem)
def test_languages(path: Path) -> None:
    corpus = lx.Corpus.read(path)
    vectors = lx.WordVectors.default()
    known = vectors.embed(corpus.vocabulary).known
    counts = np.asarray(corpus.vocabulary.counts)
    found = Coverage.of(list(corpus.vocabulary), known, counts, vectors.name)
    assert found.is_enough == (path.stem == "eng_Latn")
