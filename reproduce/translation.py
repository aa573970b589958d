"""Rekabsaz, Lupu and Hanbury (2016): does a threshold on similarity make a translation language
model better than the plain one, is the proposed threshold near the best, does it beat top N?

For every collection of the data folder: MAP, P@10 and nDCG@10 of the language model, BM25, BM25
with extended counts, and translation by the proposed threshold, by the best one (brute force, which
looks at the judgements), by the best one of the tuning collection, and by the N nearest words. μ,
k1 and b are tuned on the tuning collection alone, for the plain models.

    python reproduce/translation.py                     all, with the default vectors
    python reproduce/translation.py --vectors glove     writes its own files
    python reproduce/translation.py --only med time     some; the others are kept as they were
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.evaluate.measures import by_query, paired_t
from lexfield.evaluate.trec import Run, read_qrels, read_queries
from lexfield.index.bags import Bags
from lexfield.index.related import list_relatable
from lexfield.plots.figure import COLOURS, figure, save
from lexfield.results import format_rows
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import Normalisation
from lexfield.vectors.threshold import threshold as find_threshold
from lexfield.vectors.wordvectors import WordVectors

HERE = Path(__file__).parent
SETS = ("cranfield", "med", "cisi", "cacm", "time", "scifact-dev", "adi")
TUNING = "cranfield"
MEASURES = ("map", "p@10", "ndcg@10")
THRESHOLDS = [round(0.4 + 0.025 * step, 3) for step in range(24)]
TOPS = tuple(range(1, 21))
MUS = (50, 100, 200, 300, 500, 700, 1000, 1500, 2500)
K1S, BS = (0.9, 1.2, 1.5, 2.0), (0.4, 0.6, 0.75, 0.9)
DEPTH = 1000

PAPER = {
    "collections": "TREC 6, 7, 8 and HARD 2005: 524,000 to 1,033,000 news articles each",
    "findings": [
        "the best threshold is the proposed one or lies in its interval",
        "a threshold beats the N nearest words, for every N",
    ],
}
DIFFERENCES = {
    "collections": "The paper's are not free to share. These are small (82 to 5,183 documents,"
    " mostly abstracts), so a significant gain is harder to show and single queries weigh more.",
    "vectors": "The paper trained word2vec on Wikipedia at 100 to 400 dimensions, several models"
    " each; here it is one set, and the expected number of neighbours is a count over the words of"
    " the collection.",
}


class Collection:
    """An index of a collection, its judged queries, and values of every method asked so far."""

    def __init__(self, folder: Path, target: Path, vectors: str, stem: str) -> None:
        normalisation = Normalisation(stem=stem)
        corpus = Corpus.read(
            folder / "corpus.jsonl",
            id_field="_id",
            text_fields=["title", "text"],
            normalisation=normalisation,
        )
        self.name = folder.name
        self.index = Index.build(corpus, target, vectors=vectors)
        self._ids = list(corpus.ids)
        qrels = read_qrels(folder / "qrels.tsv")
        queries = read_queries(folder / "queries.jsonl")
        self.queries = {name: text for name, text in queries.items() if name in qrels}
        self.qrels = {name: qrels[name] for name in self.queries}
        self._values: dict[str, dict[str, NDArray[Any]]] = {}

    def values(self, spec: str) -> dict[str, NDArray[Any]]:
        """Every measure of a method for every query."""
        if spec not in self._values:
            found = {}
            for name, text in self.queries.items():
                ranking = self.index.search(text, spec, DEPTH, unit="document")
                ids = [self._ids[row] for row in ranking.rows]
                found[name] = list(zip(ids, ranking.scores, strict=True))
            self._values[spec] = by_query(Run(spec, found), self.qrels, MEASURES)
        return self._values[spec]

    def map(self, spec: str) -> float:
        return float(self.values(spec)["map"].mean())


def tune(collection: Collection) -> dict[str, Any]:
    """What the plain models do best with on the tuning collection, and the best threshold there."""
    mu = max(MUS, key=lambda value: collection.map(f"lm(mu={value})"))
    k1, b = max(
        ((k1, b) for k1 in K1S for b in BS),
        key=lambda pair: collection.map(f"bm25(k1={pair[0]}, b={pair[1]})"),
    )
    threshold = max(THRESHOLDS, key=lambda t: collection.map(translation(mu, threshold=t)))
    return {"mu": mu, "k1": k1, "b": b, "threshold": threshold}


def translation(mu: float, **by: float) -> str:
    ((name, value),) = by.items()
    return f"translation(mu={mu}, {name}={value})"


def measure(collection: Collection, tuned: dict[str, Any]) -> dict[str, Any]:
    mu, k1, b = tuned["mu"], tuned["k1"], tuned["b"]
    lexicon = collection.index.lexicon
    related = list_relatable(Bags.of(collection.index.rows("document"))).tolist()
    words = sorted(related, key=lexicon.words.__getitem__)
    vectors = WordVectors([lexicon.words[word] for word in words], lexicon.vectors[words])
    proposed = find_threshold(vectors, sample=1000)
    value = round(proposed.threshold, 4)
    by_threshold = {t: collection.map(translation(mu, threshold=t)) for t in THRESHOLDS}
    best = max(by_threshold, key=by_threshold.__getitem__)
    by_top = {n: collection.map(translation(mu, top=n)) for n in TOPS}
    best_top = max(by_top, key=by_top.__getitem__)
    specs = {
        "lm": f"lm(mu={mu})",
        "bm25": f"bm25(k1={k1}, b={b})",
        "bm25, extended counts": f"bm25(k1={k1}, b={b}, extend=true, threshold={value})",
        f"translation, proposed threshold {value:.2f}": translation(mu, threshold=value),
        f"translation, tuned threshold {tuned['threshold']:g}": translation(
            mu, threshold=tuned["threshold"]
        ),
        f"translation, best threshold {best:g}": translation(mu, threshold=best),
        "translation, top 1": translation(mu, top=1),
        "translation, top 10": translation(mu, top=10),
        f"translation, best top {best_top}": translation(mu, top=best_top),
    }
    rows = [_row(collection, name, spec, specs["lm"]) for name, spec in specs.items()]
    optimum = collection.values(translation(mu, threshold=best))["map"]
    level = [
        t
        for t in THRESHOLDS
        if paired_t(collection.values(translation(mu, threshold=t))["map"] - optimum) >= 0.05
    ]
    ours = collection.values(translation(mu, threshold=value))["map"]
    theirs = collection.values(translation(mu, top=best_top))["map"]
    return {
        "documents": len(collection.index.documents),
        "queries": len(collection.queries),
        "table": rows,
        "proposed": value,
        "interval": [round(v, 4) for v in proposed.interval],
        "best": best,
        "best_in_interval": proposed.interval[0] <= best <= proposed.interval[1],
        "as_good_as_best": [min(level), max(level)],
        "proposed_as_good_as_best": bool(paired_t(ours - optimum) >= 0.05),
        "proposed_minus_best_top": round(float((ours - theirs).mean()), 4),
        "proposed_minus_best_top_p": round(paired_t(ours - theirs), 4),
        "tops_beaten": sum(by_top[n] < float(ours.mean()) for n in TOPS),
        "map_by_threshold": {str(t): round(v, 4) for t, v in by_threshold.items()},
        "map_by_top": {str(n): round(v, 4) for n, v in by_top.items()},
    }


def _row(collection: Collection, name: str, spec: str, plain_model: str) -> dict[str, Any]:
    """A line of the table; * where it differs from the language model with p < 0.05."""
    values, others = collection.values(spec), collection.values(plain_model)
    row: dict[str, Any] = {"method": name}
    for key in MEASURES:
        gap = values[key] - others[key]
        star = "*" if paired_t(gap) < 0.05 else ""
        row[key] = f"{values[key].mean():.4f}{star}"
    gain = values["map"].mean() / others["map"].mean() - 1
    row["gain"] = f"{gain:+.1%}"
    return row


def draw(sets: dict[str, Any], target: Path, vectors: str) -> None:
    """Gain of MAP over the language model, by threshold and by N, as in the paper."""
    with figure(9.5, 4.2) as drawing:
        left, right = drawing.subplots(1, 2, sharey=True)
        every: dict[str, list[dict[str, float]]] = {"threshold": [], "top": []}
        for number, (name, one) in enumerate(sets.items()):
            base = float(one["table"][0]["map"].rstrip("*"))
            for axis, kind in ((left, "threshold"), (right, "top")):
                curve = one[f"map_by_{kind}"]
                gains = [100 * (value / base - 1) for value in curve.values()]
                every[kind].append(dict(zip(curve, gains, strict=True)))
                colour = COLOURS[number % len(COLOURS)]
                axis.plot([float(x) for x in curve], gains, color=colour, lw=1, label=name)
            left.plot(one["proposed"], _at(one, base), "o", color=COLOURS[number % len(COLOURS)])
        for axis, curves in ((left, every["threshold"]), (right, every["top"])):
            common = [x for x in curves[0] if all(x in curve for curve in curves)]
            means = [float(np.mean([curve[x] for curve in curves])) for x in common]
            axis.plot([float(x) for x in common], means, "k", lw=2.5, label="mean of all")
        low, middle, high = (
            float(np.mean([one[key] if at is None else one[key][at] for one in sets.values()]))
            for key, at in (("interval", 0), ("proposed", None), ("interval", 1))
        )
        left.axvspan(low, min(high, THRESHOLDS[-1]), color="#888888", alpha=0.12, lw=0)
        left.axvline(middle, color="#555555", ls="--", lw=1)
        left.set_title("by threshold (dots: proposed; dashed: their mean; grey: interval)")
        left.set_xlabel("cosine from which words may stand for each other")
        left.set_ylabel("gain of MAP over the language model, %")
        right.set_title("by the N nearest words")
        right.set_xlabel("N")
        right.set_xticks([1, 5, 10, 15, 20])
        for axis in (left, right):
            axis.axhline(0, color="#000000", lw=0.8)
        right.legend(fontsize="small", loc="lower left", ncols=2)
        drawing.suptitle(f"Translation language model, vectors: {vectors}")
        save(drawing, target)


def _at(one: dict[str, Any], base: float) -> float:
    proposed = next(r for r in one["table"] if r["method"].startswith("translation, proposed"))
    return 100 * (float(proposed["map"].rstrip("*")) / base - 1)


def summary(sets: dict[str, Any]) -> dict[str, Any]:
    """The paper's two questions over the collections that nothing was tuned on."""
    rest = {name: one for name, one in sets.items() if name != TUNING} or sets
    return {
        "best_threshold_in_proposed_interval": [
            name for name, one in sets.items() if one["best_in_interval"]
        ],
        "proposed_not_significantly_below_best": [
            name for name, one in sets.items() if one["proposed_as_good_as_best"]
        ],
        "proposed_above_best_top": [
            name for name, one in sets.items() if one["proposed_minus_best_top"] > 0
        ],
        "mean_gain_percent_without_tuning_set": {
            method: round(float(np.mean([_gain(one, method) for one in rest.values()])), 1)
            for method in ("bm25", "bm25, extended counts", "translation, proposed",
                           "translation, tuned", "translation, best threshold",
                           "translation, top 1", "translation, top 10", "translation, best top")
        },
    }  # fmt: skip


def _gain(one: dict[str, Any], method: str) -> float:
    rows = [r for r in one["table"] if r["method"] == method]
    rows = rows or [r for r in one["table"] if r["method"].startswith(method)]
    return float(rows[0]["gain"].rstrip("%"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--vectors", default="default")
    parser.add_argument("--stem", default="none")
    parser.add_argument("--only", nargs="*", default=SETS)
    options = parser.parse_args()
    os.environ.setdefault("LEXFIELD_THREADS", "1")
    name = "translation" + "".join(
        f"-{value}" for value in (options.vectors, options.stem) if value not in ("default", "none")
    )
    target = HERE / "results" / f"{name}.json"
    kept = json.loads(target.read_text("utf-8")) if target.exists() else {}
    sets, tuned = kept.get("sets", {}), kept.get("tuned")
    started = time.time()
    order = sorted(options.only, key=lambda one: one != TUNING) if tuned else [
        TUNING, *(one for one in options.only if one != TUNING)
    ]  # fmt: skip
    with TemporaryDirectory() as folder:
        for one in order:
            source = options.data / "ir" / one
            if not source.is_dir():
                print(f"skipped: {source} is not here", file=sys.stderr)
                continue
            collection = Collection(source, Path(folder) / one, options.vectors, options.stem)
            tuned = tune(collection) if one == TUNING else tuned
            assert tuned is not None
            sets[one] = measure(collection, tuned)
            print(f"\n{one}: {sets[one]['documents']:,} documents, {sets[one]['queries']} queries")
            print("\n".join(format_rows(sets[one]["table"])), flush=True)
            ordered = {key: sets[key] for key in SETS if key in sets}
            result = {
                "summary": summary(ordered),
                "tuned": {**tuned, "on": TUNING},
                "paper": PAPER,
                "differences": DIFFERENCES,
                "vectors": options.vectors,
                "stem": options.stem,
                "sets": ordered,
                "minutes": round((time.time() - started) / 60, 1),
            }
            target.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
            draw(ordered, target.with_suffix(".png"), options.vectors)
    print(json.dumps(result["summary"], indent=1))


if __name__ == "__main__":
    main()
