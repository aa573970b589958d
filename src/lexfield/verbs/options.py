"""Options that several verbs share, each declared once: type, bounds, help and default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from lexfield.cluster.dask_engine import DaskEngine, choose_run_folder, open_engine
from lexfield.engine import Engine
from lexfield.progress import Progress, begin_stage, silent
from lexfield.vectors.models import Models, is_models, open_all
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import Flags, Help, Input

FileInput = Annotated[str | Path, Input("file")]
Target = Annotated[str | Path, Input("target")]
QueryFile = Annotated[
    FileInput | None,
    Flags(metavar="FILE"),
    Help("File of queries: one per line, id<TAB>query, or JSON lines; - is standard input."),
]
Vectors = WordVectors | str | Path
VectorsInput = Annotated[
    Vectors,
    Input("vectors"),
    Flags(metavar="NAME|FILE"),
    Help("Word vectors: a name from `lexfield vectors list`, or a file."),
]
ModelsInput = Annotated[
    Vectors | Sequence[Vectors],
    Input("vectors", many=True),
    Flags(metavar="DIR|NAME|FILE"),
    Help("Several models: a folder from `lexfield vectors train`, or vector sets, one by one."),
]
OwnVectorsInput = Annotated[
    VectorsInput,
    Flags(metavar="NAME|FILE|own"),
    Help(
        "Word vectors: a name from `lexfield vectors list`, a file, or own (trained on the text)."
        " auto: the built-in ones for English, those of the encoder for other languages."
    ),
]
Hits = Annotated[int, Meta(ge=1, le=10**6), Flags(("-k",)), Help("Number of results.")]
Ngram = Annotated[int, Meta(ge=1, le=100), Flags(old="n"), Help("Number of words in an n-gram.")]
Neighbour = Annotated[
    int,
    Meta(ge=1, le=10_000),
    Flags(metavar="NUMBER", old="k"),
    Help("In clouds of vectors, use the distance to the neighbour of this rank."),
]
Seed = Annotated[
    int, Meta(ge=0, le=2**32 - 1), Help("Seed of random choices: same seed, same result.")
]
Limit = Annotated[
    int | None, Meta(ge=1, le=10**9), Help("Read only the first words of each set of vectors.")
]
Unit = Annotated[Literal["sentence", "document"], Help("Search sentences or whole documents.")]
Where = Annotated[
    Sequence[Annotated[str, Meta(max_length=1_000_000)]] | Mapping[str, str | Sequence[str]],
    Meta(max_length=200),
    Flags(metavar="FIELD=VALUE", pairs=True),
    Help(
        "Only documents with this metadata: author=Austen,Eliot, level!=high, year>=1850 or"
        " year=1850..1900, also id=emma; repeat it for more conditions."
    ),
]
Method = Annotated[str, Meta(max_length=200), Flags(metavar="SPEC")]
Algebra = Annotated[
    bool,
    Help(
        'Read the text as sums of words and phrases: 3*storm + 2*"at sea" - rain. For count,'
        " frequency, bm25, lm and translation."
    ),
]
AllowUnknown = Annotated[
    bool, Help("Continue even if most words have no vector, as in an unsupported language.")
]
ClusterAddress = Annotated[
    str | None,
    Flags(metavar="ADDRESS", variable="LEXFIELD_CLUSTER"),
    Help(
        "Run on a Dask cluster such as tcp://host:8786 whose machines share folders with this one."
    ),
]

MinCount = Annotated[
    int, Meta(ge=1, le=10**9), Flags(old="least"), Help("Leave out words that occur less often.")
]
SampleSize = Annotated[
    int | None, Meta(ge=1, le=10**9), Help("Sample N words from each document and compare those.")
]
By = Annotated[str, Meta(max_length=100), Flags(metavar="FIELD")]
Resume = Annotated[
    Target | None,
    Flags(metavar="FOLDER"),
    Help("Keep finished parts in this folder, and continue from them."),
]


@contextmanager
def use_engine(cluster: str | None) -> Iterator[Engine | None]:
    """Yield the cluster that was asked for and close it at the end; None means this machine."""
    if not cluster:
        yield None
        return
    engine = open_engine(cluster)
    try:
        yield engine
    finally:
        engine.close()


def choose_parts_folder(
    engine: Engine | None, resume: str | Path | None, key: str, progress: Progress
) -> tuple[str | Path | None, list[str]]:
    """Return the folder for finished parts, and notes: a cluster needs one that its machines see.

    ``key`` says what is computed, so that the same run finds the same folder again.
    """
    if not isinstance(engine, DaskEngine) or resume is not None:
        return resume, []
    folder = choose_run_folder(engine, key)
    note = f"finished parts are kept in {folder}; delete it when you have the result"
    begin_stage(progress, note)
    return folder, [note]


def load_vectors(
    source: Vectors, limit: int | None = None, progress: Progress = silent
) -> WordVectors:
    """Return vectors that are loaded already, or load a set by name or file."""
    if isinstance(source, WordVectors) and limit is None:
        return source
    if isinstance(source, WordVectors):
        return WordVectors(source.words[:limit], source.matrix[:limit], name=source.name)
    return WordVectors.load(source, limit=limit, progress=progress)


def open_models(
    sources: Vectors | Sequence[Vectors], limit: int | None = None, progress: Progress = silent
) -> dict[str, Models]:
    """Return models that belong together, by name: those of a folder by size, other sets as one."""
    every = [sources] if isinstance(sources, Vectors) else list(sources)
    if len(every) == 1 and not isinstance(every[0], WordVectors) and is_models(every[0]):
        by_dims = open_all(every[0], limit)
        return {f"{dims} dimensions": models for dims, models in by_dims.items()}
    sets = [load_vectors(source, limit, progress) for source in every]
    return {sets[0].name if len(sets) == 1 else f"{len(sets)} models": Models(sets)}
