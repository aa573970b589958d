from __future__ import annotations

import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.search.duplicates import duplicates
from lexfield.search.index import Index
from lexfield.search.minhash import PLACES, band_size, signatures
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.search.oracle import Plain
from tests.search.test_methods import build, corpora


@settings(deadline=None, max_examples=60)
@given(texts=corpora, threshold=st.sampled_from([0.2, 0.5, 0.6, 2 / 3, 1.0]))
def test_exact_finds_what_comparing_all_finds(texts: list[str], threshold: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = build(folder, texts)
        found = duplicates(index, threshold)
        plain = Plain.of(index, "document")
    sets = [set(plain.content(text)) for text in plain.texts]
    expected = {
        (str(a), str(b)): len(sets[a] & sets[b]) / len(sets[a] | sets[b])
        for a, b in combinations(range(len(sets)), 2)
        if sets[a] | sets[b] and len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= threshold
    }
    assert {(pair.a, pair.b): pair.similarity for pair in found} == pytest.approx(expected)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """300 documents of 30 random words, and for each a copy with some words replaced."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(3000)])
    documents = []
    for number in range(300):
        own = rng.choice(words, 30, replace=False)
        changed = own.copy()
        changed[: number % 8] = rng.choice(words, number % 8, replace=False)
        documents += [
            Document(f"a{number}", " ".join(own)),
            Document(f"b{number}", " ".join(changed)),
        ]
    folder = tmp_path_factory.mktemp("copies")
    return Index.build(Corpus.of(documents), folder / "i")


@pytest.mark.parametrize("threshold", [0.6, 0.8, 0.95])
def test_minhash_misses_few(copies: Index, threshold: float) -> None:
    exact = {(pair.a, pair.b) for pair in duplicates(copies, threshold)}
    near = {(pair.a, pair.b) for pair in duplicates(copies, threshold, approximate=True)}
    assert near <= exact
    assert len(near) >= 0.95 * len(exact) > 10


def test_signatures_agree_as_often_as_sets(copies: Index) -> None:
    signature = signatures(copies.rows("document"))
    for a, b, jaccard in [(0, 1, 1.0), (6, 7, 27 / 33), (0, 2, 0.0)]:
        share = float((signature[a] == signature[b]).mean())
        assert share == pytest.approx(jaccard, abs=4 * (0.25 / PLACES) ** 0.5 if jaccard < 1 else 0)
    assert band_size(0.8) > band_size(0.5)


def test_minhash_search_gives_true_scores(copies: Index) -> None:
    text = copies.corpus.documents[14].text
    exact = copies.search(text, "jaccard", 2, unit="document")
    near = copies.search(text, "jaccard(minhash=true)", 2, unit="document")
    assert near.rows == exact.rows
    assert near.scores == exact.scores


def test_deleted_documents_are_no_duplicates(tmp_path: Path) -> None:
    texts = ["Red sun over the hill.", "Red sun over the hill!", "Blue moon."]
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    assert [(p.a, p.b) for p in duplicates(index)] == [("0", "1")]
    index.delete(["1"])
    assert len(duplicates(index)) == 0
    with pytest.raises(InputError, match="threshold"):
        duplicates(index, 0)
