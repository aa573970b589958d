"""``lexfield predict``: when was it written?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Unpack

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.authors import FEATURES
from lexfield.compare.known import find_foreign, find_known, keep_known
from lexfield.compare.numbers import predict_numbers
from lexfield.errors import InputError, list_names
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import format_rows
from lexfield.text.document import Document
from lexfield.verbs.attribute import Features, Questioned, choose_texts, keep_words
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import TextOptions, TextsInput, read_documents
from lexfield.verbs.options import By
from lexfield.verbs.results import Result

_FEWEST = 5  # known texts


@dataclass(kw_only=True)
class PredictedNumber:
    """The number of a text and its interval; both ends are null if there are too few known texts,
    and the number as well if it is in another language or no running text.

    known: the number of a known text, which is predicted without itself.
    """

    id: str
    value: float | None
    low: float | None
    high: float | None
    known: float | UnsetType = UNSET


@dataclass(repr=False)
class Predictions(Result[PredictedNumber]):
    """Numbers of the texts in question, or of every known text from all the others.

    error: mean absolute error of known texts. without_style: the same if every text is given the
    mean of the others.
    """

    by: str
    level: float
    documents: int
    error: float
    without_style: float

    def lines(self) -> Iterator[str]:
        digits = max(0, -math.floor(math.log10(max(self.error, 1e-6))))  # no finer than the error
        rows = [
            {
                "id": one.id,
                self.by: "unknown" if one.value is None else f"{one.value:.{digits}f}",
                f"{self.level:.0%} interval": "unknown"
                if one.low is None
                else f"{one.low:.{digits}f} to {one.high:.{digits}f}",
                **({} if one.known is UNSET else {"known": f"{one.known:.6g}"}),
            }
            for one in self.results
        ]
        yield from format_rows(rows, shown=len(rows))
        yield (
            f"known texts, each predicted from all the others: off by {self.error:.3g} on average;"
            f" by {self.without_style:.3g} if all are given the mean"
        )


@verb
def predict(
    texts: TextsInput,
    *,
    by: Annotated[By, Help("Metadata field with a number, such as year.")],
    text: Questioned = None,
    features: Features = None,
    level: Annotated[float, Meta(ge=0.5, le=0.999), Help("Level of the interval.")] = 0.9,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> Predictions:
    """Predict a number that belongs to a text, such as its year, from its style.

    The interval is as wide as the errors on known texts of this length, each predicted from all the
    others.
    Without --text, these predictions are shown.

        lexfield predict letters/ --name-pattern '{author}_{year}' --by year --text undated.txt
        lexfield predict books/ --metadata books.csv --by year --features "mfw(500), punct"
    """
    begin_stage(progress, "reading")
    documents, notes = read_documents(texts, options, by)
    asked = (
        []
        if text is None
        else keep_words(choose_texts(text, list(documents), notes, options), notes)
    )
    known = _keep_numbered(documents, by, notes)
    values = np.array([float(one.metadata[by]) for one in known])
    if np.ptp(values) == 0:
        raise InputError(f"All known texts have the {by} {values[0]:g}.", "Nothing can be learned.")
    left_out, foreign = find_known(known, asked, notes), find_foreign(known, asked, notes)
    begin_stage(progress, "comparing")
    found = predict_numbers(
        known, values.tolist(), asked, left_out, features=features or FEATURES, level=level
    )
    reach = np.where(foreign, np.nan, found.reach) if asked else found.reach
    others = (values.sum() - values) / (len(values) - 1)
    about = asked if text is not None else known
    rows = [
        PredictedNumber(
            id=one.id,
            value=None if math.isnan(far) else float(value),
            low=float(value - far) if math.isfinite(far) else None,
            high=float(value + far) if math.isfinite(far) else None,
            known=UNSET if text is not None else float(one.metadata[by]),
        )
        for one, value, far in zip(
            about, found.asked if text is not None else found.known, reach, strict=True
        )
    ]
    return Predictions(
        rows,
        by=by,
        level=level,
        documents=len(known),
        error=float(np.abs(found.known - values).mean()),
        without_style=float(np.abs(others - values).mean()),
        notes=notes,
    )


def _keep_numbered(documents: Sequence[Document], by: str, notes: list[str]) -> list[Document]:
    """Return the known texts that have a number; notes name the others."""
    numbered = [one for one in documents if _is_number(one.metadata.get(by, ""))]
    if without := [one.id for one in documents if one not in numbered]:
        notes.append(f"left out, without a number in {by}: {list_names(without)}")
    known = keep_known(numbered, by, notes) if numbered else []
    if len(known) < _FEWEST:
        raise InputError(
            f"{len(known)} known texts have a number in the field {by!r}; {_FEWEST} are needed.",
            "Add it with --metadata FILE, or by --name-pattern from file names.",
        )
    return known


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
