from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from lexfield.errors import InputError, UnknownWordError
from lexfield.vectors.repair import WordMatch, repair
from lexfield.vectors.wordvectors import WordVectors


@pytest.fixture
def tiny() -> WordVectors:
    """Four words in the plane, with lengths that are not one."""
    matrix = np.array([[2, 0], [0, 3], [1, 1], [-1, 0]], np.float32)
    return WordVectors(["east", "north", "between", "west"], matrix, name="tiny")


def test_basics(tiny: WordVectors) -> None:
    assert len(tiny) == 4
    assert tiny.dims == 2
    assert "east" in tiny
    assert "East" not in tiny
    assert tiny["East"].tolist() == [2, 0]
    assert tiny["north-west"].tolist() == [-0.5, 1.5]
    assert tiny.row("nowhere") == -1
    assert repr(tiny) == "<WordVectors 'tiny': 4 words × 2 dimensions>"


def test_similarity_is_the_cosine(tiny: WordVectors) -> None:
    assert tiny.similarity("east", "north") == 0
    assert tiny.similarity("east", "between") == pytest.approx(math.sqrt(0.5))
    assert tiny.similarity("east", "west") == -1


def test_nearest(tiny: WordVectors) -> None:
    found = tiny.nearest("east", 2)
    assert [n.word for n in found] == ["between", "north"]
    assert found[0].similarity == pytest.approx(math.sqrt(0.5))
    assert found[0].distance == pytest.approx(math.sqrt(2 - math.sqrt(2)))
    assert [n.word for n in tiny.nearest("east", 99)] == ["between", "north", "west"]
    assert [n.word for n in tiny.nearest("east", threshold=0.5)] == ["between"]
    assert [n.word for n in tiny.nearest(np.array([1.0, 0.1]), 1)] == ["east"]
    assert [n.word for n in tiny.nearest("EAST", 1)] == ["between"]


def test_results_are_for_people_and_programs(tiny: WordVectors) -> None:
    found = tiny.nearest("east", 2)
    assert found.to_dicts()[1] == {
        "word": "north",
        "similarity": 0.0,
        "distance": pytest.approx(math.sqrt(2)),
    }
    assert repr(found).splitlines()[:2] == [
        "nearest to 'east' in tiny",
        "word     similarity  distance",
    ]
    assert "<td>between</td>" in found._repr_html_()
    pandas = pytest.importorskip("pandas", reason="needs lexfield[pandas]")
    assert isinstance(found.to_pandas(), pandas.DataFrame)


def test_embedding_counts_how_words_were_found(tiny: WordVectors) -> None:
    embedded = tiny.embed(["east", "WEST", "(north)", "east-west", "zzz"])
    assert [WordMatch(h) for h in embedded.matches] == [
        WordMatch.EXACT,
        WordMatch.LOWER,
        WordMatch.TRIMMED,
        WordMatch.SPLIT,
        WordMatch.UNKNOWN,
    ]
    assert embedded.matrix[3].tolist() == [0.5, 0]
    assert embedded.matrix[4].tolist() == [0, 0]
    coverage = embedded.coverage(np.array([10, 1, 1, 1, 7]))
    assert coverage["exact"] == {"types": 1, "tokens": 10}
    assert coverage["unknown"] == {"types": 1, "tokens": 7}


def test_a_set_that_composes_is_asked_before_a_word_is_split() -> None:
    def compose(word: str) -> NDArray[np.float32] | None:
        return np.array([5, 5], np.float32) if word == "a-b" else None

    vectors = WordVectors(["a"], np.array([[1, 0]], np.float32), compose=compose)
    assert vectors["a-b"].tolist() == [5, 5]
    assert vectors["a-c"].tolist() == [1, 0]
    assert vectors.embed(["a-b"]).matches[0] == WordMatch.COMPOSED


def test_bad_use(tiny: WordVectors) -> None:
    with pytest.raises(UnknownWordError, match=r"no word 'easte'\. Did you mean east"):
        tiny["easte"]
    with pytest.raises(KeyError):
        tiny["qqqq"]
    with pytest.raises(InputError, match="k must be a whole number of at least 1. Got 0"):
        tiny.nearest("east", 0)
    with pytest.raises(InputError, match="threshold must be"):
        tiny.nearest("east", threshold=2)
    with pytest.raises(InputError, match="vector of 2 numbers"):
        tiny.nearest(np.ones(3))
    with pytest.raises(InputError, match="finite"):
        tiny.nearest(np.array([np.nan, 1]))
    with pytest.raises(InputError, match=r"Number of words \(1\) does not match"):
        WordVectors(["a"], np.zeros((2, 2), np.float32))


def test_gensim_vectors_are_taken_over() -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    keyed = models.KeyedVectors(2)
    keyed.add_vectors(["x", "y"], np.eye(2, dtype=np.float32))
    vectors = WordVectors.from_gensim(keyed)
    assert vectors["y"].tolist() == [0, 1]


def test_a_string_is_cut_into_words(tiny: WordVectors) -> None:
    embedded = tiny.embed("East, then north!")
    assert embedded.known.tolist() == [True, False, True]
    assert embedded.matrix.tolist() == [[2, 0], [0, 0], [0, 3]]


def test_old_names_still_work(tiny: WordVectors) -> None:
    with pytest.warns(DeprecationWarning, match="use .matches"):
        assert tiny.embed(["east", "zzz"]).how.tolist() == [1, 0]
    with pytest.warns(DeprecationWarning, match="mapped"):
        mapped = tiny.mapped(np.array([[2.0, 1.0], [0.0, 1.0]]), "under m")
    assert mapped.name == "under m" and mapped["east"].tolist() == [4, 2]


KNOWN = {"well": 0, "known": 1, "hello": 2, "Paris": 3, "all": 4}


@pytest.mark.parametrize(
    ("word", "match", "rows"),
    [
        ("hello", WordMatch.EXACT, [2]),
        ("Paris", WordMatch.EXACT, [3]),
        ("HELLO", WordMatch.LOWER, [2]),
        ("--hello...", WordMatch.TRIMMED, [2]),
        ("_Hello_", WordMatch.TRIMMED, [2]),
        ("he1lo", WordMatch.TRIMMED, [2]),
        ("a11", WordMatch.TRIMMED, [4]),
        ("well-known", WordMatch.SPLIT, [0, 1]),
        ("well_known/nowhere", WordMatch.SPLIT, [0, 1]),
        ("known's", WordMatch.SPLIT, [1]),
        ("xyzzy", WordMatch.UNKNOWN, []),
        ("x-y", WordMatch.UNKNOWN, []),
        ("...", WordMatch.UNKNOWN, []),
        ("", WordMatch.UNKNOWN, []),
    ],
)
def test_repair(word: str, match: WordMatch, rows: list[int]) -> None:
    assert repair(word, lambda w: KNOWN.get(w, -1)) == (match, rows)
