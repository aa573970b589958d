"""Reasons as plain words, and what differs, on every hit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from lexfield.explain import Explanation, Reason
from lexfield.index.ranking import Hit
from lexfield.index.wording import describe_reasons
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.verbs.inspire import inspire
from lexfield.verbs.search import search

TEXTS = [
    "The boats arrived before the storms.",
    "The boat did not come home before the storm.",
    "Thirty boats came home before the storm.",
    "Bread wants a slow fire and much patience.",
]
QUERY = "The boat came home before the storm."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(Corpus.of(TEXTS), tmp_path_factory.mktemp("i") / "i")


def describe(index: Index, *reasons: Reason, text: str = "", query: str = QUERY) -> str:
    return describe_reasons(Explanation(list(reasons), True), index.query(query), text)


def test_signs_tell_the_same_word_another_form_and_a_related_word(index: Index) -> None:
    reasons = [
        Reason("came", "arrived", 0.3),
        Reason("boat", "boat", 1.0),
        Reason("storm", "storms", 0.5),
        Reason("home", "came", -0.9),
        Reason("the", "the", 2.0),
    ]
    assert describe(index, *reasons) == "boat = boat, storm ↔ storms, came ≈ arrived"


def test_weak_pairs_are_counted(index: Index) -> None:
    strong = Reason("boat", "boat", 1.0)
    weak = [Reason("storm", word, 0.01) for word in ("sea", "ship")]
    assert describe(index, strong, *weak) == "boat = boat, and 2 weaker pairs"
    assert describe(index, strong, weak[0]) == "boat = boat, and 1 weaker pair"
    summed = Reason("(14 others)", "(14 others)", 0.1)
    assert describe(index, strong, summed) == "boat = boat, and 14 weaker pairs"
    unknown = Reason("(other pairs)", "(other pairs)", 0.1)
    assert describe(index, strong, *weak, unknown) == "boat = boat, and 3+ weaker pairs"
    many = [Reason(f"word{i}", f"word{i}", 1.0) for i in range(9)]
    assert describe(index, *many).endswith("word5 = word5, and 3 weaker pairs")


def test_related_words_that_say_little_of_the_whole_are_counted(index: Index) -> None:
    same = [Reason(f"word{i}", f"word{i}", 0.1) for i in range(5)]
    assert "≈" not in describe(index, *same, Reason("came", "arrived", 0.05))
    assert "came ≈ arrived" in describe(index, *same, Reason("came", "arrived", 0.06))


def test_a_word_is_shown_once_by_itself_if_it_is_there(index: Index) -> None:
    reasons = [Reason("storm", "boat", 0.9), Reason("boat", "boat", 0.8)]
    assert describe(index, *reasons) == "boat = boat, and 1 weaker pair"
    reasons = [Reason("boat", "ship", 0.9), Reason("boat", "boat", 0.8), Reason("boat", "sea", 0.7)]
    assert describe(index, *reasons) == "boat = boat, and 2 weaker pairs"


def test_stopwords_are_shown_only_if_there_is_nothing_else(index: Index) -> None:
    assert describe(index, Reason("the", "the", 1.0)) == "the = the"
    assert describe(index) == ""


def test_costs_are_told_by_the_words_in_common(index: Index) -> None:
    costs = [Reason("a", "b", -3.0)]
    assert describe(index, *costs, text="Boats in a storm") == "storm = storm, boat ↔ boats"
    assert describe(index, *costs, text="Bread") == "no word in common, stopwords aside"


def test_a_fusion_names_ranks(index: Index) -> None:
    reasons = [Reason("ideas", "rank 3, score 1.2", 0.5), Reason("bm25", "rank 1, score 7", 1.0)]
    fused = Explanation(reasons, additive=True, of_words=False)
    line = describe_reasons(fused, index.query("storm"), "a storm")
    assert line == "rank 1 by bm25, rank 3 by ideas; storm = storm"


def test_words_that_count_against_a_text_are_named(index: Index) -> None:
    found = index.search("3*boat - home", "count", algebra=True, unit="document", k=5)
    assert "boat = boat; against it: home" in [hit.words for hit in found]
    assert all(hit.differs == [] for hit in found)


def test_numbers_are_added_up(index: Index) -> None:
    reasons = [Reason(f"w{i}", f"w{i}", 1.0 - i / 10) for i in range(8)]
    explanation = Explanation([*reasons, Reason("the", "the", 5.0)], additive=True)
    lines = explanation.lines(excluded={"the"})
    assert lines[0] == "+1.0000  w0" and len(lines) == 7
    assert lines[-1] == "+5.7000  2 weaker pairs and 1 stopword"
    total = sum(float(line.split()[0]) for line in lines)
    assert total == pytest.approx(sum(reason.contribution for reason in explanation.reasons))


METHODS = ["ideas", "setcover", "mean", "wmd", "jaccard", "edit", "bow", "bm25", "lm",
           "translation", "fuse(bm25, mean)"]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_why_and_what_differs(index: Index, method: str) -> None:
    hits = {hit.text: hit for hit in index.search(QUERY, method, k=4)}
    assert all(hit.words for hit in hits.values())
    if hit := hits.get(TEXTS[1]):
        assert hit.differs == ['"not" only here']
        assert "boat = boat" in hit.words
    if hit := hits.get(TEXTS[2]):
        assert hit.differs == ['"Thirty" only here']
    assert TEXTS[3] not in hits or hits[TEXTS[3]].differs == []


def test_like_a_row_and_many_texts(index: Index) -> None:
    by_text = {hit.text: hit.differs for hit in index.like("1", "bm25")}
    assert by_text[TEXTS[2]] == ['"not" only in the query', '"Thirty" only here']
    (ranking,) = index.search_many([QUERY], "bm25")
    assert [hit.differs for hit in ranking] == [h.differs for h in index.search(QUERY, "bm25")]


def test_a_long_document_is_compared_with_a_long_query_only(tmp_path: Path) -> None:
    long = " ".join(f"The boat number {i} came home before the storm." for i in range(100))
    index = Index.build(Corpus.of([long]), tmp_path / "i")
    (hit,) = index.search(QUERY, "bm25", unit="document")
    assert hit.differs == []
    (hit,) = index.search(f"{long} It never sank.", "bm25", unit="document")
    assert hit.differs == ['"never" only in the query', '"sank" only in the query']


def test_text_and_json(index: Index) -> None:
    found = search(index, QUERY, method=["bm25"], k=3)
    lines = list(found.lines())
    place = next(i for i, line in enumerate(lines) if TEXTS[1] in line)
    assert [line.strip() for line in lines[place + 1 : place + 3]] == [
        _hit(found.rankings[0], TEXTS[1]).words,
        'differs: "not" only here',
    ]
    assert not any("+" in line for line in lines)
    numbers = list(search(index, QUERY, method=["bm25"], k=3, explain=True).lines())
    assert any(line.strip().startswith("+") for line in numbers)
    record = next(row for row in found.to_dicts() if row["text"] == TEXTS[1])
    assert record["differs"] == ['"not" only here']
    assert record["words"] and record["explanation"]["reasons"]
    suggested = inspire(index, "Storms and boats.", method="bm25")
    assert all(row.words for row in suggested)


def _hit(ranking: Iterable[Hit], text: str) -> Hit:
    return next(hit for hit in ranking if hit.text == text)


def test_a_reason_without_a_word_of_the_text_names_that_of_the_query() -> None:
    found = Explanation([Reason("doctor", "", 0.2)], False)
    assert describe_reasons(found, None, "A text.").endswith("doctor")
