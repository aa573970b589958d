"""Texts compared with each other, and labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexfield.answers.answer import Answer
from lexfield.answers.options import chosen_options
from lexfield.errors import InputError
from lexfield.serve.requests import COMPARING
from lexfield.serve.tasks.common import Options, needed, text_of, vector_set

if TYPE_CHECKING:
    from lexfield.search.index import Index
    from lexfield.serve.worker import Frames

MOST_DOCUMENTS = 500  # of which every pair is sent


def compare(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.texts import compared
    from lexfield.compare.counts import count_texts
    from lexfield.compare.options import ComparisonOptions
    from lexfield.compare.pair import compare_counts
    from lexfield.compare.resampling import Resampling

    texts = [text_of(index, options[side], options[f"text_{side}"], side) for side in ("a", "b")]
    chosen = ComparisonOptions.from_dict(_chosen(options))
    counts = count_texts(texts, n=chosen.n, stopwords=chosen.stopwords)
    report.stage("resampling")
    resampling = Resampling(
        options["interval"], options["p"], options["resamples"], options["seed"]
    )
    found = compare_counts(counts, chosen, resampling, report)
    return compared(_names(options), found, [], explain=options["explain"])


def pairs(index: Index | None, options: Options, report: Frames) -> Answer:
    found = _pairs(index, options, report)
    return Answer("pairs", found.to_dicts(), found.notes)


def map_of(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.texts import placed

    return placed(_pairs(index, options, report))


def label(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.texts import guessed, labelled_text
    from lexfield.compare.counts import count_corpus
    from lexfield.compare.labels import label_documents, label_text
    from lexfield.compare.pairs import pairs as compute

    corpus = needed(index).corpus
    chosen = _chosen(options)
    rule, neighbours, by = options["rule"], options["neighbours"], options["by"]
    if options["text"] is not None:
        new = label_text(corpus, options["text"], by, rule=rule, neighbours=neighbours, **chosen)
        return labelled_text(new)
    counts = count_corpus(
        corpus, n=chosen["n"], stopwords=chosen["stopwords"], sample=options["sample"],
        seed=options["seed"],
    )  # fmt: skip
    counts = counts.keep_labelled(by)
    report.stage("comparing")
    found = compute(counts, progress=report, **chosen)
    return guessed(label_documents(found, counts, by, rule, neighbours, options["evidence"]))


def _pairs(index: Index | None, options: Options, report: Frames) -> Any:
    from lexfield.compare.pairs import pairs as compute

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
