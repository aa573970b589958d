"""Validation of mixtures: rows of a matrix that are probability distributions, from any model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError, ReadError, need

TOLERANCE = 1e-6  # how far the sum of a row may be from one
_BLOCK = 4096  # rows checked at a time
_MAX_BYTES = 1 << 34  # of a file of mixtures


def check_mixtures(values: ArrayLike, what: str = "the mixtures") -> tuple[Array, list[str]]:
    """Return rows as float32 or float64 that sum to one, and a note if any had to be rescaled.

    Raise InputError for negative, missing or infinite values, rows of zeros, and sums further than
    1e-6 from one: these are not distributions, and there is no single right way to repair them.
    """
    try:
        matrix = np.asarray(values)
    except ValueError as error:
        raise InputError(f"Rows of {what} have different lengths.") from error
    if matrix.dtype.kind not in "fiu":
        raise InputError(f"{what.capitalize()} must be numbers, not {matrix.dtype}.")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise InputError(
            f"{what.capitalize()} must be a matrix with a row per document and a column per topic."
            f" Got shape {matrix.shape}."
        )
    exact = 1e-7 if matrix.dtype == np.float32 else 1e-12
    rescaled = 0
    for start in range(0, len(matrix), _BLOCK):
        sums = _sum_rows(matrix[start : start + _BLOCK], start, what)
        off = np.abs(sums - 1) > exact
        if off.any():
            if not rescaled:
                matrix = matrix.copy()
            rescaled += int(off.sum())
            rows = start + np.flatnonzero(off)
            matrix[rows] = matrix[rows] / sums[off, None]
    notes = []
    if rescaled:
        notes.append(
            f"{rescaled:,} rows of {what} summed to one only within 1e-6 and were rescaled"
        )
    return np.ascontiguousarray(matrix), notes


def _sum_rows(block: Array, start: int, what: str) -> NDArray[np.float64]:
    """Return the sums of rows; raise InputError for the first that is not a distribution."""
    sums: NDArray[np.float64] = block.sum(axis=1, dtype=np.float64)
    wrong = ~(np.abs(sums - 1) <= TOLERANCE) | (block < 0).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        values = block[row]
        if not np.isfinite(values).all():
            problem = "holds NaN or infinite values"
        elif (values < 0).any():
            problem = f"holds a negative value ({values.min():.4g})"
        elif not values.any():
            problem = "is all zeros: a document without words has no mixture"
        else:
            problem = f"sums to {sums[row]:.8g}"
        raise InputError(
            f"Row {start + row:,} of {what} is not a probability distribution: it {problem}.",
            "Every row must be non-negative and sum to one (within 1e-6).",
        )
    return sums


def check_mixture(
    values: ArrayLike, topics: int | None = None, what: str = "the mixture"
) -> NDArray[np.float64]:
    """Return a single mixture as float64, of ``topics`` topics if given."""
    vector = np.asarray(values)
    if vector.ndim != 1:
        raise InputError(f"{what.capitalize()} must be a row of numbers. Got shape {vector.shape}.")
    matrix, _ = check_mixtures(vector[None], what)
    check_width(matrix.shape[1], topics, what)
    mixture: NDArray[np.float64] = matrix[0].astype(np.float64)
    return mixture


def check_width(got: int, expected: int | None, what: str) -> None:
    if expected is not None and got != expected:
        raise InputError(
            f"{what.capitalize()} has {got:,} topics where {expected:,} are expected.",
            "Only mixtures over the same topics can be compared.",
        )


def read_mixtures(path: str | Path) -> tuple[Array, list[str] | None, list[str]]:
    """Read a ``.npy`` or ``.parquet`` file. Return the matrix, ids if the file has them, and notes.

    A parquet file has a column per topic and may have a column ``id`` that names the rows.
    """
    path = Path(path)
    if not path.is_file():
        raise ReadError(f"{path} does not exist.", "Check the path.")
    if path.stat().st_size > _MAX_BYTES:
        raise ReadError(f"{path} has more than {_MAX_BYTES >> 30} GB.")
    ids = None
    if path.suffix.lower() == ".npy":
        try:
            values = np.load(path, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ReadError(f"{path} cannot be read as a NumPy array: {error}.") from error
    elif path.suffix.lower() == ".parquet":
        values, ids = _read_parquet(path)
    else:
        raise ReadError(f"{path} is neither .npy nor .parquet.", "Write mixtures as one of these.")
    matrix, notes = check_mixtures(values, path.name)
    return matrix, ids, notes


def _read_parquet(path: Path) -> tuple[Array, list[str] | None]:
    parquet = need("pyarrow.parquet", "parquet")
    try:
        table = parquet.read_table(path)
        names = [name for name in table.schema.names if name != "id"]
        ids = None
        if "id" in table.schema.names:
            ids = [str(value) for value in table["id"].to_pylist()]
        return np.column_stack([table[name].to_numpy() for name in names]), ids
    except (ValueError, OSError, KeyError) as error:  # pyarrow's own errors derive from these
        raise ReadError(f"{path} cannot be read as a table of mixtures: {error}.") from error
