"""Word-vector files → words, a float32 matrix, and notes on everything that was repaired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError, check
from lexfield.progress import Progress, silent
from lexfield.vectors.formats import fasttext_bin, npy, tensors, text, word2vec
from lexfield.vectors.formats.common import MAX_DIMS, Parsed, Source, opened
from lexfield.vectors.formats.detect import detect
from lexfield.vectors.formats.fasttext import Subwords

_Reader = Callable[[Source, int | None, Progress], Parsed]
_READERS: dict[str, _Reader] = {
    "word2vec-text": text.read_with_header,
    "word2vec-bin": word2vec.read,
    "glove": text.read_without_header,
    "fasttext-vec": text.read_with_header,
    "fasttext-bin": fasttext_bin.read,
    "safetensors": tensors.read,
    "numpy": npy.read,
}
_UNZIPPED = {"fasttext-bin", "safetensors", "numpy"}  # these are read out of order
_BLOCK = 4096


@dataclass(frozen=True)
class VectorFile:
    """What a file gave; ``notes`` counts every row and word that was changed or left out."""

    words: list[str]
    matrix: NDArray[np.float32]
    format: str
    notes: list[str] = field(default_factory=list)
    subwords: Subwords | None = None


def read_vectors(
    path: str | Path,
    *,
    format: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> VectorFile:
    """Read word vectors; the format is told from the file's content unless it is named.

    ``limit`` reads only the first rows, in most files those of the most frequent words.
    """
    names = ", ".join(_READERS)
    check(format is None or format in _READERS, "format", f"one of {names}", format)
    check(
        limit is None or (isinstance(limit, int) and limit >= 1),
        "limit",
        "a whole number of at least 1",
        limit,
    )
    path = Path(path)
    if path.is_dir():
        path = _model_in(path)
    with opened(path) as source:
        name = format or detect(source)
        if source.zipped and name in _UNZIPPED:
            raise VectorsError(
                f"{path} is a zipped {name} file.", f"Unpack it first: gunzip {path.name}"
            )
        try:
            parsed = _READERS[name](source, limit, progress or silent)
            return _checked(parsed, name, str(path))
        except MemoryError:
            raise VectorsError(
                f"{path}: its vectors do not fit into memory.", "Read fewer with limit."
            ) from None


def from_gensim(keyed_vectors: object) -> VectorFile:
    """The vectors of a gensim ``KeyedVectors`` in memory, copied: gensim may train on."""
    words = getattr(keyed_vectors, "index_to_key", None)
    vectors = getattr(keyed_vectors, "vectors", None)
    if words is None or not isinstance(vectors, np.ndarray):
        kind = type(keyed_vectors).__name__
        raise VectorsError(
            f"gensim vectors must be a KeyedVectors. Got {kind} instead.",
            "Of a model, pass its .wv.",
        )
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or len(words) != len(vectors):
        raise VectorsError(
            f"gensim vectors must be a float matrix with a row for each of the {len(words):,}"
            f" words. Got shape {vectors.shape} of {vectors.dtype} instead."
        )
    if not 1 <= vectors.shape[1] <= MAX_DIMS:
        raise VectorsError(f"gensim vectors must have 1 to {MAX_DIMS:,} dimensions.")
    with np.errstate(over="ignore"):
        matrix = np.array(vectors, np.float32, order="C")
    return _checked(Parsed([str(word) for word in words], matrix), "gensim", "gensim vectors")


def _model_in(folder: Path) -> Path:
    model = folder / "model.safetensors"
    if not model.is_file():
        raise VectorsError(
            f"{folder} is a folder without a model.safetensors.",
            "Name the file with the vectors, or a model2vec folder.",
        )
    return model


def _checked(parsed: Parsed, name: str, where: str) -> VectorFile:
    """Drop what cannot be used, a word's later rows included, and say so."""
    notes = list(parsed.notes)
    words = _encodable(parsed.words, notes)
    finite = _finite(parsed.matrix)
    named = np.fromiter(map(bool, words), np.bool_, len(words))
    keep = finite & named
    if count := int((~named).sum()):
        notes.append(f"{count:,} rows without a word were dropped")
    if broken := [words[row] for row in np.flatnonzero(named & ~finite)]:
        notes.append(f"{len(broken):,} rows with NaN or inf were dropped: {_some(broken)}")
    if len(np.unique(np.fromiter(map(hash, words), np.int64, len(words)))) < len(words):
        repeated = _drop_repeated(words, keep)
        if repeated:
            notes.append(
                f"{len(repeated):,} repeated words were dropped, the first row of each kept:"
                f" {_some(repeated)}"
            )
    matrix = parsed.matrix
    if not keep.all():
        matrix = matrix[keep]
        words = [words[row] for row in np.flatnonzero(keep)]
    if not words:
        raise VectorsError(f"{where} holds no usable vectors.", " ".join(f"{n}." for n in notes))
    return VectorFile(words, matrix, name, notes, parsed.subwords)


def _encodable(words: list[str], notes: list[str]) -> list[str]:
    """Words that can be written as UTF-8 again: JSON and NumPy can hold halves of characters."""
    try:
        "\n".join(words).encode()
    except UnicodeEncodeError:
        changed = [word.encode(errors="replace").decode() for word in words]
        count = sum(old != new for old, new in zip(words, changed, strict=True))
        notes.append(f"{count:,} words held half a character, which was replaced")
        return changed
    return words


def _finite(matrix: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which rows are finite, without a mask as large as the matrix."""
    finite = np.empty(len(matrix), np.bool_)
    for first in range(0, len(matrix), _BLOCK):
        part = matrix[first : first + _BLOCK]
        finite[first : first + _BLOCK] = np.isfinite(part).all(axis=1)
    return finite


def _drop_repeated(words: list[str], keep: NDArray[np.bool_]) -> list[str]:
    """Clear ``keep`` for all but the first usable row of each word; the words so dropped."""
    seen: set[str] = set()
    repeated: list[str] = []
    for row in np.flatnonzero(keep).tolist():
        if words[row] in seen:
            keep[row] = False
            repeated.append(words[row])
        seen.add(words[row])
    return repeated


def _some(words: list[str]) -> str:
    return ", ".join(repr(word[:40]) for word in words[:3]) + (", …" if len(words) > 3 else "")
