"""Mochihashi et al., section 5.3 and Figure 4: k-means under the metric on UCI sets.

k is the number of classes; 100 random starts; the share of pairs of rows that are together or apart
as they truly are. The paper learns the metric from the rows that it clusters, and so does the first
table; in the second it is learned from one half of the rows and the other half is clustered. Rows
are compressed by SVD to fewer dimensions, the last being the original ones. Standardised features
are beside, as the cheapest way to a sensible metric without any label.

The paper shows bars without numbers: what can be compared is whether the metric's are higher.

    python reproduce/metric_clustering.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lexfield import MinimumDistortion
from lexfield.evaluate.measures import paired_t

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "benchmarks"))
sys.path.append(str(HERE))
from metric_peers import attempt, learners  # noqa: E402
from metric_retrieval import document_folds  # noqa: E402

from lexfield.metric.features import Grams, clustering_precision  # noqa: E402

OUT = HERE / "results" / "metric_clustering.json"
SEED = 2004
STARTS = 100
LIMIT = 10  # seconds for one fit of a peer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--resume", action="store_true", help="Go on where a run was interrupted.")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    started = time.time()
    result: dict[str, Any] = {"starts": STARTS, "seed": SEED, "sets": []}
    if options.resume:
        result = json.loads(OUT.read_text("utf-8"))
    same = result.get("same_rows", [])
    halves = result.get("other_half", [])
    peers = result.get("peers_on_the_other_half", [])
    for name, rows, labels in sets(options.data):
        if name in result["sets"]:
            continue
        same += [cluster(name, rows, labels, dims) for dims in dimensions(rows)]
        halves.append(other_half(name, rows, labels))
        peers.append(beside_peers(name, rows, labels))
        print(f"{name}: {time.time() - started:.0f} s", file=sys.stderr)
        result["sets"].append(name)
        result |= {
            "summary": {"same_rows": summary(same), "other_half": summary(halves)},
            "same_rows": same,
            "other_half": halves,
            "peers_on_the_other_half": peers,
        }
        write(result)  # what is done so far: an interrupted run says which sets it holds
    result["newsgroups"] = newsgroups(options.data)
    write(result)
    print(json.dumps(result, indent=1, ensure_ascii=False))


def write(result: dict[str, Any]) -> None:
    OUT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")


def sets(data: Path) -> Iterator[tuple[str, Any, Any]]:
    """Name, rows and classes; nominal features as indicators, missing numbers as the mean."""
    from scipy.io import arff
    from sklearn.datasets import load_breast_cancer, load_digits

    for path in sorted((data / "uci").glob("*.arff")):
        text = re.sub(r",\s+", ",", path.read_text("utf-8"))  # soybean has spaces after commas
        table, about = arff.loadarff(io.StringIO(text))
        names = about.names()
        target = "class" if "class" in names else names[-1]
        columns = []
        for name, kind in zip(names, about.types(), strict=True):
            values = table[name]
            if name in (target, "Train or Test", "Speaker Number"):  # not measured on the row
                continue
            if kind == "numeric":
                columns.append(np.where(np.isnan(values), np.nanmean(values), values)[:, None])
            else:
                known = sorted(set(values.tolist()) - {b"?"})
                columns.append((values[:, None] == np.array(known)).astype(float))
        yield path.stem, np.concatenate(columns, axis=1), np.unique(table[target], False, True)[1]
    for name, load in (("breast cancer", load_breast_cancer), ("digits", load_digits)):
        rows, labels = load(return_X_y=True)
        yield name, rows, labels


def dimensions(rows: Any) -> list[int]:
    """Two, half of them, and all as they are."""
    size = rows.shape[1]
    return sorted({d for d in (2, size // 2, size) if d >= 2})


def cluster(name: str, rows: Any, labels: Any, dims: int) -> dict[str, Any]:
    """Learned from the rows that are clustered, as in the paper."""
    if dims < rows.shape[1]:
        axes = np.linalg.svd(rows, full_matrices=False)[2][:dims]
        rows = rows @ axes.T
    mapped = MinimumDistortion().fit(rows, labels).transform(rows)
    return {"set": name, "dims": dims, **figures(rows, mapped, rows, labels)}


def other_half(name: str, rows: Any, labels: Any) -> dict[str, Any]:
    train, test = halves_of(labels)
    mapped = MinimumDistortion().fit(rows[train], labels[train]).transform(rows[test])
    return {
        "set": name,
        "dims": rows.shape[1],
        **figures(rows[test], mapped, rows[train], labels[test]),
    }


def halves_of(labels: Any) -> tuple[Any, Any]:
    from sklearn.model_selection import train_test_split

    counts = np.bincount(labels)
    stratify = labels if counts[counts > 0].min() > 1 else None
    train, test = train_test_split(
        np.arange(len(labels)), test_size=0.5, random_state=SEED, stratify=stratify
    )
    return train, test


def figures(rows: Any, mapped: Any, scale: Any, labels: Any) -> dict[str, Any]:
    spread = scale.std(axis=0)
    standard = (rows - scale.mean(axis=0)) / np.where(spread > 0, spread, 1)
    found = {
        what: clustering_precision(points, labels, starts=STARTS, seed=SEED)
        for what, points in (("euclid", rows), ("metric", mapped), ("standardised", standard))
    }
    gap = found["metric"] - found["euclid"]
    return {
        **{what: round(float(values.mean()), 4) for what, values in found.items()},
        "p_t": float(f"{paired_t(gap):.3g}"),
    }


def beside_peers(name: str, rows: Any, labels: Any) -> dict[str, Any]:
    """Learned from one half, the other clustered; standardised first, as these learners expect."""
    train, test = halves_of(labels)
    spread = rows[train].std(axis=0)
    rows = (rows - rows[train].mean(axis=0)) / np.where(spread > 0, spread, 1)
    known = {"minimum distortion": lambda r, c: MinimumDistortion().fit(r, c).transform}
    result: dict[str, Any] = {"set": name}
    for learner, learn in {**known, **learners(SEED)}.items():
        map_, _, problem = attempt(lambda learn=learn: learn(rows[train], labels[train]), LIMIT)
        if map_ is None:
            result[learner] = problem
            continue
        mapped = map_(rows[test])
        if not np.isfinite(mapped).all():
            result[learner] = "gives numbers that are not finite"
            continue
        values = clustering_precision(mapped, labels[test], starts=20, seed=SEED)
        result[learner] = round(float(values.mean()), 4)
    return result


def newsgroups(data: Path) -> dict[str, Any]:
    """The paper's last sentence of 5.3: k-means of documents, 0.5% of the dimensions, 5 folds."""
    found: dict[str, list[float]] = {"euclid": [], "metric": []}
    for train, own, test, truth in document_folds(data):
        grams = Grams.of(train, least=5, seed=SEED)
        size = grams.dimensions(0.005)
        points, others = (
            grams.axes.apply(part, size) for part in (grams.training, grams.weighted(test))
        )
        mapped = MinimumDistortion().fit(points, own).transform(others)
        for what, rows in (("euclid", others), ("metric", mapped)):
            values = clustering_precision(rows, truth, starts=STARTS, seed=SEED)
            found[what].append(float(values.mean()))
    gaps = np.array(found["metric"]) - np.array(found["euclid"])
    return {
        **{what: round(float(np.mean(values)), 4) for what, values in found.items()},
        "folds": {what: [round(v, 4) for v in values] for what, values in found.items()},
        "p_t": float(f"{paired_t(gaps):.3g}"),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    gaps = np.array([row["metric"] - row["euclid"] for row in rows])
    scaled = np.array([row["metric"] - row["standardised"] for row in rows])
    return {
        "cases": len(rows),
        "better_than_euclid": int((gaps > 0).sum()),
        "mean_gain": round(float(gaps.mean()), 4),
        "p_t": float(f"{paired_t(gaps):.3g}"),
        "better_than_standardised": int((scaled > 0).sum()),
        "mean_gain_over_standardised": round(float(scaled.mean()), 4),
    }


if __name__ == "__main__":
    main()
