"""Rekabsaz et al., the follow-up that their slides announce (CIKM 2016): related words in all parts
of BM25, of pivoted length normalisation and of the language model; and five models' threshold.

For a query word q, W(q) are the words of the collection with at least the threshold's cosine to it:

    generalised   c' = c(q, d) + Σ cos(q, t) c(t, d)   t in W(q); the rest is that of q alone
    extended      also n' rows that hold q or a t, c' in all rows, |d|' = |d| − Σ (1 − cos) c(t, d)

    bm25          ln(1 + (N − n + ½)/(n + ½)) · c / (c + k1 (1 − b + b |d| / mean))
    pivoted       ln((N + 1)/n) · (1 + ln(1 + ln c)) / (1 − s + s |d| / mean)
    lm            ln((c + μ P) / (μ P)) + ln(μ / (|d| + μ))

``translated`` is the slides' own model: P_T = cos / Z in place of cos. Seven collections have short
queries; of three the documents are the queries. Parameters are tuned on Cranfield for the plain
models. With --models: five word2vec models of the seven collections' texts for each number of
dimensions, their threshold, and retrieval by their mean cosine.

    python reproduce/extended_models.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags, identity
from topic_documents import DOCUMENTS, bugs, collect, newsgroups, reuters
from topic_retrieval import Collection

from lexfield import Corpus, WordVectors
from lexfield.evaluate.measures import by_query, paired_t
from lexfield.vectors.models import Models, is_models
from lexfield.vectors.threshold import threshold as find_threshold
from lexfield.vectors.train import train

HERE = Path(__file__).parent
OUT = HERE / "results" / "extended_models.json"
SETS = ("cranfield", "med", "cisi", "cacm", "time", "scifact-dev", "adi")
TUNING = "cranfield"
WHOLE = {"bug reports": bugs, "newsgroups": newsgroups, "Reuters": reuters}  # asked by documents
KINDS = ("lm", "bm25", "pivoted")
MUS = (50, 100, 200, 300, 500, 700, 1000, 1500, 2500)
K1S, BS = (0.9, 1.2, 1.5, 2.0), (0.4, 0.6, 0.75, 0.9)
SLOPES = (0.05, 0.1, 0.2, 0.3, 0.4)
THRESHOLDS = [round(0.4 + 0.05 * step, 2) for step in range(12)]
DIMENSIONS, MODELS, EPOCHS, LEAST = (100, 200, 300, 400), 5, 5, 5
DEPTH, SEED = 1000, 2016
_BLOCK = 1000


class Task:
    """A collection without stopwords, and which of its words are related."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        kept = [column for column, word in enumerate(collection.words) if word]
        self.words = [collection.words[column] for column in kept]
        self.counts = collection.documents[:, kept].tocsr().astype(np.float64)
        queries = collection.queries[:, kept].tocsc().astype(np.float64)
        self.columns = np.flatnonzero(np.diff(queries.indptr))  # words that a query holds
        self.queries = queries[:, self.columns].tocsr()
        self.lengths = np.asarray(self.counts.sum(axis=1)).ravel()
        self.cosines: Any = None

    def relate(self, models: Sequence[WordVectors], least: float) -> None:
        """Find all pairs of words with a mean cosine of at least ``least``."""
        own = np.array([models[0].own_row(word) for word in self.words])
        known = np.flatnonzero(own >= 0)
        units = []
        for model in models:
            rows = model.embed([self.words[word] for word in known]).matrix.astype(np.float32)
            units.append(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))
        parts = []
        for start in range(0, len(known), _BLOCK):
            block = sum(unit[start : start + _BLOCK] @ unit.T for unit in units) / len(units)
            first, second = np.nonzero(block >= least)
            parts.append((first + start, second, block[first, second]))
        first, second, values = (np.concatenate(some) for some in zip(*parts, strict=True))
        differ = first != second
        pairs = known[first[differ]], known[second[differ]]
        shape = (len(self.words), len(self.words))
        self.cosines = csr_matrix((values[differ].astype(np.float64), pairs), shape)

    def score(self, kind: str, form: str, value: float, tuned: dict[str, Any]) -> Any:
        """Scores of all rows for all queries, in one of the forms that the module describes."""
        related = self.cosines.multiply(self.cosines >= value) if form != "plain" else None
        every = identity(len(self.words), format="csr")
        weights = every if related is None else (every + related).tocsr()
        if form == "translated":
            weights = diags(1 / np.asarray(weights.sum(axis=1)).ravel()) @ weights
        weights = weights.tocsc()[:, self.columns]
        counts = (self.counts @ weights).tocsc()
        own = self.counts.tocsc()[:, self.columns]
        pattern = counts.copy()
        pattern.data = np.ones_like(pattern.data)
        holding, total = (np.asarray(m.sum(axis=0)).ravel() for m in (pattern, counts))
        size = np.full(len(self.columns), self.lengths.sum())
        lengths = self.lengths[counts.indices]
        if form == "extended":
            flat = weights.copy()
            flat.data = 1 - flat.data
            less = (self.counts @ flat).tocsc()
            size -= np.asarray(less.sum(axis=0)).ravel()
            lengths = lengths - _align(less, counts)
        elif form == "generalised":
            plain = np.diff(own.indptr), np.asarray(own.sum(axis=0)).ravel()
            holding = np.where(plain[0] > 0, plain[0], holding)
            total = np.where(plain[1] > 0, plain[1], total)
        at = np.repeat(np.arange(len(self.columns)), np.diff(counts.indptr))
        rows = len(self.lengths)
        c, n, mean = counts.data, holding[at], size[at] / rows
        if kind == "bm25":
            idf = np.log1p((rows - n + 0.5) / (n + 0.5))
            norm = tuned["k1"] * (1 - tuned["b"] + tuned["b"] * lengths / mean)
            counts.data = idf * c / (c + norm)
        elif kind == "pivoted":
            damped = 1 + np.log(np.maximum(1 + np.log(c), 1e-3))
            norm = 1 - tuned["s"] + tuned["s"] * lengths / mean
            counts.data = np.log((rows + 1) / n) * np.maximum(damped, 1e-3) / norm
        else:
            mu, share = tuned["mu"], total[at] / size[at]
            held = np.log(mu / (self.lengths[counts.indices] + mu))  # added to every row below
            counts.data = np.log1p(c / (mu * share)) + np.log(mu / (lengths + mu)) - held
        scores = np.asarray((self.queries @ counts.T).todense())
        if kind == "lm":
            number = self.queries @ (total > 0)  # words that nothing holds say nothing
            norms = number[:, None] * np.log(tuned["mu"] / (self.lengths + tuned["mu"]))
            scores = np.where(scores != 0, scores + norms, -np.inf)
        else:
            scores = np.where(scores != 0, scores, -np.inf)
        return scores

    def measure(self, kind: str, form: str, value: float, tuned: dict[str, Any]) -> Any:
        """Average precision of every query."""
        scores = self.score(kind, form, value, tuned)
        rows = [np.lexsort((np.arange(len(s)), -s))[:DEPTH] for s in scores]
        rows = [row[np.isfinite(s[row])] for row, s in zip(rows, scores, strict=True)]
        found = [s[row] for row, s in zip(rows, scores, strict=True)]
        run = self.collection.run(kind, rows, found)
        return by_query(run, self.collection.qrels, ["map"])["map"]


def _align(matrix: Any, like: Any) -> Any:
    """The values of a matrix where another has entries."""
    aligned = matrix + like  # its pattern is that of ``like``, which holds the other's
    aligned.sort_indices()
    like.sort_indices()
    assert len(aligned.data) == len(like.data)
    return aligned.data - like.data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", nargs="*", help="Collections to run again.")
    parser.add_argument("--models", action="store_true", help="Only the five models.")
    parser.add_argument("--dimensions", type=int, nargs="*", default=DIMENSIONS)
    parser.add_argument("--work", type=Path, default=HERE / "models")
    options = parser.parse_args()
    started = time.time()
    result = json.loads(OUT.read_text("utf-8")) if OUT.is_file() else {}
    tuned = result.get("tuned") if options.only else None
    tuned = tuned or tune(read_task(options.data, TUNING))
    result |= {"tuned": tuned, "seed": SEED}
    if options.models:
        tasks = {name: read_task(options.data, name) for name in SETS}
        by_models(options, tasks, tuned, result.setdefault("dimensions", {}))
    else:
        vectors = WordVectors.load("default")
        sets = result.setdefault("sets", {})
        for name in options.only or (*SETS, *WHOLE):
            sets[name] = compare(read_task(options.data, name), vectors, tuned)
        result["sets"] = {name: sets[name] for name in (*SETS, *WHOLE) if name in sets}
    result["minutes"] = round((time.time() - started) / 60, 1)
    OUT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def read_task(data: Path, name: str) -> Task:
    if name in SETS:
        return Task(Collection.read(data / "ir" / name))
    read = WHOLE[name]
    return Task(collect(read(data), None if read is bugs else DOCUMENTS))


def tune(task: Task) -> dict[str, Any]:
    """What each plain model does best with on the tuning collection."""

    def best(kind: str, options: Iterable[dict[str, float]]) -> dict[str, float]:
        return max(options, key=lambda one: float(task.measure(kind, "plain", 1, one).mean()))

    return {
        **best("lm", ({"mu": mu} for mu in MUS)),
        **best("bm25", ({"k1": k1, "b": b} for k1 in K1S for b in BS)),
        **best("pivoted", ({"s": s} for s in SLOPES)),
    }


def compare(task: Task, vectors: WordVectors, tuned: dict[str, Any]) -> dict[str, Any]:
    """MAP of every model and form at the proposed threshold; p beside the plain form."""
    known = [word for word in task.words if vectors.own_row(word) >= 0]
    own = WordVectors(known, vectors.embed(known).matrix)
    value = round(find_threshold(own, sample=1000).threshold, 4)
    task.relate([vectors], value)
    table = {}
    for kind in KINDS:
        plain = task.measure(kind, "plain", value, tuned)
        table[kind] = {"plain": [round(float(plain.mean()), 4), 1.0]}
        forms = ["generalised", "extended", *(["translated"] if kind == "lm" else [])]
        for form in forms:
            other = task.measure(kind, form, value, tuned)
            p = paired_t(other - plain)
            table[kind][form] = [round(float(other.mean()), 4), float(f"{p:.3g}")]
    print(json.dumps({"threshold": value, **table}), flush=True)
    queries = len(task.collection.names)
    documents = len(task.lengths)
    return {"documents": documents, "queries": queries, "threshold": value, "table": table}


def by_models(
    options: argparse.Namespace, tasks: dict[str, Task], tuned: dict[str, Any], out: dict[str, Any]
) -> None:
    """For each number of dimensions: the threshold of five models, and retrieval with it."""
    for dims in options.dimensions:
        folder = options.work / f"collections-{dims}"
        if not is_models(folder):
            texts = [text for name in SETS for text in read_texts(options.data / "ir" / name)]
            corpus = Corpus.of(texts)
            train(corpus, folder, models=MODELS, dimensions=[dims], least=LEAST, epochs=EPOCHS)
        models = Models.open(folder)
        proposed = find_threshold(models)
        value = round(proposed.threshold, 4)
        one: dict[str, Any] = {
            "words": len(models.words),
            "threshold": value,
            "interval": [round(end, 4) for end in proposed.interval],
            "sets": {},
        }
        for name, task in tasks.items():
            task.relate(list(models), min(THRESHOLDS))
            plain = task.measure("lm", "plain", value, tuned)
            curve = {
                t: float(task.measure("lm", "translated", t, tuned).mean()) for t in THRESHOLDS
            }
            ours = task.measure("lm", "translated", value, tuned)
            best = max(curve, key=curve.__getitem__)
            one["sets"][name] = {
                "plain": round(float(plain.mean()), 4),
                "proposed": round(float(ours.mean()), 4),
                "p": float(f"{paired_t(ours - plain):.3g}"),
                "best": [best, round(curve[best], 4)],
            }
        out[str(dims)] = one
        print(dims, json.dumps(one), flush=True)


def read_texts(folder: Path) -> list[str]:
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    return [f"{row.get('title', '')}\n\n{row['text']}" for row in rows]


if __name__ == "__main__":
    main()
