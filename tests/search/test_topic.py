"""The topic model of an index: fitting, searching, and staying exact as the index changes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import ChangedError, InputError
from lexfield.index.build import update_parts
from lexfield.index.fit_topics import infer_texts, mixtures_of_documents, use_mixtures, use_model
from lexfield.index.parts import stale_parts
from lexfield.index.topics import Topics
from lexfield.search.index import Index
from lexfield.search.method import format_method
from lexfield.search.registry import parse
from lexfield.search.topic import Topic
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.topics.lda import Filters
from lexfield.topics.simplex import distance

LOOSE = Filters(min_count=1, max_share=1.0, min_length=3)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, sample: Corpus) -> Index:
    made = Index.build(sample, tmp_path_factory.mktemp("topic") / "i")
    made.fit_topics(8, passes=3)
    return made


def test_without_topics_it_says_how(tmp_path: Path) -> None:
    bare = Index.build(Corpus.of(["A boat sailed."]), tmp_path / "i")
    with pytest.raises(InputError, match="has no topics yet") as error:
        bare.search("boat", "topic")
    assert "lexfield topics fit" in error.value.hint


@pytest.mark.parametrize("measure", ["js", "hellinger", "triangle"])
@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_ranking_is_the_definition(index: Index, unit: str, measure: str) -> None:
    text = "The fishing boat came home before the storm."
    topics = Topics.open(index.path)
    q = infer_texts(index, topics, [text])[0][0]
    mixtures, known = topics.mixtures(index.segments[0], unit)
    far = np.array(
        [
            distance(q, row, measure) if ok else np.inf
            for row, ok in zip(mixtures, known, strict=True)
        ]
    )
    found = index.search(text, f"topic(measure={measure})", 12, unit=unit)
    np.testing.assert_allclose(np.sort(far)[:12], far[found.rows], atol=1e-12)
    expected = 1 - {"js": far / np.log(2), "hellinger": far**2, "triangle": far / 2}[measure]
    np.testing.assert_allclose(found.scores, expected[found.rows], atol=1e-6)
    assert found.notes[-1].startswith("exact:")


def test_more_like_this(index: Index) -> None:
    found = index.like("pell-sea", k=5)
    assert len(found) == 5 and "pell-sea" not in [hit.id for hit in found]
    asked = index.search(index.corpus.documents[list(index.documents).index("pell-sea")].text,
                         "topic", 6, unit="document")  # fmt: skip
    assert [hit.id for hit in asked if hit.id != "pell-sea"][:5] == [hit.id for hit in found]
    sentence = index.like("pell-sea#3", "jaccard", 3)
    assert all("#" in hit.id and hit.id != "pell-sea#3" for hit in sentence)
    assert {h.metadata["level"] for h in index.like("pell-sea", k=3, where={"level": "high"})} == {
        "high"
    }
    for wrong in ("nobody", "pell-sea#99999", "pell-sea#x", "#1"):
        with pytest.raises(InputError, match="has no|but no number"):
            index.like(wrong)


def test_growing_shrinking_compacting(tmp_path: Path, sample: Corpus) -> None:
    """Mixtures follow the rows; an index that changed answers as one that was built at once."""
    documents = list(sample.documents)[:14]
    grown = Index.build(Corpus.of(documents[:9]), tmp_path / "grown")
    model = grown.fit_topics(4, passes=2)
    grown.add(documents[9:13])
    grown.add([documents[13], Document("gone", "A storm took the boat."), Document("empty", "...")])
    grown.delete(["gone"])
    assert grown.info()["segments"] > 1
    whole = Index.build(Corpus.of([*documents, Document("empty", "...")]), tmp_path / "whole")
    use_model(whole, model)

    def answers(some: Index) -> list[list[tuple[str, float]]]:
        return [
            [(hit.id, round(hit.score, 9)) for hit in some.search(text, "topic", 8, unit=unit)]
            for text in ("The boat came home before the storm.", "bread and fish")
            for unit in ("document", "sentence")
        ]

    expected = answers(whole)
    assert answers(grown) == expected
    assert "empty" not in {hit.id for hit in grown.search("boat", "topic", 99, unit="document")}
    a, b = (mixtures_of_documents(i, Topics.open(i.path))[0] for i in (grown, whole))
    np.testing.assert_array_equal(a, b)
    grown.compact()
    assert answers(grown) == expected
    # a store without the newest rows (its writer stopped) is as good: they are inferred when needed
    store = Topics.open(grown.path)
    names = [name for name in store._store._files if name.endswith("mixtures.npy")]
    assert len(names) == 2  # one segment, two units; what is gone is not kept
    use_model(grown, model)
    grown.refresh()
    assert answers(Index.open(grown.path)) == expected


def test_a_segment_without_mixtures_is_inferred(
    tmp_path: Path, sample: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index.build(Corpus.of(list(sample.documents)[:6]), tmp_path / "i")
    index.fit_topics(3, passes=2, filters=LOOSE)
    collection = import_module("lexfield.index.collection")
    monkeypatch.setattr(collection, "update_parts", lambda *_: False)
    index.add(list(sample.documents)[6:8])
    before = [(h.id, h.score) for h in index.search("water and light", "topic", 5, unit="document")]
    assert stale_parts(index._store, index.segments) == ["topics"]
    assert update_parts(index._store, index.segments)
    index.refresh()
    assert stale_parts(index._store, index.segments) == []
    after = [(h.id, h.score) for h in index.search("water and light", "topic", 5, unit="document")]
    assert before == after and len(before) == 5


def test_a_new_fit_is_seen_at_once(tmp_path: Path, sample: Corpus) -> None:
    index = Index.build(Corpus.of(list(sample.documents)[:8]), tmp_path / "i")
    index.fit_topics(3, passes=2, filters=LOOSE)
    first = index.search("water and light", "topic", 3, unit="document").scores
    index.fit_topics(5, passes=2, seed=1, filters=LOOSE)
    assert index.search("water and light", "topic", 3, unit="document").scores != first
    assert Topics.open(index.path).topics == 5


def test_a_new_index_has_no_old_topics(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["sun moon star river"]), tmp_path / "i")
    index.fit_topics(2, filters=LOOSE)
    again = Index.build(Corpus.of(["sun moon star river"]), tmp_path / "i", replace=True)
    with pytest.raises(InputError, match="has no topics yet"):
        again.search("sun", "topic")
    again.fit_topics(2, filters=LOOSE)
    with pytest.raises(ChangedError):  # nor can one of the old index come later
        use_model(index, Topics.open(again.path).require_model())


def test_mixtures_of_ones_own(tmp_path: Path) -> None:
    index = Index.build(Corpus.of([Document(n, f"Text {n}.") for n in "abcd"]), tmp_path / "i")
    rows = [[0.9, 0.1], [0.1, 0.9], [0.85, 0.15], [0.5, 0.5]]
    use_mixtures(index, rows, None)
    assert [hit.id for hit in index.like("a", k=3)] == ["c", "d", "b"]
    with pytest.raises(InputError, match="imported mixtures"):
        index.search("text", "topic", unit="document")
    with pytest.raises(InputError, match="belong to whole documents"):
        index.like("a#0")
    kept = use_mixtures(index, rows[:2], ["b", "a"])
    assert "2 documents of the index have no mixture" in kept.notes[0]
    assert [hit.id for hit in index.like("a", k=3)] == ["b"]
    index.add([Document("e", "A new one.")])
    assert [hit.id for hit in index.like("a", k=3)] == ["b"]
    assert index.like("e").notes == ["no word of e is known to the topic model"]
    for wrong, ids, message in (
        (rows[:2], None, "2 mixtures for 5 documents"),
        (rows[:2], ["a", "a"], "all different"),
        (rows[:2], ["x", "y"], "No id of the mixtures"),
        ([[0.5, 0.6]], ["a"], "sums to 1.1"),
    ):
        with pytest.raises(InputError, match=message):
            use_mixtures(index, wrong, ids)


def test_more_topics_than_words(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["sun moon star"]), tmp_path / "i")
    with pytest.raises(InputError, match="Only 3 words are left for 9 topics"):
        index.fit_topics(9, filters=LOOSE)


def test_specs() -> None:
    for spec in ("topic", "topic(measure=hellinger)", "fuse(ideas(r=20), topic, how=rrf)"):
        assert format_method(parse(spec)) == spec
    inner = parse("fuse( mean , fuse(jaccard, bow), depth=7)")
    assert format_method(inner) == "fuse(mean, fuse(jaccard, bow), depth=7)"
    for wrong, message in (
        ("fuse", "at least two methods"),
        ("fuse(mean)", "at least two methods"),
        ("fuse(mean, nothing)", "There is no search method named 'nothing'"),
        ("fuse(mean, bow, how=best)", "how must be"),
        ("fuse(mean, bow, depth=0)", "depth must be"),
        ("fuse(mean, bow, normalise=z)", "normalise must be"),
        ("topic(measure=cosine)", "measure must be"),
        ("mean(jaccard)", "is not parameter=value"),
    ):
        with pytest.raises(InputError, match=message):
            parse(wrong)
    assert Topic().measure == "js"


def test_fused_hits_show_their_lists(index: Index) -> None:
    text = "The boat came home before the storm."
    found = index.search(text, "fuse(jaccard, topic, how=sum)", 5)
    lists = {name: index.search(text, name, 100).rows for name in ("jaccard", "topic")}
    for hit in found:
        for reason in hit.explanation.reasons:
            rank = lists[reason.query].index(hit.row) + 1
            assert reason.match.startswith(f"rank {rank},")
            assert reason.contribution == pytest.approx(1 - (rank - 1) / len(lists[reason.query]))
