"""Learn what each word of the default vectors adds to the vector of a text.

The sum of what the words of a text add shall point where a sentence encoder (MiniLM) points for the
text. With b(w) the count of w in a text, p(w) its share of all words, W its default vector and t
the encoder's vector without the mean of all texts, of length 1, on its first 256 principal axes:

    v(text) = Σ b(w) s(w) V(w),   s(w) = a / (a + p(w)),   a = 0.001
    V(w) = [W(w), P(w)] L + X(w)

P is what the encoder says of the word alone. L is found by least squares, then X by ridge
regression (conjugate gradients), both in a few rounds in which a text weighs 1/|v|² and its target
is |v| t, so that directions are fitted and not lengths. Words that no text holds keep [W, P] L.

Stored are: a linear map of W to the direction of V(w), for all words; a code of what it misses, for
the first 45,000 words (product quantisation, eight numbers to a byte); and s(w)|V(w)| in a byte.

Packages are those of encode_texts.py.

    python scripts/collect_sentences.py … --out texts
    python scripts/make_text_vectors.py texts/*.tsv --cache cache --model model \\
        --out src/lexfield/vectors/data

The encoder's vectors are kept in --cache; encoding a million sentences takes about two hours on one
core, and goes on where it was interrupted. Nothing that lexfield is measured on has a part in this.
The table that tune_text_vectors.py starts from was learned from 120,000 scenes and a random 386,936
of the sentences that an earlier collect_sentences.py collected (commit 974479df): beyond 400,000,
more of the same kind changed nothing (docs/decisions/0013).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from encode_texts import Encoder, encode_cached, read_texts
from numpy.typing import NDArray
from scipy import sparse

from lexfield.vectors.sources import (
    CONTRIBUTIONS,
    PACKAGE_FILES,
    compute_checksum,
    load_words_and_matrix,
    read_about,
)
from lexfield.vectors.weights import STEPS, LearnedContributions

Floats = NDArray[np.float32]
SMOOTHING = 1e-3
DIMS, CODED, COLUMNS = 256, 45_000, 32
FEWEST = 3  # words of a text that is learned from
PENALTY = 1.0  # of the ridge
ROUNDS, STEPS_OF_GRADIENT = 2, 6
PLAIN = 60_000  # the most frequent words
TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)*")


def count_words(
    texts: list[str], words: list[str], without: Collection[str] = ()
) -> sparse.csr_matrix:
    """Return the counts of the words in each text; a possessive 's is dropped where needed."""
    place = {word: number for number, word in enumerate(words)}
    place |= dict.fromkeys(without, -1)
    found: list[int] = []
    offsets = [0]
    for text in texts:
        for word in TOKEN.findall(text.lower().replace("’", "'")):
            number = place.get(word, place.get(word.removesuffix("'s"), -1))
            if number >= 0:
                found.append(number)
        offsets.append(len(found))
    shape = (len(texts), len(words))
    counts = sparse.csr_matrix((np.ones(len(found), np.float32), found, offsets), shape)
    counts.sum_duplicates()
    return counts


def unit(rows: Any) -> Floats:
    """Return rows of length 1; zero stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)


class Fit:
    """The regression: bags of words (rows) against the encoder's vectors."""

    def __init__(self, bags: sparse.csr_matrix, wanted: Floats, features: Floats) -> None:
        totals = np.asarray(bags.sum(axis=1)).ravel()
        self._bags = (sparse.diags(1 / np.maximum(totals, 1e-6)) @ bags).astype(np.float32).tocsr()
        self._turned = self._bags.T.tocsr()
        self._wanted, self._features = wanted, features

    def fit(self) -> Floats:
        """Return V."""
        prior = self._features @ self._solve(np.ones(len(self._wanted), np.float32))
        for _ in range(ROUNDS):
            lengths = np.linalg.norm(self._bags @ prior, axis=1)
            prior = self._features @ self._solve(1 / np.maximum(lengths, 0.1 * lengths.mean()))
        more = np.zeros_like(prior)
        for _ in range(ROUNDS):
            more = self._improve(prior, more)
        return np.asarray(prior + more, np.float32)

    def _solve(self, weights: Any) -> Floats:
        """Return L by least squares."""
        rows = (sparse.diags(weights.astype(np.float32)) @ self._bags) @ self._features
        gram = rows.T @ rows
        penalty = 1e-3 * np.trace(gram) / len(gram) * np.eye(len(gram), dtype=np.float32)
        return np.linalg.solve(gram + penalty, rows.T @ self._wanted).astype(np.float32)

    def _improve(self, prior: Floats, more: Floats) -> Floats:
        """Return X after one round: weights and targets by today's lengths, then a ridge."""
        now = self._bags @ (prior + more)
        lengths = np.linalg.norm(now, axis=1)
        weights = 1 / np.maximum(lengths, 0.1 * lengths.mean()) ** 2
        weights = (weights / weights.mean()).astype(np.float32)[:, None]
        left = self._turned @ (weights * (lengths[:, None] * self._wanted - now)) - PENALTY * more
        squares = np.asarray((sparse.diags(weights.ravel()) @ self._bags.power(2)).sum(axis=0))
        scale = (1 / (squares.ravel() + PENALTY)).astype(np.float32)[:, None]
        change = np.zeros_like(more)
        step = scale * left
        along = (left * step).sum(axis=0)
        for _ in range(STEPS_OF_GRADIENT):
            product = self._turned @ (weights * (self._bags @ step)) + np.float32(PENALTY) * step
            size = along / np.maximum((step * product).sum(axis=0), 1e-20)
            change += size * step
            left -= size * product
            scaled = scale * left
            before, along = along, (left * scaled).sum(axis=0)
            step = scaled + along / np.maximum(before, 1e-20) * step
        return more + change


def quantise(rows: Floats, columns: int, seed: int = 0) -> tuple[Any, Any]:
    """Return codes (rows, columns) and tables by k-means on neighbouring numbers."""
    rng = np.random.default_rng(seed)
    width = rows.shape[1] // columns
    codes = np.empty((len(rows), columns), np.uint8)
    tables = np.empty((columns, 256, width), np.float16)
    for column in range(columns):
        points = rows[:, column * width : (column + 1) * width]
        sample = points[rng.permutation(len(points))[:30_000]]
        centres = sample[:256].astype(np.float32)
        for _ in range(15):
            near = _find_nearest(sample, centres)
            sizes = np.bincount(near, minlength=256)[:, None]
            sums = np.stack([np.bincount(near, part, 256) for part in sample.T], axis=1)
            centres = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres).astype(np.float32)
        tables[column] = centres
        codes[:, column] = _find_nearest(points, tables[column].astype(np.float32))
    return codes, tables


def _find_nearest(points: Floats, centres: Floats) -> Any:
    return np.argmin((centres**2).sum(axis=1) - 2 * points @ centres.T, axis=1)


def compress(vectors: Floats, matrix: Floats, weights: Floats) -> LearnedContributions:
    """Return V in the form that is stored; wide axes are spread over the columns of the codes."""
    wanted = unit(vectors[:, np.arange(DIMS).reshape(-1, COLUMNS).T.ravel()])
    gram = matrix.T @ matrix
    penalty = 1e-3 * np.trace(gram) / len(gram) * np.eye(len(gram), dtype=np.float32)
    map_ = np.linalg.solve(gram + penalty, matrix.T @ wanted).astype(np.float16)
    missed = wanted[:CODED] - matrix[:CODED] @ map_.astype(np.float32)
    codes, tables = quantise(missed, COLUMNS)
    sizes = weights * np.linalg.norm(vectors, axis=1)
    octaves = -np.log2(sizes / sizes.max())
    steps = np.clip(np.rint(STEPS * octaves), 0, 255).astype(np.uint8)
    return LearnedContributions(map=map_, codes=codes, tables=tables, weights=steps)


def main() -> None:
    """Make the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", type=Path, nargs="+")
    parser.add_argument("--model", type=Path, help="Not needed if the cache is complete.")
    for name in ("cache", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    words, matrix = load_words_and_matrix()
    encoder = Encoder(given.model) if given.model else None
    lines = [line for path in given.sentences for line in read_texts(path)]
    texts = [text for _, text in lines]
    counts = count_words(texts, words)
    frequencies = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
    smooth = (SMOOTHING / (SMOOTHING + frequencies)).astype(np.float32)
    enough = np.diff(counts.indptr) >= FEWEST
    wanted = encode_cached(encoder, texts, given.cache)[enough]
    wanted = unit(wanted - wanted.mean(axis=0))
    axes = np.linalg.eigh(wanted.T @ wanted)[1][:, ::-1][:, :DIMS].astype(np.float32)
    alone = encode_cached(encoder, words, given.cache)
    features = np.hstack([matrix, unit(alone - alone[:PLAIN].mean(axis=0))])
    fit = Fit(counts[enough] @ sparse.diags(smooth), unit(wanted @ axes), features)
    learned = compress(fit.fit(), matrix, smooth)
    np.savez_compressed(given.out / CONTRIBUTIONS, **asdict(learned))
    about = read_about()
    sources = Counter(source for source, _ in lines)
    learned_from = {"sentences": len(texts), "long_enough": int(enough.sum())}
    about["texts"] = {**learned_from, "by_source": dict(sorted(sources.items()))}
    about["xxh3"] = {name: compute_checksum(given.out / name) for name in PACKAGE_FILES}
    (given.out / "default.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
