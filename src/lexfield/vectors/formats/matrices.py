"""Matrices whose words are stored separately.

NumPy        ``x.npy``, or ``.npz`` with the arrays ``words`` and ``vectors``; arrays of Python
             objects are pickles and are refused
safetensors  one matrix of floats, as model2vec saves it

The words of ``x.npy`` and of a safetensors file are next to it: one per line in ``x.txt`` or
``x.words``, or (safetensors only) in a ``tokenizer.json``.
"""

from __future__ import annotations

import json
import mmap
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import VectorsError, list_names
from lexfield.progress import Progress
from lexfield.store.bounds import most_unpacked
from lexfield.store.manifest import parse_array
from lexfield.vectors.formats.common import (
    AGAIN,
    BLOCK,
    BOM,
    VectorData,
    VectorFile,
    WordList,
    limit_note,
    open_source,
)

NUMPY_MAGICS = (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")
_SUFFIXES = (".txt", ".words")
_TOKENIZER = "tokenizer.json"
_MAX_HEADER = 1 << 18  # bytes of a safetensors header; one matrix needs a hundred
_FLOATS = ("F16", "F32", "F64")
_INTEGERS = ("I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64")
_ALONE = "Save the embedding matrix alone, as float32."
_Words = tuple[list[str], list[str]]  # words, and notes


class _Slice(Protocol):
    """A tensor that is read lazily."""

    def get_shape(self) -> list[int]: ...
    def get_dtype(self) -> str: ...
    def __getitem__(self, rows: slice) -> Array: ...


def read_numpy(source: VectorFile, limit: int, progress: Progress) -> VectorData:
    members: dict[str, bytearray] = {}
    data: bytes | bytearray | mmap.mmap = b""
    if source.read(4).startswith(NUMPY_MAGICS[1:]):
        members = _read_members(source)
        data = members["vectors"]
    elif source.size:  # an empty file cannot be mapped
        data = mmap.mmap(source.file.fileno(), 0, access=mmap.ACCESS_READ)
    array = _parse(source, "floats", data)
    if array.ndim != 2 or array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise VectorsError(
            f"{source}: expected a matrix of floats (16, 32 or 64 bits)."
            f" Got shape {array.shape} of {array.dtype} instead."
        )
    source.check_dims(array.shape[1])
    if members:
        words, notes = _read_word_array(source, _parse(source, "words", members["words"]))
        _check_count(source, len(words), len(array))
    else:
        words, notes = _read_words_beside(source.path, len(array), tokenizer=False)
    if members:  # in memory already: converted only if it is stored otherwise
        with np.errstate(over="ignore"):
            matrix = np.ascontiguousarray(array[:limit], np.float32)
        progress(len(matrix), len(matrix))
    else:
        matrix = _copy_rows(array, min(len(array), limit), array.shape[1], progress)
    return _finish(words, matrix, len(array), notes)


def read_safetensors(source: VectorFile, limit: int, progress: Progress) -> VectorData:
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


def _finish(
    words: list[str], matrix: NDArray[np.float32], rows: int, notes: list[str]
) -> VectorData:
    if len(matrix) < rows:
        notes.append(limit_note(len(matrix), rows))
    return VectorData(words[: len(matrix)], matrix, notes=notes)


def _read_words_beside(path: Path, rows: int, *, tokenizer: bool) -> _Words:
    """Return a word per row from a file next to the matrix, and notes."""
    files = [path.with_suffix(suffix) for suffix in _SUFFIXES]
    file = next((file for file in files if file.is_file()), path.with_name(_TOKENIZER))
    notes: list[str] = []
    if file in files:
        words, notes = _read_lines(file)
    elif tokenizer and file.is_file():
        words = _read_tokens(file)
    else:
        raise VectorsError(
            f"{path} holds vectors but no words.",
            f"Put the words, one per line, into {files[0].name} or {files[1].name} next to it"
            + (f", or {_TOKENIZER}." if tokenizer else "."),
        )
    _check_count(file, len(words), rows)
    return words, notes


def _check_count(file: object, words: int, rows: int) -> None:
    if words != rows:
        raise VectorsError(
            f"{file}: number of words ({words:,}) does not match number of vectors ({rows:,})."
        )


def _read_lines(path: Path) -> _Words:
    lines = _read_bytes(path).removeprefix(BOM).split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    words = WordList()
    words.add([line.strip() for line in lines])
    return words.words, words.notes()


def _read_tokens(path: Path) -> list[str]:
    """Return tokens in the order of their ids, including those added to the vocabulary."""
    try:
        tree = json.loads(_read_bytes(path))
        vocabulary = tree["model"]["vocab"]
        tokens = {token["id"]: token["content"] for token in tree.get("added_tokens") or ()}
        if isinstance(vocabulary, dict):  # WordPiece, BPE and WordLevel: token → id
            tokens |= {number: token for token, number in vocabulary.items()}
        else:  # Unigram: [token, score] in the order of ids
            tokens |= {number: token for number, (token, _) in enumerate(vocabulary)}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise VectorsError(f"{path} is not a tokenizer with a vocabulary: {error!r}.") from error
    if not all(type(n) is int for n in tokens) or set(tokens) != set(range(len(tokens))):
        raise VectorsError(f"{path}: token ids must be 0 to {len(tokens) - 1:,} without gaps.")
    if not all(isinstance(token, str) for token in tokens.values()):
        raise VectorsError(f"{path}: tokens must be text.")
    return [tokens[number] for number in range(len(tokens))]


def _read_bytes(path: Path) -> bytes:
    with open_source(path) as source:
        return b"".join(iter(source.read, b""))


def _parse(source: VectorFile, what: str, data: bytes | bytearray | mmap.mmap) -> Array:
    try:
        return parse_array(data, strict=False)
    except ValueError as error:
        raise VectorsError(
            f"{source} is not a NumPy array of {what}: {error}.",
            "Save words as text (dtype str) and vectors as float32.",
        ) from error


def _read_members(source: VectorFile) -> dict[str, bytearray]:
    """Return the files of both arrays in an archive, each no larger than the archive can hold."""
    members: dict[str, bytearray] = {}
    try:
        with zipfile.ZipFile(source.path) as archive:
            for name in ("vectors", "words"):
                if f"{name}.npy" not in archive.namelist():
                    raise VectorsError(
                        f"{source} has no array {name!r}.",
                        "Write it with numpy.savez(path, words=..., vectors=...).",
                    )
                member = archive.getinfo(f"{name}.npy")
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise VectorsError(
                        f"{source}: the array {name!r} is packed in a way NumPy does not use."
                    )
                most = most_unpacked(min(member.compress_size, source.size))
                if member.file_size > most:
                    raise VectorsError(
                        f"{source}: its array {name!r} promises {member.file_size:,} bytes;"
                        f" the file holds at most {most:,}.",
                        "If that is intended, save it without compression.",
                    )
                members[name] = bytearray()
                with archive.open(member) as file:
                    while piece := file.read(BLOCK):
                        members[name] += piece
    except (VectorsError, MemoryError):
        raise
    except Exception as error:  # a damaged archive can fail in many ways
        raise VectorsError(f"{source} is a damaged .npz file: {error}.") from error
    return members


def _read_word_array(source: VectorFile, array: Array) -> _Words:
    if array.ndim != 1 or array.dtype.kind not in "US":
        raise VectorsError(
            f"{source}: expected a row of words (dtype str)."
            f" Got shape {array.shape} of {array.dtype} instead."
        )
    words = WordList()
    if array.dtype.kind == "S":
        words.add(array.tolist())
    elif array.size and array.view(f"{array.dtype.byteorder}u4").max() > 0x10FFFF:
        raise VectorsError(f"{source} holds a number that is not a character.")
    else:
        words.words = array.tolist()
    return words.words, words.notes()


def _read_tensors(
    source: VectorFile, tensors: dict[str, _Slice], limit: int, progress: Progress
) -> VectorData:
    embedding = _find_embedding(source, tensors)
    stored, dims = embedding.get_shape()
    source.check_dims(dims)
    # model2vec: several tokens may share one vector, and each may have a factor
    mapping = _read_column(source, tensors, "mapping", _INTEGERS)
    weights = _read_column(source, tensors, "weights", _FLOATS)
    rows = stored if mapping is None else len(mapping)
    words, notes = _read_words_beside(source.path, rows, tokenizer=True)
    wanted = min(rows, limit)
    if mapping is None:
        matrix = _copy_rows(embedding, wanted, dims, progress)
    else:
        if len(mapping) and not 0 <= int(mapping.min()) <= int(mapping.max()) < stored:
            raise VectorsError(f"{source}: its mapping leads outside its {stored:,} vectors.")
        if 4 * wanted * dims > most_unpacked(source.size):
            raise VectorsError(
                f"{source}: its mapping makes {rows:,} vectors of {stored:,}, far more than a model"
                " has.",
                "Read fewer with limit.",
            )
        matrix = _copy_rows(embedding, stored, dims, progress)[mapping[:wanted]]
    if weights is not None:
        if len(weights) != rows:
            raise VectorsError(
                f"{source}: number of weights ({len(weights):,}) does not match number of words"
                f" ({rows:,})."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            matrix *= weights[:wanted].astype(np.float32)[:, None]
    return _finish(words, matrix, rows, notes)


def _find_embedding(source: VectorFile, tensors: dict[str, _Slice]) -> _Slice:
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
    source: VectorFile, tensors: dict[str, _Slice], name: str, dtypes: Collection[str]
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


def _copy_rows(
    stored: Array | _Slice, rows: int, dims: int, progress: Progress
) -> NDArray[np.float32]:
    """Return the first rows as float32, converted a block at a time: they may be stored wider."""
    matrix = np.empty((rows, dims), np.float32)
    step = max(1, BLOCK // (8 * dims))
    with np.errstate(over="ignore"):  # too large for float32: inf, and the row is dropped
        for first in range(0, rows, step):
            last = min(rows, first + step)
            matrix[first:last] = stored[first:last]
            progress(last, rows)
    return matrix
