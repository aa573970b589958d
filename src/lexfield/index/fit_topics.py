"""The topics of an index: fitted to its documents, and stored with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection as Collection_
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

# Words with a capital, and those of them that do not begin a sentence.
_CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w'’]*")
_INSIDE = re.compile(rf"(?<=[\w,;] ){_CAPITAL.pattern}")
_LABEL = 5  # occurrences of a speaker


def find_names(index: Collection) -> list[str]:
    """Return the words that have a capital inside sentences at least as often as none at all.

    The first words of sentences count for neither, unless there are many and never another: those
    are the speakers of a play. Raise InputError for German, where all nouns
    have capitals.
    """
    if index.language in ("de", "german"):
        raise InputError(
            "In German all nouns have capitals, so names cannot be recognised.",
            "Leave out --no-names.",
        )
    capitals, inside = (_count_capitals(index, form) for form in (_CAPITAL, _INSIDE))
    lexicon = index.lexicon
    found = []
    for word, count in capitals.items():
        without = int(lexicon.counts[lexicon.ids[word]]) - count
        if without <= inside[word] and (inside[word] or count >= _LABEL):
            found.append(word)
    return found


def _count_capitals(index: Collection, form: re.Pattern[str]) -> Counter[str]:
    """Return how often words of the lexicon match a form and begin with a capital."""
    written: Counter[str] = Counter()
    for document in index:
        written.update(word for word in form.findall(document.text) if word[0].isupper())
    counts: Counter[str] = Counter()
    for word, count in written.items():
        for own in index.normalisation.words(word):
            if own in index.lexicon.ids:
                counts[own] += count
    return counts


def fit_topics(
    index: Collection,
    topics: int = 50,
    *,
    without: Collection_[str] = (),
    progress: Progress = silent,
    **options: Any,
) -> Topics:
    """Fit a model to the documents of an index and keep it; options as ``TopicModel.fit``.

    ``without`` are words to leave out.
    """
    from scipy.sparse import vstack

    rows = index.rows("document")
    words = list(rows.lexicon.words)
    ids = {word: number for number, word in enumerate(words)}
    parts = [segment_counts(segment, "document", ids) for segment in rows.segments]
    counts = vstack(parts, format="csr")
    if rows.live is not None:
        counts = counts[rows.live]
    if without:
        excluded = np.zeros(len(words), bool)
        excluded[[ids[word] for word in without if word in ids]] = True
        counts.data[excluded[counts.indices]] = 0
        counts.eliminate_zeros()
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
