"""All pairs of about 1,000 texts by Delta: ours beside straightforward pandas and scikit-learn.

The texts are 73 books cut into chunks of 6,200 words. Peers: the definition in pandas, one pair
after another (timed on a sample of the pairs, scaled to all), and scikit-learn's pairwise distances
of pandas' z-scores, vectorised. Both start from scikit-learn's counts of the 2,000 most frequent
words; counting is timed separately.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import rounded, seconds
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import pairwise_distances

from lexfield import Corpus
from lexfield.compare.counts import count_corpus
from lexfield.compare.labels import leave_one_out
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import pairs
from lexfield.compare.trees import find_consensus

CHUNK, WORDS = 6200, 2000
PAIRS = 1500  # timed in pandas
METRICS = {
    "delta": "manhattan",
    "quadratic-delta": "euclidean",
    "cosine-delta": "cosine",
    "eder-delta": "manhattan",
}


def run(data: Path) -> dict[str, Any]:
    corpus = Corpus.read([data / "books79" / "txt"], chunk=CHUNK)
    counts = count_corpus(corpus)
    texts = list(corpus.texts)
    peer = CountVectorizer(token_pattern=r"(?u)\b\w[\w'’]*\b")
    table = peer.fit_transform(texts)
    result: dict[str, Any] = {"documents": len(texts), "words": WORDS}
    for measure, metric in METRICS.items():
        pairs(counts, measure=measure, mfw=WORDS)  # compiles what is to be timed
        ours = seconds(partial(pairs, counts, measure=measure, mfw=WORDS))
        loop = _time_loop(table, measure)
        vectorised = seconds(partial(_vectorise, table, metric, measure))
        result[measure] = {
            "seconds": rounded(ours),
            "times_pandas_pair_by_pair": rounded(loop / ours),
            "times_scikit_learn_pairwise": rounded(vectorised / ours),
        }
    minmax = seconds(lambda: pairs(counts, measure="minmax"))
    options = ComparisonOptions(measure="cosine-delta", mfw=WORDS)
    result["minmax_all_words_seconds"] = rounded(minmax)
    result["consensus_of_20_trees_seconds"] = rounded(
        seconds(lambda: find_consensus(counts, options, 20), 1)
    )
    result["read_and_count_seconds"] = rounded(
        seconds(lambda: count_corpus(Corpus.read([data / "books79" / "txt"], chunk=CHUNK)), 1)
    )
    result["nearest_book_has_the_author"] = _find_right(data)
    result["scikit_learn_count_seconds"] = rounded(seconds(lambda: peer.fit_transform(texts), 1))
    return result


def _find_right(data: Path) -> dict[str, Any]:
    """Shares of the books, whole, whose nearest other book is by their author, by measure and
    correction of hubs; of books whose author has another one. Nothing was chosen by them."""
    counts = count_corpus(Corpus.read([data / "books79" / "txt"]))
    books = {book["key"]: book for book in json.loads((data / "books79/index.json").read_text())}
    authors = [books[id]["author"] for id in counts.ids]
    sizes = Counter(authors)
    asked = [i for i, one in enumerate(authors) if one != "unique" and sizes[one] > 1]
    found: dict[str, Any] = {"books": len(asked)}
    for measure in (*METRICS, "minmax", "hellinger", "js", "kl"):
        found[measure] = {}
        for hubs in (None, "centre", "local"):
            matrix = pairs(counts, measure=measure, hubs=hubs).matrix
            labels = leave_one_out(matrix, authors, "nearest")
            right = sum(labels[i] == authors[i] for i in asked)
            found[measure][hubs or "as measured"] = rounded(right / len(asked))
    return found


def _find_scores(table: Any) -> pd.DataFrame:
    """z-scores of the most frequent words, as one writes them in pandas."""
    totals = np.asarray(table.sum(axis=1)).ravel()
    most = np.argsort(-np.asarray(table.sum(axis=0)).ravel())[:WORDS]
    frame = pd.DataFrame(table[:, most].toarray()).div(totals, axis=0)
    return (frame - frame.mean()) / frame.std()


def _time_loop(table: Any, measure: str) -> float:
    """Seconds for all pairs, one after another."""
    frame = _find_scores(table)
    weights = np.arange(WORDS, 0, -1) / WORDS
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, len(frame), (PAIRS, 2)).tolist()

    def compare(a: pd.Series, b: pd.Series) -> float:
        if measure == "cosine-delta":
            return 1 - float((a * b).sum() / ((a**2).sum() ** 0.5 * (b**2).sum() ** 0.5))
        if measure == "quadratic-delta":
            return float(((a - b) ** 2).mean() ** 0.5)
        far = (a - b).abs()
        return float((far * weights).mean() if measure == "eder-delta" else far.mean())

    def loop() -> None:
        for i, j in chosen:
            compare(frame.iloc[i], frame.iloc[j])

    scores = seconds(lambda: _find_scores(table), 1)
    return scores + seconds(loop, 1) / PAIRS * len(frame) * (len(frame) - 1) / 2


def _vectorise(table: Any, metric: str, measure: str) -> Any:
    scores = _find_scores(table)
    if measure == "eder-delta":
        scores = scores * (np.arange(WORDS, 0, -1) / WORDS)
    return pairwise_distances(scores, metric=metric)
