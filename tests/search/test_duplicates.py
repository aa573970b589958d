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
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.search.oracle import Plain
from tests.search.test_registry import build, corpora


@settings(max_examples=60)
@given(texts=corpora, threshold=st.sampled_from([1e-12, 0.2, 0.5, 0.6, 2 / 3, 1.0]))
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


def test_endless_pairs_are_refused_and_short_rows_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["Yes."] * 40 + ["Red sun over the blue hill."] * 2
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    monkeypatch.setattr(import_module("lexfield.search.duplicates"), "_MOST", 100)
    with pytest.raises(InputError, match="More than 100 pairs.*min_words"):
        duplicates(index)
    found = duplicates(index, min_words=3)
    assert [(pair.a, pair.b) for pair in found] == [("40", "41")]


def test_deleted_documents_are_no_duplicates(tmp_path: Path) -> None:
    texts = ["Red sun over the hill.", "Red sun over the hill!", "Blue moon."]
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    assert [(p.a, p.b) for p in duplicates(index)] == [("0", "1")]
    index.delete(["1"])
    assert len(duplicates(index)) == 0
    with pytest.raises(InputError, match="threshold"):
        duplicates(index, 0)
