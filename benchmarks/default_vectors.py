"""The embedded vectors beside GloVe: Spearman on word-similarity sets, and coverage of 73 books."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded, seconds

from lexfield.text.corpus import Corpus
from lexfield.vectors.sources import load_default
from lexfield.vectors.wordvectors import WordVectors

SETS = {
    "WordSim-353": "EN-WS-353-ALL.txt",
    "SimLex-999": "EN-SIMLEX-999.txt",
    "RG-65": "EN-RG-65.txt",
}


def run(data: Path) -> dict[str, Any]:
    from scipy.stats import spearmanr

    result: dict[str, Any] = {"spearman": {}, "coverage_of_73_books": {}}
    sets = {"default": WordVectors.default(), "glove": WordVectors.load("glove")}
    for title, name in SETS.items():
        lines = (data / "wordsim" / name).read_text("utf-8").split("\n")
        pairs = [line.split() for line in lines if line.strip()]
        gold = [float(pair[2]) for pair in pairs]
        for kind, vectors in sets.items():
            given = [vectors.similarity(*pair[:2]) for pair in pairs]
            score = round(float(spearmanr(gold, given).statistic), 4)
            result["spearman"].setdefault(title, {})[kind] = score
    corpus = Corpus.read(data / "books79" / "txt")
    counts = corpus.vocabulary.counts
    for kind, vectors in sets.items():
        known = np.array([word in vectors for word in corpus.vocabulary])
        repaired = vectors.embed(corpus.vocabulary).known
        result["coverage_of_73_books"][kind] = {
            "types": round(float(known.mean()), 4),
            "tokens": round(float(counts[known].sum() / counts.sum()), 5),
            "types_after_repair": round(float(repaired.mean()), 4),
            "tokens_after_repair": round(float(counts[repaired].sum() / counts.sum()), 5),
        }
    result["load_seconds"] = rounded(seconds(lambda: load_default.__wrapped__(), 3))
    return result
