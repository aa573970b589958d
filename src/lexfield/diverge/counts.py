"""Texts as rows of counts: what every divergence starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.bag import Bag
from lexfield.bags.matrix import BagMatrix
from lexfield.errors import InputError, check, list_names
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.stopwords import stopwords as stopword_list

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Text = str | Document | Bag | Sequence[str]


@dataclass(frozen=True)
class Counts:
    """One row a text, one column a type. ``metadata`` and ``notes`` come from the corpus."""

    matrix: csr_matrix
    types: Sequence[str]
    ids: list[str]
    metadata: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def totals(self) -> NDArray[np.int64]:
        """Tokens of each text."""
        return np.asarray(self.matrix.sum(axis=1)).ravel().astype(np.int64)

    def used(self) -> Counts:
        """Without the types that no text holds."""
        columns = np.flatnonzero(np.asarray(self.matrix.sum(axis=0)).ravel())
        types = [self.types[i] for i in columns.tolist()]
        return replace(self, matrix=self.matrix[:, columns], types=types)

    def keep(self, rows: NDArray[Any], notes: Sequence[str] = ()) -> Counts:
        """Some of the texts."""
        chosen = np.asarray(rows).tolist()
        return Counts(
            self.matrix[chosen],
            self.types,
            [self.ids[row] for row in chosen],
            [self.metadata[row] for row in chosen] if self.metadata else [],
            [*self.notes, *notes],
        )


def count(
    corpus: Corpus,
    *,
    n: int = 1,
    stopwords: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Counts:
    """Count the n-grams of every document of a corpus.

    ``stopwords`` names a language whose stopwords are left out. ``sample`` takes as many tokens at
    random from every document, as Hare et al. do; shorter documents are left out and named.
    """
    check(sample is None or sample >= 1, "sample", "at least 1", sample)
    check(seed >= 0, "seed", "at least 0", seed)
    check(1 <= n <= 100, "n", "from 1 to 100", n)
    check(sample is None or n == 1, "sample", "given for single words only", f"n={n}")
    bags = BagMatrix.of(corpus, n)
    metadata = [corpus.metadata(row) for row in range(len(corpus.ids))]
    matrix, types = bags.counts, list(bags.types)
    if stopwords is not None:
        excluded = stopword_list(stopwords)
        kept = [i for i, type in enumerate(types) if not excluded.intersection(type.split(" "))]
        matrix, types = matrix[:, kept], [types[i] for i in kept]
    counts = Counts(matrix.tocsr(), types, list(corpus.ids), metadata, list(corpus.notes))
    return counts if sample is None else _sampled(counts, sample, seed)


def of_texts(texts: Iterable[Text], *, n: int = 1, stopwords: str | None = None) -> Counts:
    """Count texts that are given one by one: strings, documents, bags or lists of words."""
    given = list(texts)
    for text in given:
        if not isinstance(text, str | Document | Bag | list | tuple):
            raise InputError(
                f"A text is a string, a Document, a Bag or a list of words. Got {type(text)}."
            )
    if all(isinstance(text, str | Document) for text in given):
        documents = [
            text if isinstance(text, Document) else Document(str(number), text)
            for number, text in enumerate(given)
            if isinstance(text, str | Document)
        ]
        return count(Corpus.of(documents), n=n, stopwords=stopwords)
    from scipy.sparse import csr_matrix

    excluded = stopword_list(stopwords)
    bags = [_bag(text, n) for text in given]
    columns: dict[str, int] = {}
    rows, places, values = [], [], []
    for row, bag in enumerate(bags):
        for gram, value in bag.items():
            if not excluded.intersection(str(gram).split(" ")):
                rows.append(row)
                places.append(columns.setdefault(str(gram), len(columns)))
                values.append(value)
    shape = (len(bags), len(columns))
    matrix = csr_matrix((np.array(values, float), (rows, places)), shape=shape)
    if matrix.nnz and matrix.data.min() < 0:
        raise InputError("A bag with negative counts is no text.", "Add what was subtracted.")
    return Counts(matrix, list(columns), [str(row) for row in range(len(bags))])


def _bag(text: Text, n: int) -> Mapping[Any, Any]:
    if isinstance(text, Bag):
        return text
    if isinstance(text, str | Document):
        return BagMatrix.of(Corpus.of([text]), n).bag(0)
    return Bag.of(text, n)


def _sampled(counts: Counts, size: int, seed: int) -> Counts:
    """``size`` tokens of each row without replacement: the first of a shuffled text."""
    from scipy.sparse import csr_matrix

    long = counts.totals >= size
    left = [id for id, fits in zip(counts.ids, long, strict=True) if not fits]
    notes = []
    if left:
        notes.append(f"left out, shorter than {size:,} words: {list_names(left)}")
    if not long.any():
        raise InputError(
            f"No document has {size:,} words.", f"The longest has {counts.totals.max(initial=0):,}."
        )
    kept = counts.keep(np.flatnonzero(long), notes)
    matrix = kept.matrix.tocsr()
    rng = np.random.default_rng(seed)
    parts = []
    for row in range(len(kept.ids)):
        values = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]].astype(np.int64)
        parts.append(rng.multivariate_hypergeometric(values, size, method="marginals"))
    data = np.concatenate(parts)
    drawn = csr_matrix((data, matrix.indices, matrix.indptr), matrix.shape)
    drawn.eliminate_zeros()
    return Counts(drawn, kept.types, kept.ids, kept.metadata, kept.notes)
