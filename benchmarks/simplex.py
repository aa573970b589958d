"""Nearest mixtures at the size of Krstovski et al.'s Table 1 (350,000 × 550), and inference.

Peers, all in this run, on one thread: the loop that the paper timed (JS of the query and each
document in turn, here by NumPy and SciPy), a vectorised scan of blocks by the same functions, and
gensim's LDA inference. Approximate methods are in ``simplex_approximate.py``. All is timed by the
processor's clock, which other work on the machine disturbs least.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from harness import rounded, seconds
from numpy.typing import NDArray

from lexfield import Corpus
from lexfield.bags.matrix import BagMatrix
from lexfield.text.stopwords import stopwords
from lexfield.topics.lda import Filters, TopicModel
from lexfield.topics.simplex import Neighbours

ROWS, TOPICS, QUERIES, K = 350_000, 550, 100, 10
CHECKED = 30  # queries whose answer is compared with a full scan's
# (alpha, words a document): Dirichlet draws; where there are words, what an LDA makes of these
COLLECTIONS = {
    "dirichlet 0.01": (0.01, 0),
    "posterior 0.05": (0.05, 200),
    "dirichlet 0.05": (0.05, 0),
}

Array = NDArray[Any]


def run(data: Path) -> dict[str, Any]:
    os.environ["LEXFIELD_THREADS"] = "1"
    result: dict[str, Any] = {"rows": ROWS, "topics": TOPICS, "k": K, "inference": inference(data)}
    for name, (alpha, words) in COLLECTIONS.items():
        rng = np.random.default_rng(2013)
        mixtures = draw(ROWS, alpha, words, rng)
        queries = draw(QUERIES, alpha, words, rng).astype(np.float64)
        result[name] = certified(mixtures, queries)
        print(name, json.dumps(result[name], indent=1), file=sys.stderr)
        del mixtures
        gc.collect()
    return result


def draw(count: int, alpha: float, words: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Mixtures in float32; values under 1e-30 are zero, as denormal numbers slow every method."""
    made = np.empty((count, TOPICS), np.float32)
    for start in range(0, count, 10_000):
        part: Array = rng.dirichlet(np.full(TOPICS, alpha), min(10_000, count - start))
        if words:
            counts = rng.multinomial(words, part / part.sum(axis=1, keepdims=True) * (1 - 1e-12))
            part = (counts + alpha) / (words + TOPICS * alpha)
        part[part < 1e-30] = 0
        made[start : start + 10_000] = part
    return made


def loop(q: Array, mixtures: Array) -> Array:
    """For each document in turn."""
    from scipy.special import rel_entr

    out = np.empty(len(mixtures))
    for row, p in enumerate(mixtures):
        middle = (p + q) / 2
        out[row] = (rel_entr(p, middle).sum() + rel_entr(q, middle).sum()) / 2
    return out


def vectorised(q: Array, mixtures: Array) -> Array:
    """The same for blocks that fit the cache."""
    from scipy.special import rel_entr

    out = np.empty(len(mixtures))
    for start in range(0, len(mixtures), 512):
        block = mixtures[start : start + 512]
        middle = (block + q) / 2
        both = rel_entr(block, middle).sum(axis=1) + rel_entr(q, middle).sum(axis=1)
        out[start : start + 512] = both / 2
    return out


def certified(mixtures: Array, queries: Array) -> dict[str, Any]:
    start = time.process_time()
    neighbours = Neighbours(mixtures)
    building = time.process_time() - start
    neighbours.query(queries[0], K)
    took, found = [], []
    for q in queries:
        start = time.process_time()
        found.append(neighbours.query(q, K))
        took.append(time.process_time() - start)
    scans, loops, same = [], [], []
    for place in range(2):
        start = time.process_time()
        everything = vectorised(queries[place], mixtures)
        scans.append(time.process_time() - start)
        start = time.process_time()
        loop(queries[place], mixtures[: ROWS // 10])
        loops.append(10 * (time.process_time() - start))  # all documents cost the same
        expected = set(np.lexsort((np.arange(ROWS), everything))[:K].tolist())
        same.append(len(expected & set(found[place].rows.tolist())) / K)
    truth = Neighbours(mixtures, "scan").query(queries[:CHECKED], K).rows
    same += [
        len(set(a) & set(b.rows.tolist())) / K for a, b in zip(truth.tolist(), found, strict=False)
    ]
    proofs = [one.certificate for one in found]
    return {
        "times_loop": rounded(median(loops) / median(took)),
        "times_vectorised_scan": rounded(median(scans) / median(took)),
        "recall": float(np.mean(same)),
        "recall_checked_on": len(same),
        "certified": all(proof.exact for proof in proofs),
        "median_ms": rounded(1e3 * median(took)),
        "p95_ms": rounded(1e3 * float(np.quantile(took, 0.95))),
        "loop_seconds": rounded(median(loops)),
        "vectorised_seconds": rounded(median(scans)),
        "build_seconds": rounded(building),
        "candidates_median": median(proof.candidates for proof in proofs),
        "kth_js_median": rounded(median(float(proof.kth) for proof in proofs)),
        "bound_median": rounded(median(float(proof.bound) for proof in proofs)),
        "rows_under_the_hellinger_bound_alone": hellinger_candidates(
            mixtures, queries[0], proofs[0]
        ),
    }


def hellinger_candidates(mixtures: Array, q: Array, proof: Any) -> int:
    """How many rows ln 2 · h² ≤ JS would leave, if every row's h were known."""
    roots = np.sqrt(q)
    blocks = [mixtures[i : i + 5000] for i in range(0, len(mixtures), 5000)]
    affinities = np.concatenate([np.sqrt(block) @ roots for block in blocks])
    return int((np.log(2) * (1 - affinities) <= proof.kth).sum())


def cpu_seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    took = []
    for _ in range(3):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return min(took)


def inference(data: Path) -> dict[str, Any]:
    """New documents (SciFact's abstracts) under one model of 100 topics, ours and gensim's."""
    from gensim.models import LdaModel

    lines = (data / "ir" / "scifact-dev" / "corpus.jsonl").read_text("utf-8").splitlines()
    bags = BagMatrix.of(Corpus.of([json.loads(line)["text"] for line in lines]))
    words = ["" if word in stopwords("en") else word for word in bags.types]
    model = TopicModel.fit(bags.counts[:1000], words, 100, filters=Filters(), passes=3)
    columns = [words.index(word) for word in model.words]
    counts = bags.counts[1000:, columns].tocsr()
    model.infer(counts[:10])
    ours = cpu_seconds(lambda: model.infer(counts))
    theirs = LdaModel(
        num_topics=100,
        id2word=dict(enumerate(model.words)),
        alpha=[model.prior] * 100,
        iterations=100,
        gamma_threshold=1e-3,
        random_state=0,
    )
    theirs.state.sstats = model.weights.astype(np.float32)
    theirs.sync_state()
    pairs = [
        list(zip(counts.indices[a:b].tolist(), counts.data[a:b].tolist(), strict=True))
        for a, b in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    ]
    gensim = cpu_seconds(lambda: theirs.inference(pairs))
    both_cores = seconds(lambda: model.infer(counts)), seconds(lambda: theirs.inference(pairs))
    return {
        "times_gensim": rounded(both_cores[1] / both_cores[0]),
        "times_gensim_by_processor_time": rounded(gensim / ours),
        "documents": counts.shape[0],
        "topics": 100,
        "words": len(model.words),
        "seconds": rounded(ours),
        "gensim_seconds": rounded(gensim),
    }
