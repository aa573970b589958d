"""Indexes in shards that change: as any index that grew and shrank, and compacted as built."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import ShardedIndex, open_index
from lexfield.errors import ChangedError, InputError
from lexfield.index.learn_metric import learn_metric
from lexfield.index.metrics import list_metrics
from lexfield.search.index import Index
from lexfield.store import folder
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.verbs.info import check_store
from tests.cluster.test_shards import ASKED, Here
from tests.store import test_place
from tests.store.test_mirror import machine

server, bucket = test_place.server, test_place.bucket
SPECS: tuple[str, ...] = (
    "best",
    "ideas",
    "setcover",
    "mean",
    "wmd",
    "bm25",
    "lm",
    "jaccard",
    "edit",
)


def some(corpus: Corpus, first: int, last: int) -> list[Document]:
    return list(corpus.documents)[first:last]


def change(index: Index, corpus: Corpus) -> None:
    """Add, delete, and let what was added last be merged."""
    index.add(some(corpus, 8, 9))
    index.add([*some(corpus, 9, 12), Document("gone", "A storm took the boat from the harbour.")])
    index.delete([some(corpus, 0, 1)[0].id, "gone"])


def left(corpus: Corpus) -> list[Document]:
    return some(corpus, 1, 12)


@pytest.fixture(scope="module")
def whole(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Index:
    index = Index.build(Corpus.of(left(sample)), tmp_path_factory.mktemp("whole") / "idx")
    index.fit_topics(4, passes=1)
    return index


def near(one: Index, two: Index, spec: str, unit: str = "sentence", **how: object) -> None:
    """The same hits, as the contract of segments demands."""
    for asked in ASKED:
        (a,) = one.search_many([asked], spec, 6, unit=unit)
        (b,) = two.search_many([asked], spec, 6, unit=unit, **how)  # type: ignore[arg-type]
        assert [hit.id for hit in a] == [hit.id for hit in b]
        np.testing.assert_allclose(a.scores, b.scores, atol=1e-5)


@pytest.mark.parametrize("place", ["folder", "s3"])
def test_shards_are_changed_and_compacted(
    place: str, whole: Index, sample: Corpus, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path, specs = str(tmp_path / "idx"), SPECS
    if place == "s3":
        path, specs = f"{request.getfixturevalue('bucket')}/idx", ("best", "bm25")
    index = build_sharded(some(sample, 0, 8), path, shards=2, engine=Here())
    change(index, sample)
    assert len(index) == 11 and "2 shards" in repr(index)
    assert index.info()["documents"] == 11 and index.info()["segments"] == 3
    with machine("another", tmp_path):
        again = open_index(path)
        assert isinstance(again, ShardedIndex) and not again.is_as_built
        for spec in specs:
            near(whole, again, spec)
        near(whole, again, "bm25", "document")
        near(whole, again, "mean", engine=Here())
        assert not check_store(path).damaged
        again.compact()
        assert again.is_as_built and len(again.shards) == 2
    index.refresh()
    fresh = build_sharded(left(sample), tmp_path / "fresh", shards=2, engine=Here())
    for spec in specs:
        for how in ({}, {"engine": Here()}):
            found = [one.to_dicts() for one in index.search_many(ASKED, spec, 6, **how)]
            wanted = [one.to_dicts() for one in fresh.search_many(ASKED, spec, 6)]
            assert found == wanted, spec
    assert check_store(path).root == check_store(tmp_path / "fresh").root


def test_topics_and_metrics_go_with_it(whole: Index, sample: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "idx"
    index = build_sharded(some(sample, 0, 8), path, shards=2, engine=Here())
    index.fit_topics(4, passes=1)
    learn_metric(index, "author", "m", shrinkage=0.5)
    plain = Index.build(Corpus.of(some(sample, 0, 8)), tmp_path / "plain")
    plain.fit_topics(4, passes=1)
    learn_metric(plain, "author", "m", shrinkage=0.5)
    near(plain, index, "topic")
    for spec in ("mean", "wmd", "setcover"):
        near(open_index(plain.path, "m"), open_index(path, "m"), spec)
        near(open_index(plain.path, "m"), open_index(path, "m"), spec, engine=Here())
    for one in (plain, index):
        change(one, sample)
    near(plain, index, "topic")
    near(open_index(plain.path, "m"), open_index(path, "m"), "mean")
    with pytest.raises(InputError, match="open under the metric"):
        open_index(path, "m").delete(["x"])
    for one in (plain, index):
        one.compact()
    near(plain, index, "topic")
    near(open_index(plain.path, "m"), open_index(path, "m"), "mean")
    assert [one.name for one in list_metrics(path)] == ["m"] and not check_store(path).damaged


def test_ids_are_checked_and_nothing_is_left(sample: Corpus, tmp_path: Path) -> None:
    index = build_sharded(some(sample, 0, 3), tmp_path / "idx", shards=2, engine=Here())
    with pytest.raises(InputError, match="already has a document with the id"):
        index.add(some(sample, 0, 1))
    with pytest.raises(InputError, match="has no document 'x'"):
        index.delete(["x"])
    index.delete([document.id for document in some(sample, 0, 2)])
    index.compact()
    assert len(index.shards) == 1 and len(index) == 1
    index.delete(list(index.documents))
    with pytest.raises(InputError, match="No document is left"):
        index.compact()


def test_a_reader_who_comes_late_is_told(sample: Corpus, tmp_path: Path) -> None:
    index = build_sharded(some(sample, 0, 4), tmp_path / "idx", shards=2, engine=Here())
    open_before, late = open_index(tmp_path / "idx"), open_index(tmp_path / "idx")
    before = open_before.search("a storm", "bm25").to_dicts()
    index.delete([some(sample, 0, 1)[0].id])
    index.compact()
    assert open_before.search("a storm", "bm25").to_dicts() == before
    with pytest.raises(ChangedError, match="was changed before its shards were opened"):
        late.search("a storm", "bm25")
    late.refresh()
    assert len(late) == 3


def test_a_compaction_that_is_cut_off_changes_nothing(
    sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = build_sharded(some(sample, 0, 4), tmp_path / "idx", shards=2, engine=Here())
    index.delete([some(sample, 0, 1)[0].id])
    before = index.search("a storm", "bm25").to_dicts()

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder, "replace_file", cut)
        with pytest.raises(KeyboardInterrupt):
            index.compact()
    again = open_index(tmp_path / "idx")
    assert again.search("a storm", "bm25").to_dicts() == before
    again.compact()
    names = {path.name for path in (tmp_path / "idx" / "shards").iterdir()}
    assert names == {shard["name"] for shard in again.shards}  # type: ignore[attr-defined]
