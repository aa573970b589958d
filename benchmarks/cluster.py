"""A Dask cluster of two workers beside the local engine on the same two cores, and what it costs.

- Overhead: the same long batch of queries on processes of this machine and on two workers over TCP
  on loopback, one after the other, with equal results; by the clock, and by the processor time of
  all processes, scheduler and client too, which says the same where others use the machine.
- Bytes: what travels for a query over four shards, each way, and for a pair of documents.
- Cost model: processor seconds of each job at three sizes, a power law through them, and what it
  predicts for a fourth, larger size that was measured too. One thread, processor time: what else
  the machine does hardly matters.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import HERE, rounded

from lexfield import Corpus, Document, Index
from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.dask_engine import DaskEngine
from lexfield.compare.pairs import pairs

QUERIES = 2_400
SHARDS = 4
SIZES = (1 / 8, 1 / 4, 1 / 2, 1.0)  # of Brown; the last is predicted from the others
METHODS = ("ideas", "setcover", "mean", "wmd", "bm25", "edit")


def run(data: Path) -> dict[str, Any]:
    sys.path.insert(0, str(HERE.parent))
    from search import _brown
    from tests.engine.nodes import Nodes

    documents = list(_brown(data))
    result: dict[str, Any] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        single = Index.build(Corpus.of(documents), folder / "single")
        texts = [str(s) for s in single.corpus.sentences[:: 57_000 // QUERIES] if len(s) > 40]
        with Nodes(folder / "nodes") as nodes, DaskEngine(nodes.address) as cluster:
            list(single.search_many(texts[:100], "wmd", 5, engine=cluster))  # workers are warm
            result["overhead"] = _overhead(single, texts[:QUERIES], cluster, nodes.pids)
            print(json.dumps(result, indent=1), file=sys.stderr)
            sharded = build_sharded(documents, folder / "sharded", shards=SHARDS, engine=cluster)
            result["bytes"] = {
                "shards": SHARDS,
                "a_query": {m: _bytes(sharded, texts[:100], m, cluster) for m in METHODS},
                "a_pair": _pair_bytes(documents, folder / "pairs", cluster),
            }
            print(json.dumps(result, indent=1), file=sys.stderr)
    result["costs"] = _costs([_measure(data, size) for size in SIZES])
    return result


def _overhead(
    index: Index, texts: list[str], cluster: DaskEngine, pids: list[int]
) -> dict[str, Any]:
    def timed(**how: Any) -> tuple[float, float, list[list[int]]]:
        start, spent = time.perf_counter(), _processor(pids)
        rows = [ranking.rows for ranking in index.search_many(texts, "wmd", 5, **how)]
        return time.perf_counter() - start, _processor(pids) - spent, rows

    here, own, wanted = timed()
    there, theirs, found = timed(engine=cluster)
    assert found == wanted
    return {
        "cluster_over_local": rounded(there / here),
        "processor_cluster_over_local": rounded(theirs / own),
        "seconds": [rounded(here), rounded(there)],
        "processor_seconds": [rounded(own), rounded(theirs)],
        "load": rounded(os.getloadavg()[1]),  # of the last five minutes: over 2 it was shared
        "queries": len(texts),
        "method": "wmd",
        "target": 1.3,
    }


def _processor(pids: list[int]) -> float:
    """Processor seconds of this process, of its children that have ended, and of others."""
    import psutil

    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    others = [psutil.Process(pid).cpu_times() for pid in pids]
    spent = sum(u.ru_utime + u.ru_stime for u in own)
    return spent + float(sum(o.user + o.system for o in others))


def _bytes(index: Index, texts: list[str], method: str, cluster: DaskEngine) -> dict[str, int]:
    sent, received = cluster.sent, cluster.received
    for ranking in index.search_many(texts, method, 5, engine=cluster):
        _ = [hit.text for hit in ranking]  # texts are fetched too
    count = len(texts)
    return {
        "sent": (cluster.sent - sent) // count,
        "received": (cluster.received - received) // count,
    }


def _pair_bytes(documents: list[Document], folder: Path, cluster: DaskEngine) -> dict[str, Any]:
    """Files are written once and read once; inputs are read by every worker."""
    few = Corpus.of(documents[::10])
    sent, received = cluster.sent, cluster.received
    found = pairs(few, "latent", sample=1500, resume=folder, engine=cluster)
    count = len(found.ids) ** 2
    sizes = {
        path.name: sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        for path in (folder / "shards").iterdir()
    }
    inputs = sizes.pop("inputs")
    return {
        "documents": len(found.ids),
        "messages": rounded((cluster.sent - sent + cluster.received - received) / count),
        "inputs": rounded(inputs / count),
        "parts": rounded(sum(sizes.values()) / count),
    }


def _costs(measured: list[dict[str, Any]]) -> dict[str, Any]:
    """Processor seconds by size, the power law a·x^b of all but the last, and its prediction."""
    costs: dict[str, Any] = {"megabytes": [one.pop("megabytes") for one in measured]}
    for job in measured[0]:
        xs = [one[job]["size"] for one in measured]
        ys = [one[job]["seconds"] for one in measured]
        b, log_a = _line([math.log(x) for x in xs[:-1]], [math.log(y) for y in ys[:-1]])
        predicted = math.exp(log_a) * xs[-1] ** b
        costs[job] = {
            "unit": measured[0][job]["unit"],
            "sizes": xs,
            "seconds": [rounded(y) for y in ys],
            "a": rounded(math.exp(log_a)),
            "b": rounded(b),
            "predicted_seconds": rounded(predicted),
            "predicted_over_measured": rounded(predicted / ys[-1]),
        }
    return costs


def _line(xs: list[float], ys: list[float]) -> tuple[float, float]:
    """Slope and intercept by least squares."""
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    slope = above / sum((x - mx) ** 2 for x in xs)
    return slope, my - slope * mx


def _measure(data: Path, size: float) -> dict[str, Any]:
    """All jobs at one size, in a process of its own for its memory."""
    command = [sys.executable, str(Path(__file__)), str(size), str(data)]
    one = {"LEXFIELD_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    made = subprocess.run(
        command, env={**os.environ, **one}, capture_output=True, text=True, check=True
    )
    print(made.stdout, file=sys.stderr)
    found: dict[str, Any] = json.loads(made.stdout.splitlines()[-1])
    return found


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _all_jobs(size: float, data: Path) -> dict[str, Any]:
    from search import _brown

    documents = list(_brown(data))[:: round(1 / size)]
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        Index.build(Corpus.of(["One small text."]), f"{folder}/warm")  # vectors are loaded
        spent = _seconds(lambda: Index.build(Corpus.of(documents), f"{folder}/i"))
        index = Index.open(f"{folder}/i")
        corpus = index.corpus
        found["build"] = {"unit": "tokens", "size": len(corpus.tokens), "seconds": spent}
        texts = [str(s) for s in corpus.sentences[:: len(corpus.sentences) // 60] if len(s) > 40]
        for method in METHODS:
            for text in texts[:5]:
                index.search(text, method)
            part = texts[5:45]
            spent = _seconds(lambda m=method, p=part: [index.search(t, m) for t in p]) / len(part)  # type: ignore[misc]
            about = {"unit": "sentences", "size": len(corpus.sentences), "seconds": spent}
            found[method] = about
        few = Corpus.of(documents[::4])
        spent = _seconds(lambda: pairs(few, "latent"))
        found["pairs"] = {"unit": "distinct words", "size": len(few.vocabulary), "seconds": spent}
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


if __name__ == "__main__":
    print(json.dumps(_all_jobs(float(sys.argv[1]), Path(sys.argv[2]))))
