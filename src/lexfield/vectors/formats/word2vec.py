"""word2vec binary: a header line "count dimensions", then word, space, float32 numbers."""

from __future__ import annotations

import numpy as np

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    BLOCK,
    MAX_WORD,
    ByteReader,
    Growing,
    Parsed,
    Source,
    TruncatedError,
    decode,
    limit_note,
    replaced_note,
)
from lexfield.vectors.formats.text import HEADER


def read(source: Source, limit: int | None, progress: Progress) -> Parsed:
    reader = ByteReader(source)
    count, dims = _header(source, reader)
    wanted = count if limit is None else min(count, limit)
    matrix = Growing(dims, wanted)
    words: list[str] = []
    broken = 0
    batch = max(1, BLOCK // (4 * dims))
    while len(words) < wanted:
        raw, data = _rows(source, reader, dims, min(batch, wanted - len(words)), len(words), count)
        decoded, replaced = decode(raw)
        words += decoded
        broken += replaced
        matrix.add(np.frombuffer(data, "<f4").reshape(-1, dims))
        progress(len(words), wanted)
    notes = replaced_note(broken)
    if wanted < count:
        notes.append(limit_note(wanted, count))
    elif _goes_on(reader):
        notes.append(f"the file goes on after the {count:,} rows of its header: not read")
    return Parsed(words, matrix.finish(), notes)


def _header(source: Source, reader: ByteReader) -> tuple[int, int]:
    try:
        header = HEADER.fullmatch(reader.until(b"\n", 64))
    except (TruncatedError, ValueError):
        header = None
    if header is None:
        raise VectorsError(
            f"{source} does not begin with the header of a word2vec file, count and dimensions."
        )
    count, dims = int(header[1]), int(header[2])
    source.require_dims(dims)
    source.require(count, 4 * dims + 1, f"{count:,} vectors of {dims:,} numbers")
    return count, dims


def _goes_on(reader: ByteReader) -> bool:
    try:
        return bool(reader.take(2).strip())  # one line end is usual
    except TruncatedError:
        return False


def _rows(
    source: Source, reader: ByteReader, dims: int, rows: int, before: int, count: int
) -> tuple[list[bytes], bytes]:
    """Words and the joined bytes of their vectors."""
    words: list[bytes] = []
    vectors: list[bytes] = []
    try:
        for _ in range(rows):
            # The original tool ends a row with a line end, gensim does not.
            words.append(reader.until(b" ", MAX_WORD).lstrip(b"\n"))
            vectors.append(reader.take(4 * dims))
    except TruncatedError:
        raise VectorsError(
            f"{source} is truncated: {before + len(vectors):,} of {count:,} vectors could be read.",
            "Fetch the file again. If it is text, name its format: word2vec-text.",
        ) from None
    except ValueError as error:
        raise VectorsError(
            f"{source} is damaged after {before + len(vectors):,} of {count:,} vectors: {error}.",
            "Fetch the file again. If it is text, name its format: word2vec-text.",
        ) from error
    return words, b"".join(vectors)
