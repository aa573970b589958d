"""Tune what words add to texts, so that texts are as similar as a sentence encoder says.

``make_text_vectors.py`` fits the direction of each text by itself. Here the table that it made goes
on learning from pairs: squared differences between the cosine of two texts' sums and the cosine of
MiniLM's vectors (without the mean of all texts), plus a part for directions. Codes of words stay as
they are; what they stand for (``tables``), the linear map and the weights are learned by gradient
descent (Adam), so that few numbers change and words that no text holds change with the others. A
batch consists of texts drawn at random and of those nearest to them, as most random pairs have
nothing in common. Stopwords are left out, as they are of texts.

The first --each texts of each file, a multiple of 1,024, have to be in --cache. --share below 1
goes only a part of the way from the old table to the new one.

    python scripts/collect_sentences.py … --out texts
    python scripts/encode_texts.py texts/*.tsv --each 14336 --cache cache --model model
    git show db3dc2d4:src/lexfield/vectors/data/default-contributions.npz > start.npz
    python scripts/tune_text_vectors.py texts/*.tsv --cache cache --each 14336 \\
        --start start.npz --out src/lexfield/vectors/data
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from encode_texts import encode_cached, read_texts
from make_text_vectors import count_words, unit
from numpy.typing import NDArray
from scipy import sparse

from lexfield.text.stopwords import stopwords
from lexfield.vectors.sources import (
    CONTRIBUTIONS,
    PACKAGE_FILES,
    compute_checksum,
    load_words_and_matrix,
    read_about,
)
from lexfield.vectors.weights import STEPS, LearnedContributions

Floats = NDArray[np.float32]
SEED = 13
ANCHORS, NEAR = 16, 24  # texts drawn for a batch, and how many near each (itself included)
EPOCHS = 2.5
RATES = {"map": 3e-4, "tables": 3e-4, "octaves": 1e-2}  # of the first steps
DIRECTIONS = 0.01  # weight of the part for directions
SAMPLE = 20_000  # texts that the turn is found from
FEWEST = 3  # words of a text that is learned from


class Table:
    """Contributions in the form that is stored, with numbers that can be learned."""

    def __init__(self, start: LearnedContributions, matrix: Floats) -> None:
        self._start, self._matrix = start, matrix
        self._cells = 256 * np.arange(len(start.tables)) + start.codes  # rows of the joined tables
        width = start.tables.shape[2]
        self.numbers: dict[str, Floats] = {
            "map": start.map.astype(np.float32),
            "tables": start.tables.astype(np.float32).reshape(-1, width),
            "octaves": np.asarray(start.weights[:, None] / -STEPS, np.float32),
        }

    def add_up(self, words: Any) -> tuple[Floats, Callable[[Floats], dict[str, Floats]]]:
        """Return the contributions of words, and how numbers change a loss with them."""
        map_, tables, octaves = self.numbers.values()
        vectors, coded = self._matrix[words], words < len(self._cells)
        cells = self._cells[words[coded]].ravel()
        directions = vectors @ map_
        directions[coded] += tables[cells].reshape(-1, directions.shape[1])
        lengths = np.linalg.norm(directions, axis=1, keepdims=True)
        directions /= lengths
        sizes = np.exp2(octaves[words])

        def descend(change: Floats) -> dict[str, Floats]:
            along = (change * directions).sum(axis=1, keepdims=True)
            slope = sizes / lengths * (change - along * directions)
            pick = sparse.csr_matrix(
                (np.ones(len(cells), np.float32), (cells, np.arange(len(cells)))),
                (len(tables), len(cells)),
            )
            of_octaves = np.zeros_like(octaves)
            of_octaves[words] = np.log(2) * sizes * along
            return {
                "map": vectors.T @ slope,
                "tables": pick @ slope[coded].reshape(len(cells), -1),
                "octaves": of_octaves,
            }

        return sizes * directions, descend

    def store(self, share: float) -> LearnedContributions:
        """Return the table in steps and half precision, ``share`` of the way from the start."""
        begin = Table(self._start, self._matrix).numbers
        now = {n: share * new + (1 - share) * begin[n] for n, new in self.numbers.items()}
        octaves = now["octaves"].ravel()
        steps = np.clip(np.rint(STEPS * (octaves.max() - octaves)), 0, 255).astype(np.uint8)
        tables = now["tables"].reshape(self._start.tables.shape).astype(np.float16)
        map_ = now["map"].astype(np.float16)
        return LearnedContributions(map_, self._start.codes, tables, steps)


class Adam:
    """Steps that shrink to zero along a cosine, each number's by the size of its slopes."""

    def __init__(self, numbers: dict[str, Floats], steps: int) -> None:
        self._numbers, self._steps, self._step = numbers, steps, 0
        self._means = {name: np.zeros_like(values) for name, values in numbers.items()}
        self._squares = {name: np.zeros_like(values) for name, values in numbers.items()}

    def move(self, slopes: dict[str, Floats]) -> None:
        """Change the numbers in place."""
        rate = 0.5 * (1 + np.cos(np.pi * self._step / self._steps))
        self._step += 1
        for name, slope in slopes.items():
            mean, square = self._means[name], self._squares[name]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            size = np.sqrt(square / (1 - 0.999**self._step)) + 1e-9
            self._numbers[name] -= rate * RATES[name] * mean / (1 - 0.9**self._step) / size


def add_texts(table: Table, counts: sparse.csr_matrix) -> tuple[Floats, Callable[[Floats], Any]]:
    """Return the sums of texts, of length 1, and how numbers change a loss with them."""
    words, places = np.unique(counts.indices, return_inverse=True)
    bags = sparse.csr_matrix((counts.data, places, counts.indptr), (counts.shape[0], len(words)))
    added, descend = table.add_up(words)
    sums = bags @ added
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    sums /= lengths

    def descend_texts(change: Floats) -> dict[str, Floats]:
        along = (change * sums).sum(axis=1, keepdims=True)
        return descend(bags.T @ ((change - along * sums) / lengths))

    return sums, descend_texts


def find_turn(table: Table, counts: sparse.csr_matrix, wanted: Floats) -> Floats:
    """Return the best orthogonal map from the encoder's space to the table's."""
    sums, _ = add_texts(table, counts)
    left, _, right = np.linalg.svd(wanted.T @ sums, full_matrices=False)
    return np.asarray(left @ right, np.float32)


def tune(table: Table, counts: sparse.csr_matrix, wanted: Floats, epochs: float) -> None:
    """Learn from texts and their vectors by the encoder."""
    rng = np.random.default_rng(SEED)
    some = rng.permutation(len(wanted))[:SAMPLE]
    targets = unit(wanted @ find_turn(table, counts[some], wanted[some]))
    steps = int(epochs * len(wanted) / (ANCHORS * NEAR))
    adam = Adam(table.numbers, steps)
    losses = []
    for step in range(1, steps + 1):
        anchors = rng.integers(len(wanted), size=ANCHORS)
        near = np.argpartition(-(wanted[anchors] @ wanted.T), NEAR, axis=1)[:, :NEAR]
        rows = np.unique(np.concatenate([anchors, near.ravel()]))
        sums, descend = add_texts(table, counts[rows])
        missed = sums @ sums.T - wanted[rows] @ wanted[rows].T
        losses.append(float((missed**2).mean()))
        change = 4 / len(rows) ** 2 * (missed @ sums) - DIRECTIONS / len(rows) * targets[rows]
        adam.move(descend(change))
        if step % 50 == 0:
            print(f"{step:,} of {steps:,}: {np.mean(losses[-50:]):.5f}", flush=True)


def read_table(path: Path) -> LearnedContributions:
    """Return a table from its file."""
    with np.load(path, allow_pickle=False) as arrays:
        return LearnedContributions(**{name: arrays[name] for name in arrays.files})


def main() -> None:
    """Tune the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--each", type=int, help="How many texts of each file to learn from.")
    parser.add_argument("--share", type=float, default=1.0)
    for name in ("cache", "start", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    words, matrix = load_words_and_matrix()
    lines = [line for path in given.texts for line in read_texts(path)[: given.each]]
    texts = [text for _, text in lines]
    wanted = encode_cached(None, texts, given.cache)
    counts = count_words(texts, words, stopwords("en"))
    enough = np.diff(counts.indptr) >= FEWEST
    start = read_table(given.start)
    table = Table(start, matrix)
    tune(table, counts[enough], unit(wanted - wanted.mean(axis=0))[enough], EPOCHS)
    learned = table.store(given.share)
    np.savez_compressed(given.out / CONTRIBUTIONS, **asdict(learned))
    about = read_about()
    sources = Counter(source for source, _ in lines)
    about["tuned"] = {
        "start": compute_checksum(given.start),
        "by_source": dict(sorted(sources.items())),
    }
    about["xxh3"] = {name: compute_checksum(given.out / name) for name in PACKAGE_FILES}
    (given.out / "default.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
