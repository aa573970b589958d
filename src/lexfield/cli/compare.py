"""``lexfield compare``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexfield.answers import bounds
from lexfield.answers.options import chosen_options
from lexfield.cli.options import divergence_options, reading_options, real, whole
from lexfield.cli.output import Bar, output_options, paint, say, tell
from lexfield.results import format_rows

if TYPE_CHECKING:
    from lexfield.compare.estimate import Estimate
    from lexfield.text.corpus import Corpus


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@divergence_options
@click.option(
    "-k",
    default=3,
    show_default=True,
    type=whole(bounds.NEIGHBOUR),
    help="Which neighbour. Latent.",
)
@click.option(
    "--interval", type=real(bounds.CONFIDENCE), metavar="0.95", help="Confidence of an error bar."
)
@click.option("--p", "p_value", is_flag=True, help="Test whether both are alike, by permutation.")
@click.option(
    "--resamples",
    default=200,
    show_default=True,
    type=whole(bounds.RESAMPLES),
    help="For --interval and --p.",
)
@click.option(
    "--seed", default=0, show_default=True, type=whole(bounds.SEED), help="For --interval and --p."
)
@click.option("--explain", is_flag=True, help="Show the words that say so.")
@click.option("--plot", metavar="FILE", help="Draw the words' parts: .png, .svg or .pdf.")
@reading_options
@output_options
def compare(
    a: str,
    b: str,
    k: int,
    interval: float | None,
    p_value: bool,
    resamples: int,
    seed: int,
    explain: bool,
    plot: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """How different text A is from text B; each a file, or a folder taken as one text.

    \b
    lexfield compare emma.txt ulysses.txt --explain
    lexfield compare emma.txt ulysses.txt --measure js --interval 0.95 --p
    lexfield compare emma.txt ulysses.txt --space latent -k 3 --explain --json
    lexfield compare emma.txt ulysses.txt --plot words.png
    """
    from lexfield.answers.texts import compared
    from lexfield.compare.counts import count_texts
    from lexfield.compare.options import ComparisonOptions
    from lexfield.compare.pair import compare_counts
    from lexfield.compare.resampling import Resampling
    from lexfield.plots.figure import check_plot_path

    if plot:
        check_plot_path(plot)
    choices, reading = apart(options)
    chosen = ComparisonOptions.from_dict({"k": k, **chosen_options(choices)})
    texts, ids, notes = _read([a, b], reading)
    counts = count_texts(texts, n=chosen.n, stopwords=chosen.stopwords, ids=ids)
    with Bar("resampling") as bar:
        resampling = Resampling(interval, p_value, resamples, seed)
        found = compare_counts(counts, chosen, resampling, bar)
    if plot:
        from lexfield.plots.divergence import draw_bars

        say(f"drawn: {draw_bars(found, (Path(a).stem, Path(b).stem)).save(plot)}")
    lines = [str(found), *(_words(found) if explain else [])]
    answer = compared((a, b), found, notes, explain=explain)
    tell(answer, output, lambda: [paint(lines[0], "green"), *lines[1:]])


def _words(found: Estimate) -> list[str]:
    """The words that say most: how often in each text, or what is near in the other."""
    explanation = found.explanation
    rates = explanation.facts.get("per_thousand")
    if rates is None:
        return [f"  {line}" for line in explanation.lines(15)]
    rows = [
        {
            "part": reason.contribution,
            "word": reason.query,
            "per 1,000 in A": rates[reason.query][0],
            "in B": rates[reason.query][1],
        }
        for reason in explanation.reasons[:15]
    ]
    return [f"  {line}" for line in format_rows(rows)]


def apart(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of comparing and of reading."""
    names = ("text_fields", "id_field", "metadata", "encoding", "format", "keep_gutenberg")
    reading = {name: options.pop(name) for name in names}
    return options, reading


def _read(paths: list[str], reading: dict[str, Any]) -> tuple[list[Corpus], list[str], list[str]]:
    from lexfield.text.corpus import Corpus

    texts, ids, notes = [], [], []
    for number, path in enumerate(paths):
        corpus = Corpus.read([path], **reading)
        again = " (again)" if path in paths[:number] else ""
        texts.append(corpus)
        ids.append(path + again)
        notes += corpus.notes
        if len(corpus.ids) > 1:
            notes.append(f"{path}: {len(corpus.ids):,} documents are taken as one text")
    return texts, ids, notes
