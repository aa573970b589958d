"""``lexfield kwic``"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from lexfield.answers import bounds
from lexfield.cli.options import read_corpus, reading_options, whole
from lexfield.cli.output import emit, output_options, paint

if TYPE_CHECKING:
    from lexfield.text.kwic import Context

_WIDTH = 120  # of a line that goes to no terminal


@click.command()
@click.argument("source", metavar="IDX|FILE|FOLDER")
@click.argument("phrases", nargs=-1, required=True, metavar="WORD...")
@click.option(
    "--window", default=8, show_default=True, type=click.IntRange(0, 1000), help="Words per side."
)
@click.option(
    "--sort",
    type=click.Choice(("text", "left", "right")),
    default="text",
    show_default=True,
    help="In the order of the text, or by the words to the left or right.",
)
@click.option("-k", type=whole(bounds.RESULTS), help="At most k places per text.")
@reading_options
@output_options
def kwic(
    source: str,
    phrases: tuple[str, ...],
    window: int,
    sort: Literal["text", "left", "right"],
    k: int | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Show words in context, from an index, a file or a folder; a phrase goes in quotes.

    Words match as they are indexed, so capitals do not matter. A phrase lies within a sentence.
    With -k, --json still reports under "totals" how many places each text holds.

    \b
    lexfield kwic my.idx sea
    lexfield kwic novel.txt "white whale" leviathan --sort right
    lexfield kwic texts/ heart --window 5 -k 20 --json
    """
    from lexfield.text.kwic import kwic as places

    corpus = read_corpus([source], reading)
    found = places(corpus, phrases, window=window, sort=sort, k=k)
    notes = [*corpus.notes, *found.notes]
    totals = {"totals": dict(found.totals)}
    emit("kwic", found.to_dicts(), output, notes=notes, table=lambda: _lines(found), extra=totals)


def _lines(found: Sequence[Context]) -> list[str]:
    """Matches below each other; what does not fit is cut at the ends."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
    name = min(24, max((len(line.document) for line in found), default=0))
    middle = max((len(line.match) for line in found), default=0)
    side = max(10, (width - name - middle - 4) // 2)
    left = min(side, max((len(line.left) for line in found), default=0))
    return [
        f"{_end(line.document, name):<{name}}  {_end(line.left, left):>{left}} "
        f"{paint(line.match, 'red')}{_right(line, side)}".rstrip()
        for line in found
    ]


def _right(line: Context, side: int) -> str:
    right = line.right if len(line.right) <= side else line.right[: side - 1] + "…"
    return f" {right}" if right[:1].isalnum() or right[:1] in "([{“‘—–-" else right


def _end(text: str, width: int) -> str:
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]
