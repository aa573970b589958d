"""The units that can be searched, sentences and documents, as rows of a corpus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.text.corpus import Corpus

UNITS = ("sentence", "document")


def token_starts(corpus: Corpus, unit: str) -> NDArray[np.int64]:
    """Return where each row begins in the tokens of a corpus, and where the last one ends."""
    starts = corpus.token_offsets
    return starts[corpus.sentence_offsets] if unit == "document" else starts


def byte_spans(corpus: Corpus, unit: str) -> NDArray[np.int64]:
    """Return the first and last byte of each row in the texts of a corpus."""
    if unit == "sentence":
        return corpus.sentence_spans
    return np.column_stack([corpus.texts.offsets[:-1], corpus.texts.offsets[1:]])
