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


def search(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.search import ranked
    from lexfield.search.filter import parse_where

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
    return ranked(rankings, explain=options["explain"], by=by)


def balls(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.search import balls as reach

    return reach(needed(index), options["q"], options["r"])


def info(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.search.topics import exists

    index = needed(index)
    found = index.info()
    notes = found.pop("notes")
    del found["path"]  # an index is known by its id here
    found["topics"] = exists(index.path)
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

    corpus = _corpus(index, options)
    found = places(
        corpus, options["word"], window=options["window"], sort=options["sort"], k=options["k"]
    )
    return Answer("kwic", found.to_dicts(), [*corpus.notes, *found.notes])


def _corpus(index: Index | None, options: Options) -> Corpus:
    """The whole index, some of its documents, or texts that were sent."""
    from lexfield.text.corpus import Corpus
    from lexfield.text.document import Document

    sent = {
        f"text {side.upper()}": options[f"text_{side}"]
        for side in ("a", "b")
        if options.get(f"text_{side}") is not None
    }
    if not sent and not options["document"]:
        return needed(index).corpus
    chosen = [Document(name, text, name, {}) for name, text in sent.items()]
    chosen += [
        Document(one, text_of(index, one, None, "document"), one, {}) for one in options["document"]
    ]
    return Corpus.of(chosen)
