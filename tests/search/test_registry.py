"""Every fast path against its slow, obvious version, on random corpora."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.search.method import format_method
from lexfield.search.registry import METHODS, parse
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors
from tests.search import oracle
from tests.search.covers import SetCoverWithCopies
from tests.search.oracle import Plain

# Letters would be stopwords ("a", "i"), so words have two; "the" and "of" are stopwords, "qq" has
# no vector and "zz" does not occur.
WORDS = [f"{a}{b}" for a in "bcd" for b in "xyz"] + ["the", "of", "qq"]
rng = np.random.default_rng(5)
VECTORS = WordVectors(
    [*WORDS[:-1], "zz"], rng.standard_normal((len(WORDS), 4)).astype(np.float32), name="random"
)

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    lambda words: " ".join(words).capitalize() + "."
)
corpora = st.lists(sentences, min_size=1, max_size=12)
queries = st.lists(st.sampled_from([*WORDS, "zz"]), min_size=1, max_size=8).map(" ".join)

ORACLES: dict[str, Callable[[Plain, str], dict[int, float]]] = {
    "jaccard": oracle.jaccard,
    "bow": oracle.bow,
    "mean": oracle.mean,
    "mean(plain=true)": oracle.plain_mean,
    "wmd": oracle.wmd,
    "edit": oracle.edit,
    "edit(by=word)": oracle.edit_by_word,
}


def build(folder: str, texts: list[str]) -> Index:
    return Index.build(Corpus.of(texts), Path(folder) / "i", vectors=VECTORS)


@pytest.mark.parametrize("spec", ORACLES)
@settings(max_examples=40)
@given(
    texts=corpora,
    query=queries,
    k=st.integers(1, 15),
    unit=st.sampled_from(["sentence", "document"]),
)
def test_against_oracle(spec: str, texts: list[str], query: str, k: int, unit: str) -> None:
    joined = [" ".join(texts[i : i + 2]) for i in range(0, len(texts), 2)]
    with tempfile.TemporaryDirectory() as folder:
        index = build(folder, joined)
        found = index.search(query, spec, k, unit=unit)
        scores = ORACLES[spec](Plain.of(index, unit), query)
    expected = sorted(scores.values(), reverse=True)[:k]
    np.testing.assert_allclose(found.scores, expected, atol=1e-5)
    for row, score in zip(found.rows, found.scores, strict=True):
        assert scores[row] == pytest.approx(score, abs=1e-5)


@settings(max_examples=100)
@given(
    texts=corpora,
    query=queries,
    k=st.integers(1, 6),
    r=st.integers(0, 12),
    penalty=st.sampled_from([0.0, 0.5, 1.0]),
    own=st.booleans(),
)
def test_plain_set_cover_against_algorithm_1(
    texts: list[str], query: str, k: int, r: int, penalty: float, own: bool
) -> None:
    method = SetCoverWithCopies(r=r, penalty=penalty, own=own, min_tokens=3)
    with tempfile.TemporaryDirectory() as folder:
        index = build(folder, texts)
        found = index.search(query, method, k)
        expected = oracle.set_cover(Plain.of(index), query, k, r, penalty, 3, own)
    assert found.rows == [row for row, _ in expected]
    np.testing.assert_allclose(found.scores, [score for _, score in expected], atol=1e-9)


def test_specs_round_trip() -> None:
    for name in METHODS.names():
        if name != "fuse":  # which is nothing without methods
            assert format_method(parse(name)) == name
    spec = "setcover(r=20, penalty=0.25, own=false)"
    assert format_method(parse(spec)) == spec
    assert parse(" edit( by = word ) ") == parse("edit(by=word)")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("setcovr", "no search method named 'setcovr'. Did you mean 'setcover'"),
        ("setcover(x=1)", "no parameter 'x'. It has: r, penalty"),
        ("setcover(r=1, r=2)", "given twice"),
        ("setcover(r)", "'r' in .* is not parameter=value"),
        ("setcover(r=-1)", "r must be a whole number"),
        ("setcover(penalty=101)", "penalty must be"),
        ("setcover(weights=gold)", "weights must be one of none, idf, distance. Got"),
        ("setcover(weights=matches)", "are the method ideas"),
        ("setcover(beyond=0, repeat=true)", "no parameter 'beyond'.* a parameter of ideas"),
        ("ideas(penalty=1)", "no parameter 'penalty'.* a parameter of setcover"),
        ("setcover(focus=3)", "0.1 is now the method ideas, where focus is always 2"),
        ("jaccard(minhash=true)", "no parameter 'minhash'. It has: none"),
        ("edit(by=line)", "by must be 'character' or 'word'"),
        ("wmd(", "is not a method"),
        ("", "is not a method"),
        ("__import__('os')", "no search method named"),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(spec)
