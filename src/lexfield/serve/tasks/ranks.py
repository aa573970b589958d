"""Ranks, clusters, parts of speech and places of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexfield.answers.answer import Answer
from lexfield.serve.tasks.common import Options, needed, vectors_or_own

if TYPE_CHECKING:
    from lexfield.engine.worker import Frames
    from lexfield.search.index import Index


def zipf(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.ranks import zipf as told

    result, notes = _zipf(index, options, report)
    return told([result], notes)


def clusters(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.ranks import clusters as told

    result, notes = _zipf(
        index, {**options, "latent": True, "ngram": 1, "nulls": False, "robustness": False}, report
    )
    return told(result, notes)


def _zipf(index: Index | None, options: Options, report: Frames) -> tuple[Any, list[str]]:
    from lexfield.ranks.zipf import zipf as rank

    index = needed(index)
    corpus = index.corpus
    report.stage("clustering" if options["latent"] else "fitting")
    name = options["vectors"]
    result = rank(
        corpus, space="latent" if options["latent"] else "categorical", ngram=options["ngram"],
        clusters=options["k"], seeds=options["seeds"],
        vectors=vectors_or_own(name) if options["latent"] or name != "default" else None,
        nulls=options["nulls"], robustness=options["robustness"], name=options["index"],
        allow_unknown=options["allow_unknown"], progress=report,
    )  # fmt: skip
    return result, [*corpus.notes, *result.notes]


def speech(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.ranks import speech as told
    from lexfield.ranks.speech import NEIGHBOURS
    from lexfield.ranks.speech import speech as tag

    corpus = needed(index).corpus
    report.stage("nearest words")
    result = tag(
        corpus, vectors=vectors_or_own(options["vectors"]), name=options["index"], progress=report,
        neighbours=sorted(set(options["k"])) or NEIGHBOURS, allow_unknown=options["allow_unknown"],
    )  # fmt: skip
    return told([result], [*corpus.notes, *result.notes])


def layout(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.ranks import layout as told
    from lexfield.ranks.layout import layout as lay

    corpus = needed(index).corpus
    report.stage("laying out, seconds")
    result = lay(
        corpus, options["method"], vectors=vectors_or_own(options["vectors"]),
        words=options["words"], seed=options["seed"], name=options["index"], progress=report,
        allow_unknown=options["allow_unknown"],
    )  # fmt: skip
    return told([result], [*corpus.notes, *result.notes], {"method": result.method, "plot": None})
