"""Building an index in shards, here or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from lexfield.cluster.shard_names import KIND
from lexfield.cluster.sharded_index import ShardedIndex
from lexfield.cluster.write_shards import write_shards
from lexfield.engine import Engine
from lexfield.errors import InputError, check
from lexfield.index.build import check_free
from lexfield.index.lexicon import embed_words
from lexfield.index.parts import discard_replaced
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, Writer, next_epoch, write
from lexfield.store.place import is_address, place_of
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordVectors


def build_sharded(
    documents: Iterable[Document | str],
    path: str | Path,
    *,
    shards: int,
    vectors: WordVectors | str | Path = "default",
    language: str = "en",
    normalisation: Normalisation | None = None,
    replace: bool = False,
    engine: Engine | None = None,
    notes: Callable[[], list[str]] = list,
    progress: Progress = silent,
) -> ShardedIndex:
    """Build an index of documents in ``shards`` parts at a folder, or an address such as s3://….

    With an ``engine`` the tasks run there; its workers must see the same path. ``notes`` returns
    what the reading left out or repaired, and is called when all documents have been read.
    """
    check(1 <= shards <= 10_000, "shards", "from 1 to 10,000", shards)
    stopwords(language)
    place = place_of(path if is_address(path) else os.path.realpath(path))
    if place.has() and not replace:
        check_free(path, replace)
        raise InputError(f"There is an index at {path} already.", "Replace it with --replace.")
    if place.has() and not is_address(path):
        Store.open(path, KIND)  # refuse to replace anything else before any work

    @contextmanager
    def commit() -> Iterator[Writer]:
        with place.writing("") as folder, write(folder, KIND, epoch=next_epoch(folder)) as out:
            yield out

    with nullcontext() if is_address(path) else discard_replaced(path):
        write_shards(
            documents,
            place,
            shards,
            embed=lambda vocabulary: embed_words(vocabulary, vectors, progress),
            language=language,
            normalisation=(normalisation or Normalisation()).choose_stemmer(language),
            commit=commit,
            engine=engine,
            notes=notes,
            progress=progress,
        )
    return ShardedIndex(path)
