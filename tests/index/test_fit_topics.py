"""Topics of long documents: fitted to their passages, told of the documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.index.fit_topics import cuts_documents, mixtures_of_documents
from lexfield.index.topics import Topics
from lexfield.search.index import Index
from lexfield.text.document import Document
from lexfield.verbs.topics import fit_topics

_SEA = "harbour anchor sailor lighthouse mast compass lagoon island captain vessel".split()
_BREAD = "flour kneading oven baker yeast crust dough pastry butter kitchen".split()


def write_book(seed: int, chapters: int = 8, sentences: int = 60) -> str:
    """Chapters about the sea and about bread in turn: every book has as much of both."""
    rng = np.random.default_rng(seed)
    lines = []
    for chapter in range(chapters):
        words = _BREAD if chapter % 2 else _SEA
        lines += [f"Old {' '.join(rng.choice(words, 9))}." for _ in range(sentences)]
    return "\n".join(lines)


@pytest.fixture
def books(tmp_path: Path) -> Index:
    texts = [Document(f"book{seed}", write_book(seed)) for seed in range(6)]
    return Index.build(texts, tmp_path / "books.idx")


def test_topics_of_long_documents_are_those_of_their_passages(books: Index) -> None:
    """Books with the same words all have one topic, as long as they are not cut."""
    assert cuts_documents(books)
    books.delete(["book5"])
    fitted = fit_topics(books, topics=2, max_share=0.9)
    (row,) = fitted.results
    assert (row.documents, row.empty) == (5, 0)
    assert row.passages == pytest.approx(5 * 8 * 60 * 9 / 500, rel=0.2)
    assert f"fitted to passages of these long documents: {row.passages}" in fitted.notes
    model = Topics.open(books.path).require_model()
    tops = [{model.words[i] for i in np.argsort(-weights)[:10]} for weights in model.weights]
    assert set(_SEA) in tops and set(_BREAD) in tops
    mixtures, known = mixtures_of_documents(books, Topics.open(books.path))
    assert known.all()
    np.testing.assert_allclose(mixtures, 0.5, atol=0.05)


def test_words_of_many_passages_are_left_out_by_default(books: Index) -> None:
    """Half the passages are about the sea: too many, unless they are asked for."""
    texts = [Document("short", "The sailor saw an island."), Document("other", "The baker's oven.")]
    assert not cuts_documents(Index(texts))
    with pytest.raises(Exception, match="0 words are left"):
        fit_topics(books, topics=2)
