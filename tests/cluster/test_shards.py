"""An index in shards answers as a single one, to the bit; damage is named and refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import ShardedIndex, open_index
from lexfield.cluster.write_shards import _bounds, _parts
from lexfield.engine.tasks import call
from lexfield.errors import CorruptError, InputError, LockedError, NotAStoreError
from lexfield.progress import Progress, silent
from lexfield.search.index import Index
from lexfield.search.registry import parse
from lexfield.store.owned import claim
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from tests.contract.test_search_methods import EVERY_WORD, QUERIES, SPECS, is_encoded

MORE = [
    "setcover(weights=idf)", "setcover(weights=distance, penalty=0)",
    "ideas(beyond=0, repeat=true)", "setcover(exhausted=stop, min_tokens=0)", "translation(top=3)",
    "fuse(ideas, bm25, mean)",
]  # fmt: skip
ASKED = [
    *QUERIES[:2], '"copper pot" + 2*boat - storm', "xyzzy kitten", "the of and",
    "The tide comes back under the boat.",
]  # fmt: skip


class Here:
    """An engine that runs everything in this process; answers pass through JSON as elsewhere."""

    threads = 1

    def __init__(self, fail_after: int = 10**9) -> None:
        self.tasks: list[str] = []
        self._left = fail_after

    def map(
        self, task: str, items: Sequence[dict[str, Any]], *, progress: Progress = silent
    ) -> Iterator[Any]:
        for number, item in enumerate(items, 1):
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
            self.tasks.append(task.partition(":")[2])
            yield json.loads(json.dumps(call(task, json.loads(json.dumps(item)))))
            progress(number, len(items))

    def close(self) -> None: ...


def some_documents(corpus: Corpus) -> list[Document]:
    """A quarter of the sample, and documents without words at the ends of shards."""
    nothing = [Document(f"empty {i}", "  …  ", "", {}) for i in range(2)]
    return [nothing[0], *list(corpus.documents)[::4], nothing[1]]


@pytest.fixture(scope="module")
def made(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Index]:
    """The single index under 0, the others by their number of shards."""
    folder = tmp_path_factory.mktemp("shards")
    documents = some_documents(sample)
    made: dict[int, Index] = {0: Index.build(Corpus.of(documents), folder / "single")}
    for shards in (1, 2, 4):
        made[shards] = build_sharded(documents, folder / str(shards), shards=shards, engine=Here())
    for index in made.values():
        index.fit_topics(5, filters=EVERY_WORD, passes=2)
    return made


def same(single: Index, other: Index, spec: str, explain: bool = True, **how: Any) -> None:
    engine = how.pop("engine", None)
    how["algebra"] = hasattr(parse(spec), "read")
    wanted = list(single.search_many(ASKED, spec, 6, **how))
    found = list(other.search_many(ASKED, spec, 6, engine=engine, **how))
    for one, two in zip(wanted, found, strict=True):
        assert two.rows == one.rows and two.scores == one.scores
        assert two.to_dicts(explain) == one.to_dicts(explain)


@pytest.mark.parametrize("spec", [*(s for s in SPECS if not is_encoded(s)), *MORE])
def test_every_method_gives_the_same_bits(made: dict[int, Index], spec: str) -> None:
    for unit in ("sentence", "document"):
        same(made[0], made[4], spec, unit=unit)
        same(made[0], made[2], spec, unit=unit, engine=Here())
        same(made[0], made[4], spec, explain=False, unit=unit, engine=Here())


def test_one_shard_filters_and_large_k(made: dict[int, Index]) -> None:
    for spec in ("ideas", "setcover", "mean", "wmd", "bm25", "topic"):
        same(made[0], made[1], spec, engine=Here())
        same(made[0], made[4], spec, where={"level": ["college", "none"]}, engine=Here())
    single, four = made[0], made[4]
    (one,) = single.search_many(["a storm"], "mean", 10_000)
    (two,) = four.search_many(["a storm"], "mean", 10_000, engine=Here())
    assert (one.rows, one.scores) == (two.rows, two.scores)
    for engine in (None, Here()):
        (found,) = four.search_many(["a storm"], "mean", 3, where={"level": ["no"]}, engine=engine)
        assert found.notes[0].startswith("no document has level=no; the values are ")
        (found,) = four.search_many(
            ["a storm"], "mean", 3, where={"level": "college"}, engine=engine
        )
        assert not any("no document has" in note for note in found.notes)
    with pytest.raises(InputError, match="No document has metadata 'colour'"):
        list(four.search_many(["a storm"], "mean", 3, where={"colour": "red"}, engine=Here()))


def test_the_client_opens_no_shard(made: dict[int, Index]) -> None:
    index = open_index(made[4].path)
    (found,) = index.search_many([QUERIES[0]], "ideas", 3, engine=Here())
    assert found[0].text and found[0].explanation.reasons
    assert "segments" not in index.__dict__


def test_rounds_over_shards_are_few(made: dict[int, Index]) -> None:
    """Set cover costs one round, WMD one more for its limit, n-grams one more for their counts."""
    for spec, text, tasks in (
        ("setcover", QUERIES[0], ["answer"] * 4),
        ("ideas", QUERIES[0], ["answer"] * 4),
        ("wmd", QUERIES[0], ["preview"] * 4 + ["answer"] * 4),
        ("bm25", "storm boat", ["answer"] * 4),
        ("bm25", '"copper pot"', ["preview"] * 4 + ["answer"] * 4),
    ):
        engine = Here()
        list(made[4].search_many([text], spec, 6, engine=engine, algebra=text.startswith('"')))
        assert engine.tasks == tasks


def test_stems_are_numbered_as_in_the_whole(sample: Corpus, tmp_path: Path) -> None:
    documents = some_documents(sample)
    how = Normalisation(stem="english")
    single = Index.build(Corpus.of(documents, normalisation=how), tmp_path / "one")
    sharded = build_sharded(
        documents, tmp_path / "three", shards=3, normalisation=how, engine=Here()
    )
    for spec in ("bm25", "translation", "bm25(extend=true, top=3)", "lm"):
        same(single, sharded, spec)
        same(single, sharded, spec, engine=Here())


def test_words_statistics_and_info_are_those_of_the_whole(made: dict[int, Index]) -> None:
    single, four = made[0], made[4]
    assert isinstance(four, ShardedIndex)
    assert four.lexicon.words == single.lexicon.words
    assert (four.lexicon.vectors == single.lexicon.vectors).all()
    for unit in ("sentence", "document"):
        assert (four.statistics(unit).holding == single.rows(unit).statistics.holding).all()
        assert four.statistics(unit).rows == single.rows(unit).statistics.rows
        assert four.statistics(unit).tokens == single.rows(unit).statistics.tokens
    one, two = single.info(), four.info()
    for name in ("documents", "sentences", "tokens", "words", "metadata", "vectors", "notes"):
        assert one[name] == two[name]
    assert [shard["documents"] for shard in two["shards"]] == [
        len(segment.corpus.ids) for segment in four.segments
    ]
    assert "4 shards" in repr(four)


def test_a_stopped_build_goes_on(sample: Corpus, tmp_path: Path) -> None:
    documents = some_documents(sample)
    path = tmp_path / "idx"
    with pytest.raises(KeyboardInterrupt):
        build_sharded(documents, path, shards=4, engine=Here(fail_after=6))
    with pytest.raises(NotAStoreError, match="never finished"):
        open_index(path)
    before = {p.name: p.stat().st_mtime_ns for p in (path / "shards").glob("cut-*")}
    assert len(before) == 4
    claim(path / "shards" / f".0000-{'a' * 32}.{'b' * 32}.tmp")  # of a task that was killed
    built = build_sharded(documents, path, shards=4, engine=Here())
    fresh = build_sharded(documents, tmp_path / "fresh", shards=4, engine=Here())
    names = sorted(shard["name"] for shard in built.shards)
    assert sorted(p.name for p in (path / "shards").iterdir()) == names  # and nothing else
    assert built.shards == fresh.shards  # names and checksums, so every byte
    with pytest.raises(InputError, match="already"):
        build_sharded(documents, path, shards=4, engine=Here())


def test_a_damaged_or_exchanged_shard_is_named_and_refused(
    made: dict[int, Index], tmp_path: Path
) -> None:
    path = tmp_path / "idx"
    shutil.copytree(made[4].path, path)
    index = open_index(path)
    assert isinstance(index, ShardedIndex)
    name = index.shards[2]["name"]
    target = path / "shards" / name / "000001" / "s.lists.gaps.npy"
    data = bytearray(target.read_bytes())
    data[-1] ^= 1
    target.write_bytes(data)
    for engine in (None, Here()):
        with pytest.raises(CorruptError, match=name):
            list(open_index(path).search_many([QUERIES[0]], "setcover", 3, engine=engine))
    shutil.rmtree(path / "shards" / name)
    with pytest.raises(CorruptError, match=f"shard {name} .* is missing"):
        open_index(path).search("a storm")
    shutil.copytree(path / "shards" / index.shards[1]["name"], path / "shards" / name)
    with pytest.raises(CorruptError, match=f"shard {name} .* is not the one that was built"):
        open_index(path).search("a storm")


def test_what_cannot_be_done_is_refused(made: dict[int, Index], tmp_path: Path) -> None:
    documents = [Document("a", "One two."), Document("a", "Three.")]
    with pytest.raises(InputError, match="used twice"):
        build_sharded(documents, tmp_path / "i", shards=1, engine=Here())
    with pytest.raises(InputError, match="shards must be at most the number of documents, 1"):
        build_sharded(documents[:1], tmp_path / "j", shards=2, engine=Here())
    with pytest.raises(InputError, match="contain no words"):
        build_sharded([Document("a", "…")], tmp_path / "k", shards=1, engine=Here())
    from filelock import FileLock

    (tmp_path / "l").mkdir()
    with FileLock(tmp_path / "l" / ".building"), pytest.raises(LockedError, match="being built"):
        build_sharded(documents[:1], tmp_path / "l", shards=1, engine=Here())


@given(st.lists(st.integers(1, 50), min_size=1, max_size=40), st.integers(1, 12))
def test_documents_are_shared_out_once_each(sizes: list[int], shards: int) -> None:
    shards = min(shards, len(sizes))
    bounds = _bounds(sizes, shards)
    assert bounds[0] == 0 and bounds[-1] == len(sizes) and (np.diff(bounds) > 0).all()
    cut = [5] * (len(sizes) // 5) + ([len(sizes) % 5] if len(sizes) % 5 else [])
    chunks = [(str(number), count) for number, count in enumerate(cut)]
    held: list[int] = []
    for part in _parts(chunks, bounds):
        first = 5 * int(part["chunks"][0]) + part["first"]
        assert part["first"] + part["count"] <= sum(cut[int(c)] for c in part["chunks"])
        held += range(first, first + part["count"])
    assert held == list(range(len(sizes)))


def test_shards_do_not_replace_an_index_without(tmp_path: Path) -> None:
    """Refused before any work, and the index that is there stays as it is."""
    index = Index.build(Corpus.of(["The sea.", "The land."]), tmp_path / "i")
    with pytest.raises(NotAStoreError, match="not index in shards"):
        build_sharded(["A new text."], tmp_path / "i", shards=2, replace=True, engine=Here())
    assert not (tmp_path / "i" / "shards").exists()
    assert open_index(tmp_path / "i").generation == index.generation


def test_encoding_is_refused_with_what_to_do(made: dict[int, Index]) -> None:
    with pytest.raises(InputError, match=r"cannot be encoded\. Build one without --shards"):
        made[2].encode("minilm")
