"""Near words, thresholds, and models that say how sure both are."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lexfield.answers.answer import Answer
from lexfield.serve.pool import generation_of
from lexfield.serve.tasks.common import Options, check_state, needed, vector_set

if TYPE_CHECKING:
    from lexfield.engine.worker import Frames
    from lexfield.search.index import Index
    from lexfield.vectors.models import Models

_PASSES, _READ = 40, 1_500_000  # most passes over a text, and words that are read in all


def near(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.words import near as find

    several = options["models_path"] is not None
    path = options["models_path"]
    known = (
        _models(path, options["dims"], generation_of(path))
        if several
        else vector_set(options["vectors"])
    )
    notes = known.notes if several else ()
    return find(known, options["word"], options["k"], options["threshold"], notes)


@lru_cache(4)
def _models(path: str, dims: int | None, state: str | None) -> Models:
    """Open models; those that were trained anew are others, by their ``state``."""
    from lexfield.vectors.models import Models

    models = Models.open(path, dims)
    check_state(path, state)
    return models


def threshold(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.words import threshold as told
    from lexfield.vectors.models import Models, open_all
    from lexfield.vectors.synonyms import count_synonyms
    from lexfield.vectors.threshold import threshold as find

    report.stage("reading vectors")
    if options["models_path"] is not None:
        by_dims = open_all(options["models_path"])
        groups = {f"{dims} dimensions": models for dims, models in by_dims.items()}
    else:
        groups = {options["vectors"]: Models([vector_set(options["vectors"])])}
    report.stage("comparing words")
    found = {
        name: find(
            models, options["synonyms"], options["deviation"], sample=options["sample"],
            seed=options["seed"], progress=report,
        )
        for name, models in groups.items()
    }  # fmt: skip
    notes = [note for group in groups.values() for note in group.notes]
    return told(found, count_synonyms(), notes)


def models(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.vectors.models import open_all
    from lexfield.vectors.train import train

    corpus = needed(index).corpus
    report.stage("training models")
    folder = Path(options["target"])
    # A small text has to be read more often before its models say anything.
    epochs = max(5, min(_PASSES, _READ // max(1, len(corpus.tokens))))
    train(
        corpus, folder, models=options["models"], dimensions=[options["dims"]],
        least=options["least"], epochs=epochs, replace=True, progress=report,
    )  # fmt: skip
    records = [
        {"models": len(group), "dims": dims, "words": len(group.words), "where": options["id"]}
        for dims, group in open_all(folder).items()
    ]
    return Answer("vectors.train", records, [f"{epochs} passes over the text"])
