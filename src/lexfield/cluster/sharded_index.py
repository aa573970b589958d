"""An index in shards, as users search it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from lexfield.cluster.search_shards import ShardSearch
from lexfield.cluster.shards import KIND, ShardedCollection
from lexfield.engine import Engine
from lexfield.errors import InputError
from lexfield.index.ranking import Ranking
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.search.searcher import Answer, Request, answer_texts
from lexfield.store.folder import SHARDS, Store
from lexfield.store.mirror import Mirror, find_folder
from lexfield.store.place import is_address
from lexfield.topics.lda import TopicModel


class ShardedIndex(ShardedCollection, Index):
    """An index in shards: searched here, or with an engine one task per shard."""

    _task = "lexfield.cluster.sharded_index:search_texts"

    def _search_all(
        self, texts: list[str], request: Request, progress: Progress, engine: Engine | None
    ) -> Iterator[Ranking]:
        if engine is None:
            return super()._search_all(texts, request, progress, engine)
        return ShardSearch(self, request, engine).run(texts, progress)

    def fit_topics(self, topics: int = 50, **options: Any) -> TopicModel:
        if is_address(self.address):
            raise InputError(
                "Topics are fitted to an index in a folder.", "Build or copy it there first."
            )
        return super().fit_topics(topics, **options)

    def encode(
        self, encoder: Any = None, *, replace: bool = False, progress: Progress = silent
    ) -> list[str]:
        raise InputError(
            f"{self.path} is an index in shards, which cannot be encoded.",
            "Build one without --shards: lexfield index FILES --encoder minilm -o IDX",
        )


def open_index(path: str | Path, metric: str | None = None) -> Index:
    """Open the index at a path or an address, in shards or not; under a learned ``metric``."""
    folder = Path(find_folder(path))
    mirror = Mirror.at(folder)
    if mirror is not None:
        path, is_sharded = mirror.address, Store.open(folder).kind == KIND
    else:
        is_sharded = (folder / SHARDS).is_dir()
    if not is_sharded:
        return Index.open(folder, metric)
    if metric is not None:
        raise InputError(
            f"{path} is an index in shards, which has no metrics.", "Build one without --shards."
        )
    return ShardedIndex(path)


def search_texts(
    path: str, metric: str | None, state: str, texts: list[str], request: JsonObject
) -> list[Answer]:
    """Search all shards of the index at a path or address; a task for one process."""
    return answer_texts(_open_cached(path), state, texts, request)


@lru_cache(maxsize=1)
def _open_cached(path: str) -> Index:
    return open_index(path)
