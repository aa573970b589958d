"""best is the sum of its parts, by definition and by a full scan; chance keeps its promise."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.index.bags import Bags
from lexfield.index.chance import LEAST, ScoreSample, Tail
from lexfield.index.query import Query
from lexfield.search import best
from lexfield.search.bag_method import TermScores, list_terms
from lexfield.search.best import WEIGHTS
from lexfield.search.best_words import BestWords
from lexfield.search.bm25 import Bm25
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.verbs.hits import format_hit, word_chance

QUERIES = [
    "The boat came home before the storm.",
    "My grandmother cooked rice in the copper pot and sang.",
    "storm",
    "a blicket in the harbour",
    "My brother walked along the river with a lamp, past the mill and the church, while rain and"
    " wind",
    "Before the storm my grandmother cooked rice, fish, bread and onions in the copper pot, sang"
    " old songs about a boat, a king, a lost letter and the sea, closed every window, lit a candle,"
    " fed the cat, counted silver spoons, and waited; wind grew, rain fell, the roof leaked",
]


@pytest.fixture(scope="module", params=["none", "english"])
def index(request: pytest.FixtureRequest, sample: Corpus) -> Index:
    return Index(Corpus.of(sample.documents, normalisation=Normalisation(stem=request.param)))


def scan(index: Index, text: str, unit: str) -> NDArray[np.float64]:
    """The score of every row, from the scores of both methods."""
    size = len(index.rows(unit))
    words, sentence = np.zeros(size), np.zeros(size)
    for scores, method in ((words, choose_words(index, text, unit)), (sentence, "mean")):
        found = index.search(text, method, size, unit=unit)
        scores[found.rows] = found.scores
    itself = score_of_copy(index, text, unit)
    share = WEIGHTS["sentence"] * find_coverage(index, text, unit)
    share *= min(1.0, math.sqrt(10 / count_terms(index, text, unit)))
    return (1 - share) * np.minimum(words / itself, 1) + share * sentence


def count_terms(index: Index, text: str, unit: str) -> int:
    return len({*Bags.of(index.rows(unit)).terms(index.query(text).words)})


def choose_words(index: Index, text: str, unit: str) -> BestWords:
    return BestWords(extend=count_terms(index, text, unit) <= 25)


def find_coverage(index: Index, text: str, unit: str) -> float:
    """The rarity of the query's words with a vector, over that of all its words."""
    query, shape = index.query(text), index.rows(unit)
    bags, sums = Bags.of(shape), {True: 0.0, False: 0.0}
    held = dict(choose_words(index, text, unit).score_terms(bags, query)[0])
    together = {term.gram: one.holding for term, one in held.items()}
    for term in list_terms(bags, query):
        holding = bags.occurrences(term.gram).holding or together.get(term.gram, 0)
        idf = np.log(1 + (len(shape) - holding + 0.5) / (holding + 0.5))
        forms = {*term.words, *term.forms}
        sums[not forms <= set(query.unknown)] += idf**1.5
    return sums[True] / sum(sums.values())


def score_of_copy(index: Index, text: str, unit: str) -> float:
    """What the words' part gives to a row with the query's words, by the collection's counts.

    No row holds a word that is missing from the index.
    """
    query = index.query(text)
    shape = index.rows(unit)
    found = 0.0
    bags, method = Bags.of(shape), choose_words(index, text, unit)
    length = max(len(query.tokens) / (shape.lengths.sum() / len(shape)), 0.75)
    norm = 1.5 * (0.25 + 0.75 * length)
    held = {term.gram: one for term, one in method.score_terms(bags, query)[0]}
    for term in list_terms(bags, query):
        one = held.get(term.gram)
        holding = 0 if one is None else bags.occurrences(term.gram).holding or one.holding
        idf = np.log(1 + (len(shape) - holding + 0.5) / (holding + 0.5))
        times = sum(
            count
            for word, count in zip(query.words, query.counts.tolist(), strict=True)
            if bags.terms([word]) == term.gram
        )
        count = times if one is None else max(times, _count(bags, one, query))
        found += (1 + np.log(times)) * idf**1.5 * count / (count + norm)
    return float(found)


def _count(bags: Bags, one: TermScores, query: Query) -> float:
    """The words of the query that stand for a term of it, each as much as its similarity."""
    if one.related is None or one.weights is None:
        return 0.0
    related = dict(zip(one.related.tolist(), one.weights.tolist(), strict=True))
    total = 0.0
    for word, count in zip(query.words, query.counts.tolist(), strict=True):
        (term,) = bags.terms([word])
        total += count * related.get(bags.ids.get(term, -1), 0.0)
    return total


@pytest.mark.parametrize("unit", ["sentence", "document"])
@pytest.mark.parametrize("query", QUERIES)
def test_the_best_are_those_of_a_full_scan(index: Index, query: str, unit: str) -> None:
    scores = scan(index, query, unit)
    found = index.search(query, "best", 12, unit=unit)
    np.testing.assert_allclose(found.scores, np.sort(scores)[::-1][:12], atol=1e-6)
    np.testing.assert_allclose(found.scores, scores[found.rows], atol=1e-6)


def test_parts_and_reasons_add_up(index: Index) -> None:
    for hit in index.search(QUERIES[0], k=8):
        assert list(hit.parts) == ["words", "sentence"]
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)
        for name, part in hit.parts.items():
            own = [r.contribution for r in hit.explanation.reasons if r.part == name]
            assert sum(own) == pytest.approx(part, abs=1e-9)


def test_a_copy_scores_one(index: Index) -> None:
    text = index.corpus.sentences[40]
    assert index.search(text, k=1)[0].score == pytest.approx(1, abs=1e-6)
    longest = max(range(len(index.corpus)), key=lambda row: len(index.corpus[row].text))
    (hit,) = index.search(index.corpus[longest].text, k=1, unit="document")
    assert hit.row == longest and hit.score == pytest.approx(1, abs=1e-6)
    assert hit.parts["words"] > 0.8


def test_related_words_count_in_short_queries_only(index: Index) -> None:
    words = [f"zq{n}" for n in range(26)]
    rows = index.rows()
    short, long = (index.query(" ".join(some)) for some in (words[1:] * 2, words))
    assert best._choose_words(rows, short).extend and not best._choose_words(rows, long).extend


def test_rare_words_count_more_and_repetition_less_than_in_bm25() -> None:
    texts = ["the ship sank", *["the cook ate bread"] * 9, "the cook slept"]
    index = Index(texts)
    rows = index.rows("sentence")
    asked = index.query("ship bread bread bread")
    plain, own = (
        {term.text: (term.weight, one.values.max()) for term, one in scored}
        for scored in (
            method.score_terms(Bags.of(rows), asked)[0] for method in (Bm25(), BestWords())
        )
    )
    assert own["bread"][0] == pytest.approx(1 + np.log(3)) and plain["bread"][0] == 3
    assert own["ship"][0] == plain["ship"][0] == 1
    rarity = {word: own[word][1] / plain[word][1] for word in own}
    assert rarity["ship"] > 2 * rarity["bread"]


def test_a_word_alone_is_no_better_than_in_a_sentence() -> None:
    """Of rows that hold a word once, those of up to ¾ the mean length have the same words' part."""
    texts = ["Boat.", "The boat was there.", "Then the boat came home to us with fish and salt."]
    index = Index([*texts, "Nobody had told any of the men that the harbour was shut again."])
    found = index.search("boat", BestWords(), 3)
    assert found[0].score == found[1].score > found[2].score


def test_a_related_word_counts_half_its_cosine() -> None:
    """Of rows of one length, the one with the word itself has twice the count, times 1/cosine."""
    index = Index(["The ship sank.", "The boat sank.", "The rose bloomed.", "A lamp burned."] * 3)
    bags, asked = Bags.of(index.rows("sentence")), index.query("ship")
    counts = []
    for method in (Bm25(extend=True, top=1), BestWords(extend=True, top=1)):
        ((_, one),) = method.score_terms(bags, asked)[0]
        counts.append(dict(zip(one.rows.tolist(), one.counts.tolist(), strict=True)))
    plain, own = counts
    assert plain[0] == own[0] == 1
    assert own[1] == pytest.approx(plain[1] / 2) and plain[1] < 1


def test_other_languages_are_searched_by_words() -> None:
    texts = ["Kissa nukkuu ikkunalaudalla.", "Koira haukkui pihalla koko yön.", "Laiva purjehti."]
    index = Index([Document(str(i), text) for i, text in enumerate(texts * 9)])
    found = index.search("koira pihalla")
    assert found[0].text == texts[1]
    assert any("words alone decide" in note for note in found.notes)
    assert list(found[0].parts) == ["words"]
    total = sum(reason.contribution for reason in found[0].explanation.reasons)
    assert total == pytest.approx(found[0].score)


def test_the_tail_keeps_its_promise() -> None:
    """Of rows that score by an exponential law, e are expected to have a chance below e."""
    rng = np.random.default_rng(3)
    counts = np.zeros(3)
    for _ in range(200):
        scores = rng.exponential(0.1, 20_000)
        tail = Tail.fit(ScoreSample.of(scores[:2000], len(scores)))
        chances = np.array([tail.expect(score) for score in np.sort(scores)[-60:].tolist()])
        counts += [(chances < limit).sum() for limit in (0.1, 1, 10)]
    low, middle, high = counts / 200
    assert 0.05 < low < 0.35 and 0.6 < middle < 1.8 and 7 < high < 14


def test_a_tail_fitted_to_few_scores_keeps_its_promise() -> None:
    """It errs on the safe side, because the scores that are looked at are in the sample too."""
    rng = np.random.default_rng(5)
    low = 0
    for _ in range(1000):
        scores = rng.exponential(0.1, 400)
        tail = Tail.fit(ScoreSample.of(scores, len(scores)))
        low += sum(tail.expect(score) < 0.1 for score in np.sort(scores)[-20:].tolist())
    assert 0.03 < low / 1000 < 0.1


def test_chance_is_worded_by_how_rare_a_match_is(index: Index) -> None:
    hits = [hit for query in QUERIES for hit in index.search(query, k=20)]
    worded = {word_chance(hit): hit for hit in hits if word_chance(hit)}
    rare = {text: hit for text, hit in worded.items() if (hit.chance or 0) < 1}
    assert rare and len(rare) < len(worded)
    for text, hit in worded.items():
        pattern = r" (?:less than )?one in ([\d,]+)" if text in rare else r" about ([\d,]+) as good"
        (number,) = re.findall(f"^{pattern} by chance$", text)
        expected = hit.odds if text in rare else hit.chance
        assert float(number.replace(",", "")) == pytest.approx(expected, rel=0.5)
        assert hit.odds == pytest.approx(len(index.rows("sentence")) / (hit.chance or 0))
    alone = Index(["The boat came home."]).search("boat", k=1)[0]
    assert not any("by chance" in line for line in format_hit(alone, explain=True, full=False))


def test_true_answers_do_not_look_like_chance() -> None:
    rng = np.random.default_rng(4)
    scores = rng.exponential(0.1, 20_000)
    scores[:3] = 3.0
    weights = np.ones(len(scores))
    tail = Tail.fit(ScoreSample(scores, weights, len(scores)))
    assert tail.expect(3.0) == LEAST
    assert tail.expect(float(np.median(scores))) == pytest.approx(10_000, rel=0.01)
    falling = [tail.expect(score) for score in np.linspace(0, 4, 100).tolist()]
    assert falling == sorted(falling, reverse=True)


def test_few_rows_are_counted() -> None:
    tail = Tail.fit(ScoreSample(np.array([3.0, 2.0, 1.0]), np.ones(3), 5000))
    assert [tail.expect(score) for score in (4.0, 3.0, 2.0)] == [1, 1, 2]


@pytest.mark.parametrize("method", ["best", "mean", "bm25"])
def test_hits_have_a_chance(index: Index, method: str) -> None:
    found = index.search(QUERIES[0], method, 20)
    chances = [hit.chance for hit in found]
    assert all(chance is not None and chance > 0 for chance in chances)
    assert chances == sorted(chances)  # type: ignore[type-var]
    assert found[0].to_dict()["chance"] == chances[0]
    long = next(text for text in index.corpus.sentences if len(text.split()) > 15)
    copied = index.search(long, method, 1)[0]
    assert copied.chance is not None and copied.chance < 0.1
    assert index.search(QUERIES[0], "ideas", 1)[0].chance is None


def test_a_copy_comes_first_and_nothing_scores_more() -> None:
    texts = ["He did not pay", "He paid", "wings wings wings", "Bread and butter."]
    index = Index(texts)
    for text in texts[:2]:
        found = index.search(text)
        assert found[0].text == text and found.scores[0] == pytest.approx(1)
    (hit,) = index.search("wings", k=1)
    assert hit.score == pytest.approx(1) and hit.parts["words"] == pytest.approx(0.6)
    total = sum(reason.contribution for reason in hit.explanation.reasons)
    assert total == pytest.approx(hit.score)


def test_the_word_of_the_query_that_a_text_has_is_its_reason() -> None:
    index = Index(["The president spoke.", "Bread and butter."])
    (hit,) = index.search("the president spoke; he presides over it", "bm25", k=1)
    pairs = {(reason.query, reason.match) for reason in hit.explanation.reasons}
    assert ("president", "president") in pairs and not any(a == "presides" for a, _ in pairs)


def test_a_query_of_stopwords_finds_them_in_their_order() -> None:
    texts = [
        "It is not to be, or so they say.",
        "To be, or not to be, that is the question.",
        "Yes.",
    ]
    found = Index(texts).search("To be or not to be?")
    assert [hit.text for hit in found] == [texts[1], texts[0]]
    assert found.notes == ["the query contains only stopwords"]
    assert {reason.query for reason in found[0].explanation.reasons} == {
        "to be", "be or", "or not", "not to",
    }  # fmt: skip
    assert len(Index(texts).search("the")) == 1


def test_a_rare_word_without_a_vector_is_not_lost_in_the_sentence() -> None:
    filler = [f"We will upgrade and start the server of customer {n}." for n in range(30)]
    wanted = "The zqnode service did not come up."
    index = Index([*filler, wanted, "Another zqnode was added to the cluster."])
    text = "zqnode does not start after an upgrade"
    assert index.query(text).unknown == ["zqnode"]
    assert find_coverage(index, text, "document") < 0.5
    best = index.search(text, k=2, unit="document")
    assert {wanted, "Another zqnode was added to the cluster."} == {hit.text for hit in best}
    scores = scan(index, text, "document")
    assert best.scores == pytest.approx(np.sort(scores)[::-1][:2].tolist())
    copy = Index([*filler, text]).search(text, k=1, unit="document")
    assert copy.scores == pytest.approx([1.0])


def test_a_text_that_answers_a_part_of_the_query_is_no_copy() -> None:
    filler = [f"We will upgrade and start the server of customer {n}." for n in range(30)]
    index = Index([*filler, "See request 1846."], language="en")
    (hit,) = index.search("the price of wheat in 1846", k=1, unit="document")
    assert hit.text == "See request 1846." and hit.score < 0.5
    assert index.search("1846", k=1, unit="document").scores == pytest.approx([1.0])


def test_rows_that_need_words_are_the_same_as_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving out rows without enough words changes nothing, to the last bit."""
    rng = np.random.default_rng(1)
    names = ["storm", "sea", "ship", "captain", "king", "queen", "bread", "river", "letter", "war"]
    texts = [" ".join(rng.choice(names, 1 + row % 4).tolist()) + "." for row in range(600)]
    index = Index(texts)
    few = np.random.default_rng(2).random(len(index.rows())) < 0.5
    for query in ("storm at sea", "the king's letter", "a boat", "war war bread"):
        for among in (None, few):
            found = []
            for least in (0, 10**9):
                monkeypatch.setattr(best, "_FEW", least)
                monkeypatch.setattr(best, "_SHARE", 2.0)
                parts = best._open_parts(index.rows(), index.query(query))
                rows, scores = parts.find(7, among)
                places = top_k(scores, 7, rows)
                found.append((rows[places].tolist(), scores[places].tolist()))
            assert found[0] == found[1]


def test_words_written_together_find_those_written_apart_and_the_other_way_round() -> None:
    texts = ["Printer with two trays", "Phone 256GB black", "Steel bottle 750 ml", "Glass bottle"]
    index = Index(texts)
    for query, expected in (("bottle 750ml", 2), ("256 gb", 1)):
        found = index.search(query, k=1)
        assert list(found.rows) == [expected]
        assert any(note.startswith("read ") for note in found.notes)
    assert not index.search("bottles of glass", k=1).notes  # a form of a held word is none of these


def test_neighbours_in_a_query_are_found_where_texts_write_them_as_one() -> None:
    texts = ["The NameNodes crashed.", "A node, a node, a node.", "A sunny day.", "The name node."]
    index = Index(texts)
    copy, *others = index.search("The name node.", k=4)
    assert copy.document == "3" and copy.score == pytest.approx(1)
    joined, repeated = (next(hit for hit in others if hit.document == name) for name in "01")
    assert joined.parts["words"] > repeated.parts["words"]
    reasons = joined.explanation.reasons
    assert {(one.query, one.match) for one in reasons if one.part == "words"} == {
        ("name", "namenodes"),
        ("node", "namenodes"),
    }
    assert sum(one.contribution for one in reasons) == pytest.approx(joined.score, abs=1e-6)
    apart = index.search("the name of a node", k=4)  # not neighbours
    assert all(one.match != "namenodes" for hit in apart for one in hit.explanation.reasons)
