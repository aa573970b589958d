"""Words that fall on rows by chance: the model by enumeration, and what it says of real indexes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from lexfield.index.chance import LEAST, SAMPLE, Scorer, Tail, draw, join
from lexfield.index.coincidence import Word, find_surprise
from lexfield.search.index import Index
from lexfield.search.mean import Mean
from lexfield.text.document import Document
from lexfield.verbs.search import bags

_NOUNS = "boat harbour rice copper garden letter winter market lantern violin".split()
_VERBS = "saw carried painted lost sold mended borrowed remembered".split()
_PLACES = "Paris Lisbon Bergen Cairo Dublin Kyoto Lima Oslo Quito Riga".split()


def write_texts(count: int, seed: int = 1) -> list[str]:
    """Sentences of common words, each with a number that no other has."""
    rng = np.random.default_rng(seed)

    def pick(words: list[str]) -> str:
        return words[int(rng.integers(len(words)))]

    return [
        f"She {pick(_VERBS)} the {pick(_NOUNS)} and the {pick(_NOUNS)} in {pick(_PLACES)},"
        f" number {4000 + i}."
        for i in range(count)
    ]


def test_surprise_is_that_of_independent_words() -> None:
    """Against all 2³ sets of words that a row may hold."""
    rows, sizes, values = 1000, (3, 50, 400), (0.1, 0.05, 0.2)  # on the grid up to 0.5
    words = [
        Word(n, np.full(min(n, 32), v), np.zeros(min(n, 32)))
        for n, v in zip(sizes, values, strict=True)
    ]
    rests = np.zeros(200), np.ones(200)
    found = find_surprise(words, rests, lambda s: np.where(s <= 0, 200.0, 0.0), 0.5, 0.0, rows)
    for wanted in sorted({sum(some) for some in product(*((0, v) for v in values))} - {0.0}):
        expected = 0.0
        for held in product((0, 1), repeat=3):
            if float(np.dot(held, values)) >= wanted - 1e-9:
                shares = [n / rows if h else 1 - n / rows for h, n in zip(held, sizes, strict=True)]
                expected += rows * float(np.prod(shares))
        assert np.exp(-found(np.array(wanted))) == pytest.approx(expected, rel=1e-3)


def test_a_word_in_one_row_is_no_wonder_and_several_are() -> None:
    """A question whose other words no text holds: its one word brings up the row that has it."""
    index = Index([Document(str(i), text) for i, text in enumerate(write_texts(400))])
    (unrelated,) = index.search("the gluon hadronization lagrangian chromodynamics of 4123", k=1)
    assert "4123" in unrelated.text
    assert unrelated.chance is not None and unrelated.chance > 0.3
    (meant,) = index.search("number 4123 Paris boat 4123", "bm25", k=1)
    (alone,) = index.search("4123", "bm25", k=1)
    assert alone.chance == pytest.approx(1, rel=0.2)
    assert meant.chance is not None and meant.chance < 0.5


@pytest.mark.parametrize("count", [20, 60, 400])
@pytest.mark.parametrize("method", ["best", "bm25", "lm", "mean"])
def test_a_copy_is_no_coincidence(count: int, method: str) -> None:
    texts = write_texts(count, seed=2)
    index = Index([Document(str(i), text) for i, text in enumerate(texts)])
    for number in range(0, count, 7):
        (copy,) = index.search(texts[number], method, k=1)
        assert method == "mean" or copy.id == f"{number}#0"
        assert copy.chance is not None and copy.chance <= 0.05


def test_a_row_that_adds_up_to_nothing_has_no_chance() -> None:
    """A row with as much of a word as of one that counts against it is not returned."""
    both = ["She sold the boat and the harbour in Oslo."] * 5
    index = Index([*write_texts(400), *both])
    rows = bags(index, "boat - harbour", unit="sentence", k=3).to_dicts()
    assert rows[0]["score"] > 0
    assert all(row["chance"] > 0.5 for row in rows)  # many rows have the word


def test_parts_of_a_collection_draw_the_same_sample() -> None:
    rng = np.random.default_rng(5)
    rest = rng.exponential(0.05, 9000)
    words: list[tuple[Any, Any]] = []
    for holding in (4, 90, 3000):
        own = np.sort(rng.choice(9000, holding, replace=False))
        words.append((own, rng.uniform(0.1, 0.3, holding)))
    known = np.zeros(9000)
    for own, values in words:
        known[own] += values
    allowed = rng.random(9000) < 0.8

    def scorer(part: slice) -> Scorer:
        begin, end = part.start, part.stop
        inside = [(own, (own >= begin) & (own < end), values) for own, values in words]
        some = [(own[kept] - begin, values[kept]) for own, kept, values in inside]
        return Scorer((known + rest)[part].__getitem__, known[part], some, 0.4)

    whole: Any = range(9000)
    together = join([draw(scorer(slice(0, 9000)), whole, allowed)])
    cuts = [slice(0, 2500), slice(2500, 2600), slice(2600, 9000)]
    apart = join([draw(scorer(cut), whole[cut], allowed[cut], cut.start, 9000) for cut in cuts])
    for score in (0.1, 0.3, 0.5, 0.8):
        assert Tail.fit(apart).expect(score) == pytest.approx(Tail.fit(together).expect(score))
    assert LEAST <= Tail.fit(together).expect(0.8) < Tail.fit(together).expect(0.5)


def test_the_best_rows_of_mean_are_in_its_sample() -> None:
    """Of a large collection, hardly any of them would be in a sample of all rows."""
    texts = write_texts(2500)
    rows = (index := Index([Document(str(i), text) for i, text in enumerate(texts)])).rows()
    scorer = Mean().start_scoring(rows, index.query("a lantern in Oslo"))
    assert scorer is not None and scorer.known is not None
    cosines = scorer.score(np.arange(len(rows)))
    best = np.sort(cosines)[-SAMPLE // 2]
    assert best > 0
    assert scorer.known[cosines > best] == pytest.approx(cosines[cosines > best])
    assert np.count_nonzero(scorer.known) < len(rows)
