"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lexfield.cli.output import Bar

if TYPE_CHECKING:
    from lexfield.text.corpus import Corpus

F = TypeVar("F", bound=Callable[..., Any])


def reading_options(command: F) -> F:
    """How texts are read; the verb gets them in ``**reading``, ready for ``Corpus.read``."""
    options = (
        click.option(
            "--text-field",
            "text_fields",
            multiple=True,
            metavar="NAME",
            help="Field with the text in jsonl, csv, tsv, parquet; give it twice to join two.",
        ),
        click.option("--id-field", metavar="NAME", help="Field with the id of a record."),
        click.option(
            "--metadata",
            type=click.Path(exists=True, dir_okay=False),
            help="A csv, tsv or jsonl file with an id column, joined to the texts.",
        ),
        click.option("--encoding", help="Encoding of the text; found out if not given."),
        click.option(
            "--format",
            type=click.Choice(("text", "lines", "jsonl", "csv", "tsv", "parquet")),
            help="Read every file as this; by default from its name. lines: a document a line.",
        ),
        click.option(
            "--keep-gutenberg", is_flag=True, help="Keep Project Gutenberg's header and licence."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _vectors(choices: str, more: str) -> Callable[[F], F]:
    return click.option(
        "--vectors",
        default="default",
        show_default=True,
        metavar=choices,
        help=f"Word vectors: a name from `lexfield vectors list`, {more}.",
    )


vectors_option = _vectors("NAME|FILE", "or a file")
own_vectors_option = _vectors("NAME|FILE|own", "a file, or own (trained on the text)")


def read_each(paths: Sequence[str], reading: dict[str, Any]) -> Iterator[tuple[str, Corpus]]:
    """A corpus for every path, with a short name; a name that comes twice gets a number."""
    from lexfield.text.corpus import Corpus

    names: dict[str, int] = {}
    for path in paths:
        name = "standard input" if path == "-" else Path(path).resolve().name.split(".")[0] or path
        names[name] = names.get(name, 0) + 1
        shown = name if names[name] == 1 else f"{name} {names[name]}"
        with Bar(f"{shown}: reading") as bar:
            corpus = Corpus.read(path, progress=bar, **reading)
        yield shown, corpus


def unit_option(default: str) -> Callable[[F], F]:
    """Sentences or documents."""
    return click.option(
        "--unit",
        type=click.Choice(("sentence", "document")),
        default=default,
        show_default=True,
        help="Sentences or documents.",
    )
