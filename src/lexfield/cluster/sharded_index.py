"""An index in shards, as users search it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from lexfield.cluster.search_shards import ShardSearch
from lexfield.cluster.shard_names import KIND
from lexfield.cluster.shards import ShardedCollection
from lexfield.engine import Engine
from lexfield.errors import InputError
from lexfield.index.ranking import Ranking
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.search.searcher import Answer, SearchRequest, answer_texts
from lexfield.store.folder import SHARDS, Store
from lexfield.store.mirror import Mirror, find_folder


class ShardedIndex(ShardedCollection, Index):
    """An index in shards: searched here, or with an engine one task per shard."""

    _task = "lexfield.cluster.sharded_index:search_texts"

    def _search_all(
        self, texts: list[str], request: SearchRequest, progress: Progress, engine: Engine | None
    ) -> Iterator[Ranking]:
        if engine is None or not self.is_as_built or self.metric is not None:
            return super()._search_all(texts, request, progress, engine)
        return ShardSearch(self, request, engine).run(texts, progress)

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
    return ShardedIndex(path, metric=metric)


def search_texts(
    path: str, metric: str | None, state: str, texts: list[str], request: JsonObject
) -> list[Answer]:
    """Search all shards of the index at a path or address; a task for one process."""
    index = _open_cached(path, metric)
    if index.state != state:
        index.refresh()
    return answer_texts(index, state, texts, request)


@lru_cache(maxsize=1)
def _open_cached(path: str, metric: str | None) -> Index:
    return open_index(path, metric)
