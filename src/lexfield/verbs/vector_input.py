"""Files and word vectors as arguments of a verb."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from lexfield.progress import Progress, silent
from lexfield.vectors.models import Models, is_models, open_all
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import Flags, Help, Input

FileInput = Annotated[str | Path, Input("file")]
Target = Annotated[str | Path, Input("target")]
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
    Help("Several models: a folder from `lexfield vectors train`, or sets, one by one."),
]
OwnVectorsInput = Annotated[
    VectorsInput,
    Flags(metavar="NAME|FILE|own"),
    Help(
        "Word vectors: a name from `lexfield vectors list`, a file, or own (trained on the text)."
    ),
]


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
