"""Krstovski et al., Tables 2–5 with whole documents as queries, the paper's task.

The paper asks with patents for the patents that they cite. Here a newsgroup post asks for posts of
its group, a Reuters article for articles with one of its topics, and a bug report for its
duplicates. As in the paper every second query is for development: on it the combination of lists is
chosen, and how many words a generated query has (Xue and Croft take the words of a patent's fields
with the highest tf–idf; here they are those of the whole text).

    python reproduce/topic_documents.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from topic_retrieval import PAPER, Collection, bm25, figures, means, measure, p10

from lexfield.evaluate.trec import Run

HERE = Path(__file__).parent
SEED = 2013
DOCUMENTS, QUERIES = 1500, 200  # drawn from a collection; of bug reports all are taken
SIZES = (50, 100, 200)  # 500 topics are too many for so few documents
LENGTHS = (10, 20, 50, 100)  # words of a generated query
Texts = dict[str, tuple[str, set[str]]]  # of each document: its text and its groups


class Documents(Collection):
    """A collection that is asked with its own documents, which never find themselves."""

    def run(self, name: str, rows: list[Any], scores: list[Any]) -> Run:
        found = super().run(name, rows, scores)
        return Run(name, {q: [p for p in pairs if p[0] != q] for q, pairs in found.queries.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    data = parser.parse_args().data
    os.environ["LEXFIELD_THREADS"] = "1"
    started = time.time()
    sets: dict[str, Any] = {}
    for name, read in (("bug reports", bugs), ("newsgroups", newsgroups), ("Reuters", reuters)):
        sets[name] = tables(collect(read(data), None if read is bugs else DOCUMENTS))
        print(name, json.dumps(sets[name]["table_2"]), flush=True)
    result = {
        "mean_of_sets": means(list(sets.values())),
        "paper": PAPER,
        "sets": sets,
        "sizes": SIZES,
        "seed": SEED,
        "minutes": round((time.time() - started) / 60, 1),
    }
    out = HERE / "results" / "topic_documents.json"
    out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def newsgroups(data: Path) -> Texts:
    """Posts without their headers, save the subject; a group's posts belong together."""
    found = {}
    for row in _lines(data / "newsgroups20" / "documents.jsonl.gz"):
        head, _, body = row["text"].partition("\n\n")
        subject = re.search(r"^Subject:\s*(?:Re:\s*)*(.*)$", head, re.M | re.I)
        found[row["id"]] = (f"{subject[1] if subject else ''}\n\n{body}", {row["group"]})
    return found


def reuters(data: Path) -> Texts:
    rows = _lines(data / "reuters" / "documents.jsonl.gz")
    return {row["id"]: (row["text"], set(row["topics"])) for row in rows}


def bugs(data: Path) -> Texts:
    """Reports by their chains of duplicates; a report without one is a group of its own."""
    folder = data / "gitbugs" / "hadoop"
    with (folder / "bugs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = {row["Issue id"]: f"{row['Summary']}\n\n{row['Description']}" for row in rows}
    groups: dict[str, set[str]] = {name: {name} for name in texts}
    with (folder / "duplicates.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            one, other = row["Issue id"], row["Duplicate id"]
            if one in groups and other in groups:
                joined = groups[one] | groups[other]
                groups |= dict.fromkeys(joined, joined)
    return {name: (text, {min(groups[name])}) for name, text in texts.items()}


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def collect(every: Texts, most: int | None) -> Documents:
    """Draw documents, and queries among those that share a group with another."""
    rng = np.random.default_rng(SEED)
    names = sorted(every)
    if most is not None:
        names = [names[row] for row in np.sort(rng.choice(len(names), most, replace=False))]
    members: dict[str, set[str]] = {}
    for name in names:
        for group in every[name][1]:
            members.setdefault(group, set()).add(name)
    alike = {
        name: set().union(*(members[group] for group in every[name][1])) - {name} for name in names
    }
    able = [name for name in names if alike[name]]
    asked = [able[row] for row in rng.permutation(len(able))[:QUERIES]]
    return Documents(
        names,
        [every[name][0] for name in names],
        {name: every[name][0] for name in asked},
        {name: dict.fromkeys(sorted(alike[name]), 1) for name in asked},
    )


def tables(collection: Documents) -> dict[str, Any]:
    """The tables, with the generated queries as another ranking by words."""
    development, test = collection.half(1), collection.half(0)
    words = bm25(collection)
    made = {length: bm25(collection, generate(collection, length)) for length in LENGTHS}
    length = max(made, key=lambda one: p10(made[one], development))
    result = measure(collection, words, SIZES)
    result["table_2"] |= {"generated query": figures(made[length], test)}
    result["words_of_generated_query"] = length
    return result


def generate(collection: Documents, length: int) -> Any:
    """The words of each query with the highest tf–idf, weighted by it."""
    counts = collection.queries.astype(np.float64)
    holding = np.bincount(collection.documents.indices, minlength=counts.shape[1])
    idf = np.log(collection.documents.shape[0] / np.maximum(holding, 1))
    idf[[column for column, word in enumerate(collection.words) if not word]] = 0
    rows, columns, data = [], [], []
    for row in range(counts.shape[0]):
        part = slice(counts.indptr[row], counts.indptr[row + 1])
        scores = np.log1p(counts.data[part]) * idf[counts.indices[part]]
        best = np.argsort(-scores, kind="stable")[:length]
        rows += [row] * len(best)
        columns += counts.indices[part][best].tolist()
        data += scores[best].tolist()
    return csr_matrix((data, (rows, columns)), counts.shape)


if __name__ == "__main__":
    main()
