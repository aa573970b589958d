"""``lexfield zipf``"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

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
from lexfield.errors import InputError

if TYPE_CHECKING:
    from lexfield.ranks.zipf import ZipfResult


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="CORPUS...")
@click.option("--ngram", default=1, show_default=True, type=whole(bounds.NGRAM), help="Order.")
@click.option("--latent", is_flag=True, help="Rank clusters of sentences instead of words.")
@click.option(
    "-k",
    "clusters",
    default="75",
    show_default=True,
    metavar="NUMBER|auto",
    help="Clusters; auto takes the best simplified silhouette.",
)
@click.option(
    "--seeds", default=3, show_default=True, type=click.IntRange(1, 1000), help="Clusterings."
)
@click.option(
    "--no-nulls", is_flag=True, help="Leave out the null models (two thirds of the time)."
)
@click.option(
    "--examples", is_flag=True, help="Show the five nearest and farthest sentences of clusters."
)
@click.option("--robustness", is_flag=True, help="Also cluster for k−20 … k+20.")
@own_vectors_option
@allow_unknown_option
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw it: png, svg, pdf or html.")
@reading_options
@output_options
def zipf(
    paths: tuple[str, ...],
    ngram: int,
    latent: bool,
    clusters: str,
    seeds: int,
    no_nulls: bool,
    examples: bool,
    robustness: bool,
    vectors: str,
    allow_unknown: bool,
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """See whether texts follow Zipf's law: words by rank, or clusters of sentences by rank.

    Each CORPUS is a file, a folder, a table or an index; several are told and drawn side by side.

    \b
    lexfield zipf novel.txt
    lexfield zipf novel.txt --ngram 2 --json
    lexfield zipf novel.txt news/ letters.csv --plot words.png
    lexfield zipf novel.txt --latent -k 75 --plot clusters.html
    lexfield zipf novel.txt --latent -k 35 --examples
    lexfield zipf roman.txt --latent -k auto --robustness --vectors own
    """
    from lexfield.answers.ranks import zipf as told
    from lexfield.plots.figure import PAGE_FORMATS, check_plot_path
    from lexfield.plots.ranks import draw_zipf
    from lexfield.ranks.zipf import zipf as rank

    if plot:
        check_plot_path(plot, PAGE_FORMATS)
    wanted = _clusters(clusters)
    results, notes = [], []
    for name, corpus in read_each(paths, reading):
        with Bar(f"{name}: {'clustering' if latent else 'fitting'}") as bar:
            result = rank(
                corpus,
                space="latent" if latent else "categorical",
                ngram=ngram,
                clusters=wanted,
                vectors=vectors if latent or vectors != "default" else None,
                allow_unknown=allow_unknown,
                seeds=seeds,
                nulls=not no_nulls,
                robustness=robustness,
                name=name,
                progress=bar,
            )
        results.append(result)
        notes += [f"{name}: {note}" for note in (*corpus.notes, *result.notes)]
    if plot:
        say(f"wrote {draw_zipf(results).save(plot)}")
    tell(told(results, notes), output, partial(_lines, results, examples))


def _lines(results: Sequence[ZipfResult], examples: bool) -> list[str]:
    """The report of each corpus, with an empty line between."""
    lines: list[str] = []
    for result in results:
        lines += ["", *result.lines()] if lines else result.lines()
        for cluster in result.clusters or [] if examples else []:
            lines += ["", *cluster.lines()]
    return lines


def _clusters(text: str) -> int | str:
    if text == "auto":
        return text
    most = int(bounds.RESULTS.high)
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise InputError(f"-k must be auto or a number from 1 to {most:,}. Got {text!r} instead.")
    return int(text)
