"""Where topics are found, and topics without names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.index.fit_topics import find_names, mixtures_of_documents
from lexfield.index.topics import Topics


def test_shares_are_means_of_mixtures_by_words(sample: lx.Corpus, tmp_path: Path) -> None:
    index = lx.Index.build(sample, tmp_path / "i")
    index.fit_topics(4, passes=1)
    mixtures, _ = mixtures_of_documents(index, Topics.open(index.path))
    words = np.array([len(sample.document_tokens(row)) for row in range(len(sample))])
    found = lx.topic_shares(index, topic=[2], k=3)
    order = np.argsort(-mixtures[:, 2], kind="stable")[:3].tolist()
    assert [one.value for one in found] == [sample.ids[row] for row in order]
    assert [one.share for one in found] == pytest.approx(mixtures[order, 2].tolist(), abs=1e-6)
    by_author = lx.topic_shares(index, by="author", where="level=high", k=100)
    for one in by_author:
        own = [
            row
            for row in range(len(sample))
            if sample.metadata(row)["author"] == one.value
            and sample.metadata(row)["level"] == "high"
        ]
        expected = (mixtures[own, one.topic] * words[own]).sum() / words[own].sum()
        assert one.share == pytest.approx(float(expected), abs=1e-6)
    assert {one.topic for one in by_author} == {0, 1, 2, 3}
    assert repr(found).startswith("topic 2: ")
    with pytest.raises(InputError, match="There is no topic 9"):
        lx.topic_shares(index, topic=[9])


def test_topics_show_words_as_they_are_written() -> None:
    index = lx.Index(["The boat met Alice there.", "We saw how Alice left the boat."])
    lx.fit_topics(index, topics=2, passes=1, min_count=1, max_share=1.0)
    words = {word for one in lx.topics(index, k=50) for word in one.words.split()}
    assert {"Alice", "boat"} <= words and "alice" not in words


def test_names_are_left_out(tmp_path: Path) -> None:
    play = "The old boat met Alice there. Boats sail, and Alice sang of Paris. It rained. "
    other = "The rain fell on Paris and a boat. May came. We may go, and may stay."
    index = lx.Index([play + 5 * "TOM. Yes. ", other + " It was yes, then."])
    assert set(find_names(index)) == {"alice", "paris", "tom"}
    fitted = lx.fit_topics(index, topics=2, passes=1, min_count=1, max_share=1.0, no_names=True)
    assert fitted.notes[0] == "names left out: 3"
    words = {word.lower() for one in lx.topics(index, k=50) for word in one.words.split()}
    assert "boat" in words and not words & {"alice", "paris"}
    german = lx.Index(["Das Haus am See."], language="de")
    with pytest.raises(InputError, match="In German all nouns have capitals"):
        lx.fit_topics(german, no_names=True)
