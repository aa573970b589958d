"""Bag methods: every method against its formula, and the words that may stand for one another."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.index.bags import Bags
from lexfield.index.related import list_relatable
from lexfield.search import bag_method
from lexfield.search.extended import find_threshold
from lexfield.search.index import Index
from lexfield.search.registry import parse
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation, stem_words
from lexfield.text.stopwords import stopwords
from lexfield.vectors.threshold import threshold
from lexfield.vectors.wordvectors import WordVectors
from tests.search import bag_oracle as oracle
from tests.search.bag_oracle import VECTORS, WORDS, counted

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
@settings(max_examples=15)
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


def test_long_lists_are_searched_by_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "storm sea ship wind sail".split()
    texts = [" ".join(words[i % 5 : i % 7]) or "calm" for i in range(300)]
    index = Index(texts, vectors=VECTORS, language="none")
    mask = index.rows().lengths > 1
    for spec in ("count", "frequency", "bm25"):
        method = parse(spec)
        query = index.query("ship wind sail sail")
        added = method.search(index.rows(), query, 20, mask)
        with monkeypatch.context() as patch:
            patch.setattr(bag_method, "_MANY", 0)
            by_blocks = method.search(index.rows(), query, 20, mask)
        assert (added.rows, added.scores) == (by_blocks.rows, by_blocks.scores)
        assert len(added.rows) == 20


SOFT: dict[str, Callable[..., dict[int, float]]] = {
    "translation(threshold=0.6, mu=7)": partial(oracle.translation, threshold=0.6, mu=7),
    "translation(threshold=0.2)": partial(oracle.translation, threshold=0.2),
    "translation(top=2)": partial(oracle.translation, top=2),
    "bm25(extend=true, threshold=0.5)": partial(oracle.extended, threshold=0.5),
    "bm25(extend=true, top=1)": partial(oracle.extended, top=1),
    "bm25(extend=true, joint=true, threshold=0.5)": partial(
        oracle.extended, threshold=0.5, joint=True
    ),
}


@settings(max_examples=15)
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
        index = built(folder, rows, stem="none")
        for spec, formula in SOFT.items():
            check(index, query, spec, unit, formula(kept, meant, vectors, lexicon), 1e-6)


@settings(max_examples=10)
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
        terms, cosines = related.group(bags.names[word], nothing)
        probabilities = related.compute_probabilities(bags.names[word], terms, cosines)
        total += float(probabilities[terms == bags.ids["boat"]][0])
    assert total == pytest.approx(1)


def test_balls_and_scans_agree(tmp_path: Path, sample: Corpus) -> None:
    from lexfield.index.bags import Bags
    from lexfield.index.related import Related

    bags = Bags.of(Index.build(sample, tmp_path / "i", stemmer="none").rows("document"))
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


@pytest.mark.parametrize(
    ("options", "stemmer"),
    [
        ({}, "english"),
        ({"language": "english"}, "english"),
        ({"language": "de"}, "german"),
        ({"language": "bg"}, "none"),  # stopwords, and no stemmer
        ({"language": "none"}, "none"),
        ({"stemmer": "none"}, "none"),
        ({"language": "none", "stemmer": "porter"}, "porter"),
    ],
)
def test_the_stemmer_is_that_of_the_language(options: dict[str, str], stemmer: str) -> None:
    index = Index(["Ships sailed.", "A ship sank.", "Häuser."], vectors=VECTORS, **options)  # type: ignore[arg-type]
    assert index.normalisation.stem == stemmer
    finds_forms = stemmer in ("english", "porter")
    assert counted(index, "ship") == {"0": 1.0, "1": 1.0} if finds_forms else {"1": 1.0}


def test_a_corpus_and_an_index_keep_their_stemmer(tmp_path: Path) -> None:
    for stem in ("none", "german"):
        corpus = Corpus.of(["Ships sailed."], normalisation=Normalisation(stem=stem))
        index = Index.build(corpus, tmp_path / stem, vectors=VECTORS)
        index.add(["A ship sank."])
        index.compact()
        assert index.normalisation.stem == Index(index.corpus).normalisation.stem == stem
        assert Index(corpus, stemmer="english").normalisation.stem == "english"
    assert corpus.normalisation.stem == "german"  # not changed by the index


def test_reasons_name_the_forms_that_a_row_holds() -> None:
    index = Index(["The boats sailed; one boat sank.", "A cat sat on a mat."])
    for method in ("bm25", "lm", "translation(threshold=1)", "bm25(extend=true, threshold=1)"):
        hit = index.search("sailing boat", method)[0]
        pairs = {(reason.query, reason.match) for reason in hit.explanation.reasons}
        assert pairs == {("sailing", "sailed"), ("boat", "boats"), ("boat", "boat")}
        total = sum(reason.contribution for reason in hit.explanation.reasons)
        assert total == pytest.approx(hit.score)


def test_mu_follows_the_length_of_rows() -> None:
    """The mean is that of the rows that are searched: sentences or documents."""
    long, short = "One two three four five. Six seven.", "Eight."
    index = Index([long, short], language="none")
    for unit, mean in (("document", 8 / 2), ("sentence", 8 / 3)):
        found = index.search("eight", "lm", unit=unit)
        asked = index.search("eight", f"lm(mu={5 * mean})", unit=unit)
        assert found.scores == pytest.approx(asked.scores, rel=1e-12)
        assert found.method == "lm"


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


def test_words_made_of_parts_do_not_crowd_out_relatives() -> None:
    """The mean of the parts of 3.4 is short, hence near by distance, though its cosine is lower."""
    numbers = "3 3.00 3.04 3.07 3.2x10 3.3 3.392 3.899 3.8x10 3.9x10 3.5 3.4 3.6"
    texts = [f"Three or iii. {numbers}", "Two, four and five.", "Bread.", "Eight."]
    one, two = Index(texts), Index(texts[:1])
    two.add(texts[1:])
    for query in ("three", "iii", "two four"):
        method = "translation(threshold=0.79)"
        wanted, found = (index.search(query, method, 4) for index in (two, one))
        assert found.rows == wanted.rows
        assert found.scores == pytest.approx(wanted.scores, abs=1e-6)


@pytest.mark.parametrize("size", [700, 3000])
def test_the_default_threshold_is_that_of_counting_all_pairs(size: int) -> None:
    """It is read from the highest cosines alone."""
    words = [word for word in WordVectors.default().words if word.isalpha()][2000 : 2000 + size]
    index = Index([" ".join(words[i : i + 50]) for i in range(0, size, 50)])
    bags = Bags.of(index.rows())
    lexicon = index.lexicon
    rows = sorted(list_relatable(bags).tolist(), key=lexicon.words.__getitem__)
    vectors = WordVectors([lexicon.words[row] for row in rows], lexicon.vectors[rows])
    assert find_threshold(bags) == pytest.approx(
        threshold(vectors, sample=1000).threshold, abs=2e-4
    )
