"""safetensors: one matrix of floats with its words in a file next to it, as model2vec saves it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import VectorsError, list_names
from lexfield.progress import Progress
from lexfield.store.bounds import most_unpacked
from lexfield.vectors.formats.common import AGAIN, BLOCK, Source, VectorFile, limit_note
from lexfield.vectors.formats.sidecar import read_words

_MAX_HEADER = 1 << 18  # bytes; one matrix needs a hundred
_FLOATS = {"F16": 2, "F32": 4, "F64": 8}
_INTEGERS = ("I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64")
_ALONE = "Save the embedding matrix alone, as float32."


class _Slice(Protocol):
    """A tensor that is read lazily."""

    def get_shape(self) -> list[int]: ...
    def get_dtype(self) -> str: ...
    def __getitem__(self, rows: slice) -> Array: ...


def read(source: Source, limit: int | None, progress: Progress) -> VectorFile:
    import safetensors

    head = int.from_bytes(source.read(8), "little")
    if head > _MAX_HEADER:
        raise VectorsError(
            f"{source} is not a file of vectors: its header has {head:,} bytes.", _ALONE
        )
    try:
        with safetensors.safe_open(str(source.path), framework="numpy") as file:
            tensors = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            return _read_tensors(source, tensors, limit, progress)
    except safetensors.SafetensorError as error:
        raise VectorsError(f"{source} is not a whole safetensors file: {error}.", AGAIN) from error


def _read_tensors(
    source: Source, tensors: dict[str, _Slice], limit: int | None, progress: Progress
) -> VectorFile:
    embedding = _find_embedding(source, tensors)
    stored, dims = embedding.get_shape()
    source.check_dims(dims)
    mapping = _read_column(source, tensors, "mapping", _INTEGERS)
    weights = _read_column(source, tensors, "weights", _FLOATS)
    rows = stored if mapping is None else len(mapping)
    words, notes = read_words(source.path, rows, tokenizer=True)
    wanted = rows if limit is None else min(rows, limit)
    if mapping is None:
        matrix = _read_rows(embedding, wanted, progress)
    else:  # model2vec: several tokens share one vector
        if len(mapping) and not 0 <= int(mapping.min()) <= int(mapping.max()) < stored:
            raise VectorsError(f"{source}: its mapping leads outside its {stored:,} vectors.")
        if 4 * wanted * dims > most_unpacked(source.size):
            raise VectorsError(
                f"{source}: its mapping makes {rows:,} vectors of {stored:,}, far more than a model"
                " has.",
                "Read fewer with limit.",
            )
        matrix = _read_rows(embedding, stored, progress)[mapping[:wanted]]
    if weights is not None:  # model2vec: a factor per token
        if len(weights) != rows:
            raise VectorsError(
                f"{source}: number of weights ({len(weights):,}) does not match number of words"
                f" ({rows:,})."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            matrix *= weights[:wanted].astype(np.float32)[:, None]
    if wanted < rows:
        notes.append(limit_note(wanted, rows))
    return VectorFile(words[:wanted], matrix, notes=notes)


def _find_embedding(source: Source, tensors: dict[str, _Slice]) -> _Slice:
    """Return the only matrix of floats."""
    matrices = [
        tensor
        for tensor in tensors.values()
        if len(tensor.get_shape()) == 2 and tensor.get_dtype() in _FLOATS
    ]
    if len(matrices) == 1:
        return matrices[0]
    found = [f"{name} {t.get_dtype()}{t.get_shape()}" for name, t in sorted(tensors.items())]
    raise VectorsError(
        f"{source}: expected one matrix of floats (F16, F32 or F64)."
        f" Got {list_names(found, 5)} instead.",
        _ALONE,
    )


def _read_column(
    source: Source, tensors: dict[str, _Slice], name: str, dtypes: Collection[str]
) -> Array | None:
    """Return a model2vec tensor with a number per token, if the file has it."""
    tensor = tensors.get(name)
    if tensor is None or len(tensor.get_shape()) != 1:
        return None  # absent, or some other model's tensor of the same name
    if tensor.get_dtype() not in dtypes:
        raise VectorsError(
            f"{source}: {name} must be one of {', '.join(sorted(dtypes))}."
            f" Got {tensor.get_dtype()} instead."
        )
    return tensor[:]


def _read_rows(tensor: _Slice, rows: int, progress: Progress) -> NDArray[np.float32]:
    """Return the first rows as float32, converted a block at a time: they may be stored wider."""
    dims = tensor.get_shape()[1]
    matrix = np.empty((rows, dims), np.float32)
    step = max(1, BLOCK // (dims * _FLOATS[tensor.get_dtype()]))
    with np.errstate(over="ignore"):
        for first in range(0, rows, step):
            last = min(rows, first + step)
            matrix[first:last] = tensor[first:last]
            progress(last, rows)
    return matrix
