"""``lexfield inspire``"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from lexfield.answers import bounds
from lexfield.cli.options import allow_unknown_option, whole
from lexfield.cli.output import output_options, paint, tell
from lexfield.errors import InputError


@click.command()
@click.argument("path", metavar="IDX")
@click.argument("draft", metavar="DRAFT")
@click.option(
    "--sentences",
    default=1,
    show_default=True,
    type=whole(bounds.SENTENCES),
    help="How many of the last to go on.",
)
@click.option("--method", default="ideas", show_default=True, metavar="SPEC", help="As search.")
@click.option("-k", default=5, show_default=True, type=whole(bounds.RESULTS), help="How many.")
@allow_unknown_option
@output_options
def inspire(
    path: str,
    draft: str,
    sentences: int,
    method: str,
    k: int,
    allow_unknown: bool,
    output: str | None,
) -> None:
    """Suggest sentences to go on from, for the end of a draft: a file, - or the words themselves.

    Each suggestion takes up other words of your last sentence, and shows how its own text went on.

    \b
    lexfield inspire my.idx draft.txt
    lexfield inspire my.idx "The boat came home before the storm." -k 3
    lexfield inspire my.idx draft.txt --sentences 3 --json
    """
    from lexfield.answers.writing import suggested
    from lexfield.cluster.sharded_index import open_index
    from lexfield.text.corpus import Corpus

    named = len(draft) < 1000 and "\n" not in draft and os.path.lexists(draft)
    if named and not Path(draft).is_file():
        raise InputError(f"{draft} is not a file with text.", "Name a file, or write the words.")
    text = "\n\n".join(Corpus.read(draft).texts) if named or draft == "-" else draft
    answer = suggested(
        open_index(path), text, k, method=method, sentences=sentences, allow_unknown=allow_unknown
    )
    tell(answer, output, lambda: _lines(list(answer.records), answer.extra))


def _lines(records: list[dict[str, Any]], extra: dict[str, Any]) -> list[str]:
    lines = [f"after: {' '.join(extra['asked'].split())}"]
    for number, record in enumerate(records, 1):
        lines.append(f"{number:>3}. {paint(record['text'], 'green')}")
        if record["went_on"]:
            lines.append(f"     went on: {record['went_on']}")
        lines.append(f"     takes up: {', '.join(record['takes_up']) or '—'}  [{record['id']}]")
    return lines
