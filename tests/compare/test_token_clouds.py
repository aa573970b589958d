"""Divergence between an encoder's clouds of words in their context."""

from __future__ import annotations

import numpy as np
import pytest

import lexfield as lx
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pair import knn_divergence
from lexfield.compare.token_clouds import compare_tokens, make_token_clouds
from lexfield.errors import InputError
from lexfield.text.document import Document
from tests.toy_encoder import ToyEncoder


def write(words: str, seed: int) -> str:
    """Return 30 random sentences of some words."""
    rng, choice = np.random.default_rng(seed), words.split()
    return " ".join(f"The {' '.join(rng.choice(choice, 5))}." for _ in range(30))


SEA = write("captain boats storms sea harbour ships sail", 1) + " Storms rise."
BREAD = write("baker bread flour oil oven dough salt", 2)


def compare(a: str, b: str, **options: object) -> lx.Estimate:
    chosen = ComparisonOptions.from_dict({"space": "latent", **options})
    return compare_tokens([Document("a", a), Document("b", b)], ToyEncoder(), chosen)


def collect(text: str) -> np.ndarray:
    """Return the unit vectors of all words, sentence by sentence."""
    made = ToyEncoder().encode([f"{sentence}." for sentence in text.rstrip(".").split(". ")])
    rows = [
        state / np.linalg.norm(state)
        for one in made
        for token, state in zip(one.tokens, one.states.astype(float), strict=True)
        if token.isalnum()
    ]
    return np.array(rows)


@pytest.mark.parametrize("measure", ["kl", "js", "hellinger"])
def test_it_is_the_divergence_of_the_arrays(measure: str) -> None:
    expected = knn_divergence(collect(SEA), collect(BREAD), 3, measure)
    found = compare(SEA, BREAD, measure=measure)
    assert (found.n, found.m) == (expected.n, expected.m)
    assert found.value == pytest.approx(expected.value, rel=1e-5) and found.value > 0
    assert "as the encoder 'toy' sees it" in found.notes[0]


def test_reasons_are_words_in_context() -> None:
    found = compare(SEA, BREAD)
    reasons = found.explanation.reasons
    assert {"captain", "storms"} <= {reason.query for reason in reasons}
    assert sum(reason.contribution for reason in reasons) == pytest.approx(found.value)


def test_equal_texts_and_stopwords() -> None:
    assert compare(SEA, SEA).value == 0
    texts = [Document("a", SEA), Document("b", BREAD)]
    clouds, _ = make_token_clouds(texts, ToyEncoder(), "en")
    assert "captain" in clouds.words and "the" not in clouds.words


def test_refusals() -> None:
    with pytest.raises(InputError, match="has no vectors of words"):
        lx.compare(SEA, BREAD, encoder=lambda texts: [[len(t), 1.0] for t in texts])
    with pytest.raises(InputError, match="points must be tokens"):
        compare(SEA, BREAD, points="types")
    with pytest.raises(InputError, match="has no words"):
        compare(SEA, "...")


def test_a_failing_sentence_is_counted() -> None:
    chosen = ComparisonOptions(space="latent", k=1)
    toy = ToyEncoder(bad={"rise": ValueError("wet")})
    found = compare_tokens([Document("a", SEA), Document("b", BREAD)], toy, chosen)
    assert any("failed on 1 sentences, such as 'Storms rise.'" in n for n in found.notes)


def test_the_verb() -> None:
    found = lx.compare(SEA, BREAD, encoder=ToyEncoder(), explain=True)
    assert found.results[0].space == "latent" and (found.results[0].value or 0) > 0
