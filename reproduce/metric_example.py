"""Mochihashi et al., Figures 1, 5 and 6: the geometry of a metric, and sentences retrieved by it.

Figure 1: clusters that are stretched in the same direction, before and after the map of least
distortion. Figures 5 and 6: captions of pictures (Flickr8k, five each) take the place of the
paper's travel conversations: the metric is learned from 200 pictures, a caption of one of 50 others
asks, and its four companions are to be found; with many dimensions (Figure 5) and with few
(Figure 6). All test captions ask in turn; the one shown is the first for which both metrics find
some but not all. Captions are named by their picture, for they are not ours to print.

    python reproduce/metric_example.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from lexfield import MinimumDistortion
from lexfield.metric.choose import measure_recovery
from lexfield.metric.features import Grams
from lexfield.plots.figure import COLOURS, figure, save

HERE = Path(__file__).parent
SEED = 2004
SHARES = {"figure_5": 0.20, "figure_6": 0.02}
NEAREST = 8
TRAINING, TEST = 200, 50  # pictures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    path = parser.parse_args().data / "flickr8k" / "captions.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        clusters = [json.loads(line)["captions"] for line in file]
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(clusters))[: TRAINING + TEST].tolist()
    (train, own), (test, truth) = (
        flat([clusters[i] for i in part]) for part in (order[:TRAINING], order[TRAINING:])
    )
    names = [f"picture {cluster + 1}, caption {n % 5 + 1}" for n, cluster in enumerate(truth)]
    grams = Grams.of(train, seed=SEED)
    result: dict[str, Any] = {"training_clusters": TRAINING, "test_clusters": TEST}
    for name, share in SHARES.items():
        size = grams.dimensions(share)
        points, others = (
            grams.axes.apply(part, size) for part in (grams.training, grams.weighted(test))
        )
        mapped = MinimumDistortion().fit(points, np.array(own)).transform(others)
        maps = {"metric": mapped, "Euclid": others}
        result[name] = {
            "dimensions": size,
            "r_precision": {m: round(measure_recovery(rows, truth).r_precision, 4)
                            for m, rows in maps.items()},
            **example(names, truth, maps),
        }  # fmt: skip
    result["figure_1"] = geometry(rng)
    result["seed"] = SEED
    result["difference"] = (
        "The paper's sentences are translations of one English sentence; captions of one picture"
        " are in their place, named by the picture because they are not ours to print."
    )
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (HERE / "results" / "metric_example.json").write_text(text + "\n", "utf-8")
    print(text)


def flat(clusters: list[list[str]]) -> tuple[list[str], list[int]]:
    return (
        [text for cluster in clusters for text in cluster],
        [number for number, cluster in enumerate(clusters) for _ in cluster],
    )


def example(texts: list[str], truth: list[int], maps: dict[str, Any]) -> dict[str, Any]:
    """The nearest sentences of one query by each distance; ``right`` says the same cluster."""

    def nearest(rows: Any, query: int) -> list[dict[str, Any]]:
        far = np.linalg.norm(rows - rows[query], axis=1)
        order = [i for i in np.argsort(far, kind="stable").tolist() if i != query][:NEAREST]
        return [{"distance": round(float(far[i]), 3), "text": texts[i],
                 "right": truth[i] == truth[query]} for i in order]  # fmt: skip

    for query in range(len(texts)):
        lists = {name: nearest(rows, query) for name, rows in maps.items()}
        if all(0 < sum(hit["right"] for hit in hits) < 4 for hits in lists.values()):
            break
    return {"query": texts[query], "nearest": lists}


def geometry(rng: np.random.Generator) -> dict[str, Any]:
    """Five clusters stretched alike, drawn as they are and as they are mapped."""
    stretch = np.array([[1.3, 0.6], [0.6, 0.6]])
    turns = 2 * np.pi * np.arange(5) / 5
    centres = 4 * np.column_stack([np.cos(turns), np.sin(turns)])
    points = np.concatenate([c + rng.standard_normal((60, 2)) @ stretch for c in centres])
    labels = np.repeat(np.arange(5), 60)
    mapped = MinimumDistortion().fit(points, labels).transform(points)
    with figure(9, 4.4) as drawing:
        for axis, rows, title in zip(
            drawing.subplots(1, 2), (points, mapped), ("as they are", "under the metric"),
            strict=True,
        ):  # fmt: skip
            for label, colour in zip(range(5), COLOURS, strict=False):
                axis.scatter(*rows[labels == label].T, s=8, color=colour, lw=0)
            axis.set_aspect("equal")
            axis.set_title(f"Five clusters {title}")
        save(drawing, HERE / "results" / "figures" / "metric-geometry.png")

    def roundness(rows: Any) -> float:
        """The smallest over the largest spread within clusters; 1 is a sphere."""
        inside = np.concatenate([rows[labels == i] - rows[labels == i].mean(0) for i in range(5)])
        spread = np.linalg.svd(inside, compute_uv=False)
        return round(float(spread[-1] / spread[0]), 3)

    return {"roundness": {"Euclid": roundness(points), "metric": roundness(mapped)}}


if __name__ == "__main__":
    main()
