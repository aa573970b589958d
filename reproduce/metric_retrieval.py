"""Mochihashi et al., sections 5.1 and 5.2: clusters of sentences and of documents recovered.

Sentences: the paper's are paraphrases of travel conversations in Japanese, which are not public;
here they are captions of one picture (flickr8k, five each). 10 random sets of 200 training and 50
test clusters. Documents: 20 Newsgroups without headers, 16 training and 4 test groups in 5 folds,
100 documents each, features in at least 5 training documents. Features, idf, axes and every
parameter come from the training clusters alone; shrinkage is chosen by held-out ones among them.

    python reproduce/metric_retrieval.py --data ../shared/data [--only sentences|documents]
    python reproduce/metric_retrieval.py --only documents --work parts --part 0  # then 1 … 4, peers
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from lexfield import MinimumDistortion, WordVectors
from lexfield.evaluate.measures import paired_t, randomisation
from lexfield.metric.choose import choose_shrinkage, measure_recovery
from lexfield.plots.figure import COLOURS, figure, save

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "benchmarks"), str(HERE)]
from metric_features import Covers, means  # noqa: E402
from metric_peers import attempt, learners  # noqa: E402

from lexfield.metric.features import Axes, Grams  # noqa: E402

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
# features → metric → of each set the precisions at eleven recalls and the R-precision, by query
Found = dict[str, dict[str, list[Any]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", choices=("sentences", "documents"))
    parser.add_argument("--work", type=Path, help="Folder for parts, so that runs can be split.")
    parser.add_argument("--part", help="Only this set (0, 1, …), or only peers; needs --work.")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of peers about small clusters
    with TemporaryDirectory() as folder:
        for name, cuts, how in (
            ("sentences", sentence_sets, {"equal": False}),
            ("documents", document_folds, {"equal": True, "least": 5}),
        ):
            if options.only in (None, name):
                sets = cuts(options.data)
                run(name, sets, how, options.work or Path(folder), options.part)


def run(name: str, cuts: list[Cut], how: dict[str, Any], work: Path, part: str | None) -> None:
    """Compute the parts that are missing; the report, when all are there."""
    tasks = {str(number): partial(one_set, cut, how) for number, cut in enumerate(cuts)}
    tasks["peers"] = partial(run_peers, cuts[0], how, SHOWN[name])
    paths = {task: work / f"{name}-{task}.npz" for task in tasks}
    for task, compute in tasks.items():
        if not paths[task].exists() and part in (None, task):
            started = time.time()
            np.savez(paths[task], **compute())
            print(f"{name}, {task}: {time.time() - started:.0f} s", file=sys.stderr)
    if not all(path.exists() for path in paths.values()):
        return
    found: Found = {}
    about = []
    for number in range(len(cuts)):
        with np.load(paths[str(number)]) as arrays:
            about.append(json.loads(str(arrays["about"])))
            for key in arrays.files[1:]:
                features, metric = key.split("|")
                values = arrays[key]  # eleven precisions and the R-precision of every query
                keep(found, features, metric, values)
    with np.load(paths["peers"]) as arrays:
        peers = json.loads(str(arrays["about"]))
    result = report(name, found, about, peers)
    out = HERE / "results" / f"metric_{name}.json"
    out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    plot(name, result)
    print(json.dumps(result, indent=1, ensure_ascii=False))


def one_set(cut: Cut, how: dict[str, Any]) -> dict[str, Any]:
    """All features and metrics of one set of clusters, as arrays to be kept."""
    train, own, test, truth = cut
    found: dict[str, Any] = {}
    vectors = WordVectors.default()
    grams = Grams.of(train, seed=SEED, **how)
    rows = grams.weighted(test)
    unit = [normalize(part) for part in (grams.training, rows)]
    found["all grams|tf–idf"] = measure_recovery(rows.toarray(), truth)
    found["all grams|tf–idf, unit length"] = measure_recovery(unit[1].toarray(), truth)
    tried = {}
    for share in SHARES:
        size = grams.dimensions(share)
        points = [grams.axes.apply(part, size) for part in (grams.training, rows)]
        tried[f"{share:.1%}"] = measure(found, f"{share:.1%}", *points, own, truth)
    best = max(tried, key=lambda share: tried[share].eleven_point)
    together = "share and shrinkage chosen together"
    found[f"{together}|shrinkage chosen"] = found[f"{best}|shrinkage chosen"]
    # Euclidean distance gets the share that is best for it on this very test set
    plain = [found[f"{share}|Euclid"] for share in tried]
    found[f"{together}|Euclid"] = max(plain, key=lambda r: r.eleven_point)
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
    about = {
        "features": len(grams.names),
        "median": grams.median,
        "dims": {f"{share:.1%}": grams.dimensions(share) for share in SHARES},
        "shrinkage": {share: choice.shrinkage for share, choice in tried.items()},
        "chosen_together": best,
    }
    arrays = {
        key: np.column_stack([value.precisions, value.r_precisions]).astype(np.float32)
        for key, value in found.items()
    }
    return {"about": np.array(json.dumps(about)), **arrays}


def measure(
    found: dict[str, Any], features: str, points: Any, others: Any, own: list[int], truth: list[int]
) -> Any:
    """Recover the test clusters by each metric; gives the choice of the shrinkage."""
    labels = np.array(own)
    found[f"{features}|Euclid"] = measure_recovery(others, truth)
    found[f"{features}|metric"] = measure_recovery(mapped(points, labels, others), truth)
    choice = choose_shrinkage(points, labels, seed=SEED)[0]
    shrunk = mapped(points, labels, others, shrinkage=choice.shrinkage)
    found[f"{features}|shrinkage chosen"] = measure_recovery(shrunk, truth)
    if points.shape[1] <= MOST_WEIGHTED:
        trusted = choose_shrinkage(points, labels, weights="reliability", seed=SEED)[0].shrinkage
        weighted = mapped(points, labels, others, shrinkage=trusted, weights="reliability")
        found[f"{features}|shrinkage chosen, by reliability"] = measure_recovery(weighted, truth)
    return choice


def mapped(points: Any, labels: Any, others: Any, **options: Any) -> Any:
    return MinimumDistortion(**options).fit(points, labels).transform(others)


def keep(found: Found, features: str, metric: str, values: Any) -> None:
    found.setdefault(features, {}).setdefault(metric, []).append(values.astype(np.float64))


def run_peers(cut: Cut, how: dict[str, Any], share: float) -> dict[str, Any]:
    train, own, test, truth = cut
    grams = Grams.of(train, seed=SEED, **how)
    size = grams.dimensions(share)
    points = grams.axes.apply(grams.training, size)
    others = grams.axes.apply(grams.weighted(test), size)
    labels = np.array(own)
    known = {"minimum distortion": lambda r, c: MinimumDistortion().fit(r, c).transform}
    peers = {}
    for name, learn in {**known, **learners(SEED)}.items():
        map_, took, problem = attempt(lambda learn=learn: learn(points, labels), LIMIT)
        value = measure_recovery(map_(others), truth).eleven_point if map_ else None
        peers[name] = {"eleven_point": value, "seconds": took, "problem": problem, "dims": size}
    return {"about": np.array(json.dumps(peers))}


def eleven(values: Any) -> Any:
    """11-point precision of every query."""
    return values[:, :11].mean(axis=1)


def mean_of(sets: list[Any], what: str = "eleven_point") -> float:
    """The mean over sets of a measure's mean over queries."""
    each = [eleven(v).mean() if what == "eleven_point" else v[:, 11].mean() for v in sets]
    return float(np.mean(each))


def report(name: str, found: Found, about: list[Any], peers: dict[str, Any]) -> dict[str, Any]:
    table = []
    for features, by_metric in found.items():
        euclid = by_metric["tf–idf" if features == "all grams" else "Euclid"]
        for metric, values in by_metric.items():
            row = {
                "features": features,
                "metric": metric,
                "r_precision": round(mean_of(values, "r_precision"), 4),
                "eleven_point": round(mean_of(values), 4),
            }
            if values is not euclid:
                row |= tested(values, euclid)
            table.append(row)
    curves = {
        metric: np.mean([v[:, :11].mean(axis=0) for v in values], axis=0).round(4).tolist()
        for metric, values in found[f"{SHOWN[name]:.1%}"].items()
    }
    result = {"table": table, "curves": curves, "about": about, "peers": peers, "seed": SEED}
    if name == "documents":
        result["table_1"] = [beside(found[f"{share:.1%}"], share) for share in SHARES]
    else:
        result["paper"] = {"eleven_point_gain": 0.33}
        gains = {f"{s:.1%}": found[f"{s:.1%}"] for s in SHARES}
        result["eleven_point_gain"] = {
            share: round(mean_of(values["metric"]) / mean_of(values["Euclid"]) - 1, 3)
            for share, values in gains.items()
        }
    return result


def tested(values: list[Any], euclid: list[Any]) -> dict[str, Any]:
    """The gain in 11-point precision, and how sure it is, by sets and by queries."""
    gaps = [eleven(a) - eleven(b) for a, b in zip(values, euclid, strict=True)]
    sets = np.array([gap.mean() for gap in gaps])
    return {
        "gain": round(float(sets.mean()) / mean_of(euclid), 4),
        "sets_better": f"{int((sets > 0).sum())} of {len(sets)}",
        "p_sets_t": float(f"{paired_t(sets):.3g}"),
        "p_sets_randomisation": float(f"{randomisation(sets):.3g}"),
        "p_queries_t": float(f"{paired_t(np.concatenate(gaps)):.3g}"),
    }


def beside(by_metric: dict[str, list[Any]], share: float) -> dict[str, Any]:
    """A line of Table 1: the paper's figures and ours."""
    names = ("r_precision_metric", "r_precision_euclid", "eleven_metric", "eleven_euclid")
    ours = [
        round(mean_of(by_metric[metric], what), 3)
        for what in ("r_precision", "eleven_point")
        for metric in ("metric", "Euclid")
    ]
    return {
        "share": f"{share:.1%}",
        "paper": dict(zip(names, TABLE_1[share], strict=True)),
        "ours": dict(zip(names, ours, strict=True)),
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
