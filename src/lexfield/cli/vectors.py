"""``lexfield vectors``"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import click

from lexfield.answers import bounds
from lexfield.cli.options import read_corpus, read_model_groups, reading_options, real, whole
from lexfield.cli.output import Bar, emit, output_options, say


@click.group()
def vectors() -> None:
    """List, import, describe and train word vectors.

    \b
    lexfield vectors list
    lexfield vectors import cc.de.300.vec.gz --name german --limit 200000
    lexfield vectors info german
    lexfield vectors train texts/ -o my-models
    lexfield vectors train texts.idx -o my-models          the texts of an index
    """


@vectors.command("list")
@output_options
def list_sets(output: str | None) -> None:
    """The sets that have a name.

    \b
    lexfield vectors list
    lexfield vectors list --json
    """
    from lexfield.vectors.sources import list_sets

    emit("vectors.list", [asdict(entry) for entry in list_sets()], output)


@vectors.command("import")
@click.argument("file", type=click.Path(exists=True))
@click.option("--name", help="Name of the set; by default the file's.")
@click.option("--limit", type=whole(bounds.WORDS), help="Only the first so many words.")
@output_options
def import_set(file: str, name: str | None, limit: int | None, output: str | None) -> None:
    """Read word2vec, GloVe, fastText, safetensors or NumPy files and keep them under a name.

    \b
    lexfield vectors import glove.6B.300d.txt --name glove300
    lexfield vectors import model.bin --limit 100000
    """
    from lexfield.vectors.sources import import_file

    with Bar("reading vectors") as bar:
        found = import_file(file, name or Path(file).name.split(".")[0], limit=limit, progress=bar)
    words, dims = found.matrix.shape
    record = {"name": found.name, "words": words, "dims": dims}
    emit("vectors.import", [record], output, notes=found.notes)


@vectors.command("info")
@click.argument("name", metavar="NAME|FILE")
@output_options
def describe_set(name: str, output: str | None) -> None:
    """Describe a set: size, first words, what was repaired when it was read.

    \b
    lexfield vectors info default
    lexfield vectors info my-vectors.vec --json
    """
    from lexfield.vectors.wordvectors import WordVectors

    with Bar("reading vectors") as bar:
        found = WordVectors.load(name, progress=bar)
    record = {
        "name": found.name,
        "words": len(found),
        "dims": found.dims,
        "first": " ".join(found.words[:10]),
        "last": " ".join(found.words[-5:]),
    }
    emit("vectors.info", [record], output, notes=found.notes)


@vectors.command("train")
@click.argument("paths", nargs=-1, required=True, metavar="CORPUS...")
@click.option("-o", "folder", required=True, metavar="DIR", help="Where the models go.")
@click.option(
    "--models", default=5, show_default=True, type=click.IntRange(1, 100), help="With other seeds."
)
@click.option(
    "--dimensions",
    "sizes",
    multiple=True,
    default=(100,),
    show_default=True,
    type=click.IntRange(1, 2000),
    help="Give it several times to train models of several sizes.",
)
@click.option(
    "--algorithm",
    type=click.Choice(("word2vec", "fasttext")),
    default="word2vec",
    show_default=True,
    help="Skip-gram of words, or of words and their parts.",
)
@click.option(
    "--window",
    default=5,
    show_default=True,
    type=whole(bounds.WINDOW),
    help="Words to either side.",
)
@click.option(
    "--least",
    default=5,
    show_default=True,
    type=whole(bounds.WORDS),
    help="Words that occur less have no vector.",
)
@click.option(
    "--epochs",
    default=5,
    show_default=True,
    type=whole(bounds.EPOCHS),
    help="Passes over the text.",
)
@click.option(
    "--seed", default=0, show_default=True, type=whole(bounds.SEED), help="Of the first model."
)
@click.option("--replace", is_flag=True, help="Replace the models that are there.")
@reading_options
@output_options
def train_sets(
    paths: tuple[str, ...],
    folder: str,
    models: int,
    sizes: tuple[int, ...],
    algorithm: Literal["word2vec", "fasttext"],
    window: int,
    least: int,
    epochs: int,
    seed: int,
    replace: bool,
    output: str | None,
    **reading: Any,
) -> None:
    """Train several models of the same texts, to see how sure a similarity is.

    A seed gives the same vectors at every run. Models are trained side by side on all cores.

    \b
    lexfield vectors train texts/ -o my-models
    lexfield vectors train news.jsonl -o news --models 5 --dimensions 100 --dimensions 300
    lexfield near book --models my-models
    lexfield threshold my-models
    """
    from lexfield.vectors.models import open_all
    from lexfield.vectors.train import train

    corpus = read_corpus(paths, reading)
    with Bar("training models") as bar:
        train(
            corpus, folder, models=models, dimensions=sizes, algorithm=algorithm, window=window,
            least=least, epochs=epochs, seed=seed, replace=replace, progress=bar,
        )  # fmt: skip
    records = [
        {"models": len(group), "dims": dims, "words": len(group.words), "where": folder}
        for dims, group in open_all(folder).items()
    ]
    emit("vectors.train", records, output, notes=corpus.notes)


@vectors.command("uncertainty")
@click.argument("sources", nargs=-1, required=True, metavar="DIR|NAME|FILE...")
@click.option(
    "--words", default=100, show_default=True, type=whole(bounds.RESULTS), help="How many."
)
@click.option(
    "--step",
    default=0.05,
    show_default=True,
    type=real(bounds.STEP),
    help="Width of a step of similarity.",
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the curves: png, svg or pdf.")
@output_options
def uncertainty_of(
    sources: tuple[str, ...], words: int, step: float, plot: str | None, output: str | None
) -> None:
    """See how much models of the same words disagree, by similarity.

    For representative words and all others: the mean difference of two models. A folder of models
    gives a curve for each number of dimensions.

    \b
    lexfield vectors uncertainty my-models --plot uncertainty.png
    lexfield vectors uncertainty first.vec second.vec --json
    """
    from lexfield.plots.figure import check_plot_path
    from lexfield.plots.words import draw_uncertainty
    from lexfield.vectors.uncertainty import uncertainty

    if plot:
        check_plot_path(plot)
    with Bar("reading vectors") as bar:
        groups = read_model_groups(sources, None, bar)
    curves = {}
    for name, group in groups.items():
        with Bar(f"{name}: comparing models") as bar:
            curves[name] = uncertainty(group, words, step=step, progress=bar)
    if plot:
        say(f"wrote {draw_uncertainty(curves).save(plot)}")
    records = [
        {"models": name, **record} for name, curve in curves.items() for record in curve.to_dicts()
    ]
    notes = [note for group in groups.values() for note in group.notes]
    emit("vectors.uncertainty", records, output, notes=notes)
