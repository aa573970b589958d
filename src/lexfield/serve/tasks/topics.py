"""The topics of an index and of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexfield.answers.answer import Answer
from lexfield.serve.tasks.common import Options, needed

if TYPE_CHECKING:
    from lexfield.search.index import Index
    from lexfield.serve.worker import Frames


def topics(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.topics import shown

    return shown(needed(index), options["k"], options["perplexity"])


def infer(index: Index | None, options: Options, report: Frames) -> Answer:
    from lexfield.answers.topics import inferred
    from lexfield.index.fit_topics import infer_texts, mixtures_of_documents
    from lexfield.index.topics import Topics

    index = needed(index)
    kept = Topics.open(index.path)
    if options["text"] is not None:
        names, field = [options["text"]], "text"
        mixtures, known = infer_texts(index, kept, names)
    else:
        names, field = list(index.documents), "document"
        mixtures, known = mixtures_of_documents(index, kept)
    return inferred(kept, names, field, mixtures, known, options["k"])


def fit(index: Index | None, options: Options, report: Frames) -> Answer:
    report.stage("fitting topics")
    model = needed(index).fit_topics(
        options["topics"], passes=options["passes"], seed=options["seed"], progress=report
    )
    return Answer("topics.fit", [dict(model.about)])
