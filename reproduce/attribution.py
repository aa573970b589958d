"""Beyond the papers: who wrote it, and does the probability that is said come true?

C50: 50 authors of Reuters news, 2,500 texts to learn from and 2,500 later ones to test. Books: the
works of authors with two books at least among the 73, 10,000 words of each, every book attributed
from all the others; weights are fitted on the other books alone. Everything is as in
`lexfield attribute`.

    python reproduce/attribution.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from labels import articles, books

from lexfield import Corpus, Document
from lexfield.diverge.certainty import (
    calibratable,
    calibration,
    features,
    fit_weights,
    probabilities,
)
from lexfield.diverge.counts import count
from lexfield.diverge.options import Options
from lexfield.diverge.pairs import count_pairs
from lexfield.plots.divergence import draw_reliability

HERE = Path(__file__).parent
FIGURES = HERE / "results" / "figures"
HELLINGER = Options(measure="hellinger")
WORDS, SEED = 10_000, 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    options = parser.parse_args()
    started = time.time()
    result: dict[str, Any] = {
        "c50": c50(options.data / "c50"),
        "books": of_books(options.data / "books79"),
        "seed": SEED,
        "minutes": round((time.time() - started) / 60, 1),
        "difference": "The papers give labels without probabilities. Of four ways to make"
        " probabilities the one was taken under which C50's training texts are likeliest (the test"
        " texts, which were in view, would have chosen the same). Its test texts are later and"
        " about other news: fewer are right, and what is said of them is less true.",
    }
    draw_reliability(result["c50"]["test"]).save(FIGURES / "attribution-c50.png")
    draw_reliability(result["books"]["left_out"]).save(FIGURES / "attribution-books.png")
    text = json.dumps(result, indent=1)
    (HERE / "results" / "attribution.json").write_text(text + "\n", "utf-8")
    print(text)


def c50(folder: Path) -> dict[str, Any]:
    records = sorted(articles(folder), key=lambda r: (r["split"] != "train", r["id"]))
    counts = count(Corpus.of(Document(r["id"], r["text"]) for r in records))
    labels = np.array([r["author"] for r in records])
    known = sum(r["split"] == "train" for r in records)
    train, test = np.arange(known), np.arange(known, len(records))
    names = np.unique(labels)
    own = count_pairs(counts, HELLINGER, train, train)
    np.fill_diagonal(own, np.inf)
    z = features(own, labels[:known], names)
    truth = np.searchsorted(names, labels)
    weights = fit_weights(z, truth[:known])
    later = features(count_pairs(counts, HELLINGER, test, train), labels[:known], names)
    return {
        "known": shown(z, weights, truth[:known]),
        "test": shown(later, weights, truth[known:]),
    }


def of_books(folder: Path) -> dict[str, Any]:
    counts = count(books(folder), sample=WORDS, seed=SEED)
    labels = np.array([about["author"] for about in counts.metadata])
    rows = np.arange(len(labels))
    matrix = count_pairs(counts, HELLINGER, rows, rows)
    np.fill_diagonal(matrix, np.inf)
    names = np.unique(labels)
    mine = calibratable(labels.tolist())
    p = np.zeros((len(labels), len(names)))
    for row in mine:
        others = rows[rows != row]
        known = others[calibratable(labels[others].tolist())]
        seen = features(matrix[np.ix_(known, others)], labels[others], names)
        weights = fit_weights(seen, np.searchsorted(names, labels[known]))
        own = features(matrix[[row]][:, others], labels[others], names)
        p[row] = probabilities(own, weights)[0]
    truth = np.searchsorted(names, labels[mine])
    return {
        "authors": len(names),
        "words": WORDS,
        "books": len(labels),
        "left_out": calibration(p[mine], truth).to_dict(),
    }


def shown(z: Any, weights: Any, truth: Any) -> dict[str, Any]:
    found = calibration(probabilities(z, weights), truth)
    return {"weights": weights.round(3).tolist(), **found.to_dict()}


if __name__ == "__main__":
    main()
