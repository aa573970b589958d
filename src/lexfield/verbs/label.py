"""``lexfield label``: guess the metadata of texts from other texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Unpack

from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.counts import Counts, count_corpus
from lexfield.compare.known import find_foreign, find_known, join_parts
from lexfield.compare.labels import Evidence, find_evidence, label_documents, label_text
from lexfield.compare.pairs import Pairs
from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject, format_rows
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.verbs.compare import Comparing, choose_options
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import TextInput, TextsInput, choose_text, read_texts
from lexfield.verbs.options import By, ClusterAddress, Neighbour, Resume, SampleSize, Seed
from lexfield.verbs.pairs import compute_pairs
from lexfield.verbs.results import Result, to_builtins

_TEXT_HELP = "Label this text: a file, or the id of a document, whose evidence is shown."
Rule = Annotated[
    Literal["category", "nearest", "vote"],
    Help(
        "Decide by the smallest mean divergence from a category, by the nearest document, "
        "or by a vote of the nearest few."
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
        yield f"  words that speak for it: {', '.join(one.word for one in evidence.words)}"

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


@verb
def label(
    texts: TextsInput,
    *,
    by: Annotated[By, Help("Metadata field to guess.")],
    rule: Rule = "nearest",
    voters: Annotated[
        int, Meta(ge=1, le=1000), Flags(old="neighbours"), Help("Number of documents that vote.")
    ] = 5,
    neighbour: Neighbour = 3,
    sample: SampleSize = None,
    seed: Seed = 0,
    text: Annotated[TextInput | None, Flags(metavar="FILE|ID"), Help(_TEXT_HELP)] = None,
    evidence: DocumentId = None,
    resume: Resume = None,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
    **comparing: Unpack[Comparing],
) -> Labels:
    """Guess the author, genre or level of documents from the others.

    Each document gets the label of the documents it most resembles. With --text, so does a new
    text.

        lexfield label books/ --metadata books.csv --by author --measure hellinger
        lexfield label books/ --metadata books.csv --by author --text emma
        lexfield label books.idx --by author --text disputed.txt
        lexfield label books/ --metadata books.csv --by genre --space latent --estimator spread
        lexfield label books/ --by author --resume /shared/run --cluster tcp://10.0.0.5:8786
    """
    corpus = _join_parts(read_texts(texts, comparing, progress, by=by), by)
    chosen = choose_options(comparing)
    if text is not None:
        asked = choose_text(text, corpus)
        if asked.id not in corpus.ids:
            options = {"rule": rule, "neighbours": voters, "k": neighbour, **chosen}
            return _label_new(_leave_out_copies(corpus, asked), asked.text, by, options)
        evidence = asked.id
    counts = count_corpus(
        corpus, n=chosen["n"], stopwords=chosen["stopwords"], sample=sample, seed=seed
    ).keep_labelled(by)
    compared = compute_pairs(
        counts, comparing, k=neighbour, resume=resume, cluster=cluster, progress=progress
    )
    return _label_known(compared, counts, by, rule, voters, evidence)


def _label_known(
    compared: Pairs, counts: Counts, by: str, rule: str, voters: int, evidence: str | None
) -> Labels:
    """Label each document from all the others."""
    labels, predicted, notes = label_documents(compared, by, rule, voters)
    rows = [
        LabelRow(id=id, label=own, predicted=other, right=own == other)
        for id, own, other in zip(compared.ids, labels, predicted, strict=True)
    ]
    confusion: dict[str, dict[str, int]] = {}
    for (own, other), times in sorted(Counter(zip(labels, predicted, strict=True)).items()):
        confusion.setdefault(own, {})[other] = times
    found = Labels(rows, by=by, documents=len(rows), confusion=confusion, notes=notes)
    found.right = sum(bool(row.right) for row in rows)
    found.accuracy = found.right / len(rows)
    if evidence is not None:
        if evidence not in compared.ids:
            raise InputError(f"There is no document {evidence!r}.", "See the ids without --text.")
        label = predicted[compared.ids.index(evidence)]
        found.evidence = find_evidence(compared, counts, labels, evidence, label)
    return found


def _join_parts(corpus: Corpus, by: str) -> Corpus:
    """Return a corpus in which parts of one text are one: they would label each other."""
    notes = list(corpus.notes)
    documents = list(corpus.documents)
    joined = join_parts(documents, by, notes)
    if len(joined) == len(documents):
        return corpus
    return _make_corpus(joined, corpus, notes)


def _leave_out_copies(corpus: Corpus, asked: Document) -> Corpus:
    """Return a corpus without copies of the text in question."""
    documents, notes = list(corpus.documents), list(corpus.notes)
    (copies,) = find_known(documents, [asked], notes)
    find_foreign(documents, [asked], notes)
    kept = [one for row, one in enumerate(documents) if row not in copies]
    return _make_corpus(kept, corpus, notes)


def _make_corpus(documents: Sequence[Document], like: Corpus, notes: Sequence[str]) -> Corpus:
    found = Corpus.of(documents, normalisation=like.normalisation)
    found.notes.extend(notes)
    return found


def _label_new(corpus: Corpus, text: str, by: str, options: JsonObject) -> Labels:
    """Label a text that is not one of the documents."""
    found = label_text(corpus, text, by, **options)
    rows = [LabelRow(label=label, divergence=far) for label, far in found.divergences.items()]
    labels = Labels(rows, by=by, rule=options["rule"], notes=found.notes)
    labels.predicted, labels.evidence = found.predicted, found.evidence
    return labels
