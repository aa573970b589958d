"""The verbs by name, and how one is run."""

from __future__ import annotations

from collections.abc import Callable

from lexfield.answers.answer import Answer
from lexfield.search.index import Index
from lexfield.serve.tasks import build, find, ranks, texts, topics, words
from lexfield.serve.tasks.common import Options, opened
from lexfield.serve.worker import Frames


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
) -> str:
    """The answer of a verb as JSON (a number that is not finite is null) or CSV."""
    import orjson

    index = None if path is None else opened(path, generation)
    answer = VERBS[verb](index, options, report or Silent())
    return answer.csv() if format == "csv" else orjson.dumps(answer.body()).decode()


def warm(paths: list[str]) -> str:
    """Load what the first request would wait for, and what is worth it for many."""
    import lexfield.search.table  # noqa: F401

    for path in paths:
        index = opened(path)
        index.search("the first of all questions", k=1)
        index.rows("sentence")
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
