"""Is ``hit.chance`` right? Texts of one collection ask another, which does not answer them.

    python benchmarks/chance.py --data DATA

Per query, about 1 hit with a chance below 1 is promised, 0.1 with one below 0.1, and 10 below 10.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from harness import jsonl, save

METHODS = ("best", "mean", "bm25")
LIMITS = (0.01, 0.1, 1.0, 10.0)
QUERIES = 100
SEED = 22


def run(data: Path) -> dict[str, Any]:
    from lexfield import Document, Index

    captions = [one["captions"][0] for one in jsonl(data / "flickr8k/captions.jsonl.gz")]
    verses = [one["text"] for one in jsonl(data / "bible/web-old-testament.jsonl.gz")]
    news = [one["text"] for one in jsonl(data / "reuters/documents.jsonl.gz")][:2500]
    lines = (data / "ir/med/corpus.jsonl").read_text("utf-8").splitlines()
    abstracts = [json.loads(line)["text"] for line in lines]
    pairs = {
        "Reuters sentences asked by picture captions": (news, "sentence", captions),
        "MED abstracts asked by Bible verses": (abstracts, "document", verses),
    }
    result: dict[str, Any] = {"queries": QUERIES, "limits": LIMITS}
    for name, (texts, unit, asking) in pairs.items():
        index = Index([Document(str(number), text) for number, text in enumerate(texts)])
        chosen = np.random.default_rng(SEED).choice(len(asking), QUERIES, replace=False)
        queries = [asking[i] for i in chosen.tolist()]
        result[name] = {"rows": len(index.rows(unit))}
        for method in METHODS:
            counts = np.zeros(len(LIMITS))
            for query in queries:
                chances = [hit.chance or 0.0 for hit in index.search(query, method, 60, unit=unit)]
                counts += [sum(chance < limit for chance in chances) for limit in LIMITS]
            result[name][method] = [round(float(c), 3) for c in counts / QUERIES]
            print(name, method, result[name][method], flush=True)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    save("chance", run(parser.parse_args().data))
