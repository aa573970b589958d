"""The topics of an index: fitted to its documents, and stored with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lexfield.errors import InputError
from lexfield.index.collection import Collection
from lexfield.index.parts import TOPICS
from lexfield.index.topics import (
    Mixtures,
    Topics,
    infer_counts,
    infer_missing,
    segment_counts,
)
from lexfield.progress import Progress, silent
from lexfield.topics.lda import TopicModel
from lexfield.topics.simplex import check_mixtures


def fit_topics(
    index: Collection, topics: int = 50, *, progress: Progress = silent, **options: Any
) -> Topics:
    """Fit a model to the documents of an index and keep it; options as ``TopicModel.fit``."""
    from scipy.sparse import vstack

    rows = index.rows("document")
    words = list(rows.lexicon.words)
    ids = {word: number for number, word in enumerate(words)}
    parts = [segment_counts(segment, "document", ids) for segment in rows.segments]
    counts = vstack(parts, format="csr")
    if rows.live is not None:
        counts = counts[rows.live]
    return use_model(index, TopicModel.fit(counts, words, topics, progress=progress, **options))


def use_model(index: Collection, model: TopicModel) -> Topics:
    """Keep a model with an index, and the mixtures of all its rows."""
    made = infer_missing(model, index.segments, None)
    with index.write_part(TOPICS) as out:
        model.save(out)
        for name, values in made.items():
            out.array(name, values)
    index.refresh()
    return Topics.open(index.path)


def use_mixtures(
    index: Collection, mixtures: Any, ids: Sequence[str] | None, notes: Sequence[str] = ()
) -> Topics:
    """Keep mixtures of documents from elsewhere: by id, or in the order of the index."""
    matrix, more = check_mixtures(mixtures)
    documents = list(index.documents)
    if ids is None and len(matrix) != len(documents):
        raise InputError(
            f"There are {len(matrix):,} mixtures for {len(documents):,} documents.",
            "Give a row for each document in order, or a parquet file with an id column.",
        )
    names = documents if ids is None else list(ids)
    if len(set(names)) < len(names) or len(names) != len(matrix):
        raise InputError("Mixtures need one id per row, all different.")
    inside = set(documents)
    known = np.array([name in inside for name in names], bool)
    if not known.any():
        raise InputError("No id of the mixtures is the id of a document of the index.")
    messages = [*notes, *more]
    if missing := len(documents) - int(known.sum()):
        messages.append(f"{missing:,} documents of the index have no mixture and are never found")
    with index.write_part(TOPICS) as out:
        out.array("own.mixtures", matrix[known].astype(np.float32))
        out.strings("own.ids", [name for name, here in zip(names, known, strict=True) if here])
        out.meta.update(notes=messages)
    index.refresh()
    return Topics.open(index.path)


def infer_texts(index: Collection, topics: Topics, texts: Sequence[str]) -> Mixtures:
    """Return the mixtures of texts, cut as those of the index."""
    return infer_counts(topics.require_model(), [index.query(text) for text in texts])


def mixtures_of_documents(index: Collection, topics: Topics) -> Mixtures:
    """Return the mixtures of the documents that were not deleted, in order."""
    parts = [topics.mixtures(segment, "document") for segment in index.segments]
    live = list(index.documents.values())
    mixtures = np.concatenate([part for part, _ in parts])[live]
    return mixtures, np.concatenate([known for _, known in parts])[live]
