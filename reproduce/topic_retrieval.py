"""Krstovski et al., Tables 2–5: retrieval by topics, its speed, and fusion with a ranking by words.

The paper's patents are not public as it used them; here are six collections with judged queries
(ADI, with 82 documents, has fewer words than the largest model has topics). A query is inferred
under the topic model and documents are ranked by their distance from it. The ranking by words is
BM25 where the paper has Xue and Croft's queries. As in the paper the models have α = β = 0.1 and
five passes, the approximate methods give 200 documents, and the combination is chosen on a
development set (every second query); Tables 2 and 3 are over the other queries.

    python reproduce/topic_retrieval.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import rel_entr

from lexfield import Corpus
from lexfield.bags.matrix import BagMatrix
from lexfield.evaluate.fusion import fuse_runs
from lexfield.evaluate.measures import by_query, compare
from lexfield.evaluate.trec import Qrels, Run, read_qrels
from lexfield.text.stopwords import stopwords
from lexfield.topics.approximate import KdTree, Method, PStableHashes, make_neighbours
from lexfield.topics.lda import Filters, TopicModel

HERE = Path(__file__).parent
SETS = ("med", "time", "cranfield", "cisi", "cacm", "scifact-dev")
SIZES = (50, 100, 200, 500)
COMBINATIONS = ("min", "max", "sum", "anz", "mnz")
MEASURES = ("map", "p@10", "r@10")
DEPTH, SEED = 200, 2013
METHODS: dict[str, tuple[Method, str]] = {
    "JS": ("scan", "js"),
    "He": ("scan", "hellinger"),
    "He LSH R=0.4": (partial(PStableHashes, radius=0.4), "hellinger"),
    "He LSH R=0.6": (partial(PStableHashes, radius=0.6), "hellinger"),
    "He LSH R=0.8": (partial(PStableHashes, radius=0.8), "hellinger"),
    "He k-d trees": (KdTree, "hellinger"),
    "certified JS (ours)": ("certified", "js"),
}
PAPER = {
    "table_2": {
        "words (Xue and Croft)": (0.204, 0.416, 0.138),
        "JS": (0.172, 0.343, 0.111),
        "He": (0.178, 0.345, 0.112),
        "He LSH R=0.4": (0.056, 0.161, 0.051),
        "He LSH R=0.6": (0.091, 0.248, 0.078),
        "He LSH R=0.8": (0.161, 0.344, 0.111),
        "He k-d trees": (0.159, 0.345, 0.112),
        "aggregated": (0.232, 0.442, 0.145),
    },
    "table_3": {
        "JS": (0.212, 0.266, 0.306, 0.343),
        "He": (0.222, 0.273, 0.320, 0.345),
        "He LSH R=0.4": (0.168, 0.170, 0.181, 0.161),
        "He LSH R=0.6": (0.219, 0.252, 0.276, 0.248),
        "He LSH R=0.8": (0.223, 0.274, 0.319, 0.344),
        "He k-d trees": (0.223, 0.274, 0.320, 0.345),
    },
    "table_4": {
        "JS": (6.4, 4, 2.3, 1),
        "He LSH R=0.4": (85.6, 75.3, 57.8, 35.6),
        "He LSH R=0.6": (59.2, 53.4, 38.1, 27.9),
        "He LSH R=0.8": (46.1, 33.0, 29.0, 16.7),
        "He k-d trees": (793.6, 410.4, 224.6, 98.4),
    },
    "table_5": {  # normalised by score, by rank
        "words (Xue and Croft)": (0.173, 0.173),
        "JS": (0.158, 0.158),
        "min": (0.077, 0.143),
        "max": (0.174, 0.178),
        "sum": (0.174, 0.187),
        "anz": (0.079, 0.151),
        "mnz": (0.174, 0.187),
    },
}

DIFFERENCES = {
    "table_2": "Topics find far less than words here, and nearly as much in the paper. Its queries"
    " are whole patents and its model was fitted to 1.6 million documents; our queries have a"
    " sentence or two, which say little about a mixture, and our collections have a few thousand"
    " documents. In both, He is a little better than JS, LSH loses most with the smallest radius,"
    " and stopping at 200 documents costs MAP. Fused with so much weaker a list, the ranking by"
    " words loses here, while the paper's gains. With whole documents as queries, below, topics"
    " help.",
    "table_3": "P@10 falls with the number of topics, while the paper's rises: 500 topics are too"
    " many for these collections. The order of the methods is nearly the paper's.",
    "table_4": "Times are processor time on one thread; JS is a loop over the documents. The tree"
    " gains less than the paper's because there are few documents, and the certified search cannot"
    " skip much when 200 neighbours of a thousand documents are wanted. Table 1 shows what it is"
    " for.",
    "table_5": "For sum and mnz, ranks are not better than scores here. No combination reaches the"
    " words alone; max and sum lose least.",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--sets", nargs="*", default=SETS)
    options = parser.parse_args()
    os.environ["LEXFIELD_THREADS"] = "1"
    started = time.time()
    sets: dict[str, Any] = {}
    for name in options.sets:
        collection = Collection.read(options.data / "ir" / name)
        sets[name] = measure(collection, bm25(collection))
        print(name, json.dumps(sets[name]["table_2"]), flush=True)
        result = {
            "seed": SEED,
            "mean_of_sets": means(list(sets.values())),
            "paper": PAPER,
            "differences": DIFFERENCES,
            "sets": sets,
            "minutes": round((time.time() - started) / 60, 1),
        }
        out = HERE / "results" / "topic_retrieval.json"  # after every set: they take a while
        out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


class Collection:
    """Documents and queries as counts of the words that both models see."""

    def __init__(self, ids: list[str], texts: list[str], asked: dict[str, str], qrels: Any) -> None:
        self.ids, self.names, self.qrels = ids, list(asked), {name: qrels[name] for name in asked}
        bags = BagMatrix.of(Corpus.of([*texts, *asked.values()]))
        excluded = stopwords("en")
        self.words = ["" if word in excluded else word for word in bags.types]
        self.documents = bags.counts[: len(texts)].tocsr()
        self.queries = bags.counts[len(texts) :].tocsr()

    @classmethod
    def read(cls, folder: Path) -> Collection:
        documents = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
        asked = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
        qrels = read_qrels(folder / "qrels.tsv")
        texts = [f"{d.get('title', '')}\n\n{d['text']}" for d in documents]
        queries = {query["_id"]: query["text"] for query in asked if query["_id"] in qrels}
        return cls([document["_id"] for document in documents], texts, queries, qrels)

    def half(self, first: int) -> Qrels:
        return {name: self.qrels[name] for name in self.names[first::2]}

    def run(self, name: str, rows: list[Any], scores: list[Any]) -> Run:
        found = zip(self.names, rows, scores, strict=True)
        return Run(
            name,
            {q: [(self.ids[r], float(s)) for r, s in zip(a, b, strict=True)] for q, a, b in found},
        )


def measure(collection: Collection, words: Run, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """All tables for a collection and its ranking by words."""
    development, test = collection.half(1), collection.half(0)
    table_3: dict[str, list[float]] = {name: [] for name in METHODS}
    seconds: dict[str, list[float]] = {name: [] for name in METHODS}
    runs: dict[str, Run] = {}
    for size in sizes:
        mixtures, queries, looping = infer(collection, size)
        for name, (method, distance) in METHODS.items():
            depth = len(mixtures) if method == "scan" else DEPTH
            neighbours = make_neighbours(mixtures, method)
            neighbours.query(queries[0], depth, distance)
            start = time.process_time()
            found = [neighbours.query(q, depth, distance) for q in queries]
            took = (time.process_time() - start) / len(queries)
            seconds[name].append(looping if name == "JS" else took)
            runs[name] = collection.run(
                name, [f.rows for f in found], [-f.distances for f in found]
            )
            table_3[name].append(
                round(float(by_query(runs[name], test, ["p@10"])["p@10"].mean()), 4)
            )
    top = Run("JS", {q: pairs[:DEPTH] for q, pairs in runs["JS"].queries.items()})
    table_5 = combinations(words, top, development)
    chosen = max(
        ((how, by) for how in COMBINATIONS for by in ("minmax", "rank")),
        key=lambda pair: table_5[pair[0]][pair[1] == "rank"],
    )
    both = fused(words, top, *chosen)
    runs = {"words (BM25)": words, **runs, "aggregated": both}
    against = compare(both, words, test, ["map", "p@10"])
    return {
        "documents": len(collection.ids),
        "queries": len(test),
        "table_2": {name: figures(run, test) for name, run in runs.items()},
        "table_3": table_3,
        "table_4": {
            name: [round(seconds["JS"][-1] / took, 1) for took in times]
            for name, times in seconds.items()
        },
        "table_5": table_5,
        "chosen": chosen,
        "aggregated_over_words": {
            one.measure: {
                "difference": round(one.difference, 4),
                "p": round(one.p_randomisation, 4),
            }
            for one in against
        },
    }


def infer(collection: Collection, size: int) -> tuple[Any, Any, float]:
    """Mixtures of documents and queries, and the time of the loop of JS over the documents."""
    model = TopicModel.fit(
        collection.documents,
        collection.words,
        size,
        filters=Filters(min_count=3, max_share=0.25),
        passes=5,
        alpha=0.1,
        eta=0.1,
        seed=SEED,
    )
    ids = {word: column for column, word in enumerate(collection.words)}
    columns = [ids[word] for word in model.words]
    mixtures = model.infer(collection.documents[:, columns].tocsr())
    queries = model.infer(collection.queries[:, columns].tocsr()).astype(np.float64)
    queries /= queries.sum(axis=1, keepdims=True)
    start = time.process_time()
    for q in queries[:3]:
        for p in mixtures:
            middle = (p + q) / 2
            (rel_entr(p, middle).sum() + rel_entr(q, middle).sum()) / 2
    return mixtures, queries, (time.process_time() - start) / 3


def bm25(collection: Collection, queries: Any = None, k1: float = 1.5, b: float = 0.75) -> Run:
    """Robertson's BM25 over all words that are no stopwords; ``queries`` are counts of words."""
    queries = collection.queries if queries is None else queries
    kept = [column for column, word in enumerate(collection.words) if word]
    counts = collection.documents[:, kept].tocsr().astype(np.float64)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    holding = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log1p((len(lengths) - holding + 0.5) / (holding + 0.5))
    rows = np.repeat(np.arange(len(lengths)), np.diff(counts.indptr))
    norm = k1 * (1 - b + b * lengths[rows] / lengths.mean())
    data = idf[counts.indices] * counts.data * (k1 + 1) / (counts.data + norm)
    weights = csr_matrix((data, counts.indices, counts.indptr), counts.shape)
    scores = np.asarray((queries[:, kept] @ weights.T).todense())
    order = [np.lexsort((np.arange(len(s)), -s))[:DEPTH] for s in scores]
    order = [rows[s[rows] > 0] for rows, s in zip(order, scores, strict=True)]
    return collection.run("words", order, [s[rows] for rows, s in zip(order, scores, strict=True)])


def fused(words: Run, topics: Run, how: str, by: str) -> Run:
    made = fuse_runs([words, topics], how, normalise=by)
    return Run(
        f"{how}-{by}", {q: [(hit.id, hit.score) for hit in hits] for q, hits in made.items()}
    )


def combinations(words: Run, topics: Run, qrels: Qrels) -> dict[str, tuple[float, float]]:
    """P@10 by score and by rank."""
    alone = {"words (BM25)": p10(words, qrels), "JS": p10(topics, qrels)}
    table = {name: (value, value) for name, value in alone.items()}
    for how in COMBINATIONS:
        by_score, by_rank = (fused(words, topics, how, by) for by in ("minmax", "rank"))
        table[how] = p10(by_score, qrels), p10(by_rank, qrels)
    return table


def p10(run: Run, qrels: Qrels) -> float:
    return round(float(by_query(run, qrels, ["p@10"])["p@10"].mean()), 4)


def figures(run: Run, qrels: Qrels) -> list[float]:
    values = by_query(run, qrels, MEASURES)
    return [round(float(values[name].mean()), 4) for name in MEASURES]


def means(sets: list[dict[str, Any]]) -> dict[str, Any]:
    """Every table as the plain mean over the collections."""
    return {
        table: {
            row: np.mean([one[table][row] for one in sets], axis=0).round(4).tolist()
            for row in sets[0][table]
        }
        for table in ("table_2", "table_3", "table_4", "table_5")
    }


if __name__ == "__main__":
    main()
