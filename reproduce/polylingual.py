"""Krstovski et al. name topics of several languages as a use: do mixtures find translations?

In a polylingual topic model (Mimno et al. 2009) the translations of a document share one mixture,
and every topic has a distribution over the words of each language. Fitted to documents whose words
of all languages are one bag, each word marked by its language, LDA is that model but for one thing:
topics also say how common each language is. Three consecutive lines of FLORES are a document, in
nine languages. Two thirds of the documents train; of the others each asks in one language for
itself among all in another, by JS of mixtures that were inferred from one language alone. Words
that are written alike (names, numbers) are the ranking beside it, by BM25.

    python reproduce/polylingual.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from topic_retrieval import bm25

from lexfield import Corpus
from lexfield.bags.matrix import BagMatrix
from lexfield.topics.lda import Filters, TopicModel
from lexfield.topics.simplex import Neighbours

HERE = Path(__file__).parent
SEED, LINES, TOPICS, PASSES = 2009, 3, (25, 50), 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    options = parser.parse_args()
    started = time.time()
    bags = {path.stem: read(path) for path in sorted((options.data / "flores").glob("*.txt"))}
    documents = min(one.counts.shape[0] for one in bags.values())
    test = np.arange(0, documents, 3)
    result: dict[str, Any] = {
        "documents": documents,
        "asked": len(test),
        "languages": list(bags),
        "words": measure_words(bags, test),
        "topics": {str(size): measure_topics(bags, test, size) for size in TOPICS},
        "seed": SEED,
        "minutes": round((time.time() - started) / 60, 1),
    }
    out = HERE / "results" / "polylingual.json"
    out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps(result, indent=1))


def read(path: Path) -> BagMatrix:
    lines = path.read_text("utf-8").splitlines()
    texts = ["\n".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]
    return BagMatrix.of(Corpus.of(texts))


def measure_words(bags: dict[str, BagMatrix], test: Any) -> dict[str, float]:
    """Ranking by words that two languages write alike."""
    every = sorted({word for one in bags.values() for word in one.types})
    ids = {word: column for column, word in enumerate(every)}
    counts = {}
    for name, one in bags.items():
        whole = one.counts[test].tocoo()
        columns = np.array([ids[word] for word in one.types])[whole.col]
        counts[name] = csr_matrix((whole.data, (whole.row, columns)), (len(test), len(every)))
    ranks = []
    for a in bags:
        for b in bags:
            if a != b:
                both = SimpleNamespace(
                    words=every,
                    documents=counts[b],
                    queries=counts[a],
                    run=lambda _, rows, __: rows,
                )
                ranks.append(find_ranks(bm25(both)))
    return summarise(ranks)


def measure_topics(bags: dict[str, BagMatrix], test: Any, size: int) -> dict[str, float]:
    """Fit to the other documents in all languages, infer from each language alone, and ask."""
    documents = min(one.counts.shape[0] for one in bags.values())
    train = np.setdiff1d(np.arange(documents), test)
    words = [f"{name} {word}" for name, one in bags.items() for word in one.types]
    counts = hstack([one.counts[:documents] for one in bags.values()]).tocsr()
    filters = Filters(min_count=3, max_share=0.1)
    model = TopicModel.fit(
        counts[train], words, size, filters=filters, passes=PASSES, alpha=0.1, eta=0.01, seed=SEED
    )
    ids = {word: column for column, word in enumerate(words)}
    kept = counts[test][:, [ids[word] for word in model.words]].tocsr()
    own = np.array([word.partition(" ")[0] for word in model.words])
    mixtures = {
        name: model.infer(kept.multiply(own == name).tocsr()).astype(np.float64) for name in bags
    }
    ranks = []
    for a in bags:
        for b in bags:
            if a != b:
                found = Neighbours(mixtures[b], "scan").query(mixtures[a], len(test), "js").rows
                ranks.append(find_ranks(list(found)))
    return summarise(ranks)


def find_ranks(lists: list[Any]) -> Any:
    """The rank of each document's own translation; the middle of the rest if it is not listed."""
    ranks = []
    for own, rows in enumerate(lists):
        place = np.flatnonzero(rows == own)
        ranks.append(place[0] + 1 if len(place) else (len(rows) + 1 + len(lists)) / 2)
    return np.array(ranks)


def summarise(ranks: list[Any]) -> dict[str, float]:
    every = np.concatenate(ranks)
    return {
        "first": round(float((every <= 1).mean()), 4),
        "mrr": round(float((1 / every).mean()), 4),
        "median_rank": float(np.median(every)),
    }


if __name__ == "__main__":
    main()
