"""``lexfield label``"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from lexfield.cli.compare import apart
from lexfield.cli.options import chosen_options, divergence_options, reading_options
from lexfield.cli.output import Bar, emit, output_options, paint
from lexfield.errors import InputError

if TYPE_CHECKING:
    from lexfield.diverge.counts import Counts
    from lexfield.diverge.pairs import Pairs


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
@click.option("--neighbours", default=5, show_default=True, help="How many vote.")
@divergence_options
@click.option("-k", default=3, show_default=True, help="Which neighbour. Latent.")
@click.option("--sample", type=click.IntRange(1), help="Compare as many random words of each.")
@click.option("--seed", default=0, show_default=True, help="For --sample.")
@click.option("--text", metavar="ID", help="Show the evidence for one document.")
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
    output: str | None,
    **options: Any,
) -> None:
    """Guess the category of each document from all the others: author, genre, level, …

    \b
    lexfield label books/ --metadata books.csv --by author --measure hellinger
    lexfield label books/ --metadata books.csv --by author --text emma
    lexfield label books/ --metadata books.csv --by genre --rule vote --space latent --json
    """
    from lexfield.diverge.counts import count
    from lexfield.diverge.label import leave_one_out
    from lexfield.diverge.pairs import pairs
    from lexfield.text.corpus import Corpus

    compared, reading = apart(options)
    chosen = chosen_options(compared)
    with Bar("reading") as bar:
        corpus = Corpus.read(paths, progress=bar, **reading)
    counts = count(corpus, n=chosen["n"], stopwords=chosen["stopwords"], sample=sample, seed=seed)
    counts = _labelled(counts, by)
    with Bar("comparing") as bar:
        found = pairs(counts, k=k, progress=bar, **chosen)
    labels = [record[by] for record in found.metadata]
    predicted = leave_one_out(found.matrix, labels, rule, neighbours).tolist()
    right = sum(a == b for a, b in zip(labels, predicted, strict=True))
    confusion: dict[str, dict[str, int]] = {}
    for (true, guess), times in sorted(Counter(zip(labels, predicted, strict=True)).items()):
        confusion.setdefault(true, {})[guess] = times
    records = [
        {"id": id, "label": true, "predicted": guess, "right": true == guess}
        for id, true, guess in zip(found.ids, labels, predicted, strict=True)
    ]
    extra: dict[str, Any] = {
        "by": by,
        "accuracy": right / len(labels),
        "right": right,
        "documents": len(labels),
        "confusion": confusion,
    }
    evidence = None if text is None else _evidence(found, counts, labels, predicted, text)
    if evidence:
        extra["evidence"] = evidence
    emit(
        "label",
        records,
        output,
        notes=_notes(found, labels),
        table=lambda: _lines(records, extra, evidence),
        extra=extra,
    )


def _labelled(counts: Counts, by: str) -> Counts:
    """The documents that have the field; the others are named."""
    import numpy as np

    having = np.array([bool(record.get(by)) for record in counts.metadata])
    if not having.any():
        known = ", ".join(sorted({name for record in counts.metadata for name in record}))
        raise InputError(f"No document has the field {by!r}.", f"There are: {known or 'none'}.")
    left = [id for id, has in zip(counts.ids, having, strict=True) if not has]
    return counts.keep(
        np.flatnonzero(having), [f"left out, without {by}: {', '.join(left)}"] if left else []
    )


def _notes(found: Pairs, labels: list[str]) -> list[str]:
    alone = sorted(name for name, size in Counter(labels).items() if size == 1)
    if len(set(labels)) < 2:
        raise InputError(f"All documents are {labels[0]!r}.", "There is nothing to tell apart.")
    told = f"with one document, so never right: {', '.join(alone)}" if alone else ""
    return [*found.notes, *([told] if told else [])]


def _evidence(
    found: Pairs, counts: Counts, labels: list[str], predicted: list[str], text: str
) -> dict[str, Any]:
    from dataclasses import asdict

    import numpy as np

    from lexfield.diverge.label import nearest_documents, telling_words

    if text not in found.ids:
        raise InputError(f"There is no document {text!r}.", "See the ids without --text.")
    row = found.ids.index(text)
    near = nearest_documents(found, labels, row, 5)
    others = [e.label for e in nearest_documents(found, labels, row, len(labels))]
    second = next(name for name in others if name != predicted[row])
    counts = counts.keep(np.array([counts.ids.index(id) for id in found.ids]))
    words = telling_words(counts, labels, counts.ids.index(text), predicted[row], second)
    return {
        "id": text,
        "predicted": predicted[row],
        "rather_than": second,
        "nearest": [asdict(e) for e in near],
        "words": [{"word": word, "part": part} for word, part in words[:15]],
    }


def _lines(
    records: list[dict[str, Any]], extra: dict[str, Any], evidence: dict[str, Any] | None
) -> list[str]:
    from lexfield.results import format_rows

    lines = [
        f"{extra['right']} of {extra['documents']} documents get their own {extra['by']}"
        f" ({extra['accuracy']:.0%})"
    ]
    if evidence:
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
