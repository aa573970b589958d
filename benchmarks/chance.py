"""Is ``hit.chance`` right? Texts of one collection ask another, which does not answer them.

    python benchmarks/chance.py --data DATA

Per query, about 1 hit with a chance below 1 is promised, 0.1 with one below 0.1, and 10 below 10.
``copies``: texts of the collection ask, and find themselves; the share whose chance is 0.05 or
more. ``missing`` is the share of the words of queries that the collection lacks.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import jsonl, save

METHODS = ("best", "mean", "bm25")
OTHERS = ("lm", "jaccard", "bow", "edit")  # asked of fewer pairs
ENCODED = ("best", "encoder", "late", "fitted")
LIMITS = (0.02, 0.1, 1.0, 10.0)  # no chance is below 0.01
QUERIES = 100
COPIES = 50
SEED = 22
Pair = tuple[Sequence[str], str, Sequence[str]]  # texts, unit, queries


def read_pairs(data: Path) -> tuple[dict[str, Pair], dict[str, Pair]]:
    """Return pairs of collections and queries, and some of them to be encoded.

    None of them was used to choose the rule. Of some, most words of the queries are missing.
    """
    captions = [one["captions"][0] for one in jsonl(data / "flickr8k/captions.jsonl.gz")]
    verses = [one["text"] for one in jsonl(data / "bible/web-old-testament.jsonl.gz")]
    news = [one["text"] for one in jsonl(data / "reuters/documents.jsonl.gz")][:2500]
    posts = [one["text"] for one in jsonl(data / "newsgroups20/documents.jsonl.gz")]
    ir = {
        (name, kind): [json.loads(one)["text"] for one in (data / f"ir/{name}/{kind}.jsonl").open()]
        for name in ("med", "cranfield", "time")
        for kind in ("corpus", "queries")
    }
    csv.field_size_limit(1 << 24)
    with open(data / "gitbugs/hadoop/bugs.csv", encoding="utf-8", newline="") as file:
        titles = [record["Summary"] for record in csv.DictReader(file)]
    abstracts, aircraft = ir["med", "corpus"], ir["cranfield", "queries"]
    pairs: dict[str, Pair] = {
        "Reuters sentences asked by picture captions": (news, "sentence", captions),
        "MED abstracts asked by Bible verses": (abstracts, "document", verses),
        "Bible verses asked by titles of bug reports": (_pick(verses, 4000), "document", titles),
        "picture captions asked by Cranfield's questions":
            (_pick(captions, 2000), "document", aircraft),
        "titles of bug reports asked by Bible verses": (titles, "document", verses),
        "newsgroup posts asked by Time's articles":
            (_pick(posts, 1500), "document", ir["time", "corpus"]),
        "20 picture captions asked by MED's questions":
            (_pick(captions, 20), "document", ir["med", "queries"]),
        "60 Bible verses asked by Cranfield's questions":
            (_pick(verses, 60), "document", aircraft),
        "200 MED abstracts asked by picture captions":
            (_pick(abstracts, 200), "document", captions),
    }  # fmt: skip
    encoded: dict[str, Pair] = {
        "picture captions asked by Cranfield's questions, encoded":
            (_pick(captions, 1000), "document", aircraft),
        "200 MED abstracts asked by Bible verses, encoded":
            (_pick(abstracts, 200), "document", verses),
    }  # fmt: skip
    return pairs, encoded


def _pick(texts: Sequence[str], count: int) -> list[str]:
    chosen = np.random.default_rng(SEED).choice(len(texts), min(count, len(texts)), replace=False)
    return [texts[number] for number in chosen.tolist()]


def measure(pair: Pair, methods: Sequence[str], encoder: str | None = None) -> dict[str, Any]:
    from lexfield import Document, Index

    texts, unit, asking = pair
    index = Index([Document(str(number), text) for number, text in enumerate(texts)])
    if encoder:
        index.encode(encoder)
    queries = _pick(asking, QUERIES)
    words = [word for query in queries for word in index.query(query).words]
    rows = index.rows(unit)
    missing = sum(word not in index.lexicon.ids for word in words) / len(words)
    found: dict[str, Any] = {"rows": len(rows), "missing": round(missing, 2)}
    own = [rows.text(row) for row in _pick(range(len(rows)), COPIES)]  # type: ignore[arg-type]
    for method in methods:
        counts = np.zeros(len(LIMITS))
        for query in queries:
            chances = [hit.chance or 0.0 for hit in index.search(query, method, 60, unit=unit)]
            counts += [sum(chance < limit for chance in chances) for limit in LIMITS]
        first = [hit for text in own for hit in index.search(text, method, 1, unit=unit)]
        copies = [hit.chance or 0.0 for hit in first]
        found[method] = {
            "hits": [round(float(count), 3) for count in counts / len(queries)],
            "copies": round(float(np.mean(np.array(copies) >= 0.05)), 3),
        }
    return found


def run(data: Path) -> dict[str, Any]:
    pairs, encoded = read_pairs(data)
    result: dict[str, Any] = {"queries": QUERIES, "limits": LIMITS}
    for number, (name, pair) in enumerate(pairs.items()):
        result[name] = measure(pair, (*METHODS, *OTHERS) if number in (2, 3, 4) else METHODS)
        print(name, result[name], flush=True)
    for name, pair in encoded.items():
        result[name] = measure(pair, ENCODED, "minilm")
        print(name, result[name], flush=True)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    save("chance", run(parser.parse_args().data))
