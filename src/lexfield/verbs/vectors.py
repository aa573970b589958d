"""List, import, describe and train word vectors.

lexfield vectors list
lexfield vectors import cc.de.300.vec.gz --name german --limit 200000
lexfield vectors info german
lexfield vectors train texts/ -o my-models
lexfield vectors train texts.idx -o my-models          the texts of an index
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Unpack

from msgspec import Meta

from lexfield.plots.figure import Picture
from lexfield.plots.words import draw_uncertainty
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import Table
from lexfield.vectors.models import Uncertainty, open_all, uncertainty
from lexfield.vectors.sources import VectorSet, import_file, list_sets
from lexfield.vectors.train import train
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import TextOptions, TextsInput, read_texts
from lexfield.verbs.options import (
    FileInput,
    Hits,
    Limit,
    MinCount,
    ModelsInput,
    Seed,
    Target,
    VectorsInput,
    load_vectors,
    open_models,
)
from lexfield.verbs.results import Result, hidden, save_picture


@verb(command="vectors list")
def list_vectors() -> Result[VectorSet]:
    """List the named sets of vectors.

    lexfield vectors list
    lexfield vectors list --json
    """
    return Result(list_sets())


@dataclass(kw_only=True)
class ImportedSet:
    """The size of a set that was imported."""

    name: str
    words: int
    dims: int


@verb(command="vectors import", served="no")
def import_vectors(
    file: FileInput,
    *,
    name: Annotated[
        str | None, Meta(max_length=64), Help("Name of the set; by default that of the file.")
    ] = None,
    limit: Limit = None,
    progress: Progress = silent,
) -> Result[ImportedSet]:
    """Import a file of vectors and give it a name.

    Reads word2vec, GloVe, fastText, safetensors and NumPy files.

        lexfield vectors import glove.6B.300d.txt --name glove300
        lexfield vectors import model.bin --limit 100000
    """
    begin_stage(progress, "reading vectors")
    found = import_file(file, name or Path(file).name.split(".")[0], limit=limit, progress=progress)
    words, dims = found.matrix.shape
    return Result([ImportedSet(name=found.name, words=words, dims=dims)], notes=found.notes)


@dataclass(kw_only=True)
class DescribedSet:
    """The size of a set, and its first and last words."""

    name: str
    words: int
    dims: int
    first: str
    last: str


@verb(command="vectors info")
def describe_vectors(vectors: VectorsInput, *, progress: Progress = silent) -> Result[DescribedSet]:
    """Describe a set of vectors: its size, its first words, and repairs made while reading.

    lexfield vectors info default
    lexfield vectors info my-vectors.vec --json
    """
    begin_stage(progress, "reading vectors")
    found = load_vectors(vectors, progress=progress)
    row = DescribedSet(
        name=found.name,
        words=len(found),
        dims=found.dims,
        first=" ".join(found.words[:10]),
        last=" ".join(found.words[-5:]),
    )
    return Result([row], notes=found.notes)


@dataclass(kw_only=True)
class TrainedGroup:
    """Models of one number of dimensions."""

    models: int
    dims: int
    words: int
    where: str


@verb(command="vectors train", served="job")
def train_vectors(
    texts: Annotated[TextsInput, Flags(metavar="CORPUS...")],
    *,
    output: Annotated[Target, Flags(("-o",), "DIR"), Help("Folder to write the models to.")],
    seeds: Annotated[
        int,
        Meta(ge=1, le=100),
        Flags(old="models"),
        Help("Number of models, which differ in their seeds."),
    ] = 5,
    dimensions: Annotated[
        Sequence[Annotated[int, Meta(ge=1, le=2000)]],
        Meta(min_length=1, max_length=100),
        Flags(old="dims"),
        Help("Number of dimensions; repeat it to train models of several sizes."),
    ] = (100,),
    algorithm: Annotated[
        Literal["word2vec", "fasttext"], Help("Skip-gram on words, or on words and their parts.")
    ] = "word2vec",
    window: Annotated[int, Meta(ge=1, le=100), Help("Context words on either side.")] = 5,
    min_count: MinCount = 5,
    epochs: Annotated[int, Meta(ge=1, le=1000), Help("Passes over the text.")] = 5,
    seed: Annotated[Seed, Help("Seed of the first model.")] = 0,
    replace: Annotated[bool, Help("Replace existing models.")] = False,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> Result[TrainedGroup]:
    """Train several models on the same texts, to see how certain a similarity is.

    The same seed leads to the same vectors in every run. Models are trained in parallel on all
    cores.

        lexfield vectors train texts/ -o my-models
        lexfield vectors train news.jsonl -o news --seeds 5 --dimensions 100 --dimensions 300
        lexfield near book --models my-models
        lexfield threshold my-models
    """
    corpus = read_texts(texts, options, progress)
    begin_stage(progress, "training models")
    train(
        corpus,
        output,
        models=seeds,
        dimensions=dimensions,
        algorithm=algorithm,
        window=window,
        least=min_count,
        epochs=epochs,
        seed=seed,
        replace=replace,
        progress=progress,
    )
    rows = [
        TrainedGroup(models=len(group), dims=dims, words=len(group.words), where=str(output))
        for dims, group in open_all(output).items()
    ]
    return Result(rows, notes=corpus.notes)


@dataclass(kw_only=True)
class UncertainStep:
    """How much models disagree about pairs of words in a step of similarity."""

    models: str
    similarity: float
    uncertainty: float
    pairs: int


@dataclass(repr=False)
class UncertaintyCurves(Result[UncertainStep]):
    """The mean difference of two models, by similarity; a curve per number of dimensions."""

    curves: dict[str, Table[Uncertainty]] = hidden()

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the curves: png, svg or pdf."""
        return save_picture(draw_uncertainty(self.curves), path)


@verb(command="vectors uncertainty")
def measure_uncertainty(
    models: Annotated[ModelsInput, Flags(metavar="DIR|NAME|FILE...")],
    *,
    words: Annotated[Hits, Flags(), Help("Number of representative words.")] = 100,
    step: Annotated[float, Meta(ge=0.001, le=1), Help("Width of a step of similarity.")] = 0.05,
    progress: Progress = silent,
) -> UncertaintyCurves:
    """Measure how much models of the same words disagree, by similarity.

    For pairs of a representative word and any other word, this is the mean difference between two
    models. A folder of models has a curve for each number of dimensions.

        lexfield vectors uncertainty my-models --plot uncertainty.png
        lexfield vectors uncertainty first.vec second.vec --json
    """
    begin_stage(progress, "reading vectors")
    groups = open_models(models, progress=progress)
    curves = {}
    for name, group in groups.items():
        begin_stage(progress, f"{name}: comparing models")
        curves[name] = uncertainty(group, words, step=step, progress=progress)
    rows = [
        UncertainStep(models=name, **row)
        for name, curve in curves.items()
        for row in curve.to_dicts()
    ]
    notes = [note for group in groups.values() for note in group.notes]
    return UncertaintyCurves(rows, curves=curves, notes=notes)
