"""``lexfield keyness``"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click

from lexfield.answers import bounds
from lexfield.answers.answer import Record
from lexfield.answers.bounds import Bound
from lexfield.cli.options import read_corpus, reading_options, real, whole
from lexfield.cli.output import emit, output_options, say
from lexfield.results import format_rows


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--ngram", default=1, show_default=True, type=whole(bounds.NGRAM), help="Order.")
@click.option(
    "--least",
    default=5,
    show_default=True,
    type=whole(bounds.WORDS),
    help="Leave out words that occur less often in both together.",
)
@click.option(
    "--correction",
    type=click.Choice(("holm", "bh", "bonferroni", "none")),
    default="holm",
    show_default=True,
    help="Of p for the number of words.",
)
@click.option(
    "--p", "most_p", default=0.05, show_default=True, type=real(Bound(0, 1)), help="At most."
)
@click.option("--only", type=click.Choice(("A", "B")), help="Words of one side.")
@click.option("-k", default=20, show_default=True, type=whole(bounds.RESULTS), help="How many.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw bars: png, svg or pdf.")
@reading_options
@output_options
def keyness(
    a: str,
    b: str,
    ngram: int,
    least: int,
    correction: Literal["holm", "bh", "bonferroni", "none"],
    most_p: float,
    only: str | None,
    k: int,
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Find the words that tell A from B; each a file, a folder or an index.

    G² says how sure a difference is, log_ratio how large: 1 is twice as frequent in A, -1 half.

    \b
    lexfield keyness emma.txt ulysses.txt
    lexfield keyness emma.txt ulysses.txt --only A -k 30 --plot words.png
    lexfield keyness before/ after/ --ngram 2 --least 10 --correction bh --json
    """
    from lexfield.bags.keyness import keyness as compare
    from lexfield.plots.figure import check_plot_path
    from lexfield.plots.words import draw_keyness

    if plot:
        check_plot_path(plot)
    texts = [read_corpus([path], reading) for path in (a, b)]
    found = compare(texts[0], texts[1], n=ngram, least=least, correction=correction)
    sure = [word for word in found if word.p <= most_p and only in (None, word.more_in)]
    names = (Path(a).stem or a, Path(b).stem or b)
    if plot:
        say(f"wrote {draw_keyness(sure[:k], names).save(plot)}")
    records = [asdict(word) for word in sure[:k]]
    notes = [note for text in texts for note in text.notes] + found.notes
    if not records:
        notes.append(f"no word differs with p of at most {most_p:g}")
    extra = {"a": a, "b": b, "tested": len(found), "found": len(sure)}
    table = partial(_table, records, len(sure), names)
    emit("keyness", records, output, notes=notes, extra=extra, table=table)


def _table(records: list[Record], total: int, names: tuple[str, str]) -> list[str]:
    if not records:
        return []
    rows = [
        {
            "word": record["word"],
            "more in": record["more_in"],
            "A": record["count_a"],
            "B": record["count_b"],
            "G²": round(record["g2"], 1),
            "p": float(f"{record['p']:.2g}"),
            "log ratio": round(record["log_ratio"], 2),
            "%DIFF": round(record["diff"]),
        }
        for record in records
    ]
    head = f"A is {names[0]}, B is {names[1]}: {total:,} words differ"
    return [head, *format_rows(rows, shown=len(rows))]
