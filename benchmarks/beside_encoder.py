"""Speed of `best` beside MiniLM: every query is asked of each in turn, in the same process.

    python benchmarks/run.py beside_encoder

MiniLM's time is for encoding the query and ranking all rows by cosine (one thread, as in the
leaderboard, whose texts and packages this uses). ``best`` and ``fitted`` encode nothing; ``best
(encoded)`` encodes the query, so what counts there is the time beyond the encoder's own: MiniLM
reads 128 pieces of words as a peer, which leaves out the rest of long queries, and all of them as
lexfield's encoder (``whole query``). The last row is Brown's sentences, the five best of them.
Times are those of the processor, which other work on the machine disturbs less than the clock;
everything runs on one thread.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import jsonl, rounded
from leaderboard import ENCODED, Lexfield, build
from leaderboard_peers import MINILM, MiniLm
from leaderboard_tasks import tasks
from threadpoolctl import threadpool_limits

from lexfield.vectors.encoders import Encoder, open_encoder

Search = Callable[[str, int], object]
OURS = ("best", f"fitted{ENCODED}", f"best{ENCODED}")
WHOLE = "MiniLM (int8), whole query"
QUERIES = 200


def run(data: Path, work: Path | None = None) -> dict[str, Any]:
    """``work`` holds the indexes of the leaderboard, if they are kept."""
    with TemporaryDirectory() as temporary, threadpool_limits(1):
        folder = work or Path(temporary)
        build(data, folder)
        peer = MiniLm()
        found = {}
        for task in tasks(data):
            peer.build(task)
            searches: dict[str, Search] = {MINILM: peer.search}
            searches[WHOLE] = partial(_encode, open_encoder("minilm"))
            for name in OURS:
                method = Lexfield(name, folder)
                method.build(task)
                searches[name] = method.search
            found[task.name] = compare(searches, task.queries[:QUERIES], task.depth)
        found["Brown, five sentences"] = measure_brown(data, folder, peer)
    return {"times_as_fast_as_minilm": {n: one.pop("times") for n, one in found.items()},
            "milliseconds": found}  # fmt: skip


def _encode(encoder: Encoder, text: str, _: int) -> object:
    return encoder.encode([text])


def measure_brown(data: Path, folder: Path, peer: MiniLm) -> dict[str, Any]:
    """The sentences of Brown as one text each; the queries are captions."""
    from lexfield import Corpus, Document, Index

    path = folder / "brown.idx"
    if not path.exists():
        texts = (" ".join(one["tokens"]) for one in jsonl(data / "brown" / "sentences.jsonl.gz"))
        Index.build(Corpus.of([Document(str(i), text) for i, text in enumerate(texts)]), path)
    index = Index.open(path)
    captions = [one["captions"][0] for one in jsonl(data / "flickr8k" / "captions.jsonl.gz")]
    searches: dict[str, Search] = {
        MINILM: lambda text, _: peer.encode([text]),
        "best": lambda text, k: index.search(text, k=k),
    }
    return {"texts": len(index), **compare(searches, captions[:QUERIES], 5)}


def compare(searches: dict[str, Search], queries: list[str], k: int) -> dict[str, Any]:
    """Return the median and 95th percentile in ms, and the ratio of all time to MiniLM's."""
    took: dict[str, list[float]] = {name: [] for name in searches}
    for search in searches.values():
        search(queries[0], k)
    for query in queries:
        for name, search in searches.items():
            begin = time.process_time()
            search(query, k)
            took[name].append(1000 * (time.process_time() - begin))
    times = {n: rounded(sum(took[MINILM]) / sum(ms)) for n, ms in took.items() if n != MINILM}
    result: dict[str, Any] = {"times": times}
    for name, ms in took.items():
        cuts = statistics.quantiles(ms, n=20)
        result[name] = {"median": rounded(statistics.median(ms)), "p95": rounded(cuts[-1])}
    return result
