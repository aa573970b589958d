"""``lexfield demo`` and ``reproduce``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from lexfield.bags.matrix import BagMatrix
from lexfield.cli.output import echo, paint
from lexfield.errors import InputError
from lexfield.results import format_rows
from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.hits import format_hit
from lexfield.verbs.info import info
from lexfield.verbs.options import Target


@verb(command="demo", served="no")
def show_demo(
    *, output: Annotated[Target, Flags(("-o",)), Help("Where to write.")] = "lexfield-demo"
) -> None:
    """See lexfield at work on the texts that come with it.

    lexfield demo
    lexfield demo --output somewhere
    """
    target = Path(output) / "sample.idx"
    _step("An index of the embedded sample", f"lexfield index TEXTS --metadata CSV -o {target}")
    corpus = Corpus.read(TEXTS, metadata=METADATA)
    index = Index.build(corpus, target, replace=True)
    echo("\n".join(info(index).lines()))

    query = "The fishing boat came home before the storm."
    command = f'lexfield search {target} "{query}" --explain'
    _step("Similar sentences, each different, with reasons", command)
    for hit in index.search(query, k=3):
        echo("\n".join(format_hit(hit, True, False, paint)))

    _step("Words near a word", "lexfield near lighthouse -k 6")
    vectors = WordVectors.default()
    echo("\n".join(format_rows(vectors.nearest("lighthouse", 6).to_dicts())))

    _step("Most frequent pairs of words", "lexfield bag TEXTS --ngram 2 -k 5")
    bag = BagMatrix.of(corpus, 2).total()
    echo(f"{bag.types:,} types, {bag.tokens:,} tokens")
    echo("\n".join(format_rows(bag.to_dicts()[:5])))

    _step("Where everything is", "")
    echo(f"the index   {target.resolve()}\nthe texts   {TEXTS}")
    echo(f"look again  lexfield info {target}\ncheck it    lexfield verify {target}")
    echo(f'search it   lexfield search {target} "your sentence" --explain')


def _step(title: str, command: str) -> None:
    echo(f"\n{paint(title, 'green')}{f'  ({command})' if command else ''}")


@verb(command="reproduce", served="no")
def rerun_papers(
    tables: Annotated[Sequence[str], Flags(metavar="[TABLE]…")] = (),
    *,
    data: Annotated[Target | None, Help("Folder of the corpora.")] = None,
    listing: Annotated[
        bool, Flags(("--list",)), Help("List the tables and whether each is up to date.")
    ] = False,
    report: Annotated[bool, Help("Run nothing, only write the report.")] = False,
    force: Annotated[bool, Help("Also rerun tables that are up to date.")] = False,
) -> None:
    """Rerun the tables and figures of the papers.

    Our results are shown next to the published ones. Works in a copy of lexfield's sources, which
    has the folder reproduce. Results are kept until the data, or the code that they used,
    change. Writes docs/results.md and reproduce/report.html.

        lexfield reproduce --list
        lexfield reproduce hare-table-3 lecture
        lexfield reproduce krstovski --data ../shared/data
        lexfield reproduce --report
    """
    if data and not Path(data).is_dir():
        raise InputError(f"There is no folder {str(data)!r}.", "Name the folder with the data.")
    command = [sys.executable, str(_find_reproduce() / "run.py"), *tables]
    command += ["--data", os.path.realpath(data)] if data else []
    flags = (("--list", listing), ("--report", report), ("--force", force))
    command += [flag for flag, given in flags if given]
    raise SystemExit(2 if subprocess.run(command, check=False).returncode else 0)


def _find_reproduce() -> Path:
    """Return the folder ``reproduce`` of the sources around the working folder or this file."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).parents[3]):
        if (folder / "reproduce" / "run.py").is_file():
            return folder / "reproduce"
    raise InputError(
        "There is no folder 'reproduce' here.",
        "It comes with lexfield's sources, not with the package: run this inside a copy of them.",
    )
