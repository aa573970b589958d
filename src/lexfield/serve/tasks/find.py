"""Search, what a query reaches, words in context, and what an index holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexfield.answers.answer import Answer
from lexfield.errors import InputError
from lexfield.serve.tasks.common import Options, needed, text_of

if TYPE_CHECKING:
    from lexfield.search.index import Index
    from lexfield.serve.worker import Frames
    from lexfield.text.corpus import Corpus

_LISTED = 2000  # documents of a list
_LINES = 10_000  # of a concordance


def search(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.search import ranked
    from lexfield.index.filter import parse_where

    index = needed(index)
    methods, k = options["method"], options["k"]
    how = {"where": parse_where(options["where"]), "allow_unknown": options["allow_unknown"]}
    if (options["like"] is None) == (options["q"] is None):
        raise InputError("Give either q (a text) or like (an id).")
    rankings = []
    for number, method in enumerate(methods, 1):
        report.stage(method)
        if options["like"] is not None:
            rankings.append(index.like(options["like"], method, k, **how))
        else:
            read = {"unit": options["unit"], "algebra": options["algebra"]}
            rankings.append(index.search(options["q"], method, k, **read, **how))
        report(number, len(methods))
    by = "method" if len(methods) > 1 else None
    return ranked(rankings, explain=options["explain"], full=options["full"], by=by)


def balls(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.search import balls as reach

    return reach(needed(index), options["q"], options["r"])


def info(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.index.topics import has_topics

    index = needed(index)
    found = index.info()
    notes = found.pop("notes")
    del found["path"]  # an index is known by its id here
    found["topics"] = has_topics(index.path)
    return Answer("info", [found], notes)


def documents(index: Index | None, options: Options, report: Frames) -> Answer:
    index = needed(index)
    rows = index.rows("document")
    part = (options["q"] or "").casefold()
    found = []
    for identity, number in index.documents.items():
        about = rows.describe(number)["metadata"]
        if part in " ".join([identity, *about.values()]).casefold():
            tokens = int(rows.lengths[number])
            found.append({"id": identity, "tokens": tokens, "metadata": dict(about)})
    notes = [f"the first {_LISTED:,} of {len(found):,}"] if len(found) > _LISTED else []
    return Answer("documents", found[:_LISTED], notes)


def kwic(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.text.kwic import kwic as places

    chosen = _chosen(index, options)
    corpus = chosen or needed(index).corpus
    found = places(
        corpus, options["word"], window=options["window"], sort=options["sort"], k=options["k"]
    )
    # Asked about certain texts, say 0 for those without the word.
    totals = {name: found.totals[name] for name in (chosen.ids if chosen else found.totals)}
    notes = [*corpus.notes, *found.notes]
    if len(found) > _LINES:
        notes.append(f"the first {_LINES:,} of {len(found):,} lines; ask for fewer texts")
    return Answer("kwic", found.to_dicts()[:_LINES], notes, {"totals": totals})


def _chosen(index: Index | None, options: Options) -> Corpus | None:
    """Texts that were sent and documents that were named; None for the whole index."""
    from lexfield.text.corpus import Corpus
    from lexfield.text.document import Document

    chosen = [
        Document(f"text {side.upper()}", options[f"text_{side}"])
        for side in ("a", "b")
        if options.get(f"text_{side}") is not None
    ]
    chosen += [
        Document(one, text_of(index, one, None, "document"))
        for one in dict.fromkeys(options["document"])
    ]
    normalisation = None if index is None else index.normalisation
    return Corpus.of(chosen, normalisation=normalisation) if chosen else None
