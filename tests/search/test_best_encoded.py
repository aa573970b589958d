"""best on an encoded index: the rule, its parts and reasons, and what it does without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.index.bags import Bags
from lexfield.search import best_encoded
from lexfield.search.best_encoded import FITTED, WITH_TOKENS, WITHOUT_TOKENS, choose_weights
from lexfield.search.best_words import BestWords
from lexfield.search.index import Index
from tests.toy_encoder import ToyEncoder

WORDS = (
    "ship boat sea storm harbour captain baker bread oven flour engine oil piston spanner garden"
    " rose tulip spade river bridge stone tower bell night lamp letter ink paper desk"
).split()
QUERY = "The captain steers boats through heavy storms."


def make_texts(count: int = 300) -> list[str]:
    rng = np.random.default_rng(4)
    return [" ".join(rng.choice(WORDS, rng.integers(3, 9))) + "." for _ in range(count)]


@pytest.fixture(scope="module")
def index() -> Index:
    made = Index(make_texts())
    made.encode(ToyEncoder())
    return made


def score_all(index: Index, query: str, sentence: str) -> tuple[dict[int, float], dict[int, float]]:
    """Return the words' part and the sentence's part of every row, each by its own method."""
    rows = index.rows("sentence")
    asked, method = index.query(query), BestWords(extend=True)
    scored, _ = method.score_terms(Bags.of(rows), asked)
    weights = method.weigh_terms(Bags.of(rows), asked, scored)
    itself = method.score_query(Bags.of(rows), asked, scored, weights)
    found = index.search(query, method, len(rows))
    words = {
        row: min(score / itself, 1) for row, score in zip(found.rows, found.scores, strict=True)
    }
    near = index.search(query, sentence, len(rows))
    return words, dict(zip(near.rows, near.scores, strict=True))


@pytest.mark.parametrize(
    ("limit", "value", "most"),
    [("_TOKENS", 10_000, 10_000), ("_TOKENS", 60, 60), ("_PAIRS", 60 * 7, 60)],
)
def test_the_rule(
    index: Index, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, most: int
) -> None:
    """The rows returned are the best of all rows by the stated rule, computed row by row."""
    monkeypatch.setattr(best_encoded, "_ROWS", 20)
    monkeypatch.setattr(best_encoded, limit, value)
    words, cosines = score_all(index, QUERY, "encoder")
    late = index.search(QUERY, "late(candidates=0)", 300)
    tokens = dict(zip(late.rows, late.scores, strict=True))
    sizes = {row: len(index.rows("sentence").text(row).split()) for row in range(300)}
    weights = choose_weights(index.rows("sentence"), WITH_TOKENS)
    first = {
        row: weights["words"] * words.get(row, 0) + weights["sentence"] * cosines[row]
        for row in range(300)
    }
    expected, total = dict(first), 0
    for row in sorted(first, key=lambda row: (-first[row], row))[:20]:
        total += sizes[row]
        if total > most:
            break
        expected[row] += weights["tokens"] * tokens[row]
    order = sorted(expected, key=lambda row: (-expected[row], row))
    for k in (1, 7, 40):
        found = index.search(QUERY, "best", k)
        assert found.rows == order[:k]
        assert found.scores == pytest.approx([expected[row] for row in order[:k]], abs=1e-6)


def test_parts_add_up_and_have_reasons(index: Index) -> None:
    for place, hit in enumerate(index.search(QUERY, k=120)):
        assert list(hit.parts) == ["words", "sentence", "tokens"]
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)
        for part, value in hit.parts.items():
            own = [one.contribution for one in hit.explanation.reasons if one.part == part]
            assert sum(own) == pytest.approx(value, abs=1e-6)
        assert (hit.parts["tokens"] != 0) == (place < best_encoded._ROWS)


def test_filters_and_deleted_rows_leave_room(tmp_path: Path) -> None:
    """The rows whose tokens are compared are chosen among those that may be returned."""
    texts = make_texts(250)
    made = Index.build({str(n): text for n, text in enumerate(texts)}, tmp_path / "i")
    made.encode(ToyEncoder())
    gone = [hit.document for hit in made.search(QUERY, k=120)]
    made.delete(gone)
    assert all(hit.parts["tokens"] for hit in made.search(QUERY, k=100))
    assert not {hit.document for hit in made.search(QUERY, k=130)} & set(gone)


def test_without_the_encoder_words_stand_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index(make_texts())
    index.encode(ToyEncoder(name="lost"))
    monkeypatch.setattr("lexfield.vectors.encoders._opened", {})
    found = index.search(QUERY, "best", 5)
    assert any("word vectors fitted to the encoder 'lost' are used" in note for note in found.notes)
    words, cosines = score_all(index, QUERY, "fitted")
    expected = {
        row: FITTED["words"] * words.get(row, 0) + FITTED["sentence"] * cosines[row]
        for row in range(300)
    }
    order = sorted(expected, key=lambda row: (-expected[row], row))[:5]
    assert found.rows == order
    for hit in found:
        assert list(hit.parts) == ["words", "sentence"]
        assert sum(one.contribution for one in hit.explanation.reasons) == pytest.approx(hit.score)


@pytest.mark.parametrize(("words", "share"), [(5, 0.65), (12, 0.65), (21, 0.525), (99, 0.4)])
def test_the_longer_the_texts_the_more_words_and_tokens_count(words: int, share: float) -> None:
    index = Index(["one " * words, "two " * words])
    weights = choose_weights(index.rows("document"), WITH_TOKENS)
    assert weights["sentence"] == pytest.approx(share)
    assert sum(weights.values()) == pytest.approx(1)


def test_an_encoder_of_texts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = ToyEncoder()
    index = Index(make_texts(60))
    index.encode(lambda texts: [one.vector for one in toy.encode(texts)])
    cosines = score_all(index, QUERY, "encoder")[1]
    for hit in index.search(QUERY, "best", 5):
        assert hit.parts["sentence"] == pytest.approx(
            WITHOUT_TOKENS["sentence"][0] * cosines[hit.row], abs=1e-9
        )
        assert hit.parts["words"] + hit.parts["sentence"] == pytest.approx(hit.score)
        assert not hit.explanation.additive


def test_rows_without_vectors_are_found_by_words(tmp_path: Path) -> None:
    texts = [*make_texts(30), "The zebra crossed the avenue."]
    index = Index(texts)
    index.encode(ToyEncoder(bad={"zebra": ValueError("too striped")}))
    found = index.search("an avenue", "best", len(texts))
    (hit,) = (hit for hit in found if hit.text == texts[-1])
    assert hit.parts["words"] == pytest.approx(hit.score) and hit.score > 0
    copy = next(iter(index.search("Crossed the avenue.", "best", 1)))
    assert copy.text == texts[-1]  # it is not lost behind rows that have a vector
    assert hit.parts["sentence"] == hit.parts["tokens"] == 0
    assert any("count by their words only" in note for note in found.notes)
    notes = index.search("a zebra", "best", 3).notes
    assert any("are used instead: The encoder failed on the query" in note for note in notes)


def test_interrupted_encoding_leaves_best_as_it_was(tmp_path: Path) -> None:
    index = Index.build(make_texts(200), tmp_path / "i")
    before = index.search(QUERY, k=5)

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.encode(ToyEncoder(), progress=stop)
    found = Index.open(tmp_path / "i").search(QUERY, k=5)
    assert (found.rows, found.scores) == (before.rows, before.scores)
    assert any("encoding was interrupted" in note for note in found.notes)
    index.encode()
    assert "tokens" in index.search(QUERY, k=1)[0].parts


def test_chance_counts_rows_with_tokens(index: Index) -> None:
    found = index.search(QUERY, k=50)
    chances = [hit.chance or 0.0 for hit in found]
    assert chances == sorted(chances)
    assert chances[0] < 5 < chances[-1]


def test_many_queries_are_asked_where_the_encoder_is_known(index: Index) -> None:
    """An encoder that was given as an object is unknown to other processes."""
    texts = [f"{QUERY} {number}" for number in range(200)]
    many = index.search_many(texts, "best", 2)
    for text, found in zip(texts[::50], list(many)[::50], strict=True):
        assert not any("are used instead" in note for note in found.notes)
        assert found.rows == index.search(text, "best", 2).rows


@pytest.mark.parametrize("encoder", [None, ToyEncoder()])
def test_nothing_is_left(encoder: ToyEncoder | None) -> None:
    index = Index({"a": "A storm rises.", "b": "The sea is calm."})
    if encoder:
        index.encode(encoder)
    index.delete(["a", "b"])
    assert len(index.search("a storm")) == 0
