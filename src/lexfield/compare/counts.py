"""Texts as rows of counts: what every divergence starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.bags.bag import Bag
from lexfield.bags.matrix import BagMatrix
from lexfield.compare.options import ComparisonOptions
from lexfield.errors import InputError, check, list_fields, list_names
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.stopwords import stopwords as stopword_list
from lexfield.vectors.nearest import nearest_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Text = str | Document | Corpus | Bag | Sequence[str]


@dataclass(frozen=True)
class Counts:
    """One row per text, one column per type. ``metadata`` and ``notes`` come from the corpus."""

    matrix: csr_matrix
    types: Sequence[str]
    ids: list[str]
    metadata: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def totals(self) -> Array:
        """Tokens of each text; of several features side by side, sums of frequencies."""
        return np.asarray(self.matrix.sum(axis=1)).ravel()

    def drop_unused_types(self) -> Counts:
        columns = np.flatnonzero(np.asarray(self.matrix.sum(axis=0)).ravel())
        types = [self.types[i] for i in columns.tolist()]
        return replace(self, matrix=self.matrix[:, columns], types=types)

    def keep(self, rows: Array, notes: Sequence[str] = ()) -> Counts:
        """Return some of the texts, with further notes."""
        chosen = np.asarray(rows).tolist()
        return Counts(
            self.matrix[chosen],
            self.types,
            [self.ids[row] for row in chosen],
            [self.metadata[row] for row in chosen] if self.metadata else [],
            [*self.notes, *notes],
        )

    def keep_labelled(self, by: str) -> Counts:
        """Return the documents that have a metadata field; a note names the others."""
        has_field = np.array([bool(record.get(by)) for record in self.metadata], bool)
        if not has_field.any():
            known = list_fields({name for record in self.metadata for name in record})
            raise InputError(
                f"No document has the field {by!r}.",
                f"{known} Add it with --metadata FILE, or by --name-pattern from file names.",
            )
        others = [id for id, has in zip(self.ids, has_field, strict=True) if not has]
        notes = [f"left out, without {by}: {list_names(others)}"] if others else []
        return self.keep(np.flatnonzero(has_field), notes)


def join_counts(parts: Sequence[Counts]) -> Counts:
    """Return the texts of all parts, over the types of all, as they first occur."""
    from scipy.sparse import csr_matrix, vstack

    columns: dict[str, int] = {}
    places = [
        np.array([columns.setdefault(type, len(columns)) for type in part.types], np.int64)
        for part in parts
    ]
    rows = []
    for part, place in zip(parts, places, strict=True):
        entries = part.matrix.tocoo()
        at = (entries.row, place[entries.col])
        rows.append(csr_matrix((entries.data, at), shape=(len(part.ids), len(columns))))
    return Counts(
        vstack(rows).tocsr(),
        list(columns),
        [id for part in parts for id in part.ids],
        [record for part in parts for record in part.metadata],
        [note for part in parts for note in part.notes],
    )


def count_corpus(
    corpus: Corpus,
    *,
    n: int = 1,
    stopwords: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Counts:
    """Count the n-grams of every document of a corpus.

    ``stopwords`` names a language whose stopwords are left out. ``sample`` draws that many tokens
    from every document, as Hare et al. do; shorter documents are left out, and a note names them.
    """
    check(sample is None or n == 1, "sample", "given for single words only", f"n={n}")
    bags = BagMatrix.of(corpus, n)
    metadata = [corpus.metadata(row) for row in range(len(corpus.ids))]
    matrix, types = bags.counts, list(bags.types)
    if stopwords is not None:
        excluded = stopword_list(stopwords)
        kept = [i for i, type in enumerate(types) if not excluded.intersection(type.split(" "))]
        matrix, types = matrix[:, kept], [types[i] for i in kept]
    counts = Counts(matrix.tocsr(), types, list(corpus.ids), metadata, list(corpus.notes))
    return counts if sample is None else _draw_sample(counts, sample, seed)


def count_texts(
    texts: Iterable[Text],
    *,
    n: int = 1,
    stopwords: str | None = None,
    ids: Sequence[str] | None = None,
) -> Counts:
    """Count texts of any kind: strings, documents, whole corpora, bags or lists of words.

    A corpus is one text. ``ids`` name the texts; by default documents have their own ids and other
    texts their numbers.
    """
    given = list(texts)
    for text in given:
        if not isinstance(text, str | Document | Corpus | Bag | list | tuple):
            raise InputError(
                "A text is a string, a Document, a Corpus, a Bag or a list of words."
                f" Got {type(text)}."
            )
    if all(isinstance(text, str | Document) for text in given):
        documents = [
            text if isinstance(text, Document) else Document(str(number), str(text))
            for number, text in enumerate(given)
        ]
        counts = count_corpus(Corpus.of(documents), n=n, stopwords=stopwords)
    else:
        cut = [Corpus.of([text]) if isinstance(text, str | Document) else text for text in given]
        counts = _join_texts(cut, n, stopword_list(stopwords))
    return counts if ids is None else replace(counts, ids=list(ids))


def _join_texts(
    texts: Sequence[Corpus | Bag | Sequence[str]], n: int, excluded: frozenset[str]
) -> Counts:
    """Count texts one by one. If all are corpora, n-grams are ordered by the frequency of their
    words, as in a corpus, so that resampling draws the same tokens."""
    from scipy.sparse import csr_matrix

    parts = []
    for number, text in enumerate(texts):
        if isinstance(text, Corpus):
            text = BagMatrix.of(text, n).total()
        bag = text if isinstance(text, Bag) else Bag.of(text, n)
        row = np.array([list(bag.values())], float)
        parts.append(Counts(csr_matrix(row), [str(gram) for gram in bag], [str(number)]))
    joined = join_counts(parts)
    if joined.matrix.nnz and joined.matrix.data.min() < 0:
        raise InputError("A bag with negative counts is not a text.", "Subtract less from it.")
    kept = [i for i, gram in enumerate(joined.types) if not excluded.intersection(gram.split(" "))]
    corpora = [text.vocabulary for text in texts if isinstance(text, Corpus)]
    if len(corpora) == len(texts):
        totals: Counter[str] = Counter()
        for words in corpora:
            totals.update(dict(zip(words.words, words.counts.tolist(), strict=True)))
        ranked = sorted(totals, key=lambda word: (-totals[word], word))
        rank = {word: place for place, word in enumerate(ranked)}
        kept.sort(key=lambda i: [rank[word] for word in joined.types[i].split(" ")])
    types = [joined.types[i] for i in kept]
    return replace(joined, matrix=joined.matrix[:, kept].sorted_indices(), types=types)


def _draw_sample(counts: Counts, size: int, seed: int) -> Counts:
    """Draw ``size`` tokens of each row without replacement."""
    from scipy.sparse import csr_matrix

    is_long = counts.totals >= size
    short = [id for id, fits in zip(counts.ids, is_long, strict=True) if not fits]
    notes = [f"left out, shorter than {size:,} words: {list_names(short)}"] if short else []
    if not is_long.any():
        raise InputError(
            f"No document has {size:,} words.", f"The longest has {counts.totals.max(initial=0):,}."
        )
    kept = counts.keep(np.flatnonzero(is_long), notes)
    matrix = kept.matrix.tocsr()
    rng = np.random.default_rng(seed)
    parts = []
    for row in range(len(kept.ids)):
        values = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]].astype(np.int64)
        parts.append(rng.multivariate_hypergeometric(values, size, method="marginals"))
    drawn = csr_matrix((np.concatenate(parts), matrix.indices, matrix.indptr), matrix.shape)
    drawn.eliminate_zeros()
    return replace(kept, matrix=drawn)


def compare_rows(
    left: csr_matrix,
    right: csr_matrix,
    options: ComparisonOptions,
    collection: Array | None = None,
    known: csr_matrix | None = None,
) -> NDArray[np.float64]:
    """Return the divergence of every row of counts on the left from every one on the right, in
    nats. ``jm`` smooths by ``collection``, and ``known`` texts are those that a Delta is
    standardised by: by default the counts on the right."""
    if collection is None:
        collection = np.asarray(right.sum(axis=0)).ravel()
    return options.make_table(left, right, collection, known).compute()


def spread_counts(counts: Counts, options: ComparisonOptions) -> Counts:
    """Spread counts over near words if the options ask for it: the estimator ``spread``.

    A text that says "car" then also says a little "automobile". Every word keeps 1 − share of its
    count and passes the rest on to the words whose cosine with it is at least ``threshold``, in
    proportion to the cosine; a word without such neighbours, or without a vector, keeps all. The
    results are counts, so every measure of counts applies to them.
    """
    from scipy.sparse import csr_matrix

    if not options.spreads_counts:
        return counts
    used = np.asarray(counts.matrix.sum(axis=0)).ravel() > 0
    return replace(
        counts, matrix=csr_matrix(counts.matrix @ find_flows(counts.types, used, options))
    )


def find_flows(types: Sequence[str], used: Array, options: ComparisonOptions) -> csr_matrix:
    """Return types × types: where the count of each ``used`` type goes."""
    from scipy.sparse import csr_matrix, identity

    embedded = options.load_vectors().embed(types)
    lengths = np.linalg.norm(embedded.matrix, axis=1)
    known = np.flatnonzero((lengths > 0) & used)
    unit = embedded.matrix[known] / lengths[known, None]
    near = nearest_rows(unit, unit, threshold=options.threshold, skip=np.arange(len(known)))
    sizes = np.diff(near.offsets)
    givers = np.repeat(np.arange(len(known)), sizes)
    sums = np.bincount(givers, near.scores, len(known))
    flows = options.share * near.scores / sums[givers]
    passed_on = np.zeros(len(types))
    passed_on[known[sizes > 0]] = options.share
    shape = (len(types), len(types))
    moved: Any = csr_matrix((flows, (known[givers], known[near.rows])), shape=shape)
    kept = identity(len(types), format="csr").multiply((1 - passed_on)[:, None])
    return (moved + kept).tocsr()
