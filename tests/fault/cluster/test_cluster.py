"""What can go wrong on a cluster, one thing at a time: the job ends well, or says what was wrong.

Workers are real processes. What happens to them is triggered by tasks that were completed.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.dask_engine import DaskEngine
from lexfield.cluster.sharded_index import ShardedIndex, open_index
from lexfield.compare.pairs import pairs
from lexfield.errors import ClusterError, CorruptError
from lexfield.progress import Progress
from lexfield.sample import TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.cluster.test_shards import ASKED, MORE, Here, same, some_documents
from tests.contract.test_search_methods import EVERY_WORD, SPECS, is_encoded
from tests.engine.nodes import SOURCE, Nodes

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")

SHARDS = 16


@pytest.fixture(scope="module")
def expected(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> ShardedIndex:
    """The serial reference."""
    folder = tmp_path_factory.mktemp("expected")
    return build_sharded(sample.documents, folder / "idx", shards=SHARDS, engine=Here())


def at_quarter(act: Callable[[], None]) -> Progress:
    """Do something once, when a quarter of the tasks of a step are done; documents are not tasks,
    so the step is one whose total is known."""
    done: list[int] = []

    def progress(number: int, total: int | None) -> None:
        if total == SHARDS and number == SHARDS // 4:
            done.append(number)
            if len(done) == 1:
                act()

    return progress


def check_built(built: ShardedIndex, expected: ShardedIndex) -> None:
    """Every byte of every shard, and exactly the files that there should be."""
    assert built.shards == expected.shards
    assert _files(built.path) == _files(expected.path)


def _files(path: Path) -> list[str]:
    return sorted(
        found.relative_to(path).as_posix()
        for found in path.rglob("*")
        if found.is_file() and not found.name.startswith(".")
    )


def test_a_killed_worker(sample: Corpus, expected: ShardedIndex, tmp_path: Path) -> None:
    with Nodes(tmp_path / "nodes") as nodes, DaskEngine(nodes.address) as cluster:
        kill = at_quarter(lambda: nodes.workers[0].send_signal(signal.SIGKILL))
        built = build_sharded(
            sample.documents, tmp_path / "idx", shards=SHARDS, engine=cluster, progress=kill
        )
        assert nodes.workers[0].wait(10) == -signal.SIGKILL
        assert cluster.repeated >= 1
    check_built(built, expected)


def test_a_killed_worker_without_repeating(
    sample: Corpus, expected: ShardedIndex, tmp_path: Path
) -> None:
    """The control fails; a second run, on another cluster, goes on where it was."""
    never = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with Nodes(tmp_path / "nodes", settings=never) as nodes, DaskEngine(nodes.address) as cluster:
        kill = at_quarter(lambda: nodes.workers[0].send_signal(signal.SIGKILL))
        with pytest.raises(ClusterError, match="was lost with 1 workers"):
            build_sharded(
                sample.documents, tmp_path / "idx", shards=SHARDS, engine=cluster, progress=kill
            )
    again = Here()
    check_built(
        build_sharded(sample.documents, tmp_path / "idx", shards=SHARDS, engine=again), expected
    )


def test_a_frozen_worker(sample: Corpus, expected: ShardedIndex, tmp_path: Path) -> None:
    soon = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s"}
    with Nodes(tmp_path / "nodes", settings=soon) as nodes, DaskEngine(nodes.address) as cluster:
        freeze = at_quarter(lambda: nodes.workers[0].send_signal(signal.SIGSTOP))
        built = build_sharded(
            sample.documents, tmp_path / "idx", shards=SHARDS, engine=cluster, progress=freeze
        )
        assert cluster.repeated >= 1
    check_built(built, expected)


def small_files() -> None:
    """What a full disk does: no file may become larger than this."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))


def test_a_full_disk_on_one_worker(sample: Corpus, expected: ShardedIndex, tmp_path: Path) -> None:
    with Nodes(tmp_path / "nodes", workers=1) as nodes:
        nodes.workers.append(nodes.start_worker("full", preexec_fn=small_files))
        nodes.wait(2)
        with DaskEngine(nodes.address) as cluster:
            built = build_sharded(sample.documents, tmp_path / "idx", shards=SHARDS, engine=cluster)
            assert cluster.repeated >= 1
    check_built(built, expected)


def test_a_full_disk_on_every_worker(sample: Corpus, tmp_path: Path) -> None:
    with Nodes(tmp_path / "nodes", workers=0) as nodes:
        nodes.start_worker("full", preexec_fn=small_files)
        nodes.wait(1)
        with DaskEngine(nodes.address) as cluster, pytest.raises(ClusterError, match="too large"):
            build_sharded(sample.documents, tmp_path / "idx", shards=2, engine=cluster)


def test_a_killed_client(expected: ShardedIndex, tmp_path: Path) -> None:
    """The command is killed when some shards are cut; typed again, it goes on."""
    with Nodes(tmp_path / "nodes") as nodes:
        folder = tmp_path / "idx"
        command = [
            sys.executable, "-m", "lexfield", "index", str(TEXTS), "--shards", str(SHARDS),
            "--cluster", nodes.address, "-o", str(folder),
        ]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        client = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _wait_for(lambda: len(_cuts(folder)) >= SHARDS // 4)
        client.kill()
        client.wait()
        assert not (folder / "CURRENT").exists()
        before = _cuts(folder)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert f"{SHARDS} shards" in done.stdout
        assert before  # they were kept, for their names are those of the result's inputs
    built = open_index(folder)
    assert isinstance(built, ShardedIndex)
    assert [s["documents"] for s in built.shards] == [s["documents"] for s in expected.shards]


def _cuts(folder: Path) -> list[Path]:
    return sorted((folder / "shards").glob("cut-*"))


def _wait_for(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with Nodes(tmp_path_factory.mktemp("nodes")) as running:
        yield running


@pytest.fixture(scope="module")
def cluster(nodes: Nodes) -> Iterator[DaskEngine]:
    with DaskEngine(nodes.address) as opened:
        yield opened


@pytest.fixture(scope="module")
def made(
    sample: Corpus, cluster: DaskEngine, tmp_path_factory: pytest.TempPathFactory
) -> dict[int, Index]:
    folder = tmp_path_factory.mktemp("made")
    documents = some_documents(sample)
    made: dict[int, Index] = {0: Index.build(Corpus.of(documents), folder / "single")}
    for shards in (1, 2, 4):
        made[shards] = build_sharded(documents, folder / str(shards), shards=shards, engine=cluster)
    for index in made.values():
        index.fit_topics(5, filters=EVERY_WORD, passes=2)
    return made


@pytest.mark.parametrize("spec", [*(s for s in SPECS if not is_encoded(s)), *MORE])
def test_every_method_on_every_number_of_shards(
    made: dict[int, Index], cluster: DaskEngine, spec: str
) -> None:
    for unit in ("sentence", "document"):
        for shards in (1, 2, 4):
            same(made[0], made[shards], spec, explain=shards == 2, unit=unit, engine=cluster)


def test_an_index_without_shards(made: dict[int, Index], cluster: DaskEngine) -> None:
    for spec in ("ideas", "bm25", "wmd"):
        same(made[0], made[0], spec, engine=cluster)


def test_a_damaged_shard(made: dict[int, Index], cluster: DaskEngine, tmp_path: Path) -> None:
    import shutil

    path = tmp_path / "idx"
    shutil.copytree(made[4].path, path)
    index = open_index(path)
    assert isinstance(index, ShardedIndex)
    name = index.shards[1]["name"]
    target = path / "shards" / name / "000001" / "s.lists.gaps.npy"
    data = bytearray(target.read_bytes())
    data[-1] ^= 1
    target.write_bytes(data)
    with pytest.raises(CorruptError, match=name):
        list(index.search_many(ASKED, "ideas", 5, engine=cluster))


PAIRS: list[dict[str, Any]] = [
    {"space": "latent", "k": [2, 3], "memory": 0.001},
    {"space": "latent", "measure": "hellinger", "memory": 0.001},
    {"space": "latent", "measure": "js", "sample": 150, "memory": 0.001},
    {"space": "latent", "estimator": "equal_radius", "sample": 150, "memory": 0.001},
    {"measure": "kl"},
    {"measure": "js", "n": 2},
    {"measure": "hellinger", "space": "latent", "estimator": "spread"},
]


@pytest.mark.parametrize("options", PAIRS, ids=str)
def test_all_pairs(
    sample: Corpus, cluster: DaskEngine, tmp_path: Path, options: dict[str, Any]
) -> None:
    few = Corpus.of(list(sample.documents)[::5])
    wanted = pairs(few, **options)
    found = pairs(few, resume=tmp_path / "run", engine=cluster, **options)
    assert found.ids == wanted.ids and found.notes == wanted.notes
    for k, matrix in wanted.matrices.items():
        assert np.array_equal(found[k], matrix, equal_nan=True)


def test_pairs_with_a_killed_worker_and_a_stopped_client(sample: Corpus, tmp_path: Path) -> None:
    few = Corpus.of(list(sample.documents)[::5])
    options: dict[str, Any] = {"space": "latent", "memory": 0.0001, "resume": tmp_path / "run"}
    wanted = pairs(few, "latent", memory=0.0001)
    with Nodes(tmp_path / "nodes") as nodes, DaskEngine(nodes.address) as cluster:

        def stop(done: int, total: int | None) -> None:
            assert total is not None
            if done == total // 4:
                nodes.workers[0].send_signal(signal.SIGKILL)
            if done == total // 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pairs(few, engine=cluster, progress=stop, **options)
        assert cluster.repeated >= 1
        seen: list[int] = []
        found = pairs(few, engine=cluster, progress=lambda n, _: seen.append(n), **options)
    assert seen[0] > 1  # what was finished is not done again
    assert np.array_equal(found.matrix, wanted.matrix)
