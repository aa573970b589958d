"""Beyond the paper: why k-NN divergences name authors poorly, and what hub correction mends.

The middle 10,000 words of every book whose author has another book among the 73, without stopwords.
Each book gets the author of the nearest other one, with and without hub correction.

    python reproduce/hubs.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from labels import share_of_largest_hub
from numpy.typing import NDArray

from lexfield import Corpus, Document, WordVectors
from lexfield.compare.counts import Counts, count_corpus
from lexfield.compare.hubs import correct_hubs
from lexfield.compare.labels import leave_one_out
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import compare_count_rows, pairs

HERE = Path(__file__).parent
WORDS = 10_000
COUNTED: dict[str, dict[str, Any]] = {
    "Hellinger, counts": {"measure": "hellinger"},
    "KL, counts": {"measure": "kl"},
    "Hellinger, spread": {"measure": "hellinger", "space": "latent", "estimator": "spread"},
}
CLOUDS: dict[str, tuple[str, dict[str, Any]]] = {
    "default vectors": ("default", {}),
    "default vectors, types": ("default", {"points": "types"}),
    "default vectors, pca(20)": ("default", {"reduce": "pca(20)"}),
    "GloVe": ("glove", {}),
    "GloVe, types": ("glove", {"points": "types"}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    counts = count_corpus(read_books(parser.parse_args().data / "books79"), stopwords="en")
    labels = np.array([record["author"] for record in counts.metadata])
    found = {name: score(one, labels) for name, one in measure(counts).items()}
    result = {"books": len(labels), "authors": len(set(labels)), "words": WORDS, "right": found}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (HERE / "results" / "hubs.json").write_text(text + "\n", "utf-8")
    print(text)


def read_books(folder: Path) -> Corpus:
    books = []
    for record in json.loads((folder / "index.json").read_text("utf-8")):
        words = (folder / "txt" / f"{record['key']}.txt").read_text("utf-8").split()
        if record["author"] != "unique" and len(words) >= 1.2 * WORDS:
            start = len(words) // 2 - WORDS // 2
            text = " ".join(words[start : start + WORDS])
            books.append(Document(record["key"], text, metadata={"author": record["author"]}))
    known = Counter(book.metadata["author"] for book in books)
    return Corpus.of(book for book in books if known[book.metadata["author"]] > 1)


def measure(counts: Counts) -> dict[str, NDArray[np.float64]]:
    everyone = np.arange(len(counts.ids))
    found = {
        name: compare_count_rows(counts, ComparisonOptions.from_dict(options), everyone, everyone)
        for name, options in COUNTED.items()
    }
    for name, (vectors, options) in CLOUDS.items():
        latent = pairs(counts, "latent", [3, 10], vectors=WordVectors.load(vectors), **options)
        found |= {f"KL, {name}, k = {k}": latent.estimates[k] for k in (3, 10)}
    return found


def score(matrix: NDArray[np.float64], labels: NDArray[Any]) -> dict[str, list[float]]:
    """Return the share that is right, and that of the largest hub: as measured, and centred."""
    centred = correct_hubs(matrix, np.arange(len(matrix)), "centre")
    return {
        name: [
            round(float((leave_one_out(one, labels, "nearest") == labels).mean()), 3),
            round(share_of_largest_hub(one), 3),
        ]
        for name, one in (("plain", matrix), ("centre", centred))
    }


if __name__ == "__main__":
    main()
