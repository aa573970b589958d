"""Read word-vector files into words, a float32 matrix, and notes on every repair."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError, check
from lexfield.progress import Progress, silent
from lexfield.vectors.formats import fasttext, matrices, word2vec
from lexfield.vectors.formats.common import (
    AGAIN,
    BOM,
    MAX_DIMS,
    TruncatedError,
    VectorData,
    VectorFile,
    open_source,
)

_READERS: dict[str, Callable[[VectorFile, int, Progress], VectorData]] = {
    "word2vec-text": word2vec.read_text,
    "word2vec-bin": word2vec.read_binary,
    "glove": word2vec.read_glove,
    "fasttext-vec": word2vec.read_text,
    "fasttext-bin": fasttext.read,
    "safetensors": matrices.read_safetensors,
    "numpy": matrices.read_numpy,
}
_NOT_ZIPPED = {"fasttext-bin", "safetensors", "numpy"}  # these are not read front to back
_SAMPLE = 1 << 16  # bytes looked at to detect the format
_PRINTABLE = bytes([*b"\t\r", *range(0x20, 0x7F)])
_BLOCK = 4096  # rows


def read_vectors(
    path: str | Path,
    *,
    format: str | None = None,
    limit: int | None = None,
    progress: Progress = silent,
) -> VectorData:
    """Read word vectors; the format is detected from the content unless it is named.

    ``limit`` reads only the first rows, which in most files are those of the most frequent words.
    """
    names = ", ".join(_READERS)
    check(format is None or format in _READERS, "format", f"one of {names}", format)
    path = Path(path)
    if path.is_dir():
        path /= "model.safetensors"
        if not path.is_file():
            raise VectorsError(
                f"{path.parent} is a folder without a {path.name}.",
                "Name the file with the vectors, or a model2vec folder.",
            )
    with open_source(path) as source:
        name = format or detect_format(source)
        if source.zipped and name in _NOT_ZIPPED:
            raise VectorsError(
                f"{path} is a zipped {name} file.", f"Unpack it first: gunzip {path.name}"
            )
        try:
            file = _READERS[name](source, limit or sys.maxsize, progress)
            return _clean(replace(file, format=name), str(path))
        except (TruncatedError, struct.error):
            raise VectorsError(f"{path} is truncated.", AGAIN) from None
        except MemoryError:
            raise VectorsError(
                f"{path}: its vectors do not fit into memory.", "Read fewer with limit."
            ) from None


def detect_format(source: VectorFile) -> str:
    """Return the format according to the first bytes; the name only identifies fastText's text."""
    head = source.read(_SAMPLE)
    source.seek(0)
    if not head.strip():
        raise VectorsError(f"{source} is empty." if not head else f"{source} is blank.")
    if head.startswith(matrices.NUMPY_MAGICS):
        return "numpy"
    if head[:4] == struct.pack("<i", fasttext.MAGIC):
        return "fasttext-bin"
    if head[0] == 0x80 and head[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        raise _refuse_pickle(source.path)
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= source.size - 8:
        return "safetensors"
    first, _, rest = head.removeprefix(BOM).partition(b"\n")
    if word2vec.parse_header(first):
        if _is_text(rest.partition(b"\n")[0]):
            return "fasttext-vec" if ".vec" in source.path.suffixes else "word2vec-text"
        return "word2vec-bin"
    if b"\0" in head:
        raise VectorsError(
            f"{source} is not in a format that lexfield knows.",
            "It reads word2vec, GloVe, fastText, safetensors and NumPy files.",
        )
    return "glove"


def _refuse_pickle(path: Path) -> VectorsError:
    load = f'KeyedVectors.load("{path.name}")'
    if path.suffix == ".model":
        load = f'Word2Vec.load("{path.name}").wv'
    return VectorsError(
        f"{path} is a pickle, which can run code when it is opened; lexfield does not read it.",
        "If gensim wrote it, export it:"
        f' gensim.models.{load}.save_word2vec_format("{path.stem}.bin", binary=True)',
    )


def _is_text(row: bytes) -> bool:
    """Return whether the row after a header is printable and has a number among its fields."""
    fields = row.split(b" ")[1:]
    if b"".join(fields).translate(None, _PRINTABLE):
        return False
    for field in fields or row.split()[1:]:
        try:
            float(field)
        except ValueError:
            continue
        return True
    return not row.strip()


def from_gensim(keyed_vectors: object) -> VectorData:
    """Copy the vectors of a gensim ``KeyedVectors``, which gensim may continue to train."""
    words = getattr(keyed_vectors, "index_to_key", None)
    vectors = getattr(keyed_vectors, "vectors", None)
    if words is None or not isinstance(vectors, np.ndarray):
        raise VectorsError(
            f"gensim vectors must be a KeyedVectors. Got {type(keyed_vectors).__name__} instead.",
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
    return _clean(VectorData([str(word) for word in words], matrix, "gensim"), "gensim vectors")


def _clean(file: VectorData, where: str) -> VectorData:
    """Drop what cannot be used, including later rows of the same word, and note it."""
    notes = list(file.notes)
    words = _replace_surrogates(file.words, notes)
    is_named = np.fromiter(map(bool, words), np.bool_, len(words))
    if count := int((~is_named).sum()):
        notes.append(f"rows without a word, dropped: {count:,}")
    is_finite = np.ones(len(words), np.bool_)
    for first in range(0, len(words), _BLOCK):  # a mask of the whole matrix would be large
        part = slice(first, first + _BLOCK)
        is_finite[part] = np.isfinite(file.matrix[part]).all(axis=1)
    if broken := [words[row] for row in np.flatnonzero(is_named & ~is_finite).tolist()]:
        notes.append(f"rows with NaN or inf, dropped: {len(broken):,} ({_list_some(broken)})")
    keep = is_named & is_finite
    if repeated := _drop_repeated(words, keep):
        notes.append(
            f"repeated words, all but the first row of each dropped: {len(repeated):,}"
            f" ({_list_some(repeated)})"
        )
    matrix = file.matrix
    if not keep.all():
        matrix = matrix[keep]
        words = [words[row] for row in np.flatnonzero(keep).tolist()]
    if not words:
        raise VectorsError(f"{where} contains no usable vectors.", " ".join(f"{n}." for n in notes))
    return replace(file, words=words, matrix=matrix, notes=notes)


def _replace_surrogates(words: Sequence[str], notes: list[str]) -> Sequence[str]:
    """Return words that can be encoded: JSON and NumPy may contain halves of surrogate pairs."""
    try:
        "\n".join(words).encode()
        return words
    except UnicodeEncodeError:
        changed = [word.encode(errors="replace").decode() for word in words]
        count = sum(old != new for old, new in zip(words, changed, strict=True))
        notes.append(f"words with half a character, which was replaced: {count:,}")
        return changed


def _drop_repeated(words: Sequence[str], keep: NDArray[np.bool_]) -> list[str]:
    """Clear ``keep`` for all but the first usable row of each word; return the dropped words."""
    hashes = np.fromiter(map(hash, words), np.int64, len(words))
    if len(np.unique(hashes)) == len(words):  # needs less memory than a set of all words
        return []
    seen: set[str] = set()
    repeated: list[str] = []
    for row in np.flatnonzero(keep).tolist():
        if words[row] in seen:
            keep[row] = False
            repeated.append(words[row])
        seen.add(words[row])
    return repeated


def _list_some(words: list[str]) -> str:
    return ", ".join(repr(word[:40]) for word in words[:3]) + (", …" if len(words) > 3 else "")
