"""The five tasks of the leaderboard. Every text is cut to its first 100 words, for every method.

A task is texts, the rows that ask (or texts of their own), and a figure made of rankings.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from harness import jsonl
from numpy.typing import NDArray

SEED = 12
WORDS = 100
Rankings = list[list[int]]  # rows, best first, one list a query
Values = NDArray[Any]  # one a query


def mean(values: Values, queries: Values) -> float:
    return float(values[queries].mean())


@dataclass(frozen=True)
class Task:
    """``grade`` makes a value of each query's ranking, ``figure`` the quality of some queries'."""

    name: str
    measure: str
    texts: list[str]
    queries: list[str]
    own: list[int]  # the row that a query is itself, which is left out; -1 where it is none
    depth: int
    grade: Callable[[Rankings], Values]
    figure: Callable[[Values, Values], float] = mean

    def score(self, values: Values) -> float:
        return self.figure(values, np.arange(len(values)))


def cut(text: str) -> str:
    return " ".join(text.split()[:WORDS])


def tasks(data: Path) -> list[Task]:
    return [
        sentences(data), duplicates(data), retrieval(data, "cranfield"),
        retrieval(data, "med"), *labels_and_clusters(data),
    ]  # fmt: skip


def sentences(data: Path) -> Task:
    """Captions of 400 pictures; one of each of 200 asks for the other four."""
    rng = np.random.default_rng(SEED)
    pictures = [record["captions"][:5] for record in jsonl(data / "flickr8k/captions.jsonl.gz")]
    chosen = rng.choice(len(pictures), 400, replace=False).tolist()
    texts = [cut(text) for picture in chosen for text in pictures[picture]]
    asking = (5 * rng.choice(400, 200, replace=False)).tolist()
    relevant = [{row + i for i in range(1, 5)} for row in asking]
    grade = lambda found: average_precision(found, relevant)  # noqa: E731
    return Task("similar sentences", "MAP", texts, [texts[r] for r in asking], asking, 100, grade)


def duplicates(data: Path) -> Task:
    """Hadoop reports with a known duplicate, which ask for it, among 1,000 others."""
    folder = data / "gitbugs" / "hadoop"
    csv.field_size_limit(1 << 24)
    with open(folder / "bugs.csv", encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    rows = {record["Issue id"]: row for row, record in enumerate(records)}
    linked: dict[int, set[int]] = {}
    with open(folder / "duplicates.csv", encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            pair = [rows.get(record[name]) for name in ("Issue id", "Duplicate id")]
            if None not in pair:
                a, b = int(pair[0] or 0), int(pair[1] or 0)
                linked.setdefault(a, set()).add(b)
                linked.setdefault(b, set()).add(a)
    others = [row for row in range(len(records)) if row not in linked]
    drawn = np.random.default_rng(SEED).choice(others, 1000, replace=False).tolist()
    kept = {row: place for place, row in enumerate(sorted([*linked, *drawn]))}
    texts = [cut(f"{records[r]['Summary']}. {records[r]['Description']}") for r in kept]
    asking = [kept[row] for row in sorted(linked)]
    relevant = [{kept[other] for other in linked[row]} for row in sorted(linked)]
    grade = lambda found: average_precision(found, relevant)  # noqa: E731
    return Task("duplicates", "MAP", texts, [texts[r] for r in asking], asking, 100, grade)


def retrieval(data: Path, name: str) -> Task:
    """The first 100 judged queries of a collection, or all that there are."""
    folder = data / "ir" / name
    documents = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    rows = {d["_id"]: row for row, d in enumerate(documents)}
    judged: dict[str, dict[int, int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        query, *_, document, grade = line.split()
        if document in rows and grade.lstrip("-").isdigit() and int(grade) > 0:
            judged.setdefault(query, {})[rows[document]] = int(grade)
    asked = [q for q in queries if q["_id"] in judged][:100]
    gains = [judged[q["_id"]] for q in asked]
    texts = [cut(f"{d.get('title', '')}. {d['text']}") for d in documents]
    return Task(
        f"retrieval, {name}", "nDCG@10", texts, [cut(q["text"]) for q in asked],
        [-1] * len(asked), 10, lambda found: ndcg(found, gains),
    )  # fmt: skip


def labels_and_clusters(data: Path) -> list[Task]:
    """20 Newsgroups without headers: 30 known and 10 new posts of each group."""
    known: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for record in jsonl(data / "newsgroups20" / "documents.jsonl.gz"):
        text = cut(record["text"].partition("\n\n")[2])
        part, most = (known, 30) if record["split"] == "train" else (new, 10)
        if len(text.split()) >= 20 and len(part.setdefault(record["group"], [])) < most:
            part[record["group"]].append(text)
    names = sorted(known)
    old = [(text, group) for group in names for text in known[group]]
    fresh = [(text, group) for group in names for text in new[group]]
    texts, queries = [text for text, _ in old], [text for text, _ in fresh]

    def right(found: Rankings) -> Values:
        values = []
        for ranking, (_, group) in zip(found, fresh, strict=True):
            votes = Counter(old[row][1] for row in ranking[:5])
            best = max(votes.values(), default=0)
            first = next((old[r][1] for r in ranking[:5] if votes[old[r][1]] == best), None)
            values.append(float(first == group))
        return np.array(values)

    truth = np.array([names.index(group) for _, group in fresh])

    def v_measure(clusters: Values, queries: Values) -> float:
        from sklearn.metrics import v_measure_score

        return float(v_measure_score(truth[queries], clusters[queries]))

    cluster = lambda found: clustered(found, len(names))  # noqa: E731
    none = [-1] * len(queries)
    itself = list(range(len(queries)))
    return [
        Task("labelling", "accuracy", texts, queries, none, 5, right),
        Task("clustering", "V-measure", queries, queries, itself, len(queries), cluster, v_measure),
    ]


def average_precision(found: Rankings, relevant: list[set[int]]) -> Values:
    values = []
    for ranking, wanted in zip(found, relevant, strict=True):
        hits = [place for place, row in enumerate(ranking, 1) if row in wanted]
        values.append(sum(n / place for n, place in enumerate(hits, 1)) / len(wanted))
    return np.array(values)


def ndcg(found: Rankings, gains: list[dict[int, int]]) -> Values:
    values = []
    for ranking, wanted in zip(found, gains, strict=True):
        got = sum(wanted.get(row, 0) / np.log2(place + 1) for place, row in enumerate(ranking, 1))
        ideal = sorted(wanted.values(), reverse=True)[:10]
        values.append(got / sum(g / np.log2(place + 1) for place, g in enumerate(ideal, 1)))
    return np.array(values)


def clustered(found: Rankings, k: int) -> Values:
    """Average linkage over the mean of reciprocal ranks: needs no scale of scores."""
    from sklearn.cluster import AgglomerativeClustering

    near = np.zeros((len(found), len(found)))
    for row, ranking in enumerate(found):
        near[row, ranking] = 1 / np.arange(1, len(ranking) + 1)
    far: Any = 1 - (near + near.T) / 2
    np.fill_diagonal(far, 0)
    model = AgglomerativeClustering(k, metric="precomputed", linkage="average")
    return np.asarray(model.fit_predict(far))
