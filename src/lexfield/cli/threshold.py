"""``lexfield threshold``"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lexfield.answers import bounds
from lexfield.answers.answer import Record
from lexfield.cli.options import read_model_groups, real, whole
from lexfield.cli.output import Bar, output_options, say, tell
from lexfield.results import format_rows

if TYPE_CHECKING:
    from lexfield.vectors.synonyms import Synonyms
    from lexfield.vectors.threshold import Threshold

_FEWEST, _MOST = 0.001, 1000.0  # neighbours that the table goes from and to


@click.command()
@click.argument("sources", nargs=-1, metavar="[VECTORS]...")
@click.option(
    "--synonyms",
    default=1.6,
    show_default=True,
    type=real(bounds.SYNONYMS),
    help="Synonyms of a word, on average: English.",
)
@click.option(
    "--deviation",
    default=3.1,
    show_default=True,
    type=real(bounds.DEVIATION),
    help="Their standard deviation.",
)
@click.option("--limit", type=whole(bounds.WORDS), help="Only the first words of each set.")
@click.option(
    "--sample", type=whole(bounds.SAMPLED_WORDS), help="Neighbours of so many words, not of all."
)
@click.option(
    "--seed", default=0, show_default=True, type=whole(bounds.SEED), help="Which words are sampled."
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the curve: png, svg or pdf.")
@output_options
def threshold(
    sources: tuple[str, ...],
    synonyms: float,
    deviation: float,
    limit: int | None,
    sample: int | None,
    seed: int,
    plot: str | None,
    output: str | None,
) -> None:
    """Find the similarity above which words count as related.

    It is where a word has as many neighbours, on average over the lexicon, as it has synonyms.
    VECTORS are a name or a file; several are taken as models of the same words. A folder of
    `lexfield vectors train` gives a threshold for each number of dimensions.

    \b
    lexfield threshold
    lexfield threshold my-vectors.vec --limit 50000 --plot curve.png
    lexfield threshold first.vec second.vec third.vec --json
    lexfield threshold my-models
    lexfield threshold cc.de.300.vec --synonyms 2.1 --deviation 2.5
    lexfield threshold --sample 2000
    """
    from lexfield.answers.words import threshold as told
    from lexfield.plots.figure import check_plot_path
    from lexfield.plots.words import draw_threshold
    from lexfield.vectors.synonyms import count_synonyms
    from lexfield.vectors.threshold import threshold as find

    if plot:
        check_plot_path(plot)
    with Bar("reading vectors") as bar:
        groups = read_model_groups(sources or ["default"], limit, bar)
    found: dict[str, Threshold] = {}
    for name, models in groups.items():
        with Bar(f"{name}: comparing words") as bar:
            found[name] = find(models, synonyms, deviation, sample=sample, seed=seed, progress=bar)
    counted = count_synonyms()
    if plot:
        say(f"wrote {draw_threshold(found).save(plot)}")
    notes = [note for group in groups.values() for note in group.notes]
    answer = told(found, counted, notes)
    tell(answer, output, partial(_table, found, list(answer.records), counted))


def _table(
    found: dict[str, Threshold], records: list[Record], counted: Synonyms | None
) -> list[str]:
    from lexfield.vectors.threshold import DEVIATION, SYNONYMS, TERMS

    lines = format_rows(records, shown=len(records))
    first = next(iter(found.values()))
    paper = (first.synonyms, first.deviation) == (SYNONYMS, DEVIATION)
    source = f", as counted in WordNet by Rekabsaz et al. ({TERMS:,} terms)" if paper else ""
    lines += ["", f"{first.synonyms:g} ± {first.deviation:g} synonyms a word{source}"]
    if counted:
        value, (low, high) = first.at(counted.mean, counted.deviation)
        lines += [
            f"{counted.mean:.2f} ± {counted.deviation:.2f} in the WordNet that is installed"
            f" ({counted.terms:,} terms): threshold {value:.4f}, {low:.4f} to {high:.4f}"
        ]
    if first.error:
        lines += [f"read from a sample of words: standard error {first.error:.4f}"]
    lines += ["", f"expected neighbours of a word, {first.words:,} words"]
    shown = [
        {"similarity": record["similarity"], **_row(found, record["similarity"])}
        for record in first.to_dicts(0.05)
    ]
    names = list(found)
    kept = [row for row in shown if any(_FEWEST <= row[name] <= _MOST for name in names)]
    return lines + format_rows(kept, shown=len(kept))


def _row(found: dict[str, Threshold], similarity: float) -> dict[str, Any]:
    return {name: one.curve.neighbours(similarity) for name, one in found.items()}
