"""Mochihashi et al., sections 5.1 and 5.2: clusters of sentences and of documents recovered.

Sentences: the paper's are paraphrases of travel conversations in Japanese, which are not public;
here they are captions of one picture (flickr8k, five each). 10 random sets of 200 training and 50
test clusters. Documents: 20 Newsgroups without headers, 16 training and 4 test groups in 5 folds,
100 documents each, features in at least 5 training documents. Features, idf, axes and every
parameter come from the training clusters alone; shrinkage is chosen by held-out ones among them.

    python reproduce/metric_retrieval.py --data ../shared/data [--only sentences|documents]
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from lexfield import MinimumDistortion, WordVectors
from lexfield.evaluate.retrieval import paired_t, randomisation
from lexfield.metric.choose import choose_shrinkage
from lexfield.metric.features import Axes, Covers, Grams, means
from lexfield.metric.recovery import Recovery, recovery
from lexfield.plots.figure import COLOURS, figure, save

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "benchmarks"))
from metric_peers import attempt, learners  # noqa: E402

SEED = 2004
SHARES = (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.10, 0.20)
UNIT_SHARES = (0.005, 0.05)  # also with rows of length one, which the paper advises against
COVER_AXES = 100
MOST_WEIGHTED = 500  # dimensions up to which weights by reliability are tried
LIMIT = 40  # seconds for one fit of a peer
SHOWN = {"sentences": 0.05, "documents": 0.005}  # share of the curves, and of peers in one set
# share → R-precision under the metric and Euclidean, 11-point precision under both
TABLE_1 = {
    0.005: (0.421, 0.399, 0.476, 0.455),
    0.01: (0.388, 0.368, 0.450, 0.430),
    0.02: (0.359, 0.343, 0.425, 0.409),
    0.03: (0.344, 0.330, 0.411, 0.399),
    0.04: (0.335, 0.323, 0.402, 0.392),
    0.05: (0.329, 0.318, 0.397, 0.388),
    0.10: (0.316, 0.307, 0.379, 0.376),
    0.20: (0.343, 0.297, 0.397, 0.365),
}
Cut = tuple[list[str], list[int], list[str], list[int]]  # training texts, clusters; test ones
Found = dict[str, dict[str, list[Recovery]]]  # features → metric → recovery of each set


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", choices=("sentences", "documents"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of peers about small clusters
    for name, cuts, equal, least in (
        ("sentences", sentence_sets, False, 1),
        ("documents", document_folds, True, 5),
    ):
        if options.only in (None, name):
            run(name, cuts(options.data), equal, least)


def run(name: str, cuts: list[Cut], equal: bool, least: int) -> None:
    started = time.time()
    found: Found = {}
    about: dict[str, list[Any]] = {"features": [], "median": [], "shrinkage": [], "joint": []}
    peers: dict[str, list[Any]] = {}
    vectors = WordVectors.default()
    for number, (train, own, test, truth) in enumerate(cuts):
        grams = Grams.of(train, least=least, equal=equal, seed=SEED)
        rows = grams.weighted(test)
        about["features"].append(len(grams.names))
        about["median"].append(grams.median)
        unit = [normalize(part) for part in (grams.training, rows)]
        keep(found, "all grams", "tf–idf", recovery(rows.toarray(), truth))
        keep(found, "all grams", "tf–idf, unit length", recovery(unit[1].toarray(), truth))
        tried = {}
        for share in SHARES:
            size = grams.dimensions(share)
            points = [grams.axes.apply(part, size) for part in (grams.training, rows)]
            tried[share] = measure(found, f"{share:.1%}", *points, own, truth)
            if share == SHOWN[name] and number == 0:
                run_peers(peers, *points, own, truth)
        about["shrinkage"].append({f"{s:.1%}": c.shrinkage for s, c in tried.items()})
        best = max(tried, key=lambda share: tried[share].eleven_point)
        about["joint"].append(best)
        chosen = found[f"{best:.1%}"]["shrinkage chosen"][-1]
        keep(found, "share and shrinkage chosen together", "shrinkage chosen", chosen)
        keep(found, "share and shrinkage chosen together", "Euclid", best_euclid(found))
        unit_axes = Axes.of(unit[0])
        for share in UNIT_SHARES:
            size = min(grams.dimensions(share), len(unit_axes))
            points = [unit_axes.apply(part, size) for part in unit]
            measure(found, f"{share:.1%}, unit length", *points, own, truth)
        points = [means(part, vectors) for part in (train, test)]
        measure(found, "mean word vectors", *points, own, truth)
        covers = Covers.of(train, vectors)
        sparse = [covers.rows(part) for part in (train, test)]
        axes = Axes.of(sparse[0])
        points = [axes.apply(part, COVER_AXES) for part in sparse]
        measure(found, f"set cover, {COVER_AXES} axes", *points, own, truth)
        print(f"{name} {number + 1}/{len(cuts)}: {time.time() - started:.0f} s", file=sys.stderr)
    result = report(name, found, about, peers)
    result["minutes"] = round((time.time() - started) / 60, 1)
    out = HERE / "results" / f"metric_{name}.json"
    out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    plot(name, result)
    print(json.dumps(result, indent=1, ensure_ascii=False))


def measure(
    found: Found, features: str, points: Any, others: Any, own: list[int], truth: list[int]
) -> Any:
    """Recover the test clusters by each metric; gives the choice of the shrinkage."""
    labels = np.array(own)
    keep(found, features, "Euclid", recovery(others, truth))
    keep(found, features, "metric", recovery(mapped(points, labels, others), truth))
    choice = choose_shrinkage(points, labels, seed=SEED)[0]
    shrunk = mapped(points, labels, others, shrinkage=choice.shrinkage)
    keep(found, features, "shrinkage chosen", recovery(shrunk, truth))
    if points.shape[1] > MOST_WEIGHTED:
        return choice
    trusted = choose_shrinkage(points, labels, weights="reliability", seed=SEED)[0].shrinkage
    weighted = mapped(points, labels, others, shrinkage=trusted, weights="reliability")
    keep(found, features, "shrinkage chosen, by reliability", recovery(weighted, truth))
    return choice


def mapped(points: Any, labels: Any, others: Any, **options: Any) -> Any:
    return MinimumDistortion(**options).fit(points, labels).transform(others)


def keep(found: Found, features: str, metric: str, value: Recovery) -> None:
    found.setdefault(features, {}).setdefault(metric, []).append(value)


def best_euclid(found: Found) -> Recovery:
    """The share that is best for the Euclidean distance on this very test set: its best case."""
    return max((found[f"{s:.1%}"]["Euclid"][-1] for s in SHARES), key=lambda r: r.eleven_point)


def run_peers(
    peers: dict[str, list[Any]], points: Any, others: Any, own: list[int], truth: list[int]
) -> None:
    labels = np.array(own)
    known = {"minimum distortion": lambda r, c: MinimumDistortion().fit(r, c).transform}
    for name, learn in {**known, **learners(SEED)}.items():
        map_, took, problem = attempt(lambda learn=learn: learn(points, labels), LIMIT)
        value = recovery(map_(others), truth).eleven_point if map_ else None
        entry = {"eleven_point": value, "seconds": took, "problem": problem}
        peers.setdefault(name, []).append({**entry, "dims": points.shape[1]})


def report(
    name: str, found: Found, about: dict[str, list[Any]], peers: dict[str, list[Any]]
) -> dict[str, Any]:
    table = []
    for features, by_metric in found.items():
        euclid = by_metric.get("Euclid", by_metric.get("tf–idf"))
        assert euclid is not None
        for metric, values in by_metric.items():
            row = {
                "features": features,
                "metric": metric,
                "r_precision": round(float(np.mean([v.r_precision for v in values])), 4),
                "eleven_point": round(float(np.mean([v.eleven_point for v in values])), 4),
            }
            if values is not euclid:
                row |= tested(values, euclid)
            table.append(row)
    curves = {
        metric: np.mean([v.precisions.mean(axis=0) for v in values], axis=0).round(4).tolist()
        for metric, values in found[f"{SHOWN[name]:.1%}"].items()
    }
    result: dict[str, Any] = {
        "table": table,
        "curves": curves,
        "about": about,
        "peers": peers,
        "seed": SEED,
    }
    if name == "documents":
        result["table_1"] = [beside(found, share) for share in SHARES]
    else:
        gains = {s: gain(found[f"{s:.1%}"]) for s in SHARES}
        result["paper"] = {"eleven_point_gain": 0.33}
        result["eleven_point_gain"] = {f"{s:.1%}": round(g, 3) for s, g in gains.items()}
    return result


def gain(by_metric: dict[str, list[Recovery]]) -> float:
    ours, theirs = (np.mean([v.eleven_point for v in by_metric[m]]) for m in ("metric", "Euclid"))
    return float(ours / theirs - 1)


def tested(values: list[Recovery], euclid: list[Recovery]) -> dict[str, Any]:
    """The gain in 11-point precision, and how sure it is, by sets and by queries."""
    sets = np.array([a.eleven_point - b.eleven_point for a, b in zip(values, euclid, strict=True)])
    queries = np.concatenate(
        [a.eleven_points - b.eleven_points for a, b in zip(values, euclid, strict=True)]
    )
    base = float(np.mean([b.eleven_point for b in euclid]))
    return {
        "gain": round(float(sets.mean()) / base, 4),
        "sets_better": f"{int((sets > 0).sum())} of {len(sets)}",
        "p_sets_t": float(f"{paired_t(sets):.3g}"),
        "p_sets_randomisation": float(f"{randomisation(sets):.3g}"),
        "p_queries_t": float(f"{paired_t(queries):.3g}"),
    }


def beside(found: Found, share: float) -> dict[str, Any]:
    """A line of Table 1: the paper's figures and ours."""
    by_metric = found[f"{share:.1%}"]
    names = ("r_precision_metric", "r_precision_euclid", "eleven_metric", "eleven_euclid")
    ours = [
        float(np.mean([getattr(v, what) for v in by_metric[metric]]))
        for what in ("r_precision", "eleven_point")
        for metric in ("metric", "Euclid")
    ]
    return {
        "share": f"{share:.1%}",
        "paper": dict(zip(names, TABLE_1[share], strict=True)),
        "ours": dict(zip(names, [round(value, 3) for value in ours], strict=True)),
        "difference": tested(by_metric["metric"], by_metric["Euclid"]),
    }


def plot(name: str, result: dict[str, Any]) -> None:
    """Figures 2 and 3 of the paper: precision by recall, and 11-point precision by share."""
    looks = {
        "Euclid": ("Euclid", "o-", COLOURS[2]),
        "metric": ("metric of the paper", "o-", COLOURS[0]),
        "shrinkage chosen": ("with shrinkage chosen", "x--", COLOURS[1]),
    }
    shares = [100 * share for share in SHARES]
    with figure(9.5, 4.2) as drawing:
        left, right = drawing.subplots(1, 2)
        for metric, (label, style, colour) in looks.items():
            look = {"color": colour, "label": label}
            left.plot(np.arange(11) / 10, result["curves"][metric], style, **look)
            rows = {r["features"]: r for r in result["table"] if r["metric"] == metric}
            points = [rows[f"{share:.1%}"]["eleven_point"] for share in SHARES]
            right.plot(shares, points, style, **look)
        left.set(xlabel="recall", ylabel="interpolated precision", ylim=(0, 1))
        left.set_title(f"{name}, {SHOWN[name]:.1%} of the dimensions")
        right.set(xlabel="dimensions kept, % of features", ylabel="11-point average precision")
        right.set_xscale("log")
        right.set_xticks(shares, [f"{share:g}" for share in shares])
        right.minorticks_off()
        right.set_title(f"{name}, by dimensionality reduction")
        left.legend()
        save(drawing, HERE / "results" / f"metric_{name}.png")


def sentence_sets(data: Path) -> list[Cut]:
    """10 sets of 200 training and 50 test clusters, without a cluster in both."""
    with gzip.open(data / "flickr8k" / "captions.jsonl.gz", "rt", encoding="utf-8") as file:
        clusters = [json.loads(line)["captions"][:100] for line in file]
    rng = np.random.default_rng(SEED)
    cuts = []
    for _ in range(10):
        drawn = rng.choice(len(clusters), 250, replace=False).tolist()
        cuts.append(_cut([clusters[i] for i in drawn[:200]], [clusters[i] for i in drawn[200:]]))
    return cuts


def document_folds(data: Path) -> list[Cut]:
    """5 folds of 4 test groups; at most 100 documents of each group, without their headers."""
    groups: dict[str, list[str]] = {}
    path = data / "newsgroups20" / "documents.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            text = record["text"].partition("\n\n")[2]
            if text.strip():
                groups.setdefault(record["group"], []).append(text)
    rng = np.random.default_rng(SEED)
    drawn = {g: [t[i] for i in rng.choice(len(t), 100, replace=False)] for g, t in groups.items()}
    order = rng.permutation(sorted(drawn)).tolist()
    folds = [order[i : i + 4] for i in range(0, 20, 4)]
    return [
        _cut([drawn[g] for g in order if g not in fold], [drawn[g] for g in fold]) for fold in folds
    ]


def _cut(train: list[list[str]], test: list[list[str]]) -> Cut:
    return (
        [text for cluster in train for text in cluster],
        [number for number, cluster in enumerate(train) for _ in cluster],
        [text for cluster in test for text in cluster],
        [number for number, cluster in enumerate(test) for _ in cluster],
    )


if __name__ == "__main__":
    main()
