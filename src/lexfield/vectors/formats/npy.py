"""NumPy files: ``x.npy`` with ``x.txt`` or ``x.words`` next to it, or ``.npz`` with the arrays
``words`` and ``vectors``. Arrays of Python objects are pickles and are refused."""

from __future__ import annotations

import math
import struct
import zipfile
from typing import NamedTuple, cast

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.store.bounds import most_unpacked
from lexfield.vectors.formats.common import (
    BLOCK,
    MAX_WORD,
    Source,
    VectorFile,
    WordList,
    limit_note,
)
from lexfield.vectors.formats.sidecar import check_count, read_words

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


class _Header(NamedTuple):
    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[np.generic]


def read(source: Source, limit: int | None, progress: Progress) -> VectorFile:
    magic = source.read(len(NPY_MAGIC))
    source.seek(0)
    if magic.startswith(ZIP_MAGICS):
        rows, matrix, words, notes = _read_npz(source, limit)
    else:
        rows, matrix = _read_matrix(source, limit)
        words, notes = read_words(source.path, rows, tokenizer=False)
    if len(matrix) < rows:
        notes.append(limit_note(len(matrix), rows))
    progress(len(matrix), len(matrix))
    return VectorFile(words[: len(matrix)], matrix, notes=notes)


def _read_npz(
    source: Source, limit: int | None
) -> tuple[int, NDArray[np.float32], list[str], list[str]]:
    try:
        with zipfile.ZipFile(source.path) as archive:
            rows, matrix = _read_matrix(_open_member(source, archive, "vectors"), limit)
            words, notes = _read_words(_open_member(source, archive, "words"))
    except VectorsError:
        raise
    except _ZIP_ERRORS as error:
        raise VectorsError(f"{source} is a damaged .npz file: {error}.") from error
    check_count(source, len(words), rows)
    return rows, matrix, words, notes


def _open_member(source: Source, archive: zipfile.ZipFile, name: str) -> Source:
    """Open an array of the archive; its size is bounded by what the archive can hold."""
    if f"{name}.npy" not in archive.namelist():
        raise VectorsError(
            f"{source} has no array {name!r}.",
            "Write it with numpy.savez(path, words=..., vectors=...).",
        )
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise VectorsError(f"{source}: the array {name!r} is packed in a way NumPy does not use.")
    most = most_unpacked(min(member.compress_size, source.size))
    file = archive.open(member)  # holds no resource but the archive's
    return Source(source.path / f"{name}.npy", file, min(member.file_size, most), True)


def _read_header(source: Source) -> _Header:
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
    except Exception as error:  # headers are Python literals: many ways to fail
        raise VectorsError(f"{source} is not a NumPy array: {error}.") from error
    shape, _, dtype = header = _Header(*header)
    if dtype.hasobject:
        raise VectorsError(
            f"{source} holds Python objects (a pickle), which can run code.",
            "Save words as text (dtype str) and vectors as float32.",
        )
    if min(shape, default=0) < 0:
        raise VectorsError(f"{source}: the shape {shape} is damaged.")
    source.check_holds(math.prod(shape), dtype.itemsize, f"shape {shape}")
    return header


def _read_matrix(source: Source, limit: int | None) -> tuple[int, NDArray[np.float32]]:
    """Return the number of rows in the file, and the rows up to the limit."""
    shape, is_fortran, dtype = _read_header(source)
    if len(shape) != 2 or dtype.kind != "f" or dtype.itemsize > 8:
        raise VectorsError(
            f"{source}: expected a matrix of floats (16, 32 or 64 bits)."
            f" Got shape {shape} of {dtype} instead."
        )
    rows, dims = shape
    source.check_dims(dims)
    wanted = rows if limit is None else min(rows, limit)
    if is_fortran:
        columns = source.read_floats(rows * dims, dtype).reshape(dims, rows)
        return rows, np.ascontiguousarray(columns[:, :wanted].T)
    return rows, source.read_floats(wanted * dims, dtype).reshape(wanted, dims)


def _read_words(source: Source) -> tuple[list[str], list[str]]:
    shape, _, dtype = _read_header(source)
    size = dtype.itemsize
    if len(shape) != 1 or dtype.kind not in "US" or not 1 <= size <= 4 * MAX_WORD:
        raise VectorsError(
            f"{source}: expected a row of words (dtype str). Got shape {shape} of {dtype} instead."
        )
    words = WordList()
    for start in range(0, shape[0], BLOCK // size):
        count = min(BLOCK // size, shape[0] - start)
        part = np.frombuffer(source.read_exactly(count * size), dtype)
        if dtype.kind == "S":
            words.add(part.tolist())
            continue
        points = part.view(dtype.str[0] + "u4")
        if points.size and points.max() > 0x10FFFF:
            raise VectorsError(f"{source} holds a number that is not a character.")
        words.words += cast(list[str], part.tolist())
    return words.words, words.notes()
