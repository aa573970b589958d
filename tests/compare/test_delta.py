"""Delta, its relatives and hub correction: against slow sums as they are written."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import lexfield as lx
from lexfield.compare.counts import count_texts
from lexfield.compare.delta import choose_types
from lexfield.compare.hubs import correct_hubs
from lexfield.compare.labels import label_text
from lexfield.compare.pairs import pairs
from lexfield.errors import InputError
from tests.compare.tables import compute_divergences

DELTAS = ("delta", "cosine-delta", "eder-delta", "quadratic-delta")
rows = st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any)
TEXTS = [
    "the ship and the sea and the wind and a gull",
    "a ship on the sea in the wind with a sail",
    "the farm and the field and the cow and a calf",
    "a cow on the farm in a field with a barn",
]


def rank_types(table: list[list[int]], culling: float) -> list[int]:
    """Types that enough texts have, most frequent first."""
    total = [sum(column) for column in zip(*table, strict=True)]
    texts = [sum(value > 0 for value in column) for column in zip(*table, strict=True)]
    kept = [i for i, n in enumerate(texts) if total[i] and 100 * n >= culling * len(table)]
    return sorted(kept, key=lambda i: (-total[i], i))


def slow(a: list[int], b: list[int], known: list[list[int]], measure: str, mfw: int) -> float:
    """The definitions, type by type, with the standard library."""
    types = rank_types(known, 0)[:mfw]
    scores = []
    for i in types:
        shares = [row[i] / sum(row) for row in known]
        mean, deviation = statistics.mean(shares), statistics.stdev(shares)
        if deviation > 1e-12 * mean:
            scores.append([(row[i] / sum(row) - mean) / deviation for row in (a, b)])
    n = len(scores)
    if measure == "delta":
        return sum(abs(x - y) for x, y in scores) / n
    if measure == "eder-delta":
        return sum(abs(x - y) * (n - i + 1) / n for i, (x, y) in enumerate(scores, 1)) / n
    if measure == "quadratic-delta":
        return math.sqrt(sum((x - y) ** 2 for x, y in scores) / n)
    lengths = [math.hypot(*(pair[side] for pair in scores)) for side in (0, 1)]
    if not all(lengths):
        return 1.0
    return 1 - sum(x * y for x, y in scores) / (lengths[0] * lengths[1])


@settings(max_examples=60, deadline=None)
@given(st.lists(rows, min_size=3, max_size=6), st.lists(rows, min_size=1, max_size=3),
       st.sampled_from(DELTAS), st.integers(1, 7))  # fmt: skip
def test_every_delta_is_the_slow_sum(
    known: list[list[int]], new: list[list[int]], measure: str, mfw: int
) -> None:
    shares = np.array(known) / np.array(known).sum(axis=1, keepdims=True)
    assume((shares[:, rank_types(known, 0)[:mfw]].std(axis=0) > 1e-9).any())
    found = compute_divergences(csr_matrix(new), csr_matrix(known), measure, mfw=mfw)
    for i, a in enumerate(new):
        for j, b in enumerate(known):
            want = slow(a, b, known, measure, mfw)
            assert found[i, j] == pytest.approx(want, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.lists(rows, min_size=2, max_size=5))
def test_minmax_is_the_slow_sum(table: list[list[int]]) -> None:
    found = compute_divergences(csr_matrix(table), csr_matrix(table), "minmax")
    for i, a in enumerate(table):
        for j, b in enumerate(table):
            p, q = ([x / sum(row) for x in row] for row in (a, b))
            want = 1 - sum(map(min, p, q)) / sum(map(max, p, q))
            assert found[i, j] == pytest.approx(want, abs=1e-9)


def test_delta_by_hand() -> None:
    """Shares .1 .2 .3: the mean is .2, the deviation .1, so z is −1 0 1 and 1 0 −1."""
    table = csr_matrix([[1, 9], [2, 8], [3, 7]])
    found = compute_divergences(table, table, "delta")
    assert found[0] == pytest.approx([0, 1, 2])
    cosine = compute_divergences(table, table, "cosine-delta")
    assert cosine[0, [0, 2]] == pytest.approx([0, 2])


@given(st.lists(rows, min_size=2, max_size=6), st.integers(1, 7), st.sampled_from([0, 50, 100]))
def test_the_most_frequent_types(table: list[list[int]], mfw: int, culling: float) -> None:
    want = rank_types(table, culling)[:mfw]
    if want:
        assert choose_types(csr_matrix(table), mfw, culling).tolist() == want
    else:
        with pytest.raises(InputError, match="No type occurs in"):
            choose_types(csr_matrix(table), mfw, culling)


def test_a_delta_takes_shares_of_the_whole_text_and_js_of_the_chosen_types() -> None:
    long = csr_matrix([[4, 1, 5], [1, 1, 1], [2, 3, 1]])
    by_all = compute_divergences(long, long, "delta", mfw=2)
    assert by_all[0, 1] == pytest.approx(slow([4, 1, 5], [1, 1, 1], long.toarray().tolist(),
                                              "delta", 2))  # fmt: skip
    cut = csr_matrix(long.toarray()[:, [0, 2]])
    chosen = compute_divergences(long, long, "js", mfw=2)
    assert chosen == pytest.approx(compute_divergences(cut, cut, "js"))


@pytest.mark.parametrize("measure", DELTAS)
def test_two_texts_are_refused_in_one_sentence(measure: str) -> None:
    with pytest.raises(InputError, match="over a collection; two texts are too few.*pairs"):
        lx.compare(TEXTS[0], TEXTS[1], measure=measure)
    with pytest.raises(InputError, match="over a collection"):
        lx.pairs(TEXTS[:2], measure=measure)


def test_a_delta_has_no_clouds() -> None:
    with pytest.raises(InputError, match="compares word counts"):
        lx.pairs(TEXTS, measure="delta", space="latent")


def test_minmax_explains_itself() -> None:
    found = lx.compare(TEXTS[0], TEXTS[2], measure="minmax")
    parts = [reason.contribution for reason in found.explanation.reasons]
    assert sum(parts) == pytest.approx(found.value)


def slow_hubs(d: list[list[float]], known: list[int], kind: str, i: int, j: int) -> float:
    def column(y: int) -> list[float]:
        return [d[x][y] for x in known if x != y]

    def row(x: int) -> list[float]:
        return [d[x][y] for y in known if y != x]

    if kind == "centre":
        grand = statistics.mean(statistics.mean(column(y)) for y in known)
        return d[i][j] - statistics.mean(row(i)) - statistics.mean(column(j)) + grand
    reach = [statistics.mean(sorted(side)[:10]) for side in (row(i), column(j))]
    return d[i][j] / math.sqrt(reach[0] * reach[1])


@pytest.mark.parametrize("kind", ["centre", "local"])
@pytest.mark.parametrize("known", [13, 15])
def test_hub_correction_is_the_slow_one(kind: str, known: int) -> None:
    distances = np.random.default_rng(0).uniform(0.5, 1, (15, 15))
    found = correct_hubs(distances, np.arange(known), kind)
    for i, j in np.ndindex(15, 15):
        want = 0 if i == j else slow_hubs(distances.tolist(), list(range(known)), kind, i, j)
        assert found[i, j] == pytest.approx(want)


@pytest.mark.parametrize(("kind", "most"), [("centre", 5), ("local", 25)])
def test_a_correction_unseats_a_hub(kind: str, most: int) -> None:
    """Points in 60 dimensions: the one in the middle is the nearest of most."""
    points = np.random.default_rng(0).normal(size=(40, 60))
    points[0] = 0
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)

    def count_nearest(matrix: Any) -> int:
        others = np.where(np.eye(40, dtype=bool), np.inf, matrix)
        return Counter(others.argmin(axis=1).tolist())[0]

    assert count_nearest(distances) == 39
    assert count_nearest(correct_hubs(distances, np.arange(40), kind)) < most


def test_corrections_say_what_they_rest_on_and_what_they_cannot_do() -> None:
    counts = count_texts(TEXTS)
    found = pairs(counts, measure="js", hubs="centre")
    assert "hubs corrected by centring over all 4 documents (transductive)" in found.notes
    corpus = lx.Corpus.of([lx.Document(str(i), text, "", {"kind": "sea" if i < 2 else "land"})
                           for i, text in enumerate(TEXTS)])  # fmt: skip
    label = label_text(corpus, "the wind and the sea", "kind", measure="cosine-delta")
    assert label.predicted == "sea"
    label = label_text(corpus, "wind and ship", "kind", measure="js", hubs="local")
    assert any("over the 4 known documents only (inductive)" in note for note in label.notes)
    with pytest.raises(InputError, match="differ infinitely"):
        lx.pairs(["a b", "b c", "d e"], measure="renyi", smoothing="shared", hubs="centre")
    with pytest.raises(InputError, match="positive distances"):
        lx.pairs(["a b"] * 12 + ["d e"], measure="js", hubs="local")
    with pytest.raises(InputError, match="hubs must be left out for two texts"):
        lx.compare("a b", "b c", hubs="local")


def test_a_hub_is_named_with_the_option_that_corrects_it() -> None:
    hub = "a b c d e f g h i j k l"
    found = lx.pairs([hub, *(f"{letter} {letter * 2} {letter * 3}" for letter in hub.split())],
                     measure="hellinger")  # fmt: skip
    assert any("--hubs centre" in note for note in found.notes)


def test_delta_is_a_scikit_learn_estimator() -> None:
    model = lx.Delta(measure="eder-delta", mfw=8, culling=10, rule="category", hubs="local")
    again = clone(model)
    assert again.get_params() == model.get_params() == {
        "measure": "eder-delta", "mfw": 8, "culling": 10, "rule": "category", "neighbours": 5,
        "hubs": "local",
    }  # fmt: skip
    labels = ["sea", "sea", "land", "land"]
    shuffled = [text + " and the" * n for n in range(3) for text in TEXTS]
    plain = lx.Delta(mfw=20)
    assert plain.fit(shuffled, labels * 3).predict(["the wind and the sea"]).tolist() == ["sea"]
    p = plain.predict_proba(["the wind and the sea", "a cow on the farm"])
    assert p.sum(axis=1) == pytest.approx(1)
    assert p[0, 1] > 0.5 > p[1, 1]
    strip = FunctionTransformer(lambda texts: [text.strip() for text in texts])
    assert (
        cross_val_score(make_pipeline(strip, lx.Delta()), shuffled, labels * 3, cv=2).mean() > 0.8
    )


@pytest.mark.parametrize("hubs", [None, "centre", "local"])
def test_delta_predicts_a_text_as_if_it_were_alone(hubs: str | None) -> None:
    """Other new texts change neither words nor means: the estimator is inductive."""
    model = lx.Delta(mfw=6, hubs=hubs).fit(TEXTS, ["sea", "sea", "land", "land"])
    new = ["the gull and the sea", "a barn on a field", "the the the the the"]
    together = model.predict_proba(new)
    for row, text in enumerate(new):
        assert model.predict_proba([text])[0] == pytest.approx(together[row])


def test_features_of_style_are_compared_as_words_are() -> None:
    documents = [lx.Document(str(i), text) for i, text in enumerate(TEXTS)]
    by_words = lx.pairs(documents, measure="cosine-delta", mfw=5, culling=50)
    by_feature = lx.pairs(documents, measure="cosine-delta", features="mfw(5, culling=50)")
    assert by_feature.matrix == pytest.approx(by_words.matrix)
    characters = lx.pairs(documents, measure="delta", features="char3", mfw=50)
    joined = lx.pairs(documents, measure="delta", features="char(2-3), word(1)")
    few = lx.pairs(documents, measure="js", features="mfw(1), punct")  # frequencies sum to < 1
    assert len(few) == len(joined)
    for found in (characters, joined):
        assert found.matrix.shape == (4, 4) and np.isfinite(found.matrix).all()
    with pytest.raises(InputError, match="no feature 'letters'"):
        lx.pairs(documents, features="letters")
    with pytest.raises(InputError, match="sample must be left out"):
        lx.pairs(documents, features="char3", sample=5)
