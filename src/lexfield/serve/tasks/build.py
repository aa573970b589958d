"""An index of what was uploaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lexfield.answers.answer import Answer
from lexfield.errors import InputError
from lexfield.serve.tasks.common import Options
from lexfield.store.files import private_files

if TYPE_CHECKING:
    from lexfield.engine.worker import Frames
    from lexfield.search.index import Index


def build(index: Index | None, options: Options, report: Frames) -> Answer:
    """An index of the files in a folder."""
    from lexfield.search.index import Index
    from lexfield.text.corpus import Corpus
    from lexfield.text.read import Reader

    folder = Path(options["folder"])
    reader = Reader([folder], text_fields=options["text_field"])
    report.stage("reading documents")
    named = (  # where a text lay while it was read means nothing to anybody
        replace(one, source=str(Path(one.source).relative_to(folder))) for one in reader
    )
    corpus = Corpus.of(named, progress=report)
    left_out = [note.replace(f"{folder}/", "") for note in reader.report()]
    if not len(corpus.documents):
        raise InputError("There is no text in what was sent.", "; ".join(left_out))
    corpus.notes.extend(left_out)
    report.stage("embedding words")
    with private_files():
        built = Index.build(
            corpus, options["target"], language=options["language"], progress=report
        )
    found = built.info()
    notes = found.pop("notes")
    del found["path"]
    return Answer("index", [{"id": options["id"], **found}], notes)
