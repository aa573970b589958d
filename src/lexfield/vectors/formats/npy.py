"""NumPy files: ``x.npy`` with ``x.txt`` or ``x.words`` beside it, or ``.npz`` with the arrays
``words`` and ``vectors``. Arrays of Python objects are pickles and are refused."""

from __future__ import annotations

import math
import struct
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.store.bounds import most_unpacked
from lexfield.vectors.formats.beside import read_words
from lexfield.vectors.formats.common import (
    BLOCK,
    MAX_WORD,
    Parsed,
    Source,
    TruncatedError,
    decode,
    limit_note,
    read_floats,
    replaced_note,
)

NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    LookupError,
    RuntimeError,  # encrypted, or a method that is not implemented
    ValueError,
    EOFError,
    OSError,
    struct.error,
    OverflowError,
)


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]


def read(source: Source, limit: int | None, progress: Progress) -> Parsed:
    magic = source.read(len(NPY_MAGIC))
    source.seek(0)
    try:
        if magic.startswith(ZIP_MAGICS):
            return _read_npz(source, limit, progress)
        rows, matrix = _matrix(source, limit)
    except TruncatedError:
        raise VectorsError(f"{source} is truncated.", "Fetch the file again.") from None
    words, notes = read_words(source.path, rows, tokenizer=False)
    return _parsed(words, matrix, rows, notes, progress)


def _read_npz(source: Source, limit: int | None, progress: Progress) -> Parsed:
    try:
        with zipfile.ZipFile(source.path) as archive:
            with archive.open(_member(source, archive, "vectors")) as file:
                rows, matrix = _matrix(_inside(source, archive, "vectors", file), limit)
            with archive.open(_member(source, archive, "words")) as file:
                words, notes = _words(_inside(source, archive, "words", file))
    except VectorsError:
        raise
    except _ZIP_ERRORS as error:
        raise VectorsError(f"{source} is a damaged .npz file: {error}.") from error
    if len(words) != rows:
        raise VectorsError(
            f"{source}: number of words ({len(words):,}) does not match number of vectors"
            f" ({rows:,})."
        )
    return _parsed(words, matrix, rows, notes, progress)


def _parsed(
    words: list[str],
    matrix: NDArray[np.float32],
    rows: int,
    notes: list[str],
    progress: Progress,
) -> Parsed:
    if len(matrix) < rows:
        notes.append(limit_note(len(matrix), rows))
    progress(len(matrix), len(matrix))
    return Parsed(words[: len(matrix)], matrix, notes)


def _member(source: Source, archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    if f"{name}.npy" not in archive.namelist():
        raise VectorsError(
            f"{source} has no array {name!r}.",
            "Write it with numpy.savez(path, words=..., vectors=...).",
        )
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise VectorsError(f"{source}: the array {name!r} is packed in a way NumPy does not use.")
    return member


def _inside(source: Source, archive: zipfile.ZipFile, name: str, file: Any) -> Source:
    """An array of the archive as a source, its size bounded by what the archive can hold."""
    member = archive.getinfo(f"{name}.npy")
    most = most_unpacked(min(member.compress_size, source.size))
    return Source(source.path / f"{name}.npy", file, min(member.file_size, most), True)


def _header(source: Source) -> _Header:
    try:
        version = npy_format.read_magic(source)
        if version == (1, 0):
            header = npy_format.read_array_header_1_0(source)
        elif version == (2, 0):
            header = npy_format.read_array_header_2_0(source)
        else:
            raise ValueError(f"version {version} is for tables with named columns")
    except VectorsError:
        raise
    except Exception as error:  # a header is parsed as a Python literal: it can fail in many ways
        raise VectorsError(f"{source} is not a NumPy array: {error}.") from error
    found = _Header(*header)
    if found.dtype.hasobject:
        raise VectorsError(
            f"{source} holds Python objects (a pickle), which can run code.",
            "Save words as text (dtype str) and vectors as float32.",
        )
    if min(found.shape, default=0) < 0:
        raise VectorsError(f"{source}: the shape {found.shape} is damaged.")
    source.require(math.prod(found.shape), found.dtype.itemsize, f"shape {found.shape}")
    return found


def _matrix(source: Source, limit: int | None) -> tuple[int, NDArray[np.float32]]:
    """How many rows there are, and those that the limit lets in."""
    header = _header(source)
    if len(header.shape) != 2 or header.dtype.kind != "f" or header.dtype.itemsize > 8:
        raise VectorsError(
            f"{source}: expected a matrix of floats (16, 32 or 64 bits)."
            f" Got shape {header.shape} of {header.dtype} instead."
        )
    rows, dims = header.shape
    source.require_dims(dims)
    wanted = rows if limit is None else min(rows, limit)
    if header.by_column:
        whole = read_floats(source, rows * dims, header.dtype).reshape(dims, rows)
        return rows, np.ascontiguousarray(whole[:, :wanted].T)
    return rows, read_floats(source, wanted * dims, header.dtype).reshape(wanted, dims)


def _words(source: Source) -> tuple[list[str], list[str]]:
    header = _header(source)
    size = header.dtype.itemsize
    if len(header.shape) != 1 or header.dtype.kind not in "US" or not 1 <= size <= 4 * MAX_WORD:
        raise VectorsError(
            f"{source}: expected a row of words (dtype str)."
            f" Got shape {header.shape} of {header.dtype} instead."
        )
    words: list[str] = []
    broken = 0
    step = BLOCK // size
    for start in range(0, header.shape[0], step):
        count = min(step, header.shape[0] - start)
        data = source.read(count * size)
        if len(data) < count * size:
            raise TruncatedError
        part = np.frombuffer(data, header.dtype)
        if header.dtype.kind == "U":
            points = part.view(header.dtype.str[0] + "u4")
            if points.size and points.max() > 0x10FFFF:
                raise VectorsError(f"{source} holds what is no character.")
            words += part.tolist()
        else:
            decoded, replaced = decode(part.tolist())
            words += decoded
            broken += replaced
    return words, replaced_note(broken)
