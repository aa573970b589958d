"""Adding up stored lists in windows returns what decoding and adding up all of them does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.index.rows import Rows
from lexfield.search import setcover, word_sums
from lexfield.search.index import Index
from tests.search.test_max_score import ROWS, WORDS, write

QUERIES = ["a storm at sea", "The captain walked to the harbour.", " ".join(WORDS)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(ROWS, 1), tmp_path_factory.mktemp("idx") / "idx", language="en")


def compare_sums(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(2)
    known = [rows.lexicon.ids[word] for word in WORDS if word in rows.lexicon.ids]
    live = rows.live if rows.live is not None else np.ones(len(rows), bool)
    for penalty in (0.0, 0.5, 0.99, 1.0, 2.5):
        for count in (1, 4, len(known), 2 * len(known)):
            words = np.array(draw.choice(known, count), np.int64)  # some more than once
            values = draw.choice([1.0, 0.25, draw.random()], count)
            allowed = live & (draw.random(len(rows)) < 0.9)
            for k in (1, 50, 2 * len(rows)):
                question = (rows, words, values, penalty, allowed, k)
                monkeypatch.setattr(word_sums, "_FEW", 0)
                found = word_sums.find_highest_sums(*question)
                monkeypatch.setattr(word_sums, "_FEW", 1 << 40)
                wanted = word_sums.find_highest_sums(*question)
                for own, other in zip(found, wanted, strict=True):
                    assert own.tolist() == other.tolist()


def test_sums_of_one_segment(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_sums(index.rows("sentence"), monkeypatch)


def test_sums_of_an_index_that_grew_and_shrank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index.build(write(20_000, 1), tmp_path / "idx", language="en")
    index.add(write(3000, 2, 1000))
    index.delete(["3", "1001"])
    assert len(index.segments) == 2
    compare_sums(index.rows("sentence"), monkeypatch)


@pytest.mark.parametrize("method", ["setcover", "setcover(weights=idf,penalty=1)", "ideas"])
def test_searches_do_not_depend_on_windows_or_on_the_pool(
    index: Index, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    for text in QUERIES:
        monkeypatch.setattr(word_sums, "_FEW", 1 << 40)
        monkeypatch.setattr(setcover, "_POOL", ROWS)  # all rows that cover anything
        wanted = index.search(text, method, 30)
        monkeypatch.setattr(word_sums, "_FEW", 0)
        for pool in (1, 7, 512):
            monkeypatch.setattr(setcover, "_POOL", pool)
            found = index.search(text, method, 30)
            assert (found.rows, found.scores) == (wanted.rows, wanted.scores)
            assert [hit.explanation for hit in found[:5]] == [hit.explanation for hit in wanted[:5]]
