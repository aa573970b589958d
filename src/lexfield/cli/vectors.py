"""``lexfield vectors``"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from lexfield.cli.output import Bar, emit, output_options


@click.group()
def vectors() -> None:
    """List, import and describe word vectors.

    \b
    lexfield vectors list
    lexfield vectors import cc.de.300.vec.gz --name german --limit 200000
    lexfield vectors info german
    """


@vectors.command("list")
@output_options
def list_sets(output: str | None) -> None:
    """The sets that have a name.

    \b
    lexfield vectors list
    lexfield vectors list --json
    """
    from lexfield.vectors.library import listing

    emit("vectors.list", [asdict(entry) for entry in listing()], output)


@vectors.command("import")
@click.argument("file", type=click.Path(exists=True))
@click.option("--name", help="Name of the set; by default the file's.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many words.")
@output_options
def import_set(file: str, name: str | None, limit: int | None, output: str | None) -> None:
    """Read word2vec, GloVe, fastText, safetensors or NumPy files and keep them under a name.

    \b
    lexfield vectors import glove.6B.300d.txt --name glove300
    lexfield vectors import model.bin --limit 100000
    """
    from lexfield.vectors.library import import_file

    with Bar("reading vectors") as bar:
        found = import_file(file, name or Path(file).name.split(".")[0], limit=limit, progress=bar)
    record = {"name": found.name, "words": len(found), "dims": found.dims}
    emit("vectors.import", [record], output, notes=found.notes)


@vectors.command("info")
@click.argument("name", metavar="NAME|FILE")
@output_options
def describe_set(name: str, output: str | None) -> None:
    """Describe a set: size, first words, what was repaired when it was read.

    \b
    lexfield vectors info default
    lexfield vectors info my-vectors.vec --json
    """
    from lexfield.vectors.wordvectors import WordVectors

    with Bar("reading vectors") as bar:
        found = WordVectors.load(name, progress=bar)
    record = {
        "name": found.name,
        "words": len(found),
        "dims": found.dims,
        "first": " ".join(found.words[:10]),
        "last": " ".join(found.words[-5:]),
    }
    emit("vectors.info", [record], output, notes=found.notes)
