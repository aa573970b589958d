"""What a reader of the page waits for: each question over HTTP, on the index of all books.

The index has 338,693 sentences with metadata. Every request differs from the others, so none but
``map_again`` is answered from memory; the server is warm, and shares the machine with this client.
Milliseconds until the whole answer is there; ``limits`` are the promises of the page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
from harness import rounded
from serve import _queries, served

from lexfield import Corpus, Document, Index

REQUESTS = 40
WARM = 3  # requests of each kind before the clock starts
LIMITS = {"search": 300, "reader": 150, "compare": 1000, "map_again": 300, "trend": 500}
_WORDS = """love death money sea house king war night god mother child heart ship horse letter
garden winter fire blood doctor church road river music bread dog school king's silver captain
island truth fear dream voice window door stone gold""".split()


def run(data: Path) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "books.idx"
        index = Index.build(Corpus.of(list_books(data)), path)
        with served(path, Path(folder) / "up") as (address, _):
            times = {
                name: measure(address, list(requests))
                for name, requests in list_requests(index).items()
            }
    slow = [name for name, most in LIMITS.items() if times[name]["p95_ms"] > most]
    return {"too_slow": slow, **times, "limits": LIMITS}


def list_books(data: Path) -> Iterator[Document]:
    """Return the books with what is known about them."""
    known = {
        one["key"]: one for one in json.loads((data / "books79/index.json").read_text("utf-8"))
    }
    for book in Corpus.read(data / "books79" / "txt").documents:
        about = known[book.id]
        fields = {name: str(about[name]) for name in ("author", "genre", "reading_level", "words")}
        yield Document(book.id, book.text, metadata=fields)


def list_requests(index: Index) -> dict[str, Iterator[tuple[str, dict[str, Any]]]]:
    """Return the requests of each kind, all different."""
    drawn = np.random.default_rng(0)
    ids = list(index.documents)
    total = REQUESTS + WARM
    texts = list(_queries(index, 2 * total))
    map_of: dict[str, Any] = {"measure": "js", "stopwords": "en"}
    return {
        "search": (("search", {"query": text, "k": 10}) for text in texts[:total]),
        "search_documents": (
            ("search", {"query": text, "unit": "document"}) for text in texts[total : 2 * total]
        ),
        "search_filtered": (
            ("search", {"query": text, "where": "genre=fiction"}) for text in texts[:total]
        ),
        "reader": (
            ("text", {"document": ids[drawn.integers(len(ids))], "start": int(start)})
            for start in drawn.integers(0, 2000, total)
        ),
        "concordance": (("kwic", {"word": word, "k": 20}) for word in _WORDS),
        "trend": (("trend", {"query": word, "by": "words"}) for word in _WORDS),
        "trend_along": (
            ("trend", {"query": word, "document": ids[drawn.integers(len(ids))]}) for word in _WORDS
        ),
        "compare": (
            ("compare", {"a": a, "b": b, "measure": "js", "stopwords": "en"})
            for a, b in (drawn.choice(ids, 2, replace=False).tolist() for _ in range(total))
        ),
        "facets": (("facets", {"where": f"words>={n}"}) for n in range(total)),
        "overview": (("overview", {"where": f"words>={n}"}) for n in range(8)),
        "map_first": iter([("map", map_of)]),
        "map_again": (("map", map_of) for _ in range(total)),
    }


def measure(address: str, requests: list[tuple[str, dict[str, Any]]]) -> dict[str, float]:
    """Ask one after another; return the median and the 95th percentile."""
    times = []
    for verb, options in requests:
        begin = time.perf_counter()
        urlopen(f"{address}/v1/{verb}?{urlencode(options, doseq=True)}").read()
        times.append(1000 * (time.perf_counter() - begin))
    kept = times[WARM:] or times
    return {
        "p50_ms": rounded(float(np.median(kept))),
        "p95_ms": rounded(float(np.percentile(kept, 95))),
        "requests": len(kept),
    }
