"""Bag queries: the numbers of the lecture notes, sums of words and phrases, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.search.method import format_method
from lexfield.search.registry import parse
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.search.bag_oracle import VECTORS, counted

NOTES = {  # the websites of the lecture notes, example 6
    "w1": {"aristotle": 9, "ethics": 3, "plato": 6},
    "w2": {"aristotle": 1, "metaphysics": 9, "plato": 5},
    "w3": {"aristotle": 4, "ethics": 9, "metaphysics": 5, "plato": 8, "sokrates": 2},
    "w4": {"ethics": 7, "metaphysics": 3, "plato": 9},
}


@pytest.fixture(scope="module")
def websites(tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = {
        name: " ".join(word for word, count in bag.items() for _ in range(count))
        for name, bag in NOTES.items()
    }
    corpus = Corpus.of(Document(name, text) for name, text in texts.items())
    return Index.build(corpus, tmp_path_factory.mktemp("notes") / "i", vectors=VECTORS)


@pytest.mark.parametrize(
    ("query", "scores"),
    [
        ("aristotle", {"w1": 9, "w3": 4, "w2": 1}),  # example 6
        ("metaphysics", {"w2": 9, "w3": 5, "w4": 3}),
        ("ethics", {"w3": 9, "w4": 7, "w1": 3}),  # exercise 6
        ("plato", {"w4": 9, "w3": 8, "w1": 6, "w2": 5}),
        ("aristotle + metaphysics", {"w2": 10, "w1": 9, "w3": 9, "w4": 3}),  # example 7
        ("ethics plato", {"w3": 17, "w4": 16, "w1": 9, "w2": 5}),  # exercise 7
        ("3*aristotle", {"w1": 27, "w3": 12, "w2": 3}),  # example 8
        ("2*metaphysics", {"w2": 18, "w3": 10, "w4": 6}),
        ("3*aristotle + 2*metaphysics", {"w1": 27, "w3": 22, "w2": 21, "w4": 6}),
        ("3*ethics + 2*plato + aristotle", {"w3": 47, "w4": 39, "w1": 30, "w2": 11}),  # exercise 8
        ("aristotle - metaphysics", {"w1": 9, "w3": -1, "w2": -8}),
        ("aristotle - 0.5*metaphysics", {"w1": 9, "w3": 1.5, "w2": -3.5}),
    ],
)
def test_the_tables_of_the_notes(websites: Index, query: str, scores: dict[str, float]) -> None:
    """Equal scores keep the order of the documents. The notes call w3 and w4 the next after w1 in
    example 8; by their own numbers it is w3 and w2."""
    assert list(counted(websites, query).items()) == list(scores.items())


@pytest.fixture(scope="module")
def john(tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = [
        "Only John thinks John thinks John likes John",  # example 5
        "Only John thinks he thinks he thinks he likes himself",  # exercise 5
        "If police police police police police then police police police police police",
    ]
    folder = tmp_path_factory.mktemp("john")
    return Index.build(Corpus.of(texts), folder / "i", vectors=VECTORS, language="none")


@pytest.mark.parametrize(
    ("query", "row", "share"),
    [
        ("john", 0, 0.5),
        ("only john", 0, 0.625),
        ("thinks", 0, 0.25),
        ("likes", 0, 1 / 8),  # the notes print 0.5
        ("only", 0, 0.125),
        ("john", 1, 1 / 10),
        ('"police police"', 2, 8 / 11),  # example 4
        ('"if police"', 2, 1 / 11),
        ('"police then"', 2, 1 / 11),
        ('"then police"', 2, 1 / 11),
        ('"police police police"', 2, 6 / 10),  # exercise 3
        ('"police then police"', 2, 1 / 10),
    ],
)
def test_frequencies_of_the_notes(john: Index, query: str, row: int, share: float) -> None:
    for unit in ("sentence", "document"):
        found = john.search(query, "frequency", 5, unit=unit, algebra=True)
        assert dict(zip(found.rows, found.scores, strict=True))[row] == pytest.approx(share)


def test_bm25_by_hand(websites: Index) -> None:
    """w2 has 15 words, all together 90; three of four hold aristotle: ln(1 + 1.5/3.5)."""
    lengths = [18, 15, 28, 19]
    norm = 1.2 * (1 - 0.75 + 0.75 * 15 / (sum(lengths) / 4))
    expected = math.log(1 + 1.5 / 3.5) * 1 / (1 + norm)
    assert counted(websites, "aristotle", "bm25(k1=1.2, b=0.75)")["w2"] == pytest.approx(expected)


def test_lm_by_hand(websites: Index) -> None:
    """14 of 80 words are aristotle: (1 + 100·14/80) / (15 + 100) over 14/80."""
    expected = math.log((1 + 100 * 14 / 80) / 115 / (14 / 80))
    assert counted(websites, "aristotle", "lm(mu=100)")["w2"] == pytest.approx(expected)


def test_notes_and_nothing_found(websites: Index) -> None:
    found = websites.search('aristotle kant "plato ethics" "kant hegel"', "bm25", algebra=True)
    assert found.notes == ['not in the index: kant, "plato ethics", "kant hegel"']
    none = websites.search("- aristotle", "count", algebra=True)
    assert len(none) == 0
    assert none.notes == ["every weight is negative: there is nothing to find"]
    assert len(websites.search("plato - plato", "count", algebra=True)) == 0
    with pytest.raises(InputError, match="Character 3 of the query"):
        websites.search("3*", "lm", algebra=True)


def test_plain_text_is_no_algebra(websites: Index) -> None:
    """Ticket titles are full of *, quotes and spaced hyphens."""
    for text in (
        "aristotle - plato",
        "3*aristotle +plato",
        '*** "aristotle plato',
        "plato/aristotle",
    ):
        plain = websites.search(text, "bm25", unit="document")
        words = websites.search("aristotle plato", "bm25", unit="document")
        assert sorted(plain.rows) == sorted(words.rows), text
        assert plain.scores == words.scores or text.startswith("3"), text
    with pytest.raises(InputError, match="ideas does not read sums"):
        websites.search("3*plato", "ideas", algebra=True)


def test_a_list_is_no_text(websites: Index) -> None:
    with pytest.raises(InputError, match="search takes one text, not list"):
        websites.search(["plato"], "bm25")  # type: ignore[arg-type]


def test_the_error_of_many_queries_names_one(websites: Index) -> None:
    texts = ["plato", "3*"]
    with pytest.raises(InputError, match="Query 2: Character 3"):
        list(websites.search_many(texts, "lm", algebra=True))
    with pytest.raises(InputError, match="Query t7: Character 3"):
        list(websites.search_many(texts, "lm", algebra=True, names=["t1", "t7"]))


def test_notes_on_vectors_are_for_methods_that_use_them(tmp_path: Path) -> None:
    index = Index.build(
        Corpus.of(["The qxzzy sails home.", "A qxzzy sank at sea."]), tmp_path / "i"
    )
    for spec in ("bm25", "lm", "jaccard", "edit", "bow", "count"):
        notes = [*index.search("qxzzy sails", spec).notes, *index.like("0", spec).notes]
        assert not any("no vector" in note for note in notes), spec
    for spec in ("mean", "wmd", "ideas", "translation", "bm25(extend=true)"):
        assert "no vector for: qxzzy" in index.search("qxzzy sails", spec).notes, spec


def test_stopwords_count_in_quotes_only(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["To be or not to be.", "Be quick."]), tmp_path / "i")
    assert len(index.search("to be or not", "count")) == 0
    assert counted(index, '"to be"') == {"0": 2.0}
    assert counted(index, '"be"') == {"0": 2.0, "1": 1.0}


@pytest.mark.parametrize(
    "spec",
    ["bm25(k1=1.2)", "bm25(extend=true, threshold=0.5)", "lm(mu=300)", "translation(top=5)"],
)
def test_specs(spec: str) -> None:
    assert format_method(parse(spec)) == spec


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("bm25(k1=0)", "k1 must be"),
        ("bm25(b=2)", "b must be"),
        ("bm25(threshold=0.5)", "extend must be true"),
        ("lm(mu=0)", "mu must be"),
        ("lm(mu=nan)", "mu must be"),
        ("translation(threshold=0)", "threshold must be"),
        ("translation(threshold=0.5, top=3)", "top must be left out"),
        ("translation(top=-1)", "top must be"),
        ("translation(top=x)", "top must be"),
        ("count(x=1)", "count has no parameter 'x'. It has: none."),
    ],
)
def test_bad_parameters(spec: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        parse(spec)
