"""How many words of texts have a vector, before clouds of them are compared."""

from __future__ import annotations

import numpy as np

from lexfield.diverge.counts import Counts
from lexfield.diverge.options import Options
from lexfield.vectors.coverage import Coverage, content_words


def coverage_notes(counts: Counts, chosen: Options, *, each: bool) -> list[str]:
    """Return what to note of the words without a vector, of ``each`` text or of all together; raise
    ``InputError`` if they are too many, unless that is allowed."""
    if chosen.space != "latent":
        return []
    vectors = chosen.loaded()
    content = content_words(counts.types)
    known = content & vectors.embed(counts.types).known
    totals, left = (np.asarray(counts.matrix @ mask).ravel() for mask in (content, known))
    if each:
        found = [
            Coverage(int(words), int(kept), vectors.name, f"text {id!r}")
            for id, words, kept in zip(counts.ids, totals, left, strict=True)
        ]
    else:
        found = [Coverage(int(totals.sum()), int(left.sum()), vectors.name)]
    return [note for one in found for note in one.require(chosen.allow_unknown)]
