"""Ranking straight from the stored lists returns what adding up all of them does, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.index.bags import Bags
from lexfield.search import bm25
from lexfield.search.index import Index
from lexfield.text.document import Document

WORDS = (
    "storm storms sea ship ships harbour captain letter night walk walked walking the of".split()
)
QUERIES = [
    "a storm at sea",
    "walking ships",
    "captain captain captain letter",
    "the harbour",
    "zebra storm",
    "zebra",
    "the of",
    " ".join(WORDS),
]
ROWS = 70_000  # more than a window


def write(rows: int, seed: int, first: int = 0) -> list[Document]:
    draw = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(WORDS) + 3) ** 1.5
    words = [*draw.permutation(WORDS), "other", "more"]
    lengths = draw.integers(1, 9, rows)
    drawn = draw.choice(words, lengths.sum(), p=shares / shares.sum())
    texts = [" ".join(own).capitalize() for own in np.split(drawn, np.cumsum(lengths)[:-1])]
    return [
        Document(
            str(first + n), ". ".join(texts[n * 40 : n * 40 + 40]) + ".", "", {"n": str(n % 7)}
        )
        for n in range(-(-rows // 40))
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(ROWS, 1), tmp_path_factory.mktemp("idx") / "idx", language="en")


def compare(index: Index, monkeypatch: pytest.MonkeyPatch, **options: object) -> None:
    monkeypatch.setattr(bm25, "_MANY", 0)  # lists are never kept
    for text in QUERIES:
        for method in ("bm25", "bm25(k1=0.4,b=1)", "bm25(b=0)"):
            for k in (3, 300):
                monkeypatch.setattr(bm25, "_FEW", 0)
                found = index.search(text, method, k, **options)  # type: ignore[arg-type]
                monkeypatch.setattr(bm25, "_FEW", 1 << 40)
                wanted = index.search(text, method, k, **options)  # type: ignore[arg-type]
                assert (found.rows, found.scores) == (wanted.rows, wanted.scores)
                assert found.notes == wanted.notes
        some = [hit.explanation for hit in found[:3]]
        assert some == [hit.explanation for hit in wanted[:3]]


def test_a_search_of_one_segment(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = index.segments[0].postings("sentence").lists
    assert 0 < len(lists.common) < len(lists.sizes)  # both kinds of lists are read
    compare(index, monkeypatch)


def test_words_that_are_asked_for_often_keep_their_lists(index: Index) -> None:
    text = QUERIES[0]
    found = [index.search(text, "bm25", 5) for _ in range(4)]
    assert all(one.rows == found[0].rows and one.scores == found[0].scores for one in found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "find_highest", None)  # would fail
        assert index.search(text, "bm25", 5).scores == found[0].scores


def test_a_search_among_some_rows(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(index, monkeypatch, where="n=3")


def test_a_search_of_an_index_that_grew_and_shrank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = Index.build(write(4_000, 2), tmp_path / "idx", language="en")
    grown.add(write(400, 3, first=1000))
    grown.delete(["3", "1004"])
    assert len(grown.segments) > 1
    compare(grown, monkeypatch)


def test_a_search_without_stems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Index.build(write(3_000, 4), tmp_path / "idx", language="en", stemmer="none")
    compare(plain, monkeypatch)


def test_rows_of_a_stem_are_counted_without_its_lists(index: Index) -> None:
    bags = Bags(index.rows("sentence"))
    counted = {term: bags.count_rows(term) for term in bags.ids}
    assert not bags.lists("occurrences")
    assert counted == {term: bags.occurrences((term,)).holding for term in bags.ids}
