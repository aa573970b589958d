"""encoder, late and fitted against slow, obvious versions of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.explain import MARKS, Explanation, Reason
from lexfield.index.row_encodings import open_row_encodings
from lexfield.search import encoder
from lexfield.search.index import Index
from lexfield.search.late import AskedWords, Late
from lexfield.text.stopwords import stopwords
from lexfield.vectors.encoders import is_word
from tests.toy_encoder import ToyEncoder

TEXTS = [
    "Seven ships sailed across the northern sea.",
    "The old baker kneads his bread before sunrise.",
    "Engines need oil, and patience more than hammers!",
    "A captain steers boats through heavy storms.",
    "Bread and oil are sold at the harbour.",
]
QUERY = "The captain sailed his ships through storms."


@pytest.fixture(scope="module")
def index() -> Index:
    made = Index(TEXTS)
    made.encode(ToyEncoder())
    return made


def unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))


def test_encoder_is_the_cosine_about_the_mean(index: Index) -> None:
    toy = ToyEncoder()
    vectors = [unit(one.vector.astype(float)) for one in toy.encode(TEXTS)]
    mean = np.mean(vectors, axis=0)
    query = unit(unit(toy.encode([QUERY])[0].vector.astype(float)) - mean)
    expected = {str(n): float(query @ unit(v - mean)) for n, v in enumerate(vectors)}
    found = index.search(QUERY, "encoder", 5)
    assert len(found) == 5
    for hit in found:
        assert hit.score == pytest.approx(expected[hit.document], abs=0.01)  # bytes


def test_encoder_is_a_sum_over_pairs_of_words(index: Index) -> None:
    for hit in index.search(QUERY, "encoder", 3):
        reasons = {(one.query, one.match): one.contribution for one in hit.explanation.reasons}
        assert abs(reasons["(rounding)", "(rounding)"]) < 0.01
        assert sum(reasons.values()) == pytest.approx(hit.score, abs=1e-9)
    best = max(reasons, key=lambda pair: reasons[pair] if "(" not in pair[0] else -1)
    assert best[0] in QUERY.lower() or best[0].startswith("[")


@pytest.mark.parametrize("method", ["best", "encoder", "late"])
def test_stopwords_are_no_reasons(index: Index, method: str) -> None:
    for hit in index.search(QUERY, method, 5):
        record = hit.to_dict()
        reasons = record["explanation"]["reasons"]
        words = {word for one in reasons for word in (one["query"], one["match"])}
        assert not words & stopwords("en")
        assert any("stopwords)" in word for word in words)
        assert sum(one["contribution"] for one in reasons) == pytest.approx(hit.score, abs=1e-6)
        marks = [mark for passage in record["passages"] for mark in passage["highlights"]]
        assert not {hit.text[one["start"] : one["end"]].lower() for one in marks} & stopwords("en")
        assert hit.words.count("weaker") <= 1 and "stopword" not in hit.words


def test_reasons_of_long_rows_need_no_second_reading(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "_LONG", 3)
    for hit in index.search(QUERY, "encoder", 3):
        reasons = hit.explanation.reasons
        assert sum(one.contribution for one in reasons) == pytest.approx(hit.score, abs=1e-6)
        words = {one.query for one in reasons if not one.query.startswith("(")}
        assert words == {*QUERY.lower().rstrip(".").split()} - stopwords("en")
    (captain,) = (one for one in index.search(QUERY, "encoder", 5)[0].explanation.reasons
                  if one.query == "captain")  # fmt: skip
    assert captain.match == "captain"


def test_late_is_weighted_maxsim_in_both_directions(index: Index) -> None:
    toy = ToyEncoder()
    codec = toy.codec
    assert codec is not None

    def read(text: str) -> tuple[list[str], np.ndarray]:
        (one,) = toy.encode([text])
        own = [n for n, token in enumerate(one.tokens) if is_word(token)]
        return [one.tokens[n] for n in own], one.states[own]

    rows = {str(number): read(text) for number, text in enumerate(TEXTS)}

    def weigh(word: str) -> float:
        holding = sum(word in words for words, _ in rows.values())
        return max(float(np.log(6 / (holding + 0.5))), 0.0)

    asked, states = read(QUERY)
    for hit in index.search(QUERY, "late", 5):
        words, others = rows[hit.document]
        sims = [
            [float(a @ b) for b in codec.decode(codec.encode(others))]
            for a in codec.project(states)
        ]
        forth = sum(weigh(w) * max(sims[i]) for i, w in enumerate(asked)) / sum(map(weigh, asked))
        back = sum(weigh(w) * max(row[j] for row in sims) for j, w in enumerate(words))
        expected = (forth + back / sum(map(weigh, words))) / 2
        assert hit.score == pytest.approx(expected, abs=1e-5)


def test_fitted_solves_the_ridge_equations(index: Index) -> None:
    """The words of the texts, summed, come close to the vectors that they were fitted to."""
    rows = index.rows("sentence")
    space = open_row_encodings(rows)
    for number, text in enumerate(TEXTS):
        found = index.search(text, "fitted", 1)
        assert found[0].document == str(number)
    assert space.encodings.fitted is not None


def test_fitted_needs_no_encoder(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexfield.vectors.encoders._opened", {})
    found = index.search("captain storms", "fitted", 1)
    assert found[0].document == "3"
    reasons = found[0].explanation.reasons
    assert {one.query for one in reasons} == {"captain", "storms", "(rounding)"}
    assert {one.match for one in reasons} >= {"captain", "storms"}


def test_more_candidates_than_rows_change_nothing(index: Index) -> None:
    a, b = index.search(QUERY, "late(candidates=0)", 5), index.search(QUERY, "late", 5)
    assert (a.rows, a.scores) == (b.rows, b.scores)
    assert any("rows with the best cosine" in note
               for note in index.search(QUERY, "late(candidates=2)", 1).notes)  # fmt: skip


def test_texts_only_encoders_explain_by_leaving_words_out() -> None:
    toy = ToyEncoder()

    def vectors_only(texts: list[str]) -> list[np.ndarray]:
        return [one.vector for one in toy.encode(texts)]

    index = Index(TEXTS)
    index.encode(vectors_only)
    hit = index.search("captain storms", "encoder", 1)[0]
    assert hit.document == "3"
    assert [one.query for one in hit.explanation.reasons] == ["captain", "storms"]
    assert not hit.explanation.additive
    assert "has no vectors of words" in index.search("captain storms", "late").notes[0]


def test_wmd_of_tokens_moves_the_words_in_their_context(index: Index) -> None:
    """Every row by a linear program of its own, over the vectors that ``late`` compares."""
    import ot

    rows = index.rows("sentence")
    space = open_row_encodings(rows)
    (encoded,) = ToyEncoder().encode([QUERY])
    asked = AskedWords(space.words, encoded)
    expected = {}
    for row in range(len(TEXTS)):
        vectors, numbers, _ = space.words.of_all(np.array([row]))
        weights = np.maximum(space.words.idf[numbers], 0)
        costs = ot.dist(asked.vectors.astype(float), vectors.astype(float), "euclidean")
        shares = asked.weights / asked.weights.sum(), weights / weights.sum()
        expected[row] = -float(ot.emd2(*shares, costs))
    order = sorted(expected, key=lambda row: -expected[row])
    for k in (2, 5):
        found = index.search(QUERY, "wmd(tokens=true)", k)
        assert found.rows == order[:k]
        assert found.scores == pytest.approx([expected[row] for row in found.rows], abs=1e-5)
    for hit in found:
        total = sum(reason.contribution for reason in hit.explanation.reasons)
        assert total == pytest.approx(hit.score, abs=1e-9)
        assert {reason.query for reason in hit.explanation.reasons} <= set(asked.names)


@pytest.mark.parametrize("method", ["encoder", "late", "fitted"])
def test_hits_have_a_chance(index: Index, method: str) -> None:
    found = index.search(QUERY, method, 5)
    chances = [hit.chance for hit in found]
    assert chances == sorted(chances, key=float) and chances[0] > 0  # type: ignore[arg-type, operator]


def test_the_marks_of_the_encoder_have_a_line_of_their_own() -> None:
    reasons = [Reason("dog", "dog", 0.2), Reason(MARKS, MARKS, 0.3), Reason("(7 others)", "", 0.1)]
    lines = Explanation(reasons, additive=True).lines()
    assert lines == ["+0.2000  dog", f"+0.3000  {MARKS}", "+0.1000  7 weaker pairs"]


def test_a_copy_scores_what_its_stored_words_can(index: Index) -> None:
    """Their vectors are compressed, so that is less than 1; the chance of a copy goes by it."""
    rows = index.rows()
    for row, text in enumerate(TEXTS):
        asked = AskedWords(open_row_encodings(rows).words, ToyEncoder().encode([text])[0])
        (itself,) = asked.score([row])
        assert itself < 0.999
        assert asked.score_copy() == pytest.approx(itself, abs=1e-5)
        scorer = Late().start_scoring(rows, index.query(text))
        assert scorer is not None and scorer.copy == asked.score_copy()
