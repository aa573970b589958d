"""word2vec binary: a header line "count dimensions", then word, space, float32 numbers."""

from __future__ import annotations

import numpy as np

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    AGAIN,
    BLOCK,
    MAX_WORD,
    ByteReader,
    RowBuffer,
    Source,
    TruncatedError,
    VectorFile,
    limit_note,
    parse_header,
)


def read(source: Source, limit: int | None, progress: Progress) -> VectorFile:
    reader = ByteReader(source)
    count, dims = _read_header(source, reader)
    wanted = count if limit is None else min(count, limit)
    rows = RowBuffer(dims, wanted)
    batch = max(1, BLOCK // (4 * dims))
    while len(rows) < wanted:
        size = min(batch, wanted - len(rows))
        words, data = _read_rows(source, reader, dims, size, len(rows), count)
        rows.add(words, np.frombuffer(data, "<f4").reshape(-1, dims))
        progress(len(rows), wanted)
    file = rows.finish()
    if wanted < count:
        file.notes.append(limit_note(wanted, count))
    elif _has_more(reader):
        file.notes.append(f"the file continues after the {count:,} rows of its header: not read")
    return file


def _read_header(source: Source, reader: ByteReader) -> tuple[int, int]:
    try:
        header = parse_header(reader.take_until(b"\n", 64))
    except (TruncatedError, ValueError):
        header = None
    if header is None:
        raise VectorsError(
            f"{source} does not begin with the header of a word2vec file, count and dimensions."
        )
    count, dims = header
    source.check_dims(dims)
    source.check_holds(count, 4 * dims + 1, f"{count:,} vectors of {dims:,} numbers")
    return header


def _has_more(reader: ByteReader) -> bool:
    try:
        return bool(reader.take(2).strip())  # one line end is usual
    except TruncatedError:
        return False


def _read_rows(
    source: Source, reader: ByteReader, dims: int, rows: int, before: int, count: int
) -> tuple[list[bytes], bytes]:
    """Return words and the joined bytes of their vectors."""
    words: list[bytes] = []
    vectors: list[bytes] = []
    try:
        for _ in range(rows):
            # The original tool ends a row with a line end, gensim does not.
            words.append(reader.take_until(b" ", MAX_WORD).lstrip(b"\n"))
            vectors.append(reader.take(4 * dims))
    except (TruncatedError, ValueError) as error:
        done = f"{before + len(vectors):,} of {count:,} vectors"
        problem = f"damaged after {done}: {error}"
        if isinstance(error, TruncatedError):
            problem = f"truncated: {done} could be read"
        raise VectorsError(
            f"{source} is {problem}.", f"{AGAIN} If it is text, name its format: word2vec-text."
        ) from error
    return words, b"".join(vectors)
