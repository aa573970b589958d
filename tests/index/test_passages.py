"""Passages: hits of long documents show where they answer, and never the whole text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lexfield as lx
from lexfield.explain import Explanation, Reason
from lexfield.index.passages import find_answers

METHODS = (
    "ideas", "setcover", "mean", "wmd", "jaccard", "edit", "bow", "count", "frequency", "bm25",
    "lm", "translation", "fuse(ideas, bm25)",
)  # fmt: skip
FILLER = "Nothing of note was said that day about any of it, and they went on as before. "
TOLD = "At dawn the fishing boat ran before the storm into the harbour."
QUERY = "a fishing boat in a storm"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> lx.Index:
    texts = [
        lx.Document("long", FILLER * 400 + TOLD + " " + FILLER * 400),
        lx.Document("endless", "word " * 30_000 + "boat storm " + "word " * 30_000),
        lx.Document("short", "The boat is old. We like it."),
        lx.Document("odd", "Ünïcödé 🌊 über alles. " * 200 + "Das 🚢 boat fuhr in den storm. 🌊"),
    ]
    return lx.Index.build(lx.Corpus.of(texts), tmp_path_factory.mktemp("p") / "i")


@pytest.mark.parametrize("method", METHODS)
def test_records_are_short_and_passages_stand_where_they_say(index: lx.Index, method: str) -> None:
    found = index.search(QUERY, method, 4, unit="document")
    assert len(found)
    for hit in found:
        record = hit.to_dict()
        assert len(json.dumps(record)) < 20_000
        assert record["excerpt"] == (hit.id != "short")
        for passage in hit.passages:
            assert hit.text[passage.position :].startswith(passage.text)
            assert len(passage.text) <= 400 or passage.complete
            for mark in passage.highlights:
                assert 0 < mark.weight <= 1
                assert passage.text[mark.start : mark.end].strip()
    assert len(repr(found)) < 2000 and len(found._repr_html_()) < 20_000
    assert max(map(len, (row["text"] for row in found.records()))) < 1500


def test_the_best_sentence_is_found_in_a_long_text(index: lx.Index) -> None:
    for method in ("ideas", "mean", "wmd", "jaccard", "bow", "bm25", "fuse(ideas, bm25)"):
        found = {hit.id: hit for hit in index.search(QUERY, method, 4, unit="document")}
        if "long" in found:
            best = found["long"].passages[0]
            assert TOLD in best.text, method
            marked = {best.text[one.start : one.end] for one in best.highlights}
            assert {"fishing", "boat", "storm"} <= marked
            assert best.sentence == 400


def test_an_endless_sentence_is_cut_around_its_matches(index: lx.Index) -> None:
    (hit,) = (h for h in index.search("boat storm", "bm25", unit="sentence") if "word" in h.text)
    (passage,) = hit.passages
    assert len(passage.text) <= 400 and "boat storm" in passage.text
    assert hit.to_dict()["excerpt"]


def test_full_gives_the_whole_text_and_every_reason(index: lx.Index) -> None:
    found = index.search(QUERY, "bow", 4, unit="document")
    whole = {hit.id: hit.to_dict(explain=True, full=True) for hit in found}
    assert whole["long"]["text"] == FILLER * 400 + TOLD + " " + FILLER * 400
    assert not whole["long"]["excerpt"]
    plain = [hit.to_dict(explain=False) for hit in found]
    assert all("explanation" not in one and len(one["text"]) < 1500 for one in plain)
    assert TOLD in next(one for one in plain if one["id"] == "long")["text"]


def test_many_reasons_are_summed_up_and_still_add_up() -> None:
    reasons = [Reason(f"w{i}", f"w{i}", -float(i)) for i in range(500)]
    moved = [{"query": "a", "match": f"w{i}", "flow": float(i)} for i in range(500)]
    short = Explanation(reasons, True, {"flows": moved}).to_dict(50)
    assert len(short["reasons"]) == 51 and short["reasons"][-1]["query"] == "(450 others)"
    assert sum(one["contribution"] for one in short["reasons"]) == -sum(range(500))
    assert [one["flow"] for one in short["flows"]] == list(range(499, 449, -1))
    long = Explanation([Reason("a", "x" * 9999, 1.0)], True).to_dict(50)
    assert len(long["reasons"][0]["match"]) < 300


def test_a_cheap_exact_match_is_no_answer_to_another_word() -> None:
    """What word mover's distance moves nowhere costs nothing, and is the best answer."""
    reasons = [Reason("boat", "boat", 0.0, 0.0), Reason("storm", "boat", -0.4, 1.0)]
    moved = [{"query": r.query, "match": r.match, "flow": 0.5} for r in reasons]
    answers = find_answers(Explanation(reasons, True, {"flows": moved}), [])
    assert answers["boat"][0] == "boat"


def test_words_that_count_against_a_text_are_not_shown_as_answers(tmp_path: Path) -> None:
    index = lx.Index.build(lx.Corpus.of(["The sea and the lake. " * 90]), tmp_path / "i")
    (hit,) = index.search("2*sea - lake", "count", unit="document", algebra=True)
    assert {one.query for one in hit.passages[0].highlights} == {"sea"}


def test_words_of_a_language_without_spaces_are_not_split_again() -> None:
    reasons = [Reason("政党", "野党", 0.5), Reason("en temps", "à l'heure", 0.2)]
    assert set(find_answers(Explanation(reasons, True), [])) == {"野党", "à", "l'heure"}


def test_words_of_a_phrase_do_not_count_alone(tmp_path: Path) -> None:
    text = "The sea and the lake. " * 90 + "Then the boat sank."
    index = lx.Index.build(lx.Corpus.of([text]), tmp_path / "i")
    (hit,) = index.search('sea + "the boat"', "count", unit="document", algebra=True)
    assert [p.text for p in hit.passages if "the boat" in p.text]
    marked = {p.text[one.start : one.end] for p in hit.passages for one in p.highlights}
    assert marked == {"sea", "boat"}  # not every "the"
