"""Set cover by hand; ideas by their definition, and the guarantee of greedy choice."""

from __future__ import annotations

import math
import tempfile
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors
from tests.search.covers import IdeasWithCopies, SetCoverWithCopies
from tests.search.oracle import MatchCover, Plain
from tests.search.test_registry import build, corpora, queries

# On a line: boat 0, ship 1, canoe 2, then far away bread 50, cake 51, stone 100.
LINE = {"boat": 0, "ship": 1, "canoe": 2, "bread": 50, "cake": 51, "stone": 100}
TOY = [
    "Every ship carries bread and hardtack.",  # ship, bread of 6 distinct words
    "One canoe passed under tall bridges.",  # canoe of 6
    "Some cake fell upon hot stone.",  # cake of 6
    "Boat and ship and canoe raced.",  # boat, ship, canoe of 5
    "No cake.",  # too short
]


@pytest.fixture
def toy(tmp_path: Path) -> Index:
    matrix = np.array([[x, 1.0] for x in LINE.values()], np.float32)
    return Index.build(Corpus.of(TOY), tmp_path / "i", vectors=WordVectors(list(LINE), matrix))


def test_without_kept_balls_the_answers_are_the_same(
    toy: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not kept for very many words, because finding them all takes quadratic time."""
    monkeypatch.setattr(import_module("lexfield.index.segment"), "MOST_BALLS", 3)
    matrix = np.array([[x, 1.0] for x in LINE.values()], np.float32)
    vectors = WordVectors(list(LINE), matrix)
    without = Index.build(Corpus.of(TOY), tmp_path / "without", vectors=vectors)
    assert toy.lexicon.has_balls and not without.lexicon.has_balls
    for spec in ("setcover(r=2)", "ideas", "translation(threshold=0.5)"):
        kept, computed = (index.search("boat bread", spec, 3) for index in (toy, without))
        assert (kept.rows, kept.scores) == (computed.rows, computed.scores)


def test_toy_corpus_by_hand(toy: Index) -> None:
    """U of "boat bread" with r=2: {boat, ship, canoe} ∪ {bread, cake, canoe}."""
    found = toy.search("boat bread", "setcover(r=2)", 3)
    assert found.rows == [3, 0, 2]
    # 3 of 3's five words; then bread, for ship is covered; then cake
    assert found.scores == pytest.approx([3 / math.sqrt(5), 1 / math.sqrt(6), 1 / math.sqrt(6)])
    first = found[0].explanation
    assert {(r.query, r.match, r.distance) for r in first.reasons} == {
        ("boat", "boat", 0.0),
        ("boat", "ship", 1.0),
        ("boat", "canoe", 2.0),
    }
    assert first.facts == {"uncovered": ["bread"]}
    assert found[1].explanation.facts == {"uncovered": []}


def test_own_words_can_be_left_out(toy: Index) -> None:
    found = toy.search("bread", "setcover(r=1, own=false)", 2)
    assert found.rows == [2]
    assert [r.match for r in found[0].explanation.reasons] == ["cake"]


def test_when_everything_is_covered(toy: Index) -> None:
    again = toy.search("stone", "setcover(r=1)", 2)
    assert again.rows == [2]  # stone and cake in one row; no other row has either
    two = toy.search("canoe", "setcover(r=0)", 2)
    assert two.rows == [3, 1]
    assert any("the first row covers every word of the query" in note for note in two.notes)
    stop = toy.search("canoe", "setcover(r=0, exhausted=stop)", 2)
    assert stop.rows == [3]


def test_copies_and_lengths(toy: Index) -> None:
    text = TOY[3].replace("raced", "race")
    for spec in ("setcover(r=2)", "ideas(r=2)"):
        assert 3 not in toy.search(text, spec, 5).rows
    for method in (SetCoverWithCopies(r=2), IdeasWithCopies(r=2)):
        assert 3 in toy.search(text, method, 5).rows
    for spec in ("setcover", "ideas"):
        assert 4 not in toy.search("cake", spec, 5).rows
    for spec in ("setcover(min_tokens=0)", "ideas(min_tokens=0)"):
        assert 4 in toy.search("cake", spec, 5).rows


def test_other_weights(toy: Index) -> None:
    by_idf = toy.search("boat bread", "setcover(weights=idf, r=2)", 1)
    assert by_idf.scores[0] == pytest.approx(3 * math.log(6 / 2) / math.sqrt(5))
    by_distance = toy.search("boat", "setcover(weights=distance, r=1)", 1)
    cosine = 1 / math.sqrt(2)  # of (0, 1) and (1, 1)
    assert by_distance.scores[0] == pytest.approx((1 + cosine) / math.sqrt(5))


@settings(max_examples=60)
@given(texts=corpora, query=queries, k=st.integers(1, 4), r=st.integers(0, 9))
def test_ideas_against_their_definition(texts: list[str], query: str, k: int, r: int) -> None:
    method = IdeasWithCopies(r=r, topic=0.3, form=1.5, min_tokens=3, beyond=0, repeat=True)
    with tempfile.TemporaryDirectory() as folder:
        index = build(folder, texts)
        found = index.search(query, method, k)
        cover = MatchCover(Plain.of(index), query, r, 0.3, 1.5)
        totals = [sum(reason.contribution for reason in hit.explanation.reasons) for hit in found]
        least = 3 if index.rows().lengths.mean() >= 3 else 0  # texts may be shorter on average
    chosen: list[int] = []
    for row, score in zip(found.rows, found.scores, strict=True):
        gains = {
            other: cover.value([*chosen, other]) - cover.value(chosen)
            for other in cover.touched(least)
            if other not in chosen
        }
        assert score == pytest.approx(gains[row], abs=1e-6)
        assert score == pytest.approx(max(gains.values()), abs=1e-6)
        chosen.append(row)
    assert totals == pytest.approx(found.scores, abs=1e-6)
    if not found.rows:
        assert not cover.touched(least)


def test_variety_rules(tmp_path: Path, sample: Corpus) -> None:
    index = Index.build(sample, tmp_path / "i")
    query = "The fishing boat came home before the storm."
    free = index.search(query, "ideas(beyond=0, repeat=true)", 8)
    varied = index.search(query, "ideas", 8)
    assert free.rows[0] == varied.rows[0]
    assert free.rows != varied.rows
    near = [r for m in ("mean", "jaccard", "wmd") for r in index.search(query, m, 8).rows]
    assert len(set(varied.rows[1:]) & set(near)) < len(set(free.rows[1:]) & set(near))
    # With the topic left out reasons are the matches alone: no word is matched by two rows.
    bare = index.search(query, "ideas(topic=0, form=0, beyond=0)", 6)
    words = [{reason.match for reason in hit.explanation.reasons} for hit in bare]
    assert sum(map(len, words)) == len(set().union(*words))


def test_rows_that_were_passed_over_are_better_than_none(toy: Index) -> None:
    assert len(toy.search("boat", "ideas(r=5, beyond=50)", 4)) == 4


@settings(max_examples=40)
@given(texts=corpora, query=queries)
def test_greedy_keeps_its_guarantee(texts: list[str], query: str) -> None:
    """F is monotone and submodular, and greedy reaches 1 − 1/e of the best set of three."""
    with tempfile.TemporaryDirectory() as folder:
        cover = MatchCover(Plain.of(build(folder, texts)), query, 4, 0.3, 1.5)
    rows = cover.touched(1)[:6]
    chosen: list[int] = []
    while len(chosen) < min(3, len(rows)):
        chosen.append(
            max((r for r in rows if r not in chosen), key=lambda r: cover.value([*chosen, r]))
        )
    best = max((cover.value(list(s)) for s in combinations(rows, len(chosen))), default=0.0)
    assert cover.value(chosen) >= (1 - 1 / math.e) * best - 1e-9
    for extra in rows[1:]:
        small = cover.value([extra]) - cover.value([])
        large = cover.value([rows[0], extra]) - cover.value([rows[0]])
        assert -1e-9 <= large <= small + 1e-9
