"""The verbs by name, and how one is run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lexfield.answers.answer import Answer
from lexfield.engine.worker import Frames
from lexfield.search.index import Index
from lexfield.serve.pool import hide_paths
from lexfield.serve.tasks import build, find, ranks, texts, topics, words
from lexfield.serve.tasks.common import Options, check_state, opened
from lexfield.store.folder import verify

_PARTS = ("topics", "metrics/*", "shards/*")  # stores within that of an index


class Silent(Frames):
    """Nobody waits for progress."""

    def __init__(self) -> None: ...

    def stage(self, name: str) -> None: ...

    def __call__(self, done: int, total: int | None) -> None: ...


def run(
    verb: str,
    path: str | None,
    options: Options,
    format: str,
    generation: str | None,
    report: Frames | None = None,
    sources: dict[str, str | None] | None = None,
) -> str:
    """The answer of a verb as JSON (a number that is not finite is null) or CSV.

    ``sources`` are the paths of other stores that it reads, with the states expected of them.
    """
    import orjson

    index = None if path is None else opened(path, generation)
    answer = VERBS[verb](index, options, report or Silent())
    for source, expected in (sources or {}).items():
        check_state(source, expected)
    return answer.csv() if format == "csv" else orjson.dumps(answer.body()).decode()


def warm(paths: list[str]) -> str:
    """Load what the first request would wait for, and what is worth it for many."""
    import lexfield.search.table  # noqa: F401

    for path in paths:
        index = opened(path)
        index.search("the first of all questions", k=1, allow_unknown=True)
        index.rows("sentence")
    return ""


def scrub(path: str, generation: str | None) -> str:
    """Read every byte of an index again; return what differs from what was written, if anything."""
    if hasattr(os, "nice"):
        os.nice(19)  # searches come first
    index = Path(path)
    stores = [index, *(found.parent for part in _PARTS for found in index.glob(f"{part}/CURRENT"))]
    for store in stores:
        for found in verify(store):
            if found.problem:
                place = (store / found.file).relative_to(index).as_posix()
                return f"{place}: {hide_paths(found.problem, {'path': path}).rstrip('.')}"
    return ""


VERBS: dict[str, Callable[[Index | None, Options, Frames], Answer]] = {
    "search": find.search,
    "bags": find.search,
    "balls": find.balls,
    "info": find.info,
    "documents": find.documents,
    "compare": texts.compare,
    "pairs": texts.pairs,
    "map": texts.map_of,
    "label": texts.label,
    "zipf": ranks.zipf,
    "clusters": ranks.clusters,
    "speech": ranks.speech,
    "layout": ranks.layout,
    "near": words.near,
    "threshold": words.threshold,
    "topics": topics.topics,
    "infer": topics.infer,
    "fit": topics.fit,
    "kwic": find.kwic,
    "models": words.models,
    "build": build.build,
}
