"""``lexfield add``, ``lexfield delete`` and ``lexfield compact``"""

from __future__ import annotations

from typing import Any

import click

from lexfield.cli.options import read_input, reading_options
from lexfield.cli.output import Bar, emit, output_options


@click.command()
@click.argument("path", metavar="IDX")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@reading_options
@output_options
def add(path: str, paths: tuple[str, ...], output: str | None, **reading: Any) -> None:
    """Add documents to an index without building it anew; their ids must be new.

    \b
    lexfield add my.idx letters/ diary.txt
    lexfield add tickets.idx new.csv --text-field title --text-field text
    """
    from lexfield.cluster.sharded_index import open_index
    from lexfield.text.corpus import Corpus

    index = open_index(path)
    with Bar("reading documents") as bar:
        corpus = Corpus.read(paths, normalisation=index.normalisation, progress=bar, **reading)
    with Bar("embedding words") as bar:
        added = index.add(corpus, progress=bar)
    record = {"added": added, "documents": index.info()["documents"]}
    emit("add", [record], output, notes=corpus.notes)


@click.command()
@click.argument("path", metavar="IDX")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@output_options
def delete(path: str, ids: tuple[str, ...], output: str | None) -> None:
    """Delete documents from an index by id; - reads an id a line from standard input.

    The space is given back by `lexfield compact`.

    \b
    lexfield delete my.idx letters/march diary
    cut -d, -f1 closed.csv | lexfield delete tickets.idx -
    """
    from lexfield.cluster.sharded_index import open_index

    index = open_index(path)
    wanted = read_input().decode("utf-8", "replace").split("\n") if ids == ("-",) else ids
    deleted = index.delete(identity for identity in wanted if identity)
    record = {"deleted": deleted, "documents": index.info()["documents"]}
    emit("delete", [record], output)


@click.command()
@click.argument("path", metavar="IDX")
@output_options
def compact(path: str, output: str | None) -> None:
    """Make one segment of all that was added, and forget what was deleted.

    \b
    lexfield compact my.idx
    """
    from lexfield.cluster.sharded_index import open_index

    index = open_index(path)
    before = index.info()
    with Bar("embedding words") as bar:
        index.compact(progress=bar)
    after = index.info()
    record = {
        "documents": after["documents"],
        "segments_before": before["segments"],
        "bytes_before": before["bytes"],
        "bytes": after["bytes"],
    }
    emit("compact", [record], output)
