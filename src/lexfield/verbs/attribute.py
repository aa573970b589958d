"""``lexfield attribute``"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.attribution import Calibration, ProbableLabel
from lexfield.compare.attribution import attribute as find_author
from lexfield.compare.labels import Evidence
from lexfield.plots.divergence import draw_reliability
from lexfield.plots.figure import Picture
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import format_rows
from lexfield.text.corpus import Corpus
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import READING, Reading, TextInput, TextsInput, choose_text, read_texts
from lexfield.verbs.label import format_words
from lexfield.verbs.options import By, Ngram
from lexfield.verbs.results import Paint, Result, plain, save_picture, to_builtins

_SHOWN = 5  # candidates


@dataclass(kw_only=True)
class AttributionRow:
    """A candidate for the text in question, and the distance of its nearest document.

    Without a text in question: a known document, and what is said of it from all the others.
    """

    id: str | UnsetType = UNSET
    label: str
    predicted: str | UnsetType = UNSET
    probability: float
    right: bool | UnsetType = UNSET
    nearest: float | UnsetType = UNSET


@dataclass(repr=False)
class Attribution(Result[AttributionRow]):
    """The candidates for one text, likeliest first; or every document from all the others."""

    by: str
    weights: list[float]
    spread: list[float]
    calibration: Calibration
    id: str | UnsetType = UNSET
    predicted: str | UnsetType = UNSET
    probability: float | UnsetType = UNSET
    evidence: Evidence | UnsetType = UNSET

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        checked = self.calibration
        reliability = (
            f"known texts, each from all the others: {checked.accuracy:.0%} of"
            f" {checked.documents} right, {checked.said:.0%} said, off by {checked.error:.0%}"
        )
        if not isinstance(self.evidence, Evidence):
            yield reliability
            rows = [
                {
                    "said": f"{one.low:.0%} to {one.high:.0%}",
                    "documents": one.documents,
                    "mean said": f"{one.said:.0%}",
                    "right": f"{one.right:.0%}",
                }
                for one in checked.bins
            ]
            yield from format_rows(rows, shown=len(rows))
            return
        predicted = paint(str(self.predicted), "green")
        yield f"{self.id}: {predicted} with probability {self.probability:.2f}"
        yield from (f"  {line}" for line in format_rows(self.to_dicts()[:_SHOWN]))
        yield "nearest texts"
        nearest = [to_builtins(one) for one in self.evidence.nearest]
        yield from (f"  {line}" for line in format_rows(nearest))
        words = format_words(self.evidence)
        yield f"words that speak for it rather than {self.evidence.rather_than}: {words}"
        yield reliability

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw predicted probabilities against the share that was right: png, svg or pdf."""
        return save_picture(draw_reliability(self.calibration.to_dict()), path)


@verb
def attribute(
    texts: TextsInput,
    *,
    by: Annotated[By, Help("Metadata field to guess, such as author.")],
    text: Annotated[
        TextInput | None,
        Flags(metavar="FILE|ID"),
        Help("The text in question: a file, or the id of one of the documents."),
    ] = None,
    measure: Annotated[
        str, Meta(max_length=200), Help("Divergence between texts: hellinger, js or kl.")
    ] = "hellinger",
    ngram: Ngram = 1,
    stopwords: Annotated[
        str | None,
        Meta(max_length=20),
        Flags(metavar="LANGUAGE"),
        Help("Leave out the stopwords of a language, such as en, though style is in them."),
    ] = None,
    reading: Reading = READING,
    progress: Progress = silent,
) -> Attribution:
    """Attribute a text to its likeliest author, with a probability and evidence.

    Probabilities are calibrated on the known texts, each attributed from all the others. Without
    --text, that calibration is shown.

        lexfield attribute books/ --metadata books.csv --by author --text disputed.txt
        lexfield attribute books/ --metadata books.csv --by author --text emma
        lexfield attribute books.idx --by author --text emma
        lexfield attribute books/ --metadata books.csv --by author --plot reliability.png
    """
    corpus = read_texts(texts, reading, progress)
    name = None
    if text is not None:
        asked = choose_text(text, corpus)
        name = asked.id
        if name not in corpus.ids:
            documents = [*corpus.documents, asked]
            corpus = Corpus.of(documents, normalisation=corpus.normalisation)
    begin_stage(progress, "comparing")
    found = find_author(corpus, by, name, measure=measure, n=ngram, stopwords=stopwords)
    result = Attribution(
        [AttributionRow(**row) for row in found.to_dicts()],
        by=by,
        weights=found.model.weights.tolist(),
        spread=found.model.spread.tolist(),
        calibration=found.calibration,
        notes=found.notes,
    )
    best = found.rows[0]
    if found.evidence is not None and isinstance(best, ProbableLabel):
        result.id, result.evidence = found.evidence.id, found.evidence
        result.predicted, result.probability = best.label, best.probability
    return result
