"""``lexfield duplicates``"""

from __future__ import annotations

import click

from lexfield.answers import bounds
from lexfield.cli.options import real, unit_option, whole
from lexfield.cli.output import Bar, emit, output_options


@click.command()
@click.argument("path", metavar="IDX")
@click.option(
    "--threshold",
    default=0.8,
    show_default=True,
    type=real(bounds.SHARE),
    help="Least Jaccard similarity of the words, stopwords out.",
)
@unit_option("document")
@click.option(
    "--min-words",
    default=1,
    show_default=True,
    type=whole(bounds.RESULTS),
    help="Leave out texts with fewer distinct words, stopwords out.",
)
@click.option("--full", is_flag=True, help="Print whole texts, not only how they begin.")
@output_options
def duplicates(
    path: str,
    threshold: float,
    unit: str,
    min_words: int,
    full: bool,
    output: str | None,
) -> None:
    """Find pairs of documents or sentences that say nearly the same in the same words.

    \b
    lexfield duplicates tickets.idx --threshold 0.5
    lexfield duplicates my.idx --unit sentence --min-words 5 --json
    """
    from lexfield.cluster.sharded_index import open_index
    from lexfield.search.duplicates import duplicates as find

    with Bar("comparing") as bar:
        found = find(
            open_index(path), threshold, unit=unit, min_words=min_words,
            full=full, progress=bar,
        )  # fmt: skip

    def table() -> list[str]:
        lines = []
        for pair in found:
            lines.append(f"{pair.similarity:.3f}  {pair.a}  {pair.b}")
            lines += [
                f"       {line if full else line[:150]}"
                for line in (" ".join(text.split()) for text in (pair.text_a, pair.text_b))
            ]
        return lines

    emit("duplicates", found.to_dicts(), output, table=table)
