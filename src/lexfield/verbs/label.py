"""``lexfield label`` and ``lexfield attribute``: guess the metadata of texts from other texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Unpack

from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.attribution import Calibration, ProbableLabel
from lexfield.compare.attribution import attribute as find_author
from lexfield.compare.counts import count_corpus
from lexfield.compare.labels import Evidence, label_documents, label_text
from lexfield.plots.divergence import draw_reliability
from lexfield.plots.figure import Picture
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows
from lexfield.text.corpus import Corpus
from lexfield.verbs.compare import Comparing, choose_options
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import TextInput, TextOptions, TextsInput, choose_text, read_texts
from lexfield.verbs.options import By, ClusterAddress, Neighbour, Ngram, Resume, Sample, Seed
from lexfield.verbs.pairs import compute_pairs
from lexfield.verbs.results import Result, save_picture, to_builtins

_TEXT_HELP = "Label this text: a file, or the id of a document, whose evidence is shown."
Rule = Annotated[
    Literal["category", "nearest", "vote"],
    Help(
        "Go by the smallest mean divergence from a category, by the nearest document, or by the"
        " votes of the nearest few."
    ),
]
DocumentId = Annotated[
    str | None,
    Meta(max_length=2000),
    Flags(metavar="ID"),
    Help("Show the evidence for this document."),
]


@dataclass(kw_only=True)
class LabelRow:
    """A document and the label that it gets; or, for a new text, how far it is from a label."""

    id: str | UnsetType = UNSET
    label: str
    predicted: str | UnsetType = UNSET
    right: bool | UnsetType = UNSET
    divergence: float | UnsetType = UNSET


@dataclass(repr=False)
class Labels(Result[LabelRow]):
    """Every document labelled from all the others; or a new text, and its nearest labels."""

    by: str
    accuracy: float | UnsetType = UNSET
    right: int | UnsetType = UNSET
    documents: int | UnsetType = UNSET
    confusion: dict[str, dict[str, int]] | UnsetType = UNSET
    predicted: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    evidence: Evidence | UnsetType = UNSET

    def lines(self) -> Iterator[str]:
        if isinstance(self.accuracy, float):
            yield (
                f"{self.right} of {self.documents} documents get their own {self.by}"
                f" ({self.accuracy:.0%})"
            )
        if isinstance(self.evidence, Evidence):
            yield from self._format_evidence(self.evidence)
        elif isinstance(self.confusion, dict):
            yield from self._format_confusion(self.confusion)

    def _format_evidence(self, evidence: Evidence) -> Iterator[str]:
        predicted = self.paint(evidence.predicted, "green")
        yield f"{evidence.id}: {predicted}, rather than {evidence.rather_than}"
        nearest = [to_builtins(one) for one in evidence.nearest]
        yield from (f"  {line}" for line in format_rows(nearest))
        yield f"  words that speak for it: {format_words(evidence)}"

    def _format_confusion(self, confusion: dict[str, dict[str, int]]) -> Iterator[str]:
        rows = []
        for true, guesses in confusion.items():
            wrong = sorted(((n, name) for name, n in guesses.items() if name != true), reverse=True)
            rows.append(
                {
                    self.by: true,
                    "documents": sum(guesses.values()),
                    "right": guesses.get(true, 0),
                    "taken for": ", ".join(f"{name} {n}" for n, name in wrong),
                }
            )
        yield from format_rows(rows, shown=len(rows))
        mistakes = [f"{row.id} ({row.predicted})" for row in self.results if not row.right]
        if mistakes:
            yield f"wrong: {', '.join(mistakes)}"


def format_words(evidence: Evidence) -> str:
    """Return the words that speak for a label, strongest first; their parts are in JSON."""
    return ", ".join(one.word for one in evidence.words)


@verb
def label(
    texts: TextsInput,
    *,
    by: Annotated[By, Help("Metadata field to guess.")],
    rule: Rule = "nearest",
    neighbours: Annotated[int, Meta(ge=1, le=1000), Help("Number of documents that vote.")] = 5,
    k: Neighbour = 3,
    sample: Sample = None,
    seed: Seed = 0,
    text: Annotated[TextInput | None, Flags(metavar="FILE|ID"), Help(_TEXT_HELP)] = None,
    evidence: DocumentId = None,
    resume: Resume = None,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
    **comparing: Unpack[Comparing],
) -> Labels:
    """Guess the author, genre or level of documents from the others.

    Each document gets the label of those it is most like. With --text, a new text does.

        lexfield label books/ --metadata books.csv --by author --measure hellinger
        lexfield label books/ --metadata books.csv --by author --text emma
        lexfield label books.idx --by author --text disputed.txt
        lexfield label books/ --metadata books.csv --by genre --space latent --estimator spread
        lexfield label books/ --by author --resume /shared/run --cluster tcp://10.0.0.5:8786
    """
    corpus = read_texts(texts, comparing, progress)
    chosen = choose_options(comparing)
    if text is not None:
        asked = choose_text(text, corpus)
        if asked.id not in corpus.ids:
            return _label_new(corpus, asked.text, by, rule, neighbours, {"k": k, **chosen})
        evidence = asked.id
    counts = count_corpus(
        corpus, n=chosen["n"], stopwords=chosen["stopwords"], sample=sample, seed=seed
    ).keep_labelled(by)
    compared = compute_pairs(
        counts, comparing, k=k, resume=resume, cluster=cluster, progress=progress
    )
    found = label_documents(compared, counts, by, rule, neighbours, evidence)
    return Labels(
        [LabelRow(**row) for row in found.to_dicts()],
        by=by,
        accuracy=found.accuracy,
        right=found.right,
        documents=len(found.rows),
        confusion=found.confusion,
        evidence=found.evidence or UNSET,
        notes=found.notes,
    )


def _label_new(
    corpus: Corpus, text: str, by: str, rule: str, neighbours: int, options: JsonObject
) -> Labels:
    """Label a text that is not one of the documents."""
    found = label_text(corpus, text, by, rule=rule, neighbours=neighbours, **options)
    return Labels(
        [LabelRow(**row) for row in found.to_dicts()],
        by=by,
        predicted=found.predicted,
        rule=rule,
        evidence=found.evidence,
        notes=found.notes,
    )


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

    def lines(self) -> Iterator[str]:
        checked = self.calibration
        reliability = (
            f"known texts, each attributed from all the others: {checked.accuracy:.0%} of"
            f" {checked.documents} right, mean probability {checked.said:.0%}, off by"
            f" {checked.error:.0%}"
        )
        if not isinstance(self.evidence, Evidence):
            yield reliability
            rows = [
                {
                    "probability": f"{one.low:.0%} to {one.high:.0%}",
                    "documents": one.documents,
                    "mean": f"{one.said:.0%}",
                    "right": f"{one.right:.0%}",
                }
                for one in checked.bins
            ]
            yield from format_rows(rows, shown=len(rows))
            return
        predicted = self.paint(str(self.predicted), "green")
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
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> Attribution:
    """Attribute a text to its likeliest author, with a probability and evidence.

    Probabilities are calibrated on the known texts, each attributed from all the others. Without
    --text, that calibration is shown.

        lexfield attribute books/ --metadata books.csv --by author --text disputed.txt
        lexfield attribute books/ --metadata books.csv --by author --text emma
        lexfield attribute books.idx --by author --text emma
        lexfield attribute books/ --metadata books.csv --by author --plot reliability.png
    """
    corpus = read_texts(texts, options, progress)
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
