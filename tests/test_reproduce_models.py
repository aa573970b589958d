"""The models that only the reproduction has, against sums over all words and by hand."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

FOLDER = Path(__file__).parents[1] / "reproduce"
TUNED = {"mu": 20.0, "k1": 1.5, "b": 0.75, "s": 0.2}


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module(name)


def weigh(cosines: NDArray[np.float64], word: int, form: str) -> NDArray[np.float64]:
    """Return what each word counts for a word of a query."""
    every = cosines + np.eye(len(cosines))
    if form == "plain":
        return np.asarray(np.eye(len(cosines))[word])
    weights: NDArray[np.float64] = every[:, word]
    return weights / every.sum(axis=1) if form == "translated" else weights


def score(kind: str, form: str, counts: NDArray[np.float64], cosines: NDArray[np.float64],
          words: list[int]) -> NDArray[np.float64]:  # fmt: skip
    """Return the scores of a query by the formulas, one word and one row after the other."""
    rows, lengths = len(counts), counts.sum(axis=1)
    total = np.zeros(rows)
    for word in words:
        weights = weigh(cosines, word, form)
        held, own = counts @ weights, counts[:, word]
        n, collected, sizes = (held > 0).sum(), held.sum(), lengths
        if form == "generalised" and own.any():
            n, collected = (own > 0).sum(), own.sum()
        if form == "extended":
            sizes = lengths - counts @ np.where(weights > 0, 1 - weights, 0)
        mean = sizes.sum() / rows
        for row in range(rows):
            c, size = held[row], sizes[row]
            if kind == "lm":
                share = collected / sizes.sum()
                total[row] += np.log((c + 20 * share) / (20 * share)) + np.log(20 / (size + 20))
            elif c and kind == "bm25":
                idf = np.log1p((rows - n + 0.5) / (n + 0.5))
                total[row] += idf * c / (c + 1.5 * (0.25 + 0.75 * size / mean))
            elif c:
                damped = 1 + np.log(1 + np.log(c))
                total[row] += np.log((rows + 1) / n) * damped / (0.8 + 0.2 * size / mean)
    return total


@pytest.mark.parametrize("form", ["plain", "generalised", "extended", "translated"])
def test_related_words_in_every_part(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    models = load("extended_models", monkeypatch)
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.6, (12, 9)).astype(np.float64)
    counts[:, 4] = 0  # a word that no row holds
    counts[:, 0] = np.maximum(counts[:, 0], 1)  # every row holds a word of each query
    cosines = np.triu(rng.uniform(0.65, 0.95, (9, 9)) * (rng.random((9, 9)) < 0.3), 1)
    cosines += cosines.T
    cosines[3, 4] = cosines[4, 3] = 0.9
    queries = [[0, 3], [0, 4, 7]]
    asked = np.array([[word in query for word in range(9)] for query in queries], float)
    task = models.Task(
        SimpleNamespace(
            words=list("abcdefghi"), documents=csr_matrix(counts), queries=csr_matrix(asked)
        )
    )
    task.cosines = csr_matrix(cosines)
    for kind in models.KINDS if form != "translated" else ("lm",):
        found = task.score(kind, form, 0.6, TUNED)
        for query, values in zip(queries, found, strict=True):
            known = [word for word in query if word != 4 or form != "plain"]
            np.testing.assert_allclose(values, score(kind, form, counts, cosines, known))


def test_a_tagger_is_read_without_running_it(monkeypatch: pytest.MonkeyPatch) -> None:
    perceptron = load("perceptron", monkeypatch)
    data = (
        b"\x80\x02}(U\x04bias}(U\x02NNG?\xf0\x00\x00\x00\x00\x00\x00U\x02VBG\x00\x00\x00\x00"
        b"\x00\x00\x00\x00uU\x0ci suffix ing}(U\x02VBG@\x00\x00\x00\x00\x00\x00\x00uu"
        b"}(U\x03theU\x02DTuc__builtin__\nset\n."
    )
    weights, known = perceptron.read_tables(data)
    assert weights == {"bias": {"NN": 1.0, "VB": 0.0}, "i suffix ing": {"VB": 2.0}}
    tagger = perceptron.Perceptron(weights, known)
    assert tagger.tag(["the", "singing", "cat"]) == ["DT", "VB", "NN"]
    assert [perceptron.shape(word) for word in ("well-read", "1984", "3rd", "Cat")] == [
        "!HYPHEN", "!YEAR", "!DIGITS", "cat",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="unexpected"):
        perceptron.read_tables(b"\x80\x02]")
