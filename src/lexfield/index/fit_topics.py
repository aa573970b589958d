"""The topics of an index: fitted to its documents, and stored with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection as Collection_
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.index.collection import Collection
from lexfield.index.parts import TOPICS
from lexfield.index.rows import Rows
from lexfield.index.segment import Segment
from lexfield.index.topics import (
    Mixtures,
    Topics,
    infer_counts,
    infer_missing,
    segment_counts,
)
from lexfield.progress import Progress, silent
from lexfield.topics.lda import Filters, TopicModel
from lexfield.topics.simplex import check_mixtures

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Words with a capital, and those of them that do not begin a sentence.
_CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w'’]*")
_INSIDE = re.compile(rf"(?<=[\w,;] ){_CAPITAL.pattern}")
_LABEL = 5  # occurrences of a speaker
_PASSAGE = 500  # words of a passage besides stopwords
_SHARE = 0.2  # of the passages: words in more of them say little
_PASSES = 8  # over passages, of which there are many
_LONG = 2 * _PASSAGE  # words of documents that are cut into passages, on average


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


def cuts_documents(index: Collection) -> bool:
    """Are the documents so long that topics are fitted to their passages?

    Each book of a library holds most of its words and most of its topics; words that keep company
    do so within passages.
    """
    rows = index.rows("document")
    counted = sum(int(segment.unit("document").counts.sum()) for segment in rows.segments)
    return counted > _LONG * len(rows)


def choose_defaults(index: Collection) -> tuple[float, int]:
    """Return the share of texts that a word may be in, and the passes over all of them."""
    return (_SHARE, _PASSES) if cuts_documents(index) else (Filters.max_share, 20)


def fit_topics(
    index: Collection,
    topics: int = 50,
    *,
    without: Collection_[str] = (),
    progress: Progress = silent,
    **options: Any,
) -> Topics:
    """Fit a model to the documents of an index and keep it; options as ``TopicModel.fit``.

    Long documents are cut into passages. ``without`` are words to leave out.
    """
    rows = index.rows("document")
    words = list(rows.lexicon.words)
    ids = {word: number for number, word in enumerate(words)}
    is_cut = cuts_documents(index)
    counts, documents = _count_texts(rows, ids, is_cut)
    if without:
        excluded = np.zeros(len(words), bool)
        excluded[[ids[word] for word in without if word in ids]] = True
        counts.data[excluded[counts.indices]] = 0
        counts.eliminate_zeros()
    share, passes = choose_defaults(index)
    options = {"filters": Filters(max_share=share), "passes": passes, **options}
    model = TopicModel.fit(counts, words, topics, progress=progress, **options)
    if is_cut:
        known = np.zeros(len(words), bool)
        known[[ids[word] for word in model.words]] = True
        filled = len(np.unique(np.repeat(documents, np.diff(counts.indptr))[known[counts.indices]]))
        empty = len(np.unique(documents)) - filled
        model.about |= {"documents": filled, "empty": empty, "passages": counts.shape[0]}
    return use_model(index, model)


def _count_texts(
    rows: Rows, ids: dict[str, int], is_cut: bool
) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return documents or their passages as counts, and of each the number of its document."""
    from scipy.sparse import vstack

    if is_cut:
        parts, cut = zip(*(_cut_documents(segment, ids) for segment in rows.segments), strict=True)
    else:
        parts = tuple(segment_counts(segment, "document", ids) for segment in rows.segments)
        cut = tuple(np.arange(part.shape[0]) for part in parts)
    documents = np.concatenate([own + first for own, first in zip(cut, rows.starts, strict=False)])
    counts = vstack(parts, format="csr")
    if rows.live is None:
        return counts, documents
    kept = rows.live[documents]
    return counts[kept], documents[kept]


def _cut_documents(segment: Segment, ids: dict[str, int]) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return runs of whole sentences, about equally long, as counts; and the document of each."""
    from scipy.sparse import csr_matrix

    sentences = segment_counts(segment, "sentence", ids)
    sizes = np.asarray(sentences.sum(axis=1)).ravel().astype(np.int64)
    lengths = np.diff(segment.corpus.sentence_offsets)
    documents = np.repeat(np.arange(len(lengths)), lengths)
    totals = np.bincount(documents, sizes, len(lengths))
    passages = np.maximum(1, np.round(totals / _PASSAGE)).astype(np.int64)
    before = np.cumsum(sizes) - sizes - (np.cumsum(totals) - totals)[documents]
    shares = before / np.maximum(totals, 1)[documents]
    own = np.minimum((shares * passages[documents]).astype(np.int64), passages[documents] - 1)
    numbers = (np.cumsum(passages) - passages)[documents] + own
    shape = (int(passages.sum()), len(sizes))
    ones = np.ones(len(sizes), sentences.dtype)
    join = csr_matrix((ones, (numbers, np.arange(len(sizes)))), shape)
    joined = (join @ sentences).tocsr()
    joined.sort_indices()
    return joined, np.repeat(np.arange(len(lengths)), passages)


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
