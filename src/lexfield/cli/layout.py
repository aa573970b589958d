"""``lexfield layout``"""

from __future__ import annotations

from typing import Any

import click

from lexfield.answers import bounds
from lexfield.cli.options import (
    allow_unknown_option,
    own_vectors_option,
    read_each,
    reading_options,
    whole,
)
from lexfield.cli.output import Bar, output_options, say, tell
from lexfield.results import format_rows


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="CORPUS...")
@click.option(
    "--method",
    type=click.Choice(("tsne", "pca", "mds")),
    default="tsne",
    show_default=True,
    help="t-SNE, principal components, or multidimensional scaling.",
)
@click.option(
    "--words",
    type=click.IntRange(10, 1_000_000),
    help="The most frequent so many.  [default: 5,000 by tsne, 50,000 by pca, 1,000 by mds]",
)
@click.option("--seed", default=0, show_default=True, type=whole(bounds.SEED), help="Of tsne, mds.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw it: png, svg, pdf or html.")
@own_vectors_option
@allow_unknown_option
@reading_options
@output_options
def layout(
    paths: tuple[str, ...],
    method: str,
    words: int | None,
    seed: int,
    plot: str | None,
    vectors: str,
    allow_unknown: bool,
    output: str | None,
    **reading: Any,
) -> None:
    """Lay the words of a text out in the plane, coloured by part of speech.

    An html file can be zoomed, moved and searched; it holds its data and needs no network.

    \b
    lexfield layout novel.txt --plot words.html
    lexfield layout books.idx               the texts of an index
    lexfield layout novel.txt news/ --method pca --plot words.png
    lexfield layout novel.txt --words 20000 --csv > places.csv
    """
    from lexfield.answers.ranks import layout as told
    from lexfield.plots.figure import PAGE_FORMATS, check_plot_path
    from lexfield.plots.ranks import draw_layouts
    from lexfield.ranks.layout import layout as lay

    if plot:
        check_plot_path(plot, PAGE_FORMATS)
    results, notes = [], []
    for name, corpus in read_each(paths, reading):
        with Bar(f"{name}: laying out, seconds") as bar:
            result = lay(
                corpus,
                method,
                vectors=vectors,
                words=words,
                seed=seed,
                name=name,
                allow_unknown=allow_unknown,
                progress=bar,
            )
        results.append(result)
        notes += [f"{name}: {note}" for note in (*corpus.notes, *result.notes)]
    if plot:
        say(f"wrote {draw_layouts(results).save(plot)}")
    answer = told(results, notes, {"method": method, "plot": plot})
    tell(answer, output, lambda: format_rows(answer.records))
