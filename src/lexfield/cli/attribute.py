"""``lexfield attribute``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexfield.cli.options import ngram_option, read_corpus, reading_options
from lexfield.cli.output import output_options, paint, say, tell

if TYPE_CHECKING:
    from lexfield.text.corpus import Corpus


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--by", required=True, metavar="FIELD", help="Metadata to be guessed, as author.")
@click.option("--text", metavar="FILE|ID", help="The text in question: a file, or one of PATH…")
@click.option(
    "--measure",
    type=click.Choice(("hellinger", "js", "kl")),
    default="hellinger",
    show_default=True,
    help="How far texts are apart.",
)
@ngram_option
@click.option("--stopwords", metavar="LANGUAGE", help="Leave out stopwords: en. Style is in them.")
@click.option("--plot", metavar="FILE", help="Draw what was said beside what came true.")
@reading_options
@output_options
def attribute(
    paths: tuple[str, ...],
    by: str,
    text: str | None,
    plot: str | None,
    output: str | None,
    measure: str,
    n: int,
    stopwords: str | None,
    **reading: Any,
) -> None:
    """Say who wrote a text, how surely, and which words say so.

    Probabilities are calibrated on the known texts, each attributed from all the others; without
    --text that is what is shown.

    \b
    lexfield attribute books/ --metadata books.csv --by author --text disputed.txt
    lexfield attribute books/ --metadata books.csv --by author --text emma
    lexfield attribute books.idx --by author --text emma   the texts of an index
    lexfield attribute books/ --metadata books.csv --by author --plot sure.png
    """
    from lexfield.answers.attribution import attributed
    from lexfield.compare.attribution import attribute as compute
    from lexfield.plots.figure import check_plot_path

    if plot:
        check_plot_path(plot)
    corpus = read_corpus(paths, reading)
    if text is not None and text not in corpus.ids:
        corpus, text = _joined(corpus, text)
    answer = attributed(compute(corpus, by, text, measure=measure, n=n, stopwords=stopwords))
    if plot:
        from lexfield.plots.divergence import draw_reliability

        say(f"drawn: {draw_reliability(answer.extra['calibration']).save(plot)}")
    tell(answer, output, lambda: _lines(list(answer.records), answer.extra))


def _joined(corpus: Corpus, path: str) -> tuple[Corpus, str]:
    """The known texts and the one in question, under a name that is its own."""
    from lexfield.errors import InputError
    from lexfield.text.corpus import Corpus
    from lexfield.text.document import Document

    if path != "-" and not Path(path).is_file():
        raise InputError(f"{path!r} is neither a file nor one of the texts.", "Name one of them.")
    text = "\n\n".join(Corpus.read([path], format="text" if path != "-" else None).texts)
    name = "the text" if path == "-" else path
    return (
        Corpus.of([*corpus.documents, Document(name, text)], normalisation=corpus.normalisation),
        name,
    )


def _lines(records: list[dict[str, Any]], extra: dict[str, Any]) -> list[str]:
    from lexfield.results import format_rows

    checked = extra["calibration"]
    told = (
        f"known texts, each from all the others: {checked['accuracy']:.0%} of"
        f" {checked['documents']} right, {checked['said']:.0%} said, off by {checked['error']:.0%}"
    )
    if "evidence" not in extra:
        rows = [
            {"said": f"{b['low']:.0%} to {b['high']:.0%}", "documents": b["documents"],
             "mean said": f"{b['said']:.0%}", "right": f"{b['right']:.0%}"}
            for b in checked["bins"]
        ]  # fmt: skip
        return [told, *format_rows(rows, shown=len(rows))]
    evidence = extra["evidence"]
    words = ", ".join(f"{w['word']} {w['part']:+.4f}" for w in evidence["words"])
    return [
        f"{extra['id']}: {paint(extra['predicted'], 'green')} with probability"
        f" {extra['probability']:.2f}",
        *(f"  {line}" for line in format_rows(records[:5])),
        "nearest texts",
        *(f"  {line}" for line in format_rows(evidence["nearest"])),
        f"words that speak for it rather than {evidence['rather_than']}: {words}",
        told,
    ]
