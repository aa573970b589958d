"""Bag queries: the lecture notes' numbers, every method against its formula, what is refused."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.search.method import format_method
from lexfield.search.registry import parse
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation, stem_words
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordVectors
from tests.search import bag_oracle as oracle

WORDS = [f"{a}{b}" for a in "bcd" for b in "xyz"] + ["the", "of", "qq"]
rng = np.random.default_rng(5)
VECTORS = WordVectors(
    [*WORDS[:-1], "zz"], rng.standard_normal((len(WORDS), 3)).astype(np.float32), name="random"
)
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


def counted(index: Index, query: str, method: str = "count") -> dict[str, float]:
    found = index.search(query, method, 10, unit="document", algebra=True)
    return {hit.id: hit.score for hit in found}


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


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9)
documents = st.lists(st.lists(sentences, min_size=1, max_size=3), min_size=1, max_size=8)
phrases = st.lists(st.sampled_from([*WORDS, "zz"]), min_size=1, max_size=3)
weights = st.sampled_from([1.0, 2.0, 0.5, -1.0, -0.5])
asked = st.lists(st.tuples(weights, phrases, st.booleans()), min_size=1, max_size=5)


def built(folder: str, rows: list[oracle.Row], **options: str) -> Index:
    texts = ["\n\n".join(" ".join(s) + "." for s in row) for row in rows]
    corpus = Corpus.of(texts, normalisation=Normalisation(**options))  # type: ignore[arg-type]
    return Index.build(corpus, Path(folder) / "i", vectors=VECTORS)


def written(terms: list[tuple[float, list[str], bool]]) -> tuple[str, oracle.Terms]:
    """The query as it is typed, and what it means. Only phrases in quotes keep stopwords."""
    text = ""
    meant: dict[tuple[str, ...], float] = {}
    for weight, words, quoted in terms:
        if quoted:
            shown, some = '"' + " ".join(words) + '"', [tuple(words)]
        else:
            shown, some = words[0], [(words[0],)] if words[0] not in stopwords("en") else []
        text += f" {'-' if weight < 0 else '+'} {abs(weight):g}*{shown}"
        for gram in some:
            meant[gram] = meant.get(gram, 0.0) + weight
    return text, [(weight, gram) for gram, weight in meant.items() if weight]


def check(
    index: Index, query: str, spec: str, unit: str, expected: dict[int, float], close: float = 1e-9
) -> None:
    found = index.search(query, spec, 50, unit=unit, algebra=True, allow_unknown=True)
    assert set(found.rows) == set(expected)
    np.testing.assert_allclose(
        found.scores, sorted(expected.values(), reverse=True), rtol=close, atol=close
    )
    for hit in found:
        assert expected[hit.row] == pytest.approx(hit.score, rel=close, abs=close)
        total = sum(reason.contribution for reason in hit.explanation.reasons)
        assert total == pytest.approx(hit.score, abs=1e-9)


ORACLES: dict[str, Callable[[list[oracle.Row], oracle.Terms], dict[int, float]]] = {
    "count": oracle.count,
    "frequency": oracle.frequency,
    "bm25": oracle.bm25,
    "bm25(k1=0.9, b=0.4)": lambda rows, terms: oracle.bm25(rows, terms, 0.9, 0.4),
    "lm": oracle.lm,
    "lm(mu=5)": lambda rows, terms: oracle.lm(rows, terms, 5),
}


@pytest.mark.parametrize("stem", ["none", "english"])
@settings(deadline=None, max_examples=15)
@given(rows=documents, terms=asked, unit=st.sampled_from(["sentence", "document"]))
def test_against_the_formulas(
    stem: str, rows: list[oracle.Row], terms: list[tuple[float, list[str], bool]], unit: str
) -> None:
    query, meant = written(terms)
    kept = rows if unit == "document" else [[sentence] for row in rows for sentence in row]
    stemmed = [[stem_words(sentence, stem) for sentence in row] for row in kept]
    added: dict[tuple[str, ...], float] = {}
    for weight, gram in meant:
        key = tuple(stem_words(gram, stem))
        added[key] = added.get(key, 0.0) + weight
    wanted = [(weight, gram) for gram, weight in added.items() if weight]
    with tempfile.TemporaryDirectory() as folder:
        index = built(folder, rows, stem=stem)
        for spec, formula in ORACLES.items():
            check(index, query, spec, unit, formula(stemmed, wanted))


SOFT: dict[str, Callable[..., dict[int, float]]] = {
    "translation(threshold=0.6, mu=7)": partial(oracle.translation, threshold=0.6, mu=7),
    "translation(threshold=0.2)": partial(oracle.translation, threshold=0.2),
    "translation(top=2)": partial(oracle.translation, top=2),
    "bm25(extend=true, threshold=0.5)": partial(oracle.extended, threshold=0.5),
    "bm25(extend=true, top=1)": partial(oracle.extended, top=1),
}


@settings(deadline=None, max_examples=15)
@given(
    rows=documents,
    terms=st.lists(st.tuples(weights, phrases, st.just(False)), min_size=1, max_size=4),
    unit=st.sampled_from(["sentence", "document"]),
)
def test_related_words_against_the_formulas(
    rows: list[oracle.Row], terms: list[tuple[float, list[str], bool]], unit: str
) -> None:
    query, meant = written(terms)
    kept = rows if unit == "document" else [[sentence] for row in rows for sentence in row]
    lexicon = {word for row in rows for s in row for word in s} - stopwords("en")
    vectors = {
        word: VECTORS.matrix[i].astype(np.float64)
        for i, word in enumerate(VECTORS.words)
        if word in lexicon  # the index was not told where other words have theirs from
    }
    with tempfile.TemporaryDirectory() as folder:
        index = built(folder, rows)
        for spec, formula in SOFT.items():
            check(index, query, spec, unit, formula(kept, meant, vectors, lexicon), 1e-6)


@settings(deadline=None, max_examples=10)
@given(rows=documents, terms=asked)
def test_without_relatives_translation_is_lm(
    rows: list[oracle.Row], terms: list[tuple[float, list[str], bool]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = built(folder, rows)
        for query in (written(terms)[0], "bx cy dz zz"):
            for soft, hard in (
                ("translation(top=0)", "lm"),
                ("translation(threshold=1)", "lm"),
                ("bm25(extend=true, top=0)", "bm25"),
            ):
                how: dict[str, Any] = {"algebra": True, "allow_unknown": True}
                a, b = (index.search(query, spec, 20, **how) for spec in (soft, hard))
                assert a.rows == b.rows
                np.testing.assert_allclose(a.scores, b.scores, rtol=1e-9)


def test_probabilities_sum_to_one(tmp_path: Path, sample: Corpus) -> None:
    """Σ_q P_T(q | t) over everything that t may stand for, itself included."""
    from lexfield.index.bags import Bags
    from lexfield.index.related import Related

    index = Index.build(sample, tmp_path / "i")
    bags, nothing = Bags.of(index.rows("document")), index.query("")
    related = Related(bags, 0.6, None)
    (near,) = related.near([bags.ids["boat"]])
    assert len(near.terms) > 1
    total = 0.0
    for word in [bags.ids["boat"], *near.terms.tolist()]:
        terms, _, probabilities = related.group(bags.names[word], nothing)
        total += float(probabilities[terms == bags.ids["boat"]][0])
    assert total == pytest.approx(1)


def test_balls_and_scans_agree(tmp_path: Path, sample: Corpus) -> None:
    from lexfield.index.bags import Bags
    from lexfield.index.related import Related

    bags = Bags.of(Index.build(sample, tmp_path / "i").rows("document"))
    words = [bags.ids[word] for word in ("boat", "storm", "kitchen", "he", "repaired")]
    for options in ((0.5, None), (0.75, None), (0.7, 1), (0.7, 5), (0.7, 40)):
        by_ball, by_scan = Related(bags, *options), Related(bags, *options)
        by_scan._from_balls = lambda words: [None] * len(words)  # type: ignore[method-assign]
        for a, b in zip(by_ball.near(words), by_scan.near(words), strict=True):
            assert a.terms.tolist() == b.terms.tolist()
            np.testing.assert_allclose(a.similarities, b.similarities, atol=1e-6)


def test_stems_and_their_words(tmp_path: Path) -> None:
    texts = ["The ships shipped a ship.", "Shipping news from harbours.", "A cat sat."]
    for stem, found in (("none", {"0": 1.0}), ("english", {"0": 3.0, "1": 1.0})):
        corpus = Corpus.of(texts, normalisation=Normalisation(stem=stem))
        index = Index.build(corpus, tmp_path / stem, vectors=VECTORS)
        assert counted(index, "ship") == found
        assert index.info()["normalisation"]["stem"] == stem
    (hit,) = index.search("ship - news", "count", 1, algebra=True)
    assert {reason.match for reason in hit.explanation.reasons} == {"ships", "shipped", "ship"}
    assert counted(index, '"ships ship"') == {"0": 1.0}
    index.add([Document("new", "Two more ships came."), Document("other", "Nothing.")])
    assert Index.open(tmp_path / "english").normalisation.stem == "english"
    assert counted(index, "shipping") == {"0": 3.0, "1": 1.0, "new": 1.0}
    assert index.corpus.documents[0].text == texts[0]


def test_a_stem_has_the_relatives_of_its_words(tmp_path: Path) -> None:
    eye = np.eye(4, dtype=np.float32)
    near = (eye[0] + 0.2 * eye[1]) / np.linalg.norm(eye[0] + 0.2 * eye[1])
    vectors = WordVectors(
        ["boats", "ships", "cats", "boat"], np.stack([eye[0], near, eye[2], eye[3]]), name="own"
    )
    corpus = Corpus.of(["Ships here.", "Cats here.", "Boats boat."],
                       normalisation=Normalisation(stem="english"))  # fmt: skip
    index = Index.build(corpus, tmp_path / "i", vectors=vectors)
    for spec in ("translation(threshold=0.9)", "translation(top=1)"):
        found = index.search("boat", spec, 5)
        assert 0 in found.rows and 2 in found.rows
        reason = next(hit for hit in found if hit.row == 0).explanation.reasons[0]
        assert (reason.query, reason.match) == ("boat", "ships")
    assert index.search("boat", "translation(threshold=0.9)", 5).rows == [2, 0]


def test_a_word_that_only_the_query_has(tmp_path: Path) -> None:
    vectors = WordVectors(
        ["sloop", "ship", "cat"], np.array([[1, 0.1], [1, 0], [0, 1]], np.float32), name="own"
    )
    vectors_file = tmp_path / "own.vec"
    vectors_file.write_text("3 2\nsloop 1 0.1\nship 1 0\ncat 0 1\n")
    corpus = Corpus.of(["A ship sails.", "The cat sleeps."])
    index = Index.build(corpus, tmp_path / "i", vectors=vectors_file)
    for spec in ("translation(threshold=0.9)", "translation(top=1)", "bm25(extend=true, top=1)"):
        found = index.search("sloop", spec, 5)
        assert found.rows[0] == 0
        assert found[0].explanation.reasons[0].match == "ship"
    assert index.search("sloop", "translation(threshold=0.9)", 5).rows == [0]
    assert index.search("sloop", "lm", 5).notes == ["not in the index: sloop"]
    assert len(vectors) == 3


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
