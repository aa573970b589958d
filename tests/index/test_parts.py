"""Topics and metrics are bound to their index: one root over all, and nothing foreign is used."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import open_index
from lexfield.errors import CorruptError, InputError
from lexfield.index.learn_metric import learn_metric
from lexfield.index.metrics import remove_metric
from lexfield.search.index import Index
from lexfield.store.folder import Store, discard, write
from lexfield.store.manifest import root_of
from lexfield.text.corpus import Corpus
from tests.cli.conftest import Run, run  # noqa: F401
from tests.fault.artefacts import documents
from tests.fault.places import ask, make_pair, small_vectors


def test_one_root_over_everything(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(documents(0, 8)), tmp_path / "a", vectors=small_vectors())
    roots = [root_of(index.path)]
    for change in (
        lambda: index.fit_topics(3, passes=1),
        lambda: learn_metric(index, "group", "m", shrinkage=0.5),
        lambda: index.fit_topics(4, passes=1),
        lambda: index.delete(["d1"]),
        lambda: index.add(documents(8, 2)),
        lambda: remove_metric(index.path, "m"),
    ):
        change()
        roots.append(root_of(index.path))
    assert len(set(roots)) == len(roots) and all(len(root) == 64 for root in roots)
    index.refresh()
    index.search("boat", "topic")
    assert root_of(index.path) == roots[-1]  # searching changes nothing


def test_equal_contents_have_equal_roots(tmp_path: Path) -> None:
    roots = []
    for name in ("a", "b"):
        index = Index.build(Corpus.of(documents(0, 12)), tmp_path / name, vectors=small_vectors())
        if name == "b":
            index.compact()  # another generation of the same
        index.fit_topics(2, passes=1)
        roots.append(root_of(index.path))
    shutil.copytree(tmp_path / "a", tmp_path / "c")
    assert roots[0] == roots[1] == root_of(tmp_path / "c")


def test_a_shard_is_under_the_root(tmp_path: Path) -> None:
    roots = [
        root_of(
            build_sharded(
                documents(first, 6), tmp_path / name, shards=2, vectors=small_vectors()
            ).path
        )
        for name, first in (("a", 0), ("b", 0), ("c", 1))
    ]
    assert roots[0] == roots[1] != roots[2]


def test_parts_survive_changes_of_the_index_by_another(tmp_path: Path) -> None:
    """Who fits topics to an old state loses nothing that another has written since."""
    index = Index.build(Corpus.of(documents(0, 12)), tmp_path / "a", vectors=small_vectors())
    other = open_index(index.path)
    other.add(documents(12, 2))
    learn_metric(other, "group", "m", shrinkage=0.5)
    index.fit_topics(2, passes=1)
    assert sorted(Store.open(index.path).parts) == ["metrics/m", "topics"]
    assert len(open_index(index.path).documents) == 14
    assert len(index.documents) == 14 and index.search("boat", "topic", 3).rows


def test_foreign_folders_are_not_used_and_are_named(tmp_path: Path, run: Run) -> None:  # noqa: F811
    one, other = make_pair(tmp_path)
    before = ask(one)
    assert "root: " + root_of(one) in run("verify", one).out
    assert run("verify", one, "--json").json["root"] == root_of(one)
    shutil.copytree(other, one / "topics")
    shutil.copytree(other, one / "metrics" / "g")
    assert ask(one) == before
    ran = run("verify", one)
    assert ran.code == 2
    for name in ("topics", "metrics/g"):
        assert f"{name}/CURRENT: foreign: not part of this index" in ran.out
    shutil.rmtree(one / "topics")
    shutil.rmtree(one / "metrics")
    assert run("verify", one).code == 0
    assert run("verify", one / "metrics" / "m").code == 0


def test_a_missing_foreign_or_added_file_is_named(tmp_path: Path, run: Run) -> None:  # noqa: F811
    one, other = make_pair(tmp_path)
    inside = one / Store.open(one).generation
    weights = inside / "topics@model.weights.npy"
    whole = weights.read_bytes()
    weights.write_bytes((other / inside.name / weights.name).read_bytes())
    with pytest.raises(CorruptError):
        open_index(one).search("boat", "topic")
    assert "topics@model.weights.npy" in run("verify", one).out
    weights.unlink()
    with pytest.raises(CorruptError, match="missing"):
        open_index(one)
    ran = run("verify", one)
    assert ran.code == 2 and "topics@model.weights.npy: missing" in ran.out
    weights.write_bytes(whole)
    (inside / "more.npy").write_bytes(b"x")
    ran = run("verify", one)
    assert ran.code == 2 and "more.npy: foreign" in ran.out


def test_a_missing_or_foreign_shard_is_named(tmp_path: Path, run: Run) -> None:  # noqa: F811
    index = build_sharded(documents(0, 6), tmp_path / "a", shards=2, vectors=small_vectors())
    first, second = (index.path / "shards" / shard["name"] for shard in index.shards)
    assert run("verify", index.path).code == 0
    shutil.copytree(second, tmp_path / "kept")
    discard(first)
    ran = run("verify", index.path)
    assert ran.code == 2 and f"{first.name}/CURRENT: missing" in ran.out
    shutil.copytree(tmp_path / "kept", first)
    ran = run("verify", index.path)
    assert ran.code == 2 and "foreign: not the shard that was built" in ran.out
    with pytest.raises(CorruptError, match="not the one that was built"):
        open_index(index.path).search("boat", "bm25")


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc", "0000-x", "", "CURRENT"])
def test_names_of_shards_stay_inside(tmp_path: Path, name: str) -> None:
    index = build_sharded(documents(0, 4), tmp_path / "a", shards=1, vectors=small_vectors())
    store = Store.open(index.path)
    with write(index.path, store.kind) as out:
        out.meta.update(store.meta, shards=[{**store.meta["shards"][0], "name": name}])
        out.keep(store, "")
    with pytest.raises(CorruptError, match="cannot be the name of a shard"):
        open_index(index.path)


def test_what_is_stale_is_told(tmp_path: Path, run: Run) -> None:  # noqa: F811
    one, _ = make_pair(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("lexfield.index.collection"), "update_parts", lambda *_: False)
        open_index(one).add(documents(40, 2))
    ran = run("verify", one)
    assert ran.code == 0 and "stale: topics" in ran.err and "stale: metrics/m" in ran.err
    open_index(one).compact()
    assert "stale" not in run("verify", one).err


def test_a_removed_metric_is_gone_and_the_rest_is_there(tmp_path: Path) -> None:
    one, _ = make_pair(tmp_path)
    topics = open_index(one).search("boat", "topic", 3).scores
    remove_metric(one, "m")
    with pytest.raises(InputError, match="has no metric 'm'"):
        open_index(one, "m").search("boat", "mean")
    assert np.array_equal(open_index(one).search("boat", "topic", 3).scores, topics)
