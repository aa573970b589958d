"""Mochihashi et al., future work: induced weights, the hypersphere, reduction and metric learned
together, and a kernel, on captions of Flickr8k.

Ten random sets of 200 training and 50 test clusters; the features are the paper's, with 5% of the
dimensions. What wins over the metric on the first five sets is tried again on the other five: only
what wins there too is worth keeping.

    python reproduce/metric_future.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.stats import ttest_rel

from lexfield import MinimumDistortion
from lexfield.metric.choose import measure_recovery
from lexfield.metric.features import Grams

HERE = Path(__file__).parent
SEED = 2005
SHARE, SETS, ROUNDS = 0.05, 10, 5
Pair = tuple[Any, Any]  # training and test rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    path = parser.parse_args().data / "flickr8k" / "captions.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        clusters = [json.loads(line)["captions"] for line in file]
    rng = np.random.default_rng(SEED)
    values: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for _ in range(SETS):
        drawn = [clusters[i] for i in rng.choice(len(clusters), 250, replace=False)]
        (train, own), (test, truth) = flatten(drawn[:200]), flatten(drawn[200:])
        grams = Grams.of(train, seed=SEED)
        size = grams.dimensions(SHARE)
        full = tuple(np.asarray(grams.axes.apply(part, len(grams.axes)))
                     for part in (grams.training, grams.weighted(test)))  # fmt: skip
        for name, variant in VARIANTS.items():
            values[name].append(measure_recovery(variant(full, own, size), truth).eleven_point)
    result = {"sets": SETS, "share": SHARE, "table": summarise(values), "seed": SEED}
    text = json.dumps(result, indent=1)
    (HERE / "results" / "metric_future.json").write_text(text + "\n", "utf-8")
    print(text)


def flatten(clusters: list[list[str]]) -> tuple[list[str], Any]:
    texts = [text for cluster in clusters for text in cluster]
    return texts, np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters])


def summarise(values: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Both halves of each variant, and its gain over the metric with p of the paired t test."""
    base = np.array(values["metric"])
    rows = []
    for name, found in values.items():
        row: dict[str, Any] = {"variant": name}
        for half, part in (("first", slice(SETS // 2)), ("second", slice(SETS // 2, None))):
            own = np.array(found)[part]
            gain = float((own - base[part]).mean())
            p = float(ttest_rel(own, base[part]).pvalue) if name != "metric" else 1.0
            row[half] = {"eleven_point": round(float(own.mean()), 4), "gain": round(gain, 4),
                         "p": float(f"{p:.2g}")}  # fmt: skip
        rows.append(row)
    return rows


def euclid(full: Pair, own: Any, size: int) -> Any:
    return full[1][:, :size]


def metric(full: Pair, own: Any, size: int) -> Any:
    train, test = (rows[:, :size] for rows in full)
    return MinimumDistortion().fit(train, own).transform(test)


def sphere(full: Pair, own: Any, size: int) -> Any:
    """Rows of length one before and after the map: angles are compared."""
    train, test = (unit(rows[:, :size]) for rows in full)
    return unit(MinimumDistortion().fit(train, own).transform(test))


def unit_euclid(full: Pair, own: Any, size: int) -> Any:
    return unit(full[1][:, :size])


def unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def induced(full: Pair, own: Any, size: int) -> Any:
    """ξ of a cluster is the inverse of its distortion under the metric that ξ leads to."""
    train, test = (rows[:, :size] for rows in full)
    weights = dict.fromkeys(own.tolist(), 1.0)
    for _ in range(ROUNDS):
        learned = MinimumDistortion(weights=weights).fit(train, own)
        mapped = learned.transform(train)
        spread = {c: mapped[own == c].var(axis=0).sum() for c in weights}
        middle = float(np.median(list(spread.values())))
        weights = {c: middle / max(value, 0.1 * middle) for c, value in spread.items()}
    return learned.transform(test)


def joint(full: Pair, own: Any, size: int) -> Any:
    """Axes by the ratio of variance over that within clusters, from four times as many axes."""
    train, test = (rows[:, : 4 * size] for rows in full)
    centres = np.stack([train[own == c].mean(axis=0) for c in range(own.max() + 1)])
    within = np.cov((train - centres[own]).T)
    within += 0.1 * np.trace(within) / len(within) * np.eye(len(within))
    _, axes = eigh(np.cov(train.T), within)
    return test @ axes[:, ::-1][:, :size]


def kernel(full: Pair, own: Any, size: int) -> Any:
    """A Gaussian kernel's principal axes, then the metric."""
    train, test = (unit(rows) for rows in full)

    def compare(a: Any, b: Any) -> Any:
        return np.exp(2 * (a @ b.T - 1))

    gram = compare(train, train)
    values, axes = eigh(gram)
    axes = axes[:, ::-1][:, :size] / np.sqrt(np.maximum(values[::-1][:size], 1e-9))
    return MinimumDistortion().fit(gram @ axes, own).transform(compare(test, train) @ axes)


VARIANTS: dict[str, Callable[[Pair, Any, int], Any]] = {
    "Euclid": euclid,
    "Euclid, rows of length one": unit_euclid,
    "metric": metric,
    "induced weights": induced,
    "hypersphere": sphere,
    "reduction and metric together": joint,
    "kernel": kernel,
}


if __name__ == "__main__":
    main()
