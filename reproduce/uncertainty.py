"""Rekabsaz et al. (2016): how sure similarities are, and the threshold, by number of dimensions.

Five word2vec models each of 100, 200, 300 and 400 dimensions are trained on every third book and on
news (Reuters-21578). The paper's text is many times larger. Its slides show curves without printing
their values, so what can be compared is what they say of the curves, the neighbours of two words
and the number of synonyms.

    python reproduce/uncertainty.py --data ../shared/data --only books --dimensions 100

Models are kept in --work, so that a run can be made in parts and resumed; results of other parts
are kept too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lexfield import Corpus
from lexfield.errors import UnknownWordError
from lexfield.plots.words import draw_threshold, draw_uncertainty
from lexfield.vectors.models import Models, is_models, uncertainty
from lexfield.vectors.synonyms import count_synonyms
from lexfield.vectors.threshold import threshold
from lexfield.vectors.train import train

HERE = Path(__file__).parent
RESULTS = HERE / "results"
CORPORA = ("books", "news")
DIMENSIONS = (100, 200, 300, 400)
MODELS, LEAST, EPOCHS = 5, 10, 5
WORDS = ("book", "dwarfish")
PAPER = {
    "synonyms": {"mean": 1.6, "deviation": 3.1, "terms": 147_306},
    "book": {
        "books": 0.82, "foreword": 0.77, "author": 0.74, "published": 0.73, "preface": 0.69,
        "republished": 0.68, "reprinted": 0.68, "afterword": 0.67, "memoir": 0.67,
    },
    "dwarfish": {
        "corpulent": 0.44, "hideous": 0.43, "wizened": 0.42, "catoblepas": 0.42, "creature": 0.42,
        "humanoid": 0.41, "grotesquely": 0.41, "tomtar": 0.41,
    },
    "says": [
        "less uncertainty at higher similarity",
        "less uncertainty with more dimensions",
    ],
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--work", type=Path, default=HERE / "models")
    parser.add_argument("--only", choices=CORPORA)
    parser.add_argument("--dimensions", type=int, nargs="*", default=DIMENSIONS)
    options = parser.parse_args()
    out = RESULTS / "uncertainty.json"
    result = json.loads(out.read_text("utf-8")) if out.is_file() else {}
    result["paper"] = PAPER
    counted = count_synonyms()
    if counted:
        result["wordnet"] = {
            "mean": counted.mean, "deviation": counted.deviation, "terms": counted.terms,
        }  # fmt: skip
    for name in [options.only] if options.only else CORPORA:
        own = result.setdefault(name, {"dimensions": {}})
        for _ in measure(name, options, own):
            found = own["dimensions"]
            own["dimensions"] = dict(sorted(found.items(), key=lambda item: int(item[0])))
            own["says"] = says(own["dimensions"])
            out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
        draw(name, options.work)
    print(json.dumps(result, indent=1))


def measure(name: str, options: argparse.Namespace, own: dict[str, Any]) -> Iterator[None]:
    """Train what is not there yet, and measure every number of dimensions, one at a time."""
    corpus = None
    for dims in options.dimensions:
        folder = options.work / f"{name}-{dims}"
        if not is_models(folder):
            corpus = corpus or read(name, options.data)
            start = time.perf_counter()
            train(corpus, folder, models=MODELS, dimensions=[dims], least=LEAST, epochs=EPOCHS)
            own.setdefault("training_minutes", {})[str(dims)] = round(
                (time.perf_counter() - start) / 60, 1
            )
            own["tokens"] = len(corpus.tokens)
        models = Models.open(folder)
        own["words"] = len(models.words)
        own["dimensions"][str(dims)] = figures(models)
        yield


def read(name: str, data: Path) -> Corpus:
    if name == "books":
        return Corpus.read(sorted((data / "books79" / "txt").glob("*.txt"))[::3])
    with gzip.open(data / "reuters" / "documents.jsonl.gz", "rt", encoding="utf-8") as file:
        return Corpus.of([json.loads(line)["text"] for line in file])


def figures(models: Models) -> dict[str, Any]:
    found = threshold(models)
    alone = [model.threshold for model in found.models]
    curve = uncertainty(models, step=0.1)
    return {
        "threshold": round(found.threshold, 4),
        "interval": [round(value, 4) for value in found.interval],
        "threshold_of_single_models": [round(value, 4) for value in alone],
        "deviation_of_single_models": round(float(np.std(alone, ddof=1)), 5),
        "uncertainty": {
            f"{point.similarity:g}": [round(point.uncertainty, 4), point.pairs]
            for point in curve
            if point.pairs >= 20
        },
        "neighbours": {word: neighbours(models, word) for word in WORDS},
    }


def neighbours(models: Models, word: str) -> dict[str, str]:
    """Nine, as in the paper, with their deviation."""
    try:
        found = models.nearest(word, 9)
    except UnknownWordError:
        return {}
    return {near.word: f"{near.similarity:.2f} ± {near.deviation:.2f}" for near in found}


def says(by_dims: dict[str, Any]) -> dict[str, Any]:
    """What the paper says of its curves, asked of ours."""
    falls = {}
    for dims, one in by_dims.items():
        values = [value for s, (value, _) in one["uncertainty"].items() if float(s) >= 0.2]
        falls[dims] = bool(np.all(np.diff(values) < 0))
    every = [one["uncertainty"] for one in by_dims.values()]
    common = [s for s in every[0] if float(s) >= 0 and all(s in one for one in every)]
    means = [round(float(np.mean([one[s][0] for s in common])), 4) for one in every]
    return {
        "uncertainty_falls_at_every_step_from_0.2_on": falls,
        "mean_uncertainty_over_the_same_steps_by_dimensions": dict(
            zip(by_dims, means, strict=True)
        ),
        "threshold_by_dimensions": {dims: one["threshold"] for dims, one in by_dims.items()},
    }


def draw(name: str, work: Path) -> None:
    """The curves of all numbers of dimensions that have been trained."""
    groups = {
        f"{dims} dimensions": Models.open(work / f"{name}-{dims}")
        for dims in DIMENSIONS
        if is_models(work / f"{name}-{dims}")
    }
    folder = RESULTS / "figures"
    folder.mkdir(exist_ok=True)
    curves = {label: uncertainty(models) for label, models in groups.items()}
    draw_uncertainty(curves).save(folder / f"uncertainty-{name}.png")
    found = {label: threshold(models) for label, models in groups.items()}
    draw_threshold(found).save(folder / f"threshold-{name}.png")


if __name__ == "__main__":
    main()
