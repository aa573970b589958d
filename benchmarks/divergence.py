"""All pairs of books as clouds: one walk for all documents beside a search per pair.

Peers, on a sample of the pairs, scaled to all of them: an exact faiss flat index per pair, and the
loop over words that Hare et al. published (distances of one word to all words of the other text,
sorted). Growth: more documents are further samples of the same books.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from harness import jsonl, rounded, seconds

from lexfield import Corpus, WordVectors
from lexfield.compare.batches import compare_clouds
from lexfield.compare.clouds import make_clouds
from lexfield.compare.counts import Counts, count_corpus
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import pairs

KS = [3, 5, 10, 25, 50, 100]
WORDS = 3000
PAIRS = 150  # timed with faiss
LOOPS = 40  # words timed with the loop


def run(data: Path) -> dict[str, Any]:
    corpus = Corpus.read([data / "books79" / "txt"])
    vectors = WordVectors.default()
    counts = count_corpus(corpus, stopwords="en", sample=WORDS)
    pairs(counts, "latent", KS, vectors=vectors, reduce="pca(2)")  # compiles what is to be timed
    ours = seconds(lambda: pairs(counts, "latent", KS, vectors=vectors), 2)
    faiss_seconds, loop_seconds = _peers(counts, vectors)
    return {
        "times_faiss_flat_per_pair": rounded(faiss_seconds / ours),
        "times_loop_over_words": rounded(loop_seconds / ours),
        "approximate": _approximate(counts, vectors),
        "growth": _growth(corpus, vectors),
        "peak_megabytes_at_80000_words_x_300": _peak(),
        "categorical_1000_documents": _categorical(data),
        "documents": len(counts.ids),
        "words_each": WORDS,
        "seconds": rounded(ours),
        "faiss_seconds": rounded(faiss_seconds),
        "loop_seconds": rounded(loop_seconds),
    }


def _peers(counts: Counts, vectors: WordVectors) -> tuple[float, float]:
    """Seconds that all ordered pairs would take."""
    import faiss

    points = make_clouds(counts, ComparisonOptions(space="latent", vectors=vectors))
    matrix = points.counts.tocsr()
    rows = points.vectors.astype(np.float32)
    clouds = [rows[matrix.indices[a:b]] for a, b in _spans(matrix.indptr)]
    rng = np.random.default_rng(0)
    drawn = [tuple(rng.integers(0, len(clouds), 2).tolist()) for _ in range(PAIRS)]

    def flat() -> None:
        for a, b in drawn:
            index = faiss.IndexFlatL2(rows.shape[1])
            index.add(clouds[b])
            index.search(clouds[a], max(KS) + 1)

    def loop() -> None:
        for a, b in drawn[:4]:
            for word in clouds[a][: LOOPS // 4]:
                distances = [float(np.linalg.norm(word - other)) for other in clouds[b]]
                _ = [sorted(distances)[k] for k in KS]

    everything = len(clouds) ** 2
    words = sum(len(cloud) for cloud in clouds) * len(clouds)
    return seconds(flat, 2) / PAIRS * everything, seconds(loop, 2) / LOOPS * words


def _spans(offsets: Any) -> list[tuple[int, int]]:
    return list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))


def _approximate(counts: Counts, vectors: WordVectors) -> dict[str, Any]:
    ks = [3, 10]
    exact = pairs(counts, "latent", ks, vectors=vectors)
    took = time.perf_counter()
    near = pairs(counts, "latent", ks, vectors=vectors, approximate=True)
    took = time.perf_counter() - took
    apart = ~np.eye(len(counts.ids), dtype=bool)
    return {
        "seconds": rounded(took),
        "mean_error_nats": {
            k: rounded(float(np.abs(near.estimates[k] - exact.estimates[k])[apart].mean()))
            for k in ks
        },
        "mean_value_nats": {k: rounded(float(exact.estimates[k][apart].mean())) for k in ks},
        "rank_correlation": {
            k: rounded(_correlation(near.estimates[k], exact.estimates[k], apart), 4) for k in ks
        },
    }


def _correlation(a: Any, b: Any, apart: Any) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(a[apart], b[apart]).statistic)


def _growth(corpus: Corpus, vectors: WordVectors) -> list[dict[str, Any]]:
    from scipy.sparse import vstack

    samples = [count_corpus(corpus, stopwords="en", sample=WORDS, seed=seed) for seed in range(5)]
    stacked = vstack([sample.matrix for sample in samples]).tocsr()
    rows = []
    for size in (20, 40, 79, 158, 316):
        part = Counts(stacked[:size], samples[0].types, [str(i) for i in range(size)])
        took = seconds(lambda part=part: pairs(part, "latent", KS, vectors=vectors), 1)  # type: ignore[misc]
        rows.append(
            {
                "documents": size,
                "seconds": rounded(took),
                "milliseconds_per_pair": rounded(1e3 * took / (size * (size - 1))),
            }
        )
    return rows


def _peak() -> int:
    """Peak memory in a process of its own; a few blocks show it, for all are alike."""
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=True, timeout=600
    )
    return int(json.loads(done.stdout)["megabytes"])


def _large() -> None:
    from scipy.sparse import random as random_matrix

    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(80_000)]
    vectors = WordVectors(words, rng.normal(size=(80_000, 300)).astype(np.float32))
    matrix = random_matrix(79, 80_000, density=0.05, format="csr", random_state=0)
    matrix.data = np.ceil(matrix.data * 3)
    matrix = matrix + _everywhere(79, 80_000)
    counts = Counts(matrix.tocsr(), words, [str(i) for i in range(79)])

    def stop(done: int, total: int | None) -> None:
        if done == 8:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        compare_clouds(
            counts, KS, ComparisonOptions(space="latent", vectors=vectors), progress=stop
        )
    print(json.dumps({"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def _everywhere(height: int, width: int) -> Any:
    """One count a word, so that every word is used."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(width), (np.arange(width) % height, np.arange(width))))


def _categorical(data: Path) -> dict[str, Any]:
    texts = [r["text"] for r in jsonl(data / "newsgroups20" / "documents.jsonl.gz")][:4000]
    corpus = Corpus.of([text for text in texts if len(text) > 200][:1000])
    counts = count_corpus(corpus)
    times = {}
    for measure in ("kl", "js", "hellinger", "renyi"):
        pairs(counts, measure=measure)
        times[measure] = rounded(seconds(lambda m=measure: pairs(counts, measure=m), 2))  # type: ignore[misc]
    pair = (counts.matrix[:1], counts.matrix[1:2])
    loop = seconds(lambda: _plain_kl(*pair), 5) * 1000 * 999
    return {
        "kl_times_loop_over_pairs": rounded(loop / times["kl"]),
        "seconds": times,
        "documents": len(counts.ids),
        "types": len(counts.types),
    }


def _plain_kl(left: Any, right: Any) -> float:
    """KL on the shared support of two texts, with dictionaries."""
    p, q = (
        dict(zip(m.indices.tolist(), (m.data / m.data.sum()).tolist(), strict=True))
        for m in (left, right)
    )
    return math.fsum(a * math.log(a / q[w]) for w, a in p.items() if w in q)


if __name__ == "__main__":
    _large()
