from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lexfield as lx
from lexfield.index.learn_metric import clusters_of, learn_metric
from lexfield.index.metrics import list_metrics, remove_metric
from lexfield.index.ranking import Ranking
from lexfield.index.rows import mean_vectors, text_vectors
from lexfield.sample import TICKETS
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordEmbeddings

QUERY = "The notes on my phone are missing after the app crashes."
METHODS = ["mean", "wmd", "ideas", "setcover"]


@pytest.fixture(scope="module")
def tickets() -> Corpus:
    return Corpus.read(TICKETS, text_fields=("title", "text"))


@pytest.fixture
def index(tickets: Corpus, tmp_path: Path) -> lx.Index:
    return lx.Index.build(tickets, tmp_path / "idx")


class Ready(lx.WordVectors):
    """A set of exactly these words: what is not among them has no vector."""

    added: NDArray[np.float32]

    def embed(self, words: Any) -> WordEmbeddings:
        rows = np.array([self.row(word) for word in words], np.int64)
        matrix = np.where(rows[:, None] >= 0, self.matrix[rows], np.float32(0))
        matches = (rows >= 0).astype(np.uint8)
        return WordEmbeddings.from_matrix(matrix.astype(np.float32), matches, self.added[rows])


def answers(ranking: Ranking) -> tuple[list[int], list[float]]:
    return list(ranking.rows), list(ranking.scores)


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_search_under_a_metric_is_search_of_mapped_vectors(
    index: lx.Index, tickets: Corpus, tmp_path: Path, unit: str
) -> None:
    learn_metric(index, "component", "m", shrinkage=0.3)
    measured = lx.Index.open(index.path, metric="m")
    plain = lx.WordVectors.default().embed(index.lexicon.words)
    rows = index.rows("document")
    labels, _ = clusters_of(rows, "component")
    of_words, of_texts = (
        lx.MinimumDistortion(shrinkage=0.3).fit(points, labels).map_
        for points in (mean_vectors(rows), text_vectors(rows))
    )
    known = np.flatnonzero(plain.matches)
    words = [index.lexicon.words[i] for i in known]
    vectors = Ready(words, (plain.matrix[known] @ of_words).astype(np.float32))
    assert plain.contributions is not None
    vectors.added = (plain.contributions @ of_texts).astype(np.float32)
    other = lx.Index.build(tickets, tmp_path / "mapped", vectors=vectors)
    for method in METHODS:
        ours = measured.search(QUERY, method, 7, unit=unit)
        theirs = other.search(QUERY, method, 7, unit=unit)
        assert ours.rows == theirs.rows, method
        np.testing.assert_allclose(ours.scores, theirs.scores, rtol=1e-5)
        ours_why = [reason.contribution for reason in ours[0].explanation.reasons]
        theirs_why = [reason.contribution for reason in theirs[0].explanation.reasons]
        np.testing.assert_allclose(ours_why, theirs_why, rtol=1e-3, atol=1e-6)
    euclid = index.search(QUERY, "mean", 7, unit=unit)
    assert answers(euclid) != answers(measured.search(QUERY, "mean", 7, unit=unit))


def test_plain_mean_is_the_mahalanobis_distance(index: lx.Index) -> None:
    learn_metric(index, "component", "m", shrinkage=0.2)
    points = mean_vectors(index.rows("document")).astype(np.float64)
    labels, _ = clusters_of(index.rows("document"), "component")
    metric = lx.MinimumDistortion(shrinkage=0.2).fit(points.astype(np.float32), labels).metric_
    query = index.query(QUERY).mean().astype(np.float64)
    far = [float(np.sqrt((query - p) @ metric @ (query - p))) for p in points]
    found = lx.Index.open(index.path, "m").search(QUERY, "mean(plain=true)", 5, unit="document")
    assert found.rows == np.argsort(far, kind="stable")[:5].tolist()
    np.testing.assert_allclose(found.scores, -np.sort(far)[:5], rtol=1e-4)


def test_full_shrinkage_changes_nothing(index: lx.Index) -> None:
    learn_metric(index, "component", "same", shrinkage=1)
    under = lx.Index.open(index.path, "same")
    for method in METHODS:
        ours, plain = under.search(QUERY, method, 6), index.search(QUERY, method, 6)
        assert ours.rows == plain.rows
        np.testing.assert_allclose(ours.scores, plain.scores, rtol=1e-4)


def test_methods_without_vectors_say_that_nothing_changes(index: lx.Index) -> None:
    learn_metric(index, "component", "m", shrinkage=0.3)
    found = lx.Index.open(index.path, "m").search(QUERY, "jaccard", 3)
    assert "changes nothing" in found.notes[-1]
    assert answers(found) == answers(index.search(QUERY, "jaccard", 3))


def test_words_that_only_the_query_has_are_mapped_too(index: lx.Index) -> None:
    learn_metric(index, "component", "m", shrinkage=0.3)
    query, plain = lx.Index.open(index.path, "m").query("zebra"), index.query("zebra")
    assert query.ids.tolist() == [-1] and query.known.all()
    labels, _ = clusters_of(index.rows("document"), "component")
    fitted = lx.MinimumDistortion(shrinkage=0.3).fit(mean_vectors(index.rows("document")), labels)
    np.testing.assert_allclose(query.vectors, plain.vectors @ fitted.map_, atol=1e-5)


def hellinger(index: lx.Index, map_: NDArray[Any], row: int) -> NDArray[Any]:
    from lexfield.index.fit_topics import mixtures_of_documents
    from lexfield.index.topics import Topics

    mixtures, _ = mixtures_of_documents(index, Topics.open(index.path))
    apart = (np.sqrt(mixtures.astype(np.float64)) - np.sqrt(mixtures[row].astype(float))) @ map_
    squares: NDArray[Any] = (apart**2).sum(axis=1) / 2
    return squares


def test_topics_under_a_metric(index: lx.Index) -> None:
    learn_metric(index, "component", "early", shrinkage=0.5)
    index.fit_topics(5, passes=2)
    with pytest.raises(lx.LexfieldError, match="learned without topics"):
        lx.Index.open(index.path, "early").search(QUERY, "topic")
    assert learn_metric(index, "component", "m", shrinkage=0.5).topics
    under = lx.Index.open(index.path, "m")
    from lexfield.index.fit_topics import mixtures_of_documents
    from lexfield.index.topics import Topics

    mixtures, known = mixtures_of_documents(index, Topics.open(index.path))
    labels, _ = clusters_of(index.rows("document"), "component")
    roots = np.sqrt(mixtures.astype(np.float64))
    map_ = lx.MinimumDistortion(shrinkage=0.5).fit(roots, np.where(known, labels, "")).map_
    identity = next(iter(index.documents))
    found = under.like(identity, "topic(measure=hellinger)", 4)
    squares = hellinger(index, map_, 0)
    squares[0] = np.inf
    assert found.rows == np.lexsort((np.arange(len(squares)), squares))[:4].tolist()
    np.testing.assert_allclose(found.scores, 1 - np.sort(squares)[:4], atol=1e-7)
    reasons = [reason.contribution for reason in found[1].explanation.reasons]
    assert sum(reasons) == pytest.approx(found.scores[1])
    assert found.notes == []
    assert "Hellinger" in under.search(QUERY, "topic", unit="document").notes[0]
    index.fit_topics(6, passes=2)
    with pytest.raises(lx.LexfieldError, match="learned for other topics"):
        lx.Index.open(index.path, "m").search(QUERY, "topic")


def test_words_get_a_metric_where_topics_cannot(index: lx.Index) -> None:
    from lexfield.index.fit_topics import use_mixtures

    first = next(iter(index.documents))
    use_mixtures(index, np.array([[0.5, 0.5]]), [first])  # one mixture: no group has two
    learned = learn_metric(index, "component", "m", shrinkage=0.5)
    assert not learned.topics and "topics get no metric" in learned.notes[-1]
    assert lx.Index.open(index.path, "m").search(QUERY, "mean", 1).rows


def test_a_changed_index_is_seen_whole(index: lx.Index, tmp_path: Path) -> None:
    learn_metric(index, "component", "m", shrinkage=0.3)
    index.add([lx.Document("new", "A purple zebra crashed the phone.")])
    index.delete([next(iter(index.documents))])
    under = lx.Index.open(index.path, "m")
    assert under.search("purple zebra", "mean", 1, unit="document")[0].id == "new"
    before = (index.path / "CURRENT").read_bytes()
    again = lx.Index.open(index.path, "m")
    assert answers(again.search(QUERY, "wmd")) == answers(under.search(QUERY, "wmd"))
    assert (index.path / "CURRENT").read_bytes() == before  # searching never writes
    index.compact()
    compacted = lx.Index.open(index.path, "m").search(QUERY, "mean", 5)
    assert [hit.id for hit in compacted] == [hit.id for hit in under.search(QUERY, "mean", 5)]


def test_it_works_where_nothing_can_be_written(
    index: lx.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_metric(index, "component", "m", shrinkage=0.3)
    from lexfield.errors import LockedError

    def locked(*_: Any) -> Any:
        raise LockedError("locked")

    monkeypatch.setattr(import_module("lexfield.index.build"), "write", locked)
    index.add([lx.Document("new", "A purple zebra crashed the phone.")])
    found = lx.Index.open(index.path, "m").search("purple zebra", "mean", 1, unit="document")
    assert found[0].id == "new"


def test_many_queries_in_other_processes(index: lx.Index) -> None:
    learn_metric(index, "component", "m", shrinkage=0.3)
    under = lx.Index.open(index.path, "m")
    texts = [f"{QUERY} {number}" for number in range(101)]
    many = list(under.search_many(texts, "mean", 3))
    assert answers(many[100]) == answers(under.search(texts[100], "mean", 3))


def test_linked_documents_are_clusters() -> None:
    documents = [
        lx.Document("a", "one", metadata={"of": ""}),
        lx.Document("b", "two", metadata={"of": "a"}),
        lx.Document("c", "three", metadata={"of": "b"}),
        lx.Document("d", "four", metadata={"of": ""}),
        lx.Document("e", "five", metadata={"of": "f"}),
        lx.Document("f", "six"),
    ]
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        index = lx.Index.build(Corpus.of(documents), Path(folder) / "idx")
        labels, notes = clusters_of(index.rows("document"), "of")
    assert labels[0] == labels[1] == labels[2] != labels[4] == labels[5]
    assert labels[3] == "" and "names other documents" in notes[0]


def test_shrinkage_is_chosen_and_told(index: lx.Index) -> None:
    learned = learn_metric(index, "duplicate_of", "m")
    assert learned.after is not None and learned.before is not None
    assert learned.after >= learned.before
    assert any("no label" in note for note in learned.notes)
    assert [row.name for row in list_metrics(index.path)] == ["m"]
    assert list_metrics(index.path)[0] == learned
    remove_metric(index.path, "m")
    assert len(list_metrics(index.path)) == 0


def test_vectors_under_a_metric_are_a_set_of_their_own(index: lx.Index) -> None:
    learn_metric(index, "component", "m", shrinkage=0.2)
    vectors = lx.WordVectors.load(index.path / "metrics" / "m")
    labels, _ = clusters_of(index.rows("document"), "component")
    map_ = (
        lx.MinimumDistortion(shrinkage=0.2).fit(mean_vectors(index.rows("document")), labels).map_
    )
    plain = lx.WordVectors.default()
    np.testing.assert_allclose(vectors["phone"], plain["phone"] @ map_, atol=1e-5)
    assert vectors.nearest("phone", 3)[0].similarity != plain.nearest("phone", 3)[0].similarity


def test_a_rebuilt_index_has_no_metrics(index: lx.Index, tickets: Corpus) -> None:
    learn_metric(index, "component", "m", shrinkage=0.2)
    rebuilt = lx.Index.build(tickets, index.path, replace=True)
    with pytest.raises(lx.LexfieldError, match="has no metric 'm'"):
        lx.Index.open(rebuilt.path, "m").search(QUERY)


def test_mistakes_are_told(index: lx.Index) -> None:
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        (("nothing", "m"), {}, "No document has metadata 'nothing'"),
        (("component", "../m"), {}, "name"),
        (("component", "m"), {"weights": "heavy"}, "weights"),
        (("component", "m"), {"shrinkage": 3.0}, "shrinkage"),
        (("title", "m"), {"shrinkage": 0.1}, "title"),
    ]
    for arguments, options, message in cases:
        with pytest.raises(lx.LexfieldError, match=message):
            learn_metric(index, *arguments, **options)
    learn_metric(index, "component", "m", shrinkage=0.2)
    under = lx.Index.open(index.path, "m")
    for change in (lambda: under.delete(["T-001"]), lambda: under.add(["text"]), under.compact):
        with pytest.raises(lx.LexfieldError, match="open under the metric"):
            change()
    with pytest.raises(lx.LexfieldError, match="under another"):
        learn_metric(under, "component", "n")
    for name in ("n", "../m", ""):
        with pytest.raises(lx.LexfieldError, match="has no metric"):
            lx.Index.open(index.path, name).search(QUERY)
