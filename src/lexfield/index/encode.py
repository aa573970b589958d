"""Encode the texts of an index with a sentence encoder."""

from __future__ import annotations

from typing import Any

from lexfield.errors import InputError
from lexfield.index.collection import Collection
from lexfield.index.encoding_job import EncodingJob, describe_failures
from lexfield.index.encodings import find_encodings
from lexfield.index.parts import NEXT_ENCODER
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store


def encode_texts(
    index: Collection, encoder: Any = None, *, replace: bool = False, progress: Progress = silent
) -> list[str]:
    """Encode the sentences and documents of an index that are not encoded yet; return notes.

    ``encoder`` is a name or an object; by default the one that was interrupted, or that of the
    index, else ``"minilm"``. What is finished is kept if the work is interrupted. ``replace``:
    start over; the old vectors stay until the new ones are complete.
    """
    if index.metric is not None:
        raise InputError("An index cannot be encoded under a metric.", "Open it without one.")
    index.refresh()
    store = Store.open(index.path)
    begun = find_encodings(store, NEXT_ENCODER)
    goes_on = encoder is None and not replace and begun is not None
    if goes_on and begun is not None:
        encoder, replace = begun.name, True
    elif encoder is None and find_encodings(store) is None:
        encoder = "minilm"
    job = EncodingJob(store, index.segments, encoder, replace, goes_on)
    try:
        job.run(progress)
    finally:
        index.refresh()
    return describe_failures(job.failed)
