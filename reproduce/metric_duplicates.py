"""Beyond Mochihashi et al.: does a learned metric find duplicate bug reports?

2,503 Hadoop reports, 125 pairs known to be duplicates. Linked reports are a cluster; clusters are
dealt into five folds. The metric is learned from four, with shrinkage chosen by held-out
clusters among them, and every report of the fifth asks for its duplicates among all reports. Also
learned from sentences of the same report, for which nobody has to label anything.

    python reproduce/metric_duplicates.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from lexfield import Corpus, Document, Index, MinimumDistortion
from lexfield.evaluate.measures import by_query, compare
from lexfield.evaluate.trec import Run
from lexfield.index.learn_metric import learn_metric
from lexfield.metric.choose import choose_shrinkage
from lexfield.metric.features import Grams

HERE = Path(__file__).parent
SEED = 2004
FOLDS = 5
DEPTH = 100
AXES = 200
MEASURES = ("map", "11pt", "mrr", "r@1", "r@5", "r@10")
METHODS = ("mean", "ideas", "setcover")
LEARNED: dict[str, dict[str, Any]] = {
    "metric of the paper": {"shrinkage": 0.0},
    "shrinkage chosen": {},
    "shrinkage chosen, every cluster once": {"weights": "inverse_size"},
    "shrinkage chosen, by reliability": {"weights": "reliability"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    options = parser.parse_args()
    started = time.time()
    documents, clusters, fold = read(options.data / "gitbugs" / "hadoop")
    ids = [document.id for document in documents]
    qrels = {
        ids[row]: {ids[o]: 1 for o in np.flatnonzero(clusters == clusters[row]) if o != row}
        for row in np.flatnonzero(clusters >= 0)
    }
    runs: dict[str, dict[str, Any]] = {}
    shrinkages: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder:
        index = Index.build(Corpus.of(documents), Path(folder) / "idx")
        for method in (*METHODS, "bow"):
            runs[f"{method}: Euclid"] = ask(index, method, list(qrels))
        learned = learn_metric(index, "self", "sentences", unit="sentence")
        shrinkages["sentences of one report"] = [learned.shrinkage]
        under = Index.open(index.path, "sentences")
        for method in METHODS:
            runs[f"{method}: sentences of one report"] = ask(under, method, list(qrels))
        for number in range(FOLDS):
            asking = [ids[row] for row in np.flatnonzero(fold == number)]
            for variant, how in LEARNED.items():
                learned = learn_metric(index, f"fold{number}", "m", **how)
                shrinkages.setdefault(variant, []).append(learned.shrinkage)
                under = Index.open(index.path, "m")
                for method in METHODS if variant in list(LEARNED)[:2] else METHODS[:1]:
                    runs.setdefault(f"{method}: {variant}", {}).update(ask(under, method, asking))
            print(f"fold {number}: {time.time() - started:.0f} s", file=sys.stderr)
    runs |= by_grams(documents, clusters, fold, ids)
    result = {
        "reports": len(documents),
        "clusters": int(clusters.max()) + 1,
        "queries": len(qrels),
        "shrinkages": shrinkages,
        "table": [line(name, runs, qrels, clusters[clusters >= 0]) for name in runs],
        "seed": SEED,
        "minutes": round((time.time() - started) / 60, 1),
    }
    out = HERE / "results" / "metric_duplicates.json"
    out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(json.dumps(result, indent=1, ensure_ascii=False))


def read(folder: Path) -> tuple[list[Document], Any, Any]:
    """Reports; the cluster of each and its fold, -1 where no duplicate is known."""
    csv.field_size_limit(1 << 24)
    with open(folder / "bugs.csv", encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    rows = {record["Issue id"]: row for row, record in enumerate(records)}
    with open(folder / "duplicates.csv", encoding="utf-8", newline="") as file:
        pairs = [
            (rows[record["Issue id"]], rows[record["Duplicate id"]])
            for record in csv.DictReader(file)
            if record["Issue id"] in rows and record["Duplicate id"] in rows
        ]
    first, second = np.array(pairs).T
    links = coo_matrix((np.ones(len(pairs)), (first, second)), (len(records),) * 2)
    found = connected_components(links, directed=False)[1]
    linked = np.unique(np.concatenate([first, second]))
    clusters = np.full(len(records), -1)
    names, clusters[linked] = np.unique(found[linked], return_inverse=True)
    order = np.random.default_rng(SEED).permutation(len(names))
    fold = np.where(clusters >= 0, order[clusters] % FOLDS, -1)
    documents = []
    for row, record in enumerate(records):
        own = {
            f"fold{n}": str(clusters[row])
            for n in range(FOLDS)
            if clusters[row] >= 0 and fold[row] != n
        }
        text = f"{record['Summary']}.\n\n{record['Description']}"
        name = record["Issue id"]
        documents.append(Document(name, text, metadata={**own, "self": f"report {name}"}))
    return documents, clusters, fold


def ask(index: Index, method: str, ids: list[str]) -> dict[str, list[tuple[str, float]]]:
    """The best reports for each of some, itself left out."""
    return {
        identity: [(hit.document, hit.score) for hit in index.like(identity, method, DEPTH)]
        for identity in ids
    }


def by_grams(documents: list[Document], clusters: Any, fold: Any, ids: list[str]) -> dict[str, Any]:
    """The paper's features of all reports (no label is needed for them) on the first axes."""
    grams = Grams.of([document.text for document in documents], least=2, equal=False)
    points = grams.axes.apply(grams.training, AXES)
    points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12)
    runs: dict[str, Any] = {}
    for number in range(FOLDS):
        train = np.flatnonzero((clusters >= 0) & (fold != number))
        choice = choose_shrinkage(points[train], clusters[train])[0].shrinkage
        for name, shrinkage in (
            ("Euclid", 1.0),
            ("metric of the paper", 0.0),
            ("shrinkage chosen", choice),
        ):
            learned = MinimumDistortion(shrinkage).fit(points[train], clusters[train])
            mapped = learned.transform(points)
            for row in np.flatnonzero(fold == number):
                far = np.linalg.norm(mapped - mapped[row], axis=1)
                far[row] = np.inf
                order = np.argsort(far, kind="stable")[:DEPTH]
                best = [(ids[o], -float(far[o])) for o in order]
                runs.setdefault(f"tf–idf on {AXES} axes: {name}", {})[ids[row]] = best
    return runs


def line(name: str, runs: dict[str, Any], qrels: Any, owners: Any) -> dict[str, Any]:
    """Measures of a run, and how it compares with its own Euclidean one.

    The interval of the gain resamples clusters, whose ``owners`` are the queries in order.
    """
    run = Run(name, runs[name])
    values = {m: round(float(v.mean()), 4) for m, v in by_query(run, qrels, MEASURES).items()}
    base = f"{name.rpartition(': ')[0]}: Euclid"
    row: dict[str, Any] = {"run": name, **values}
    if base != name:
        other = Run(base, runs[base])
        found = compare(run, other, qrels, ("map",))[0]
        gaps = by_query(run, qrels, ["map"])["map"] - by_query(other, qrels, ["map"])["map"]
        sums, counts = np.bincount(owners, gaps), np.bincount(owners)
        drawn = np.random.default_rng(SEED).integers(0, len(counts), (5000, len(counts)))
        means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
        row |= {
            "map_gain": round(found.difference, 4),
            "interval": np.quantile(means, [0.025, 0.975]).round(4).tolist(),
            "better": found.better,
            "worse": found.worse,
            "p_t": float(f"{found.p_t:.3g}"),
            "p_randomisation": float(f"{found.p_randomisation:.3g}"),
        }
    return row


if __name__ == "__main__":
    main()
