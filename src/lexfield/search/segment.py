"""A segment: documents that were indexed together, and what search needs of them. Never changed.

For both units, sentence and document ("rows"):
  sets      the distinct words of each row that are no stopwords, with counts and shares
  postings  the same by word: the inverted index
  means     the mean vector of each row, rotated to its principal axes, so that a scan of the first
            axes bounds every distance
  letters   how many of each kind of character: bounds for edit distance
And for every word its vector and its ball: the nearest words by Euclidean distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.matrix import BagMatrix
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus
from lexfield.text.stopwords import stopwords
from lexfield.vectors.neighbours import nearest_rows, prepared
from lexfield.vectors.wordvectors import Embedded

UNITS = ("sentence", "document")
BALL = 16  # neighbours kept a word
HEAD = 0.8  # share of the variance on the principal axes that are scanned for every row
BINS = 32

Array = NDArray[Any]


@dataclass(frozen=True)
class Unit:
    """The rows of one kind. All arrays are as in the store."""

    offsets: Array  # row → first entry of words, counts, shares
    words: Array
    counts: Array
    shares: Array  # count over the row's count of words with vectors; 0 for a word without
    posting_offsets: Array  # word → first entry of posting_rows, posting_counts
    posting_rows: Array
    posting_counts: Array
    sizes: Array  # distinct words of the row, stopwords too
    lengths: Array  # tokens of the row, stopwords too
    rotation: Array
    center: Array
    heads: Array  # first axes of the mean vector, then the length of the rest
    tails: Array  # the other axes
    squares: Array  # squared length of the mean vector on these axes
    letters: Array  # bins × rows: characters of each kind, up to 255
    characters: Array

    @property
    def rows(self) -> int:
        return len(self.sizes)


_FIELDS = tuple(Unit.__dataclass_fields__)


class Segment:
    """One open segment."""

    def __init__(self, store: Store, meta: dict[str, Any]) -> None:
        self._store = store
        self.name: str = meta["name"]
        self.corpus = Corpus.load(store, meta["corpus"], f"{self.name}.")
        self.vectors: NDArray[np.float32] = store.array(f"{self.name}.vectors")
        self.how: NDArray[np.uint8] = store.array(f"{self.name}.how")
        self._units: dict[str, Unit] = {}

    def unit(self, name: str) -> Unit:
        if name not in self._units:
            prefix = f"{self.name}.{name}"
            self._units[name] = Unit(*(self._store.array(f"{prefix}.{f}") for f in _FIELDS))
        return self._units[name]

    def fingerprint(self, unit: str) -> str:
        """Changes with the words of the rows, and with nothing else."""
        own = [f"{self.name}.{unit}.{field}" for field in ("offsets", "words", "counts")]
        words = [f"{self.name}.words.{part}" for part in ("bytes", "offsets")]
        return self._store.fingerprint([*own, *words])

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return self._store.path

    @property
    def balls(self) -> NDArray[np.int32]:
        """The ``BALL`` nearest words of each word, nearest first; -1 where there are fewer."""
        return self._store.array(f"{self.name}.balls")


def save_segment(
    out: Writer,
    name: str,
    corpus: Corpus,
    embedded: Embedded,
    language: str,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Write a segment; gives its entry for the manifest."""
    meta = {"name": name, "corpus": corpus.save(out, f"{name}.")}
    out.array(f"{name}.vectors", embedded.matrix)
    out.array(f"{name}.how", embedded.how)
    excluded = stopwords(language)
    content = np.array([word not in excluded for word in corpus.vocabulary], bool)
    for unit in UNITS:
        arrays = _rows(corpus, unit, content, embedded)
        for field in _FIELDS:
            out.array(f"{name}.{unit}.{field}", arrays[field])
    out.array(f"{name}.balls", _balls(embedded, progress))
    return meta


def _rows(corpus: Corpus, unit: str, content: Array, embedded: Embedded) -> dict[str, Array]:
    from scipy.sparse import csr_matrix

    counts = BagMatrix.of(corpus, 1, unit).counts
    sizes = np.diff(counts.indptr)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    keep = content[counts.indices]
    rows = np.repeat(np.arange(len(sizes)), sizes)[keep]
    sets = csr_matrix((counts.data[keep], (rows, counts.indices[keep])), counts.shape)
    sets.sort_indices()
    postings = sets.T.tocsr()
    known = np.where(embedded.how[sets.indices] > 0, sets.data, 0)
    entry_rows = np.repeat(np.arange(len(sizes)), np.diff(sets.indptr))
    totals = np.bincount(entry_rows, known, minlength=len(sizes))
    totals[totals == 0] = 1
    shares = (known / totals[entry_rows]).astype(np.float32)
    means = csr_matrix((shares, sets.indices, sets.indptr), sets.shape) @ embedded.matrix
    return {
        "offsets": sets.indptr.astype(np.int64),
        "words": sets.indices.astype(np.int32),
        "counts": sets.data.astype(np.int32),
        "shares": shares,
        "posting_offsets": postings.indptr.astype(np.int64),
        "posting_rows": postings.indices.astype(np.int32),
        "posting_counts": postings.data.astype(np.int32),
        "sizes": sizes.astype(np.int32),
        "lengths": lengths.astype(np.int32),
        **_rotated(means, np.bincount(entry_rows, known, minlength=len(sizes)) > 0),
        **_letters(corpus, unit),
    }


def _rotated(means: NDArray[np.float32], embedded: NDArray[np.bool_]) -> dict[str, Array]:
    """Means about their centre on principal axes: the first hold most of every distance.

    A row without any vector is put infinitely far away.
    """
    center = means[embedded].mean(axis=0, dtype=np.float64) if embedded.any() else means.sum(axis=0)
    moved = means - center.astype(np.float32)
    moved[~embedded] = 0
    variances, axes = np.linalg.eigh((moved.T @ moved).astype(np.float64))
    shares = np.cumsum(np.maximum(variances[::-1], 0))
    head = int(np.searchsorted(shares, HEAD * shares[-1])) // 16 * 16 + 16
    rotation = np.ascontiguousarray(axes[:, ::-1]).astype(np.float32)
    turned = moved @ rotation
    tails = np.ascontiguousarray(turned[:, head:])
    rest = np.einsum("ij,ij->i", tails, tails)
    squares = np.einsum("ij,ij->i", turned, turned)
    squares[~embedded] = np.inf
    return {
        "rotation": rotation,
        "center": center.astype(np.float32),
        "heads": np.column_stack([turned[:, :head], np.sqrt(rest)]),
        "tails": tails,
        "squares": squares,
    }


def _letters(corpus: Corpus, unit: str) -> dict[str, Array]:
    bytes_ = corpus.texts.data
    if unit == "document":
        rows = np.arange(len(corpus.ids), dtype=np.int32)
        lengths = np.diff(corpus.texts.offsets)
    else:  # sentences, and after each what lies between it and the next, which goes to a last row
        spans = corpus.sentence_spans
        rows = np.full(2 * len(spans) + 1, len(spans), np.int32)
        rows[1::2] = np.arange(len(spans), dtype=np.int32)
        lengths = np.diff(np.concatenate([[0], spans.ravel(), [len(bytes_)]]))
    height = int(rows.max(initial=-1)) + 1
    kinds = character_bins()[bytes_] + np.repeat(rows.astype(np.int64) * (BINS + 1), lengths)
    counts = np.bincount(kinds, minlength=height * (BINS + 1)).reshape(-1, BINS + 1)
    counts = counts[: len(corpus.ids) if unit == "document" else len(corpus.sentence_spans), :BINS]
    characters = counts.sum(axis=1)
    return {
        "letters": np.ascontiguousarray(np.minimum(counts, 255).astype(np.uint8).T),
        "characters": characters.astype(np.int32),
    }


def character_bins() -> NDArray[np.uint8]:
    """Byte of UTF-8 → bin: letters by themselves, digits, space, the rest spread over four.

    A continuation byte goes to the bin after the last, which is thrown away: so bins count
    characters.
    """
    bins = np.array([28 + byte % 4 for byte in range(256)], np.uint8)
    for letter in range(26):
        bins[ord("a") + letter] = bins[ord("A") + letter] = letter
    bins[ord("0") : ord("9") + 1] = 26
    bins[ord(" ")] = 27
    bins[0x80:0xC0] = BINS
    return bins


def _balls(embedded: Embedded, progress: Progress) -> NDArray[np.int32]:
    known = np.flatnonzero(embedded.how)
    balls = np.full((len(embedded.how), BALL), -1, np.int32)
    if len(known) > 1:
        vectors = np.ascontiguousarray(embedded.matrix[known])
        found = nearest_rows(
            vectors,
            prepared(vectors, euclidean=True),
            k=min(BALL, len(known) - 1),
            skip=np.arange(len(known)),
            progress=progress,
        )
        balls[known, : len(found.rows) // len(known)] = known[found.rows].reshape(len(known), -1)
    return balls
