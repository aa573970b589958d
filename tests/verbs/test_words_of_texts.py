"""``speech``, ``layout``, ``kwic`` and ``keyness`` as Python functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.errors import InputError
from lexfield.sample import TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.verbs.counts import keyness, kwic
from lexfield.verbs.ranks import layout, speech

SEA, STARS = TEXTS / "voss-sea.txt", TEXTS / "quill-stars.txt"


def test_speech(sample: Corpus) -> None:
    pytest.importorskip("textblob", reason="the extra speech is not installed")
    found = speech(sample, nearest=[3, 2, 3])
    assert [row.k for row in found.neighbours] == [2, 3]
    assert found[0].shares[0].speech == "noun" == found.shares[0].speech
    assert [row.k for row in speech(str(SEA), nearest=[2]).neighbours] == [2]
    with pytest.raises(InputError, match="nearest must be"):
        speech(sample, nearest=[0])


def test_layout(tmp_path: Path) -> None:
    found = layout(SEA, projection="pca", words=50)
    assert len(found) == 50 and found.places.shape == (50, 2)
    assert found.figures() == {"method": "pca", "plot": None}
    target = tmp_path / "words.html"
    assert found.plot(target) == target and found.figures()["plot"] == str(target)
    both = layout([SEA, STARS], projection="pca", words=10)
    assert {row.corpus for row in both} == {"voss-sea", "quill-stars"}
    with pytest.raises(InputError, match="projection must be one of tsne, pca, mds"):
        layout(SEA, projection="umap")  # type: ignore[arg-type]


def test_kwic(sample_index: Index) -> None:
    (line,) = kwic("The cat sat. A dog barked.", "dog")
    assert (line.match, line.left, line.right) == ("dog", "The cat sat. A", "barked")
    found = kwic(sample_index, ["sea", "the boat"], k=1)
    assert {row.match.lower() for row in found} == {"sea", "the boat"}
    assert sum(found.totals.values()) > len(found)
    assert kwic(str(sample_index.path), "sea").totals == kwic(sample_index, "sea").totals
    with pytest.raises(InputError, match=r"no file 'nowhere\.txt'"):
        kwic("nowhere.txt", "sea")
    with pytest.raises(InputError, match="word must be"):
        kwic("A text.", [])


def test_kwic_counts_texts_without_the_word_if_they_were_chosen() -> None:
    texts = [Document("a", "The cat sat."), Document("b", "A dog barked.")]
    assert kwic(texts, "dog").totals == {"a": 0, "b": 1}
    assert kwic(Corpus.of(texts), "dog").totals == {"a": 0, "b": 1}


def test_keyness() -> None:
    found = keyness("cat cat cat cat cat sat", "dog dog dog dog dog sat", max_p=0.5)
    assert {row.word: row.more_in for row in found} == {"cat": "A", "dog": "B"}
    by_path = keyness(str(SEA), STARS, k=3)
    assert by_path[0].count_a + by_path[0].count_b > 0 and len(by_path) == 3
    assert by_path.names == ("voss-sea", "quill-stars")
    with pytest.raises(InputError, match="correction must be one of"):
        keyness("a", "b", correction="all")  # type: ignore[arg-type]
