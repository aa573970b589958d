"""``lexfield pairs``"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    real,
    whole,
)
from lexfield.cli.output import Bar, emit, output_options, say
from lexfield.errors import InputError, list_names

if TYPE_CHECKING:
    from lexfield.compare.pairs import Pairs


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@divergence_options
@click.option("-k", default="3", show_default=True, metavar="3,5,10", help="Neighbours. Latent.")
@click.option("--sample", type=whole(bounds.WORDS), help="Compare as many random words of each.")
@click.option("--seed", default=0, show_default=True, type=whole(bounds.SEED), help="For --sample.")
@click.option("-o", "--out", metavar="FILE.npz", help="Keep the matrices and the ids.")
@click.option("--plot", metavar="FILE", help="Draw the documents as a map: .png, .svg or .pdf.")
@click.option("--heat", metavar="FILE", help="Draw the matrix with its dendrogram.")
@click.option("--by", metavar="FIELD", help="Metadata that colours the map.")
@click.option(
    "--memory",
    default=1.0,
    show_default=True,
    type=real(bounds.GIGABYTES),
    help="Gigabytes to work in. Latent.",
)
@click.option("--resume", metavar="FOLDER", help="Note progress here and go on from it. Latent.")
@click.option("--approximate", is_flag=True, help="Approximate neighbours, by faiss. Latent.")
@cluster_option
@reading_options
@output_options
def pairs(
    paths: tuple[str, ...],
    k: str,
    sample: int | None,
    seed: int,
    out: str | None,
    plot: str | None,
    heat: str | None,
    by: str | None,
    memory: float,
    resume: str | None,
    approximate: bool,
    cluster: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """How different every document is from every other, for several k at once.

    \b
    lexfield pairs books/ --measure hellinger
    lexfield pairs books.idx --measure hellinger           the texts of an index
    lexfield pairs books/ --space latent -k 3,5,10 -o matrix.npz
    lexfield pairs books/ --space latent --estimator spread --plot map.png
    lexfield pairs books/ --sample 3000 --stopwords en --heat heat.svg --csv
    lexfield pairs books/ --space latent --resume run/     a killed run goes on
    lexfield pairs books/ --space latent --resume /shared/run --cluster tcp://10.0.0.5:8786
    """
    from lexfield.compare.pairs import pairs as compute
    from lexfield.plots.figure import check_plot_path
    from lexfield.store.files import replace_file

    for path in (plot, heat):
        if path:
            check_plot_path(path)
    compared, reading = apart(options)
    corpus = read_corpus(paths, reading)
    with engine_at(cluster) as engine, Bar("comparing", engine) as bar:
        found = compute(
            corpus, k=_numbers(k), sample=sample, seed=seed, memory=memory, resume=resume,
            approximate=approximate, engine=engine, progress=bar, **chosen_options(compared),
        )  # fmt: skip
    if out:
        replace_file(Path(out), _npz(found))
        say(f"kept: {out}")
    _draw(found, plot, heat, by)
    emit("pairs", found.to_dicts(), output, notes=found.notes, table=lambda: _lines(found))


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise InputError(
            f"-k must be one number or several with commas between. Got {text!r} instead.",
            "Write -k 3, or -k 3,5,10.",
        )
    return [int(part) for part in parts]


def _npz(found: Pairs) -> bytes:
    """The ids, and the matrices as ``k3`` and so on, or ``counts`` in the categorical space."""
    import numpy as np

    arrays = {f"k{k}" if k else "counts": matrix for k, matrix in found.matrices.items()}
    data = BytesIO()
    np.savez_compressed(data, ids=np.array(found.ids), **arrays)  # type: ignore[arg-type]
    return data.getvalue()


def _draw(found: Pairs, plot: str | None, heat: str | None, by: str | None) -> None:
    from lexfield.plots.divergence import draw_heat, draw_map

    labels = None
    if by:
        labels = [record.get(by, "") for record in found.metadata]
        if not any(labels):
            known = list_names(sorted({name for record in found.metadata for name in record}))
            raise InputError(f"No document has the field {by!r}.", f"There are: {known}.")
    if plot:
        say(f"drawn: {draw_map(found, labels=labels).save(plot)}")
    if heat:
        say(f"drawn: {draw_heat(found).save(heat)}")


def _lines(found: Pairs) -> list[str]:
    """The nearest of each document."""
    import numpy as np

    from lexfield.plots.divergence import title
    from lexfield.results import format_rows

    rows: list[dict[str, Any]] = []
    for i, name in enumerate(found.ids):
        if np.isnan(found.matrix[i]).any():  # who is nearest cannot be said
            rows.append({"document": name, "nearest": "–", "divergence": "–",
                         "farthest": "–", "at": "–"})  # fmt: skip
            continue
        order = [j for j in found.matrix[i].argsort(kind="stable").tolist() if j != i]
        rows.append(
            {
                "document": name,
                "nearest": found.ids[order[0]],
                "divergence": float(found.matrix[i, order[0]]),
                "farthest": found.ids[order[-1]],
                "at": float(found.matrix[i, order[-1]]),
            }
        )
    return [title(found), *format_rows(rows, shown=len(rows))]
