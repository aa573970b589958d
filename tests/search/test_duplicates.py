from __future__ import annotations

import tempfile
import time
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.search.duplicates import duplicates
from lexfield.search.index import Index
from lexfield.search.minhash import PLACES, band_size, candidate_pairs, signatures
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


@pytest.fixture(scope="module")
def long_documents(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """100 documents of about 6,000 distinct words by Zipf's law, every tenth nearly the last."""
    rng = np.random.default_rng(2)
    words = np.array([f"{a}{b}{c}q" for a in "bcdfghjklm" for b in "aeiou" for c in range(800)])
    documents: list[Document] = []
    for number in range(100):
        text = words[np.minimum(rng.zipf(1.15, 30_000), len(words)) - 1]
        if number % 10 == 9:
            text = np.append(documents[-1].text.split(), text[:500])
        documents.append(Document(str(number), " ".join(text)))
    folder = tmp_path_factory.mktemp("long")
    return Index.build(Corpus.of(documents), folder / "i")


def test_long_documents_are_compared_once_per_pair(
    long_documents: Index,
) -> None:
    started, told = time.monotonic(), []
    found = duplicates(long_documents, 0.3, progress=lambda done, total: told.append((done, total)))
    assert time.monotonic() - started < 20  # it was minutes when every shared word compared a pair
    assert {(pair.a, pair.b) for pair in found} >= {(str(n - 1), str(n)) for n in range(9, 100, 10)}
    assert len({(pair.a, pair.b) for pair in found}) == len(found)
    assert told[-1][0] == told[-1][1] and len(told) > 20
    assert all(len(pair.text_a) <= 501 for pair in found)
    whole = duplicates(long_documents, 0.9, full=True)
    assert len(whole[0].text_a) > 10_000
    near = duplicates(long_documents, 0.9, approximate=True)
    assert [(pair.a, pair.b) for pair in near] == [(pair.a, pair.b) for pair in whole]


def test_minhash_returns_a_pair_once() -> None:
    keys = np.array([[1, 2], [1, 2], [1, 3], [4, 3]], np.uint64)
    found = np.concatenate(list(candidate_pairs(keys))).tolist()
    assert sorted(found) == [[0, 1], [0, 2], [1, 2], [2, 3]]


def test_endless_pairs_are_refused_and_short_rows_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["Yes."] * 40 + ["Red sun over the blue hill."] * 2
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    monkeypatch.setattr(import_module("lexfield.search.duplicates"), "_MOST", 100)
    for approximate in (False, True):
        with pytest.raises(InputError, match="More than 100 pairs.*--min-words"):
            duplicates(index, approximate=approximate)
        found = duplicates(index, min_words=3, approximate=approximate)
        assert [(pair.a, pair.b) for pair in found] == [("40", "41")]


def test_deleted_documents_are_no_duplicates(tmp_path: Path) -> None:
    texts = ["Red sun over the hill.", "Red sun over the hill!", "Blue moon."]
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    assert [(p.a, p.b) for p in duplicates(index)] == [("0", "1")]
    index.delete(["1"])
    assert len(duplicates(index)) == 0
    with pytest.raises(InputError, match="threshold"):
        duplicates(index, 0)
