from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.special import psi

from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.topics.inference import exp_digamma, infer_rows
from lexfield.topics.lda import Filters, TopicModel, npmi

THEMES = ["boat harbour storm sail".split(), "flour bread oven yeast".split()]
WORDS = [*THEMES[0], *THEMES[1], "the", "1984", "rare", "everywhere"]
LOOSE = Filters(min_count=1, max_share=1.0, min_length=1)


def corpus(rows: int = 60, seed: int = 0) -> Any:
    """Documents of one theme each, and a word in all of them."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((rows, len(WORDS)), np.int64)
    for row in range(rows):
        theme = row % 2
        counts[row, 4 * theme : 4 * theme + 4] = rng.poisson(3, 4)
        counts[row, WORDS.index("everywhere")] = 1
        counts[row, WORDS.index("1984")] = 2
        counts[row, WORDS.index("the")] = row % 4 == 0
    counts[0, WORDS.index("rare")] = 1
    return csr_matrix(counts)


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return TopicModel.fit(corpus(), WORDS, 2, passes=30)


def test_themes_are_found(model: TopicModel) -> None:
    assert sorted(model.words) == sorted(THEMES[0] + THEMES[1])
    tops = {frozenset(model.top_words(topic, 4)) for topic in range(2)}
    assert tops == {frozenset(THEMES[0]), frozenset(THEMES[1])}
    table = model.describe(4)
    assert [row.share for row in table] == sorted((row.share for row in table), reverse=True)
    assert sum(row.share for row in table) == pytest.approx(1)
    assert "2 topics over 8 words" in repr(model)


def test_how_it_was_fitted_is_kept_and_progress_told() -> None:
    told: list[tuple[int, int]] = []
    fitted = TopicModel.fit(
        corpus(), WORDS, 4, passes=2, batch=25, progress=lambda *one: told.append(one[:2])
    )
    assert fitted.about["alpha"] == fitted.about["eta"] == 1 / 4
    assert [done for done, _ in told] == [25, 50, 60, 85, 110, 120]
    assert {of for _, of in told} == {120}


def test_filters() -> None:
    counts = corpus()
    names = {WORDS[i] for i in Filters().select(counts, WORDS)}
    assert names == {*THEMES[0], *THEMES[1]}  # 1984 is a number, rare is rare, the is short …
    names = {WORDS[i] for i in Filters(min_length=3, max_share=1.0).select(counts, WORDS)}
    assert names == {*THEMES[0], *THEMES[1], "the", "everywhere"}
    assert "everywhere" not in {
        WORDS[i] for i in Filters(max_share=1.0, max_count=59).select(counts, WORDS)
    }
    assert Filters(min_count=5, max_count=5).max_count == 5
    for wrong in ({"min_count": 0}, {"max_share": 0}, {"min_length": 0}, {"max_count": 2}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            Filters(**wrong)


def test_characters_of_chinese_japanese_and_korean_count_twice() -> None:
    words = ["地震", "震", "東京", "바다", "тьма", "дом", "sea"]
    counts = csr_matrix(np.full((1, len(words)), 5))
    kept = [words[i] for i in Filters(max_share=1.0).select(counts, words)]
    assert kept == ["地震", "東京", "바다", "тьма"]


def test_one_seed_one_model(model: TopicModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXFIELD_THREADS", "1")
    again = TopicModel.fit(corpus(), WORDS, 2, passes=30)
    np.testing.assert_array_equal(again.weights, model.weights)
    counts = corpus(600)[:, [WORDS.index(word) for word in model.words]]
    one = model.infer(counts)
    monkeypatch.setenv("LEXFIELD_THREADS", "3")
    np.testing.assert_array_equal(model.infer(counts), one)
    other = TopicModel.fit(corpus(), WORDS, 2, passes=30, seed=1)
    assert not np.array_equal(other.weights, model.weights)


def oracle(counts: Any, model: TopicModel) -> Any:
    """Hoffman et al.'s E-step, a document and a round at a time."""
    weights = model.weights.astype(np.float64)
    beta = np.exp(psi(weights) - psi(weights.sum(axis=1))[:, None])
    out = []
    for row in np.asarray(counts.todense()):
        gamma = np.ones(len(weights))
        for _ in range(100):
            theta = np.exp(psi(gamma) - psi(gamma.sum()))
            new = model.prior + theta * (beta @ (row / (theta @ beta + np.finfo(float).eps)))
            done = np.abs(new - gamma).mean() < 1e-3
            gamma = new
            if done:
                break
        out.append(gamma / gamma.sum())
    return np.array(out)


def test_inference_against_the_formula() -> None:
    rng = np.random.default_rng(3)
    counts = csr_matrix(rng.poisson(0.3, (150, 80)))
    fitted = TopicModel.fit(counts, [f"w{i}" for i in range(80)], 30, filters=LOOSE, passes=2)
    fresh = csr_matrix(rng.poisson(0.4, (300, 80)))
    found = fitted.infer(fresh)
    np.testing.assert_allclose(found, oracle(fresh, fitted), atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)


def test_inference_against_scikit_learn() -> None:
    from sklearn.decomposition import LatentDirichletAllocation

    rng = np.random.default_rng(4)
    counts = csr_matrix(rng.poisson(0.3, (100, 60)))
    theirs = LatentDirichletAllocation(5, learning_method="online", random_state=0).fit(counts)
    weights = theirs.components_
    beta = np.exp(psi(weights) - psi(weights.sum(axis=1))[:, None])
    ours = infer_rows(
        counts.indptr.astype(np.int64),
        counts.indices.astype(np.int64),
        counts.data.astype(float),
        np.ascontiguousarray(beta.T),
        0.2,
        1e-3,
        100,
    )
    np.testing.assert_allclose(ours, theirs.transform(counts), atol=1e-9)


@given(st.floats(0.002, 1e9))
def test_exp_digamma(x: float) -> None:
    assert exp_digamma(x) == pytest.approx(np.exp(psi(x)), rel=1e-10)


def test_empty_documents_have_the_mean_of_the_prior(model: TopicModel) -> None:
    found = model.infer(csr_matrix((2, len(model.words))))
    np.testing.assert_allclose(found, 0.5)
    assert model.infer(csr_matrix((0, len(model.words)))).shape == (0, 2)


def test_errors(model: TopicModel) -> None:
    with pytest.raises(InputError, match="Only 8 words are left for 9 topics"):
        TopicModel.fit(corpus(), WORDS, 9)
    for name, value in (("topics", 1), ("passes", 0), ("alpha", 0.0), ("eta", -1.0)):
        with pytest.raises(InputError, match=name):
            TopicModel.fit(corpus(), WORDS, **{"topics": 2, name: value})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="The counts have 3 columns"):
        model.infer(csr_matrix((1, 3)))
    with pytest.raises(InputError, match="no words of the model"):
        model.perplexity(csr_matrix((1, 8), dtype=np.int64))


def test_perplexity_tells_good_from_bad(model: TopicModel) -> None:
    counts = corpus(200, seed=9)[:, [WORDS.index(word) for word in model.words]].tocsr()
    good = model.perplexity(counts)
    flat = TopicModel(model.words, np.ones_like(model.weights), 0.5, model.coherences, {})
    assert flat.perplexity(counts) == pytest.approx(8)  # knows nothing: all words alike
    assert 3.9 < good < 5  # four words of a theme


def test_coherence_by_hand() -> None:
    # a and b always together in 2 of 4 documents, c with neither
    counts = csr_matrix([[1, 1, 0], [2, 1, 0], [0, 0, 3], [0, 0, 1]])
    assert npmi(counts, np.array([[0, 1]])).tolist() == [pytest.approx(1.0)]
    assert npmi(counts, np.array([[0, 2]])).tolist() == [-1.0]
    half = csr_matrix([[1, 1], [1, 0], [0, 1], [0, 0]])
    assert npmi(half, np.array([[0, 1]])).tolist() == [pytest.approx(0.0)]
    everywhere = csr_matrix([[1, 1], [1, 1]])
    assert npmi(everywhere, np.array([[0, 1]])).tolist() == [1.0]


def test_texts_and_corpora_are_counted() -> None:
    texts = [f"{' '.join(THEMES[row % 2])} {THEMES[row % 2][row % 3]}." for row in range(40)]
    model = TopicModel.fit(texts, topics=2, filters=LOOSE, passes=5)
    same = TopicModel.fit(Corpus.of(texts), topics=2, filters=LOOSE, passes=5)
    np.testing.assert_array_equal(model.weights, same.weights)
    assert sorted(model.words) == sorted(THEMES[0] + THEMES[1])
    mixtures = model.infer(["A boat in a storm.", "Bread!", "Nothing known."])
    assert mixtures.shape == (3, 2)
    assert mixtures[0].argmax() != mixtures[1].argmax()
    assert mixtures[2].tolist() == [0.5, 0.5]
    row = csr_matrix([[word in ("boat", "storm") for word in model.words]], dtype=np.int64)
    np.testing.assert_array_equal(model.infer(row), mixtures[:1])


def test_natural_mistakes_of_fitting() -> None:
    with pytest.raises(InputError, match="needs many documents. Got one string"):
        TopicModel.fit("a text")
    with pytest.raises(InputError, match=r"Name the number of topics: topics=50"):
        TopicModel.fit(["a text"], 50)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Counts need the word of each"):
        TopicModel.fit(corpus())
