"""``lexfield label``"""

from __future__ import annotations

from typing import Any

import click

from lexfield.answers import bounds
from lexfield.answers.options import chosen_options
from lexfield.cli.compare import apart
from lexfield.cli.options import (
    cluster_option,
    divergence_options,
    engine_at,
    read_corpus,
    reading_options,
    whole,
)
from lexfield.cli.output import Bar, output_options, paint, tell


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--by", required=True, metavar="FIELD", help="Metadata to be guessed.")
@click.option(
    "--rule",
    type=click.Choice(("category", "nearest", "vote")),
    default="nearest",
    show_default=True,
    help="Smallest mean divergence to a category; nearest document; nearest few.",
)
@click.option(
    "--neighbours",
    default=5,
    show_default=True,
    type=whole(bounds.NEIGHBOURS),
    help="How many vote.",
)
@divergence_options
@click.option(
    "-k",
    default=3,
    show_default=True,
    type=whole(bounds.NEIGHBOUR),
    help="Which neighbour. Latent.",
)
@click.option("--sample", type=whole(bounds.WORDS), help="Compare as many random words of each.")
@click.option("--seed", default=0, show_default=True, type=whole(bounds.SEED), help="For --sample.")
@click.option("--text", metavar="ID", help="Show the evidence for one document.")
@click.option("--resume", metavar="FOLDER", help="Keep finished parts here and go on from them.")
@cluster_option
@reading_options
@output_options
def label(
    paths: tuple[str, ...],
    by: str,
    rule: str,
    neighbours: int,
    k: int,
    sample: int | None,
    seed: int,
    text: str | None,
    resume: str | None,
    cluster: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Guess the category of each document from all the others: author, genre, level, …

    \b
    lexfield label books/ --metadata books.csv --by author --measure hellinger
    lexfield label books/ --metadata books.csv --by author --text emma
    lexfield label books.idx --by author                   the texts of an index
    lexfield label books/ --metadata books.csv --by genre --space latent --estimator spread --json
    lexfield label books/ --by author --resume /shared/run --cluster tcp://10.0.0.5:8786
    """
    from lexfield.answers.texts import guessed
    from lexfield.compare.counts import count_corpus
    from lexfield.compare.labels import label_documents
    from lexfield.compare.pairs import pairs

    compared, reading = apart(options)
    chosen = chosen_options(compared)
    corpus = read_corpus(paths, reading)
    counts = count_corpus(
        corpus, n=chosen["n"], stopwords=chosen["stopwords"], sample=sample, seed=seed
    ).keep_labelled(by)
    with engine_at(cluster) as engine, Bar("comparing", engine) as bar:
        found = pairs(counts, k=k, resume=resume, engine=engine, progress=bar, **chosen)
    answer = guessed(label_documents(found, counts, by, rule, neighbours, text))
    tell(answer, output, lambda: _lines(list(answer.records), answer.extra))


def _lines(records: list[dict[str, Any]], extra: dict[str, Any]) -> list[str]:
    from lexfield.results import format_rows

    lines = [
        f"{extra['right']} of {extra['documents']} documents get their own {extra['by']}"
        f" ({extra['accuracy']:.0%})"
    ]
    if evidence := extra.get("evidence"):
        lines.append(
            f"{evidence['id']}: {paint(evidence['predicted'], 'green')},"
            f" rather than {evidence['rather_than']}"
        )
        lines += [f"  {line}" for line in format_rows(evidence["nearest"])]
        words = ", ".join(f"{w['word']} {w['part']:+.4f}" for w in evidence["words"])
        return [*lines, f"  words that speak for it: {words}"]
    rows = []
    for true, guesses in extra["confusion"].items():
        others = sorted(((n, name) for name, n in guesses.items() if name != true), reverse=True)
        taken = ", ".join(f"{name} {n}" for n, name in others)
        total = sum(guesses.values())
        own = guesses.get(true, 0)
        rows.append({extra["by"]: true, "documents": total, "right": own, "taken for": taken})
    lines += format_rows(rows, shown=len(rows))
    wrong = [f"{r['id']} ({r['predicted']})" for r in records if not r["right"]]
    if wrong:
        lines.append(f"wrong: {', '.join(wrong)}")
    return lines
