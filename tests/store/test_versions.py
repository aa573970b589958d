"""Stores that earlier releases wrote: what they hold is read, and what 0.1 did not bind is refused.

lexfield 0.1 itself refuses stores of 0.2: "has format 2; this lexfield reads 1".
"""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from lexfield.cluster.sharded_index import open_index
from lexfield.errors import VersionError
from lexfield.index.metrics import list_metrics
from lexfield.search.index import Index
from lexfield.store.folder import Store, verify, write
from lexfield.store.manifest import root_of
from lexfield.vectors.sources import load_vectors

GOLDEN = Path(__file__).parent / "data" / "golden-0.1.tar.xz"
QUERY = "the boat in the storm"


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    with tarfile.open(GOLDEN) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def told(golden: Path, name: str, spec: str) -> Any:
    return json.loads((golden / "answers.json").read_text())[name][spec]


def asked(index: Index, method: str) -> Any:
    return [[hit.id, round(hit.score, 5)] for hit in index.search(QUERY, method, 3)]


@pytest.mark.parametrize("name", ["plain.idx", "sharded.idx"])
def test_an_index_answers_as_it_did(golden: Path, name: str) -> None:
    index = open_index(golden / name)
    for method in ("bm25", "mean"):
        assert asked(index, method) == told(golden, name, f"{method} None")
    with pytest.raises(VersionError, match="written by lexfield 0.1") as error:
        index.search(QUERY, "topic")
    assert ("lexfield topics fit" if "shard" in name else "lexfield compact") in error.value.hint


def test_metrics_are_refused_with_the_command_that_binds_them(golden: Path) -> None:
    for use in (lambda: open_index(golden / "plain.idx", "m").search(QUERY, "mean"),
                lambda: list_metrics(golden / "plain.idx")):  # fmt: skip
        with pytest.raises(VersionError) as error:
            use()
        assert "lexfield compact" in error.value.hint


@pytest.mark.parametrize("change", ["add", "delete", "compact", "fit", "learn"])
def test_every_change_binds_what_fits(golden: Path, change: str) -> None:
    from lexfield.index.learn_metric import learn_metric

    index = open_index(golden / "plain.idx")
    if change == "add":
        index.add(["A new text about a boat."])
    elif change == "delete":
        index.delete(["d2"])
    elif change == "compact":
        index.compact()
    elif change == "fit":
        index.fit_topics(2, passes=1)
    else:
        learn_metric(index, "group", "second", shrinkage=0.5)
    store = Store.open(index.path)
    assert store.schema == 2 and {"topics", "metrics/m"} <= set(store.parts)
    assert not (index.path / "topics").exists() and not (index.path / "metrics").exists()
    if change == "compact":
        assert asked(open_index(index.path), "topic") == told(golden, "plain.idx", "topic None")
    assert open_index(index.path, "m").search(QUERY, "mean", 3).rows
    with pytest.raises(
        Exception, match="not a file or a named set"
    ):  # it was learned on vectors in memory
        load_vectors(index.path / "metrics" / "m")


def test_what_does_not_fit_is_not_bound(golden: Path, tmp_path: Path) -> None:
    """Topics and metrics that were copied from another index of 0.1 are left where they are."""
    from lexfield.text.corpus import Corpus

    other = Index.build(Corpus.of(["Other texts.", "And more of them."]), tmp_path / "other")
    with pytest.MonkeyPatch.context() as patch:  # as 0.1 would have written it
        patch.setattr("lexfield.store.folder.SCHEMA", 1)
        other.compact()
    for name in ("topics", "metrics"):
        shutil.copytree(golden / "plain.idx" / name, other.path / name)
    other.refresh()
    other.compact()
    assert Store.open(other.path).parts == {}
    assert (other.path / "topics" / "CURRENT").exists()


def test_a_new_index_in_the_place_of_an_old_one(golden: Path) -> None:
    from lexfield.text.corpus import Corpus

    Index.build(Corpus.of(["Other texts."]), golden / "plain.idx", replace=True)
    names = sorted(path.name for path in (golden / "plain.idx").iterdir())
    assert names == [".lock", "1000000001", "CURRENT"]


@pytest.mark.parametrize("name", ["plain.idx", "sharded.idx"])
def test_an_index_of_0_2_answers_as_it_did(tmp_path: Path, name: str) -> None:
    with tarfile.open(GOLDEN.with_name("golden-0.2.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    expected = json.loads((tmp_path / "answers.json").read_text())[name]
    assert not [one for one in verify(tmp_path / name) if one.problem]
    assert root_of(tmp_path / name) == expected.pop("root")
    for method, answer in expected.items():
        metric = "m" if method.endswith(" under m") else None
        index = open_index(tmp_path / name, metric)
        found = index.search(QUERY, method.removesuffix(" under m"), 3)
        assert [hit.id for hit in found] == [id for id, _ in answer], method
        scores = [score for _, score in answer]
        assert [hit.score for hit in found] == pytest.approx(scores, abs=1e-4), method
    assert open_index(tmp_path / name).search(QUERY, "best", allow_unknown=True).rows


def test_a_store_of_a_later_format_is_refused(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lexfield.store.folder.SCHEMA", 3)
        with write(tmp_path / "x", "index") as out:
            out.meta["new"] = True
    with pytest.raises(VersionError, match="has format 3; this lexfield reads 1 and 2"):
        Store.open(tmp_path / "x")
