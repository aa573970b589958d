"""One suite over every search method: what holds for all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.index import encoding_job
from lexfield.index.fit_topics import use_model
from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.search.method import needs_vectors
from lexfield.search.registry import METHODS, parse
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.topics.lda import Filters
from lexfield.vectors.wordvectors import WordVectors
from tests.toy_encoder import ToyEncoder


class Encoded(str):
    """A method that is also run on an index without vectors of an encoder, here with them."""


FUSED = "fuse(jaccard, topic)"
TOKENS = "wmd(tokens=true)"
SPECS = [
    *(name for name in METHODS.names() if name != "fuse"), "edit(by=word)",
    "bm25(extend=true, top=3)", FUSED, TOKENS, Encoded("best"),
]  # fmt: skip
ENCODED = ("encoder", "late", "fitted", TOKENS)
EVERY_WORD = Filters(min_count=1, max_share=1.0, min_length=1)
QUERIES = [
    "The boat came home before the storm.",
    "My grandmother cooked rice in the copper pot and sang.",
    "He repaired the engine with a spanner.",
]


@pytest.fixture(autouse=True, scope="module")
def keep_the_codec() -> Iterator[None]:
    """Let the toy encoder's own codec serve any index: one that is fitted depends on its texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding_job, "_ENOUGH", 10**9)
        yield


def is_encoded(spec: str) -> bool:
    return spec in ENCODED or isinstance(spec, Encoded)


def prepare(*indexes: Index, spec: str) -> None:
    """Give indexes what a method needs: one topic model for all of them."""
    if "topic" in spec:
        model = indexes[0].fit_topics(3, filters=EVERY_WORD, passes=2)
        for other in indexes[1:]:
            use_model(other, model)
    if is_encoded(spec):
        for index in indexes:
            index.encode(ToyEncoder())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Index:
    made = Index.build(Corpus.read(TEXTS, metadata=METADATA), tmp_path_factory.mktemp("i") / "i")
    made.fit_topics(10, filters=EVERY_WORD, passes=2)
    return made


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Index:
    made = Index.build(Corpus.read(TEXTS, metadata=METADATA), tmp_path_factory.mktemp("e") / "i")
    made.encode(ToyEncoder())
    return made


@pytest.fixture(params=SPECS, ids=[f"{s}, encoded" if isinstance(s, Encoded) else s for s in SPECS])
def spec(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def index(plain: Index, encoded: Index, spec: str) -> Index:
    return encoded if is_encoded(spec) else plain


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_hits_are_ordered_distinct_and_repeatable(
    index: Index, spec: str, query: str, unit: str
) -> None:
    found = index.search(query, spec, 7, unit=unit)
    assert 1 <= len(found) <= 7
    assert len(set(found.rows)) == len(found)
    assert np.isfinite(found.scores).all()
    if spec not in ("setcover", "ideas"):  # a cover's gains fall too, until it begins again
        assert found.scores == sorted(found.scores, reverse=True)
    again = index.search(query, spec, 7, unit=unit)
    assert (again.rows, again.scores) == (found.rows, found.scores)
    for hit in found:
        assert hit.rank == found.rows.index(hit.row) + 1
        assert hit.text
        assert Path(hit.source).read_text("utf-8")[hit.position :].startswith(hit.text)
        assert hit.document in hit.id


def test_fewer_hits_are_the_first_of_more(index: Index, spec: str) -> None:
    few, many = index.search(QUERIES[0], spec, 2), index.search(QUERIES[0], spec, 9)
    assert many.rows[:2] == few.rows


def test_explanations_add_up(index: Index, spec: str) -> None:
    for query in QUERIES:
        for hit in index.search(query, spec, 5):
            explanation = hit.explanation
            assert explanation.reasons
            assert explanation.lines()
            if explanation.additive:
                total = sum(reason.contribution for reason in explanation.reasons)
                assert total == pytest.approx(hit.score, abs=1e-6)
            assert set(hit.to_dict()) >= {"rank", "id", "score", "text", "source", "explanation"}


def test_filters_come_before_ranking(index: Index, spec: str) -> None:
    everything = index.search(QUERIES[0], spec, 5)
    college = index.search(QUERIES[0], spec, 5, where={"level": "college"})
    assert len(college) == len(everything)
    assert {hit.metadata["level"] for hit in college} == {"college"}
    both = index.search(
        QUERIES[0], spec, 5, where={"level": ["college", "high"], "author": "weiss"}
    )
    assert {hit.metadata["author"] for hit in both} == {"weiss"}
    assert len(index.search(QUERIES[0], spec, 5, where={"level": "none such"})) == 0


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("", "no words"),
        ("   ...  !!! ", "no words"),
        ("\0\0", "no words"),
        ("the of and", "only stopwords"),
        ("qwxzvbq zzxqwv", "no vector for: qwxzvbq, zzxqwv"),
    ],
)
def test_empty_queries_give_a_note(index: Index, spec: str, query: str, note: str) -> None:
    found = index.search(query, spec)
    if not needs_vectors(parse(spec)):
        note = note.replace("no vector for", "not in the index")
    # Any letters can be edited, and an encoder reads any word.
    reads_any = spec.startswith("edit") or (is_encoded(spec) and spec != "fitted")
    if not (reads_any and "no words" not in note):
        assert len(found) == 0
    assert any(note in text for text in found.notes)


def test_k(index: Index, spec: str) -> None:
    with pytest.raises(InputError, match="k must be"):
        index.search(QUERIES[0], spec, 0)
    rows = len(index.rows("document"))
    assert len(index.search(QUERIES[0], spec, 10_000, unit="document")) <= rows


def test_long_queries(index: Index, spec: str) -> None:
    with pytest.raises(InputError, match="at most 20,000"):
        index.search("storm at sea " * 100_000, spec)
    assert len(index.search(index.corpus.documents[3].text, spec, 3)) == 3


def test_unknown_fields_and_units(index: Index, spec: str) -> None:
    with pytest.raises(InputError, match="No document has metadata 'colour'. There are: author"):
        index.search(QUERIES[0], spec, where={"colour": "red"})
    with pytest.raises(InputError, match="unit must be"):
        index.search(QUERIES[0], spec, unit="page")


def test_many_equal_one_by_one(index: Index, spec: str) -> None:
    texts = [str(s) for s in index.corpus.sentences[100:220]]
    many = list(index.search_many(texts, spec, 3))
    assert len(many) == 120
    for text, ranking in zip(texts[::17], many[::17], strict=True):
        one = index.search(text, spec, 3)
        assert (one.rows, one.scores, one.notes) == (ranking.rows, ranking.scores, ranking.notes)
    assert many[0][-1].explanation.reasons


@pytest.fixture(scope="module")
def at_once_and_grown(tmp_path_factory: pytest.TempPathFactory, sample: Corpus) -> Path:
    """The same texts in an index that was built at once, and in one that grew and shrank."""
    folder = tmp_path_factory.mktemp("segments")
    documents = list(sample.documents)
    Index.build(Corpus.of(documents[:30]), folder / "whole")
    grown = Index.build(Corpus.of([*documents[:16], documents[50]]), folder / "grown")
    grown.add(documents[16:24])
    grown.add([*documents[24:28], Document("gone", "A storm took the boat from the harbour.")])
    grown.add(documents[28:30])
    grown.delete([documents[50].id, "gone"])
    assert grown.info()["segments"] > 1
    return folder


def test_segments_do_not_matter(tmp_path: Path, spec: str, at_once_and_grown: Path) -> None:
    """An index that grew and shrank answers as one that was built at once."""
    copied = shutil.copytree(at_once_and_grown, tmp_path / "copied")
    whole, grown = Index.open(copied / "whole"), Index.open(copied / "grown")
    prepare(whole, grown, spec=spec)
    for query in QUERIES:
        for unit in ("sentence", "document"):
            a, b = whole.search(query, spec, 6, unit=unit), grown.search(query, spec, 6, unit=unit)
            assert [h.id for h in a] == [h.id for h in b]
            # the words of a collection are fitted in an order of their own, and kept in float16
            atol = 1e-3 if spec == "fitted" else 1e-5
            np.testing.assert_allclose(a.scores, b.scores, atol=atol)
            for x, y in zip(a, b, strict=True):
                assert x.explanation.reasons and y.explanation.reasons
    grown.compact()
    assert [h.id for h in whole.search(QUERIES[0], spec)] == [
        h.id for h in grown.search(QUERIES[0], spec)
    ]


def test_order_of_documents_does_not_matter(tmp_path: Path, spec: str) -> None:
    """Without ties, permuting documents permutes rows and nothing else."""
    texts = {
        "a": "Seven ships sailed across the northern sea today.",
        "b": "The old baker kneads his bread before sunrise comes.",
        "c": "Engines need oil and patience more than hammers.",
        "d": "A captain steers boats through heavy storms nightly.",
    }
    found = []
    orders = ("abcd", "dcba", "bdac")
    indexes = [
        Index.build(Corpus.of([Document(name, texts[name]) for name in order]), tmp_path / order)
        for order in orders
    ]
    prepare(*indexes, spec=spec)
    for index in indexes:
        ranking = index.search("A captain steers ships through storms.", spec, 2)
        found.append([hit.document for hit in ranking])
    assert found[0][0] == found[1][0] == found[2][0]


def test_vectors_of_the_users_own(tmp_path: Path, spec: str) -> None:
    vectors = WordVectors(["sun", "moon", "star", "river"], np.eye(4, dtype=np.float32), name="own")
    corpus = Corpus.of(["Sun and moon shine over one river.", "The river runs to a distant sea."])
    index = Index.build(corpus, tmp_path / "i", vectors=vectors)
    prepare(index, spec=spec)
    found = index.search("sun river", spec, 1)
    assert len(found) == 1
