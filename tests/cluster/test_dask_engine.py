"""The cluster engine on two real worker processes: the same results, nothing lost with a worker."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lexfield
from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.dask_engine import DaskEngine, choose_run_folder, open_engine
from lexfield.compare.pairs import pairs
from lexfield.engine.processes import Local
from lexfield.errors import ClusterError, InputError
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.verbs.reuse import reuse
from lexfield.verbs.words import near
from tests.cli.conftest import Run, run
from tests.engine.nodes import PYTHONPATH, TASKS, Nodes

__all__ = ["run"]  # a fixture

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")

SLOW = "lexfield.slow:wait_and_write"


@pytest.fixture(autouse=True)
def slow_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process and its workers import ``tests/engine/tasks/slow.py``."""
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)
    monkeypatch.setattr(lexfield, "__path__", [*lexfield.__path__, str(TASKS)])


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with Nodes(tmp_path_factory.mktemp("nodes")) as running:
        yield running


@pytest.fixture
def cluster(nodes: Nodes) -> Iterator[DaskEngine]:
    with DaskEngine(nodes.address) as opened:
        yield opened


def items(folder: Path, count: int, seconds: float = 0.05) -> list[dict[str, Any]]:
    folder.mkdir(exist_ok=True)
    return [{"folder": str(folder), "number": i, "seconds": seconds} for i in range(count)]


def test_results_are_those_of_this_machine_in_order(cluster: DaskEngine, tmp_path: Path) -> None:
    wanted = list(Local().map(SLOW, items(tmp_path / "a", 20, 0)))
    seen: list[tuple[int, int | None]] = []
    found = cluster.map(SLOW, items(tmp_path / "b", 20, 0), progress=lambda *x: seen.append(x))
    assert list(found) == wanted
    assert seen == [(number, 20) for number in range(1, 21)]
    assert len(cluster.workers) == 2 and cluster.threads == 2
    assert cluster.sent > 0 and cluster.received > 0


def test_few_tasks_are_under_way_and_a_stopped_run_cancels_them(
    cluster: DaskEngine, tmp_path: Path
) -> None:
    found = cluster.map(SLOW, items(tmp_path / "a", 100, 0.05))
    next(found)
    found.close()  # type: ignore[attr-defined]
    written = len(list((tmp_path / "a").iterdir()))
    assert written < 20

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(cluster.map(SLOW, items(tmp_path / "b", 100, 0.05), progress=stop))
    assert len(list((tmp_path / "b").iterdir())) < 20


def test_errors_of_tasks_keep_their_kind_and_say_where(cluster: DaskEngine, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"seconds must be .* \(on tcp://127"):
        list(cluster.map(SLOW, items(tmp_path / "a", 3, -1)))
    with pytest.raises(InputError, match="seconds must be"):
        list(Local().map(SLOW, items(tmp_path / "a", 3, -1)))


def test_status_tells_every_worker(cluster: DaskEngine) -> None:
    found = cluster.status()
    assert [worker.threads for worker in found] == [1, 1]
    assert {worker.lexfield for worker in found} == {lexfield.__version__}
    assert len(cluster.workers) == 2


def test_nobody_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXFIELD_CLUSTER", "tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match="No scheduler answers"):
        DaskEngine("tcp://127.0.0.1:9", timeout=1)
    monkeypatch.delenv("LEXFIELD_CLUSTER")
    assert isinstance(open_engine(), Local)


def test_jobs_give_the_same_bits_as_here(
    cluster: DaskEngine, sample: Corpus, tmp_path: Path
) -> None:
    """All methods on 1, 2 and 4 shards are in tests/fault."""
    few = Corpus.of(list(sample.documents)[::12])
    single = Index.build(few, tmp_path / "single")
    sharded = build_sharded(few.documents, tmp_path / "sharded", shards=2, engine=cluster)
    texts = ["The boat came home before the storm.", 'bread + "copper pot"']
    for spec, index in (("ideas", sharded), ("bm25", sharded), ("jaccard", single)):
        found = index.search_many(texts, spec, 3, engine=cluster)
        for wanted, one in zip(single.search_many(texts, spec, 3), found, strict=True):
            assert one.to_dicts() == wanted.to_dicts()
    latent: dict[str, Any] = {"space": "latent", "memory": 0.001}
    for options in (latent, {"measure": "hellinger"}):
        run = tmp_path / str(len(options))
        found_pairs = pairs(few, resume=run, engine=cluster, **options)
        assert np.array_equal(found_pairs.matrix, pairs(few, **options).matrix, equal_nan=True)
    retold = [one for one in sample.documents if one.id.endswith("-market")]
    passages = reuse(retold, resume=tmp_path / "reuse", cluster=cluster.address)
    assert passages.to_dicts() == reuse(retold).to_dicts() != []
    words = tmp_path / "words.txt"
    words.write_text("book\nxyzzyx\nriver\n")
    there = near(queries=words, k=3, cluster=cluster.address)
    assert there == near(["book", "xyzzyx", "river"], k=3)
    with pytest.raises(InputError, match="needs a folder"):
        pairs(few, engine=cluster)


def test_a_run_without_a_folder_gets_one_that_all_see(cluster: DaskEngine, tmp_path: Path) -> None:
    folder = choose_run_folder(cluster, "pairs books", [tmp_path / "missing", tmp_path])
    assert folder.parent == tmp_path and not list(tmp_path.iterdir())
    assert choose_run_folder(cluster, "pairs books", [tmp_path]) == folder
    assert choose_run_folder(cluster, "pairs letters", [tmp_path]) != folder
    assert choose_run_folder(cluster, "pairs books").name == folder.name
    with pytest.raises(ClusterError, match="do not see") as error:
        choose_run_folder(cluster, "pairs books", [tmp_path / "missing"])
    assert "with resume" in error.value.hint


def test_commands(nodes: Nodes, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("The cat sat. A storm came over the sea.")
    (tmp_path / "b.txt").write_text("The dog barked. The boat sank in the storm.")
    index = tmp_path / "idx"
    at = ("--cluster", nodes.address)
    built = run("index", tmp_path / "a.txt", tmp_path / "b.txt", "--shards", 2, *at, "-o", index)
    assert built.code == 0 and "2 shards" in built.out
    here = run("search", index, "a ship in a storm", "--json")
    there = run("search", index, "a ship in a storm", "--json", *at)
    assert there.code == 0 and there.json["results"] == here.json["results"]
    assert "2 shards" not in run("verify", index).err
    status = run("cluster", "status", nodes.address, "--folder", tmp_path, "--json")
    assert [worker["folder"] for worker in status.json["results"]] == ["shared", "shared"]
    nobody = run("cluster", "status", "tcp://127.0.0.1:9")
    assert nobody.code == 2 and "No scheduler answers" in nobody.err
    monkeypatch.chdir(tmp_path)
    shared = run("pairs", tmp_path / "a.txt", tmp_path / "b.txt", *at)
    (folder,) = tmp_path.glob("lexfield-run-*")
    assert shared.code == 0 and f"finished parts are kept in {folder}" in shared.err
    many = run("index", tmp_path / "a.txt", "--shards", 2, "-o", tmp_path / "x")
    assert many.code == 2 and "at most the number of documents, 1" in many.err


def test_only_one_module_imports_dask() -> None:
    source = Path(lexfield.__file__).parent
    found = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"(?:import|from|need\(\")\s*(?:dask|distributed)\b", path.read_text("utf-8"))
    ]
    assert found == ["cluster/dask_engine.py"]


def kill_at_a_quarter(nodes: Nodes, total: int) -> Any:
    def progress(done: int, of: int | None) -> None:
        if done == total // 4:
            nodes.workers[0].send_signal(signal.SIGKILL)

    return progress


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    with Nodes(tmp_path / "nodes") as nodes, DaskEngine(nodes.address) as cluster:
        wanted = items(tmp_path / "out", 40)
        found = list(cluster.map(SLOW, wanted, progress=kill_at_a_quarter(nodes, 40)))
        assert nodes.workers[0].wait(10) == -signal.SIGKILL
        assert found == list(Local().map(SLOW, items(tmp_path / "serial", 40, 0)))
        assert cluster.repeated >= 1
        assert len(cluster.workers) == 1
        names = sorted(path.name for path in (tmp_path / "out").glob("[!.]*"))
        assert names == sorted(path.name for path in (tmp_path / "serial").iterdir())


def test_without_repeating_the_same_run_fails(tmp_path: Path) -> None:
    """The control: it is the repeating that saves the run above."""
    never = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with Nodes(tmp_path / "nodes", settings=never) as nodes, DaskEngine(nodes.address) as cluster:
        wanted = items(tmp_path / "out", 40)
        with pytest.raises(ClusterError, match="was lost with 1 workers"):
            list(cluster.map(SLOW, wanted, progress=kill_at_a_quarter(nodes, 40)))


@pytest.mark.parametrize("error", [OSError("ConnectionPool closing."), RuntimeError("closed")])
def test_a_scheduler_that_is_gone_is_told(error: Exception) -> None:
    from unittest.mock import Mock

    from lexfield.cluster.dask_engine import DaskEngine

    cluster = DaskEngine.__new__(DaskEngine)
    cluster.address = "tcp://10.0.0.5:8786"
    cluster._client = Mock(ncores=Mock(side_effect=error), cancel=Mock(side_effect=error))
    with pytest.raises(ClusterError, match="scheduler at tcp://10.0.0.5:8786 is gone") as told:
        list(cluster.map("x:y", [{}]))
    assert "Run the same command again" in told.value.hint
