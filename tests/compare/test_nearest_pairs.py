"""The nearest documents of each are those of the full matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lexfield.compare import nearest_pairs
from lexfield.compare.nearest_pairs import find_nearest_pairs
from lexfield.compare.pairs import pairs
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus

WORDS = "the a of storm sea ship captain king queen bread river letter war came went saw".split()


def make_corpus(documents: int = 40) -> Corpus:
    rng = np.random.default_rng(7)
    shares = rng.dirichlet(np.ones(len(WORDS)), documents)
    texts = [" ".join(rng.choice(WORDS, 200, p=own).tolist()) for own in shares]
    return Corpus.of([*texts, texts[3], texts[3]])  # copies


@pytest.mark.parametrize(
    "options",
    [
        {"measure": "kl"},
        {"measure": "js", "unit": "bits"},
        {"measure": "hellinger", "mfw": 8},
        {"measure": "delta", "mfw": 10},
        {"measure": "cosine-delta", "mfw": 12},
        {"measure": "renyi", "alpha": 0.3, "smoothing": "jm(0.3)"},
    ],
    ids=lambda options: options["measure"],
)
def test_they_are_those_of_the_full_matrix(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = make_corpus()
    matrix = pairs(corpus, **options).matrix
    monkeypatch.setattr(nearest_pairs, "_CELLS", 200)  # a few rows at a time
    found = find_nearest_pairs(corpus, 5, **options)
    for row, own in enumerate(matrix):
        others = np.where(np.arange(len(own)) == row, np.inf, own)
        order = np.argsort(others, kind="stable")[:5]
        assert found.values[row] == pytest.approx(others[order], abs=1e-9)
        assert own[found.neighbours[row]] == pytest.approx(found.values[row], abs=1e-9)
    assert any(
        note.startswith("documents that use the same words equally often") for note in found.notes
    )


def test_there_are_no_more_neighbours_than_documents() -> None:
    found = find_nearest_pairs(Corpus.of(["a storm", "the sea"]), 20, measure="js")
    assert found.neighbours.tolist() == [[1], [0]]
    assert [one["b"] for one in found.to_dicts()] == [found.ids[1], found.ids[0]]


def test_clouds_and_hubs_are_refused() -> None:
    corpus = make_corpus(4)
    with pytest.raises(InputError, match="not by clouds"):
        find_nearest_pairs(corpus, 2, space="latent", measure="kl")
    with pytest.raises(InputError, match="left out with nearest"):
        find_nearest_pairs(corpus, 2, measure="delta", hubs="centre")
