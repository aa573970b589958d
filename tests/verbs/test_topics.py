"""Topics and metrics of an index from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.sample import METADATA, TEXTS


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> lx.Index:
    path = tmp_path_factory.mktemp("verbs") / "sample.idx"
    return lx.index(TEXTS, output=path, metadata=METADATA).index


def test_topics_are_fitted_shown_and_inferred(sample: lx.Index, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no topics yet"):
        lx.topics(sample)
    fitted = lx.fit_topics(sample, topics=4, passes=1)
    assert fitted[0].topics == 4 and "fitted 4 topics to 64 documents" in repr(fitted)
    shown = lx.topics(sample.path, k=3)
    assert len(shown) == 4 and len(shown[0].words.split()) == 3
    assert shown.figures()["passes"] == 1 and "perplexity" not in shown.figures()
    assert lx.topics(sample, perplexity=True).figures()["perplexity"] > 1
    inferred = lx.infer(sample, "The boat came home.", k=2)
    assert inferred.mixtures.shape == (1, 4) and len(inferred[0].topics) == 2
    every = lx.infer(sample, output=tmp_path / "m.npy")
    assert every[0].document == sample.corpus.ids[0]
    np.testing.assert_array_equal(np.load(tmp_path / "m.npy"), every.mixtures)
    again = lx.fit_topics(sample, mixtures=tmp_path / "m.npy")
    assert again.to_dicts() == [{"topics": 4, "from": str(tmp_path / "m.npy")}]
    assert lx.info(sample)[0].topics


def test_a_metric_is_learned_listed_and_removed(sample: lx.Index) -> None:
    learned = lx.learn_metric(sample, by="author", name="style", shrinkage=0.5)
    assert learned[0].clusters == 8 and "try it: lexfield search" in repr(learned)
    assert [row.name for row in lx.list_metrics(sample.path)] == ["style"]
    assert lx.open(sample.path, metric="style").metric == "style"
    lx.remove_metric(sample, "style")
    assert not lx.list_metrics(sample).results
    with pytest.raises(InputError, match="No document has metadata 'colour'"):
        lx.learn_metric(sample, by="colour", name="style")


def test_messages_on_an_index_in_memory_name_no_path() -> None:
    words = ("storm boat harbour sail wave", "bread oven flour dough salt")
    texts = [
        lx.Document(
            str(i), words[i % 2] + 5 * f" {words[i % 2].split()[i % 5]}", "", {"by": "ab"[i % 2]}
        )
        for i in range(12)
    ]
    index = lx.Index(texts)
    assert lx.list_metrics(index).notes == [
        "learn one: lx.learn_metric(index, by='FIELD', name='NAME')"
    ]
    assert "see: lx.topics(index)" in repr(lx.fit_topics(index, topics=2, passes=1, max_share=1))
    learned = repr(lx.learn_metric(index, by="by", name="m", shrinkage=0.5))
    assert "try it: lx.search(index, TEXT, method='mean', metric='m')" in learned
    assert "in memory" in repr(lx.open(index, "m"))
