"""Character n-grams of fastText: a vector for a word that the vocabulary lacks.

Bojanowski, Grave, Joulin, Mikolov: Enriching Word Vectors with Subword Information (TACL 2017).
A word is bracketed as ``<word>``; every run of ``minn`` to ``maxn`` code points is hashed (FNV-1a,
32 bits) to one of the rows of ``buckets``; the vector of the word is the mean of those rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError

MAX_NGRAM = 64  # fastText itself uses 6; the bound keeps a damaged file from running for ever
_END_OF_SENTENCE = b"</s>"  # fastText has no n-grams for this word
_BASIS = np.uint32(2166136261)
_PRIME = np.uint32(16777619)


@dataclass(frozen=True, eq=False)
class Subwords:
    """The n-gram vectors of a fastText model."""

    minn: int
    maxn: int
    buckets: NDArray[np.float32]

    def __post_init__(self) -> None:
        if not 1 <= self.maxn <= MAX_NGRAM or not 0 <= self.minn <= self.maxn:
            raise VectorsError(
                f"Subwords need 0 ≤ minn ≤ maxn ≤ {MAX_NGRAM} and maxn ≥ 1."
                f" Got minn={self.minn}, maxn={self.maxn} instead."
            )
        if self.buckets.ndim != 2 or not len(self.buckets):
            raise VectorsError(
                f"Subwords need a matrix of bucket vectors. Got shape {self.buckets.shape} instead."
            )

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return the vector of a word outside the vocabulary; None if it has no n-gram."""
        ids, _ = self.ngrams([word.encode(errors="replace")])
        if not len(ids):
            return None
        with np.errstate(over="ignore"):
            mean = self.buckets[ids].mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean if np.isfinite(mean).all() else None

    def ngrams(self, words: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the bucket rows of all words, one word after the other, and a count per word."""
        marked = [b"" if word == _END_OF_SENTENCE else b"<%b>" % word for word in words]
        hashes, owners = _hash_ngrams(marked, self.minn, self.maxn)
        order = np.argsort(owners, kind="stable")
        ids = (hashes[order] % np.uint32(len(self.buckets))).astype(np.int64)
        return ids, np.bincount(owners, minlength=len(words))

    def add_to(self, matrix: NDArray[np.float32], words: Sequence[bytes]) -> None:
        """Replace the own rows of vocabulary words by the mean of own row and n-gram rows."""
        from scipy.sparse import csr_array

        ids, counts = self.ngrams(words)
        starts = np.concatenate([[0], np.cumsum(counts)])
        ones = np.ones(len(ids), np.float32)
        which = csr_array((ones, ids, starts), shape=(len(words), len(self.buckets)))
        with np.errstate(over="ignore", invalid="ignore"):
            matrix += which @ self.buckets
            matrix /= (counts + 1).astype(np.float32)[:, None]


def _hash_ngrams(
    words: Sequence[bytes], minn: int, maxn: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the hash of every n-gram and the word it belongs to, for all words at once.

    The n-grams that begin at each code point grow together, by a code point per step.
    """
    text = np.frombuffer(b"".join(words), np.uint8)
    lengths = np.array([len(word) for word in words], np.int64)
    inside = (text & 0xC0) == 0x80  # a UTF-8 continuation byte
    # fastText hashes signed chars: bytes from 0x80 on are sign-extended to 32 bits.
    signed = text.view(np.int8).astype(np.int32).view(np.uint32)
    at: NDArray[np.int64] = np.flatnonzero(~inside)
    owner = np.repeat(np.arange(len(words)), lengths)[at]
    end: NDArray[np.int64] = np.cumsum(lengths)[owner]
    first = at == end - lengths[owner]
    hashes: NDArray[np.uint32] = np.full(len(at), _BASIS)
    found = [np.empty(0, np.uint32)]
    owners = [np.empty(0, np.int64)]
    for n in range(1, maxn + 1):
        growing = np.arange(len(at))
        while len(growing):
            hashes[growing] = (hashes[growing] ^ signed[at[growing]]) * _PRIME
            at[growing] += 1
            growing = growing[at[growing] < end[growing]]
            growing = growing[inside[at[growing]]]
        if n >= minn:
            # The brackets alone are not n-grams.
            good = ~(first | (at == end)) if n == 1 else np.ones(len(at), np.bool_)
            found.append(hashes[good])
            owners.append(owner[good])
        more = at < end
        at, owner, end, first, hashes = at[more], owner[more], end[more], first[more], hashes[more]
        if not len(at):
            break
    return np.concatenate(found), np.concatenate(owners)
