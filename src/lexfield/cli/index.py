"""``lexfield index``"""

from __future__ import annotations

from typing import Any

import click

from lexfield.cli.options import reading_options, vectors_option
from lexfield.cli.output import Bar, emit, output_options, say


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "-o", "--output", "target", required=True, metavar="IDX", help="Folder for the index."
)
@click.option("--replace", is_flag=True, help="Replace an index that is there already.")
@click.option("--keep-case", is_flag=True, help="Do not turn words to lower case.")
@click.option(
    "--language", default="en", show_default=True, help="Whose stopwords are left out; or none."
)
@click.option(
    "--stem",
    default="none",
    show_default=True,
    metavar="LANGUAGE",
    help="Let bag queries find all forms of a word, by its Snowball stem: english, german, …",
)
@vectors_option
@reading_options
@output_options
def index(
    paths: tuple[str, ...],
    target: str,
    replace: bool,
    keep_case: bool,
    stem: str,
    vectors: str,
    language: str,
    output: str | None,
    **reading: Any,
) -> None:
    """Build an index from files, folders (recursively) or tables; - reads standard input.

    \b
    lexfield index novel.txt letters/ -o my.idx
    lexfield index tickets.csv --text-field title --text-field text -o tickets.idx
    lexfield index texts/ --metadata authors.csv -o texts.idx
    lexfield index abstracts.jsonl --stem english -o abstracts.idx
    zcat log.gz | lexfield index - --format lines -o log.idx
    """
    from lexfield.search.index import Index
    from lexfield.text.corpus import Corpus
    from lexfield.text.normalise import Normalisation

    Index.check_free(target, replace)
    normalisation = Normalisation(lower=not keep_case, stem=stem)
    with Bar("reading documents") as bar:
        corpus = Corpus.read(paths, normalisation=normalisation, progress=bar, **reading)
    say(f"read {corpus!r}")
    with Bar("embedding words") as bar:
        built = Index.build(
            corpus, target, vectors=vectors, language=language, replace=replace, progress=bar
        )
    info = built.info()
    notes = info.pop("notes")
    emit("index", [info], output, notes=notes, table=lambda: [f"wrote {built!r}"])
