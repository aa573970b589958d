"""safetensors: one matrix of floats, with its words beside it; among them model2vec models."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError, list_names
from lexfield.progress import Progress
from lexfield.store.bounds import most_unpacked
from lexfield.vectors.formats.beside import read_words
from lexfield.vectors.formats.common import BLOCK, Parsed, Source, limit_note

_MOST_HEADER = 1 << 18  # bytes; one matrix needs a hundred
_FLOATS = {"F16": 2, "F32": 4, "F64": 8}
_INTEGERS = {"I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"}


def read(source: Source, limit: int | None, progress: Progress) -> Parsed:
    import safetensors

    head = int.from_bytes(source.read(8), "little")
    if head > _MOST_HEADER:
        raise VectorsError(
            f"{source} is no file of vectors: its header has {head:,} bytes.",
            "Save the embedding matrix alone, as float32.",
        )
    try:
        with safetensors.safe_open(str(source.path), framework="numpy") as file:
            return _read(source, file, limit, progress)
    except safetensors.SafetensorError as error:
        raise VectorsError(
            f"{source} is not a whole safetensors file: {error}.", "Fetch the file again."
        ) from error


def _read(source: Source, file: Any, limit: int | None, progress: Progress) -> Parsed:
    name, stored, dims = _embedding(source, file)
    source.require_dims(dims)
    mapping = _column(source, file, "mapping", _INTEGERS)
    weights = _column(source, file, "weights", set(_FLOATS))
    rows = stored if mapping is None else len(mapping)
    words, notes = read_words(source.path, rows, tokenizer=True)
    wanted = rows if limit is None else min(rows, limit)
    if mapping is None:
        matrix = _rows(file, name, wanted, dims, progress)
    else:  # model2vec: several tokens share one vector
        if len(mapping) and not 0 <= int(mapping.min()) <= int(mapping.max()) < stored:
            raise VectorsError(f"{source}: its mapping leads outside its {stored:,} vectors.")
        if 4 * wanted * dims > most_unpacked(source.size):
            raise VectorsError(
                f"{source}: its mapping makes {rows:,} vectors of {stored:,}, far more than a model"
                " has.",
                "Read fewer with limit.",
            )
        matrix = _rows(file, name, stored, dims, progress)[mapping[:wanted]]
    if weights is not None:  # model2vec: a factor for each token
        if len(weights) != rows:
            raise VectorsError(
                f"{source}: number of weights ({len(weights):,}) does not match number of words"
                f" ({rows:,})."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            matrix *= weights[:wanted].astype(np.float32)[:, None]
    if wanted < rows:
        notes.append(limit_note(wanted, rows))
    return Parsed(words[:wanted], matrix, notes)


def _embedding(source: Source, file: Any) -> tuple[str, int, int]:
    """Name and shape of the one matrix."""
    kinds = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    matrices = {name: kind for name, kind in kinds.items() if len(kind.get_shape()) == 2}
    floats = [name for name, kind in matrices.items() if kind.get_dtype() in _FLOATS]
    if len(floats) == 1:
        rows, dims = matrices[floats[0]].get_shape()
        return floats[0], int(rows), int(dims)
    found = [f"{n} {k.get_dtype()}{k.get_shape()}" for n, k in sorted(kinds.items())]
    raise VectorsError(
        f"{source}: expected one matrix of floats (F16, F32 or F64)."
        f" Got {list_names(found, 5)} instead.",
        "Save the embedding matrix alone, as float32.",
    )


def _column(source: Source, file: Any, name: str, kinds: set[str]) -> NDArray[Any] | None:
    """A tensor of model2vec with a number for each token, if the file has it."""
    if name not in file.keys():  # noqa: SIM118 - not a dict
        return None
    kind = file.get_slice(name)
    if len(kind.get_shape()) != 1:
        return None  # some other model's tensor of the same name
    if kind.get_dtype() not in kinds:
        raise VectorsError(
            f"{source}: {name} must be one of {', '.join(sorted(kinds))}."
            f" Got {kind.get_dtype()} instead."
        )
    column: NDArray[Any] = file.get_tensor(name)
    return column


def _rows(file: Any, name: str, rows: int, dims: int, progress: Progress) -> NDArray[np.float32]:
    """The first rows as float32, a block at a time: the stored ones may be twice as wide."""
    tensor = file.get_slice(name)
    matrix = np.empty((rows, dims), np.float32)
    step = max(1, BLOCK // (dims * _FLOATS[tensor.get_dtype()]))
    with np.errstate(over="ignore"):
        for first in range(0, rows, step):
            last = min(rows, first + step)
            matrix[first:last] = tensor[first:last]
            progress(last, rows)
    return matrix
