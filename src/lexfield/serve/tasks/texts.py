"""Texts compared with each other, and labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexfield.answers.answer import Answer
from lexfield.answers.options import chosen_options
from lexfield.errors import InputError
from lexfield.serve.requests import COMPARING
from lexfield.serve.tasks.common import Options, needed, text_of, vector_set

if TYPE_CHECKING:
    from lexfield.engine.worker import Frames
    from lexfield.search.index import Index

MOST_DOCUMENTS = 500  # of which every pair is sent


def compare(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.texts import compared
    from lexfield.diverge.between import between
    from lexfield.diverge.counts import of_texts
    from lexfield.diverge.options import Options as Chosen

    texts = [text_of(index, options[side], options[f"text_{side}"], side) for side in ("a", "b")]
    chosen = Chosen.of(_chosen(options))
    counts = of_texts(texts, n=chosen.n, stopwords=chosen.stopwords)
    report.stage("resampling")
    found = between(
        counts, chosen, confidence=options["interval"], p=options["p"],
        resamples=options["resamples"], seed=options["seed"], progress=report,
    )  # fmt: skip
    return compared(_names(options), found, [], explain=options["explain"])


def pairs(index: Index | None, options: Options, report: Frames) -> Answer:
    found = _pairs(index, options, report)
    return Answer("pairs", found.to_dicts(), found.notes)


def map_of(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.texts import placed

    return placed(_pairs(index, options, report))


def label(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.texts import guessed, label_text, labelled
    from lexfield.diverge.counts import count
    from lexfield.diverge.pairs import pairs as compute

    corpus = needed(index).corpus
    chosen = _chosen(options)
    rule, neighbours, by = options["rule"], options["neighbours"], options["by"]
    if options["text"] is not None:
        return label_text(
            corpus, options["text"], by, rule=rule, neighbours=neighbours, chosen=chosen
        )
    counts = count(
        corpus, n=chosen["n"], stopwords=chosen["stopwords"], sample=options["sample"],
        seed=options["seed"],
    )  # fmt: skip
    counts = labelled(counts, by)
    report.stage("comparing")
    found = compute(counts, progress=report, **chosen)
    return guessed(found, counts, by, rule, neighbours, options["evidence"])


def _pairs(index: Index | None, options: Options, report: Frames) -> Any:
    from lexfield.diverge.pairs import pairs as compute

    index = needed(index)
    if len(index.documents) > MOST_DOCUMENTS:
        raise InputError(
            f"The index has {len(index.documents):,} documents; every pair of at most"
            f" {MOST_DOCUMENTS} is sent.",
            "Use the command line: lexfield pairs.",
        )
    report.stage("comparing")
    return compute(
        index.corpus, sample=options["sample"], seed=options["seed"], progress=report,
        **_chosen(options),
    )  # fmt: skip


def _names(options: Options) -> tuple[str, str]:
    names = [options[side] if options[side] is not None else f"text {side.upper()}"
             for side in ("a", "b")]  # fmt: skip
    return names[0], names[1]


def _chosen(options: Options) -> Options:
    chosen = chosen_options({name: options[name] for name in COMPARING})
    if chosen["space"] == "latent":
        chosen["vectors"] = vector_set(chosen["vectors"])
    return chosen
