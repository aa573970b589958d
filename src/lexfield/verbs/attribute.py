"""``lexfield attribute``: who wrote a text?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Unpack

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.authors import AttributionMethod, Authors
from lexfield.compare.authors import attribute as find_authors
from lexfield.compare.calibration import Calibration
from lexfield.compare.clues import Clue, find_clues
from lexfield.compare.imposters import is_enough
from lexfield.compare.style import parse_features
from lexfield.errors import InputError, list_names
from lexfield.index.trend import find_interval
from lexfield.plots.divergence import draw_reliability
from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import format_rows
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.segment import split_words
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.file_options import FileOptions, get_shared_options
from lexfield.verbs.input import (
    TextInput,
    TextOptions,
    TextsInput,
    choose_text,
    is_path,
    read_documents,
)
from lexfield.verbs.options import By
from lexfield.verbs.results import Result, save_picture

_SHOWN = 5  # candidates
_TIE = 1e-9  # candidates whose probabilities differ by less are equally likely
Features = Annotated[
    str | None,
    Meta(max_length=500),
    Flags(metavar="LIST"),
    Help(
        "What to count, separated by commas: mfw(500), char4, char(2-5), word(1-2), "
        "function, pos, punct. By default mfw(500), mfw(2000), word(2-3) and char(2-5), "
        "each with a weight."
    ),
]
Rule = Annotated[
    str | None,
    Meta(max_length=60),
    Flags(metavar="RULE"),
    Help(
        "How to decide: nearest (the most similar text), author (the mean of an author's "
        "texts), ridge, svm or logistic, or several joined by +. By default "
        "cross-validation chooses between nearest, ridge and nearest+ridge."
    ),
]
Questioned = Annotated[
    TextInput | None,
    Flags(metavar="FILE|FOLDER|ID"),
    Help("The text in question: a file, a folder (every text in it), or the id of a document."),
]
StyleMeasure = Annotated[
    str | None,
    Meta(max_length=200),
    Help("Divergence for nearest and author, such as hellinger; by default the cosine."),
]


@dataclass(kw_only=True)
class CandidateAuthor:
    """An author, and how likely it is that they rather than the others wrote the text.

    With --verify: the share of rounds in which they beat the imposters (``score``), and how likely
    it is that they wrote it at all (``verified``).
    """

    label: str
    probability: float
    score: float | UnsetType = UNSET
    verified: float | UnsetType = UNSET


@dataclass(kw_only=True)
class AttributedText:
    """A text, its likeliest author and their probability; both are null if it is undecided.

    accuracy, interval: the share of known texts of this length that are attributed rightly, and its
    95% interval.
    known: the author of a text that has one, and whether that is the label (``right``); the latter
    is left out for the only text of an author, which cannot be right.
    method: how texts of its length are attributed, where that is not the method of most texts.
    """

    id: str
    label: str | None
    probability: float | None
    words: int
    accuracy: float
    interval: tuple[float, float]
    known: str | UnsetType = UNSET
    right: bool | UnsetType = UNSET
    method: AttributionMethod | UnsetType = UNSET
    candidates: list[CandidateAuthor]
    evidence: list[Clue]


@dataclass(repr=False)
class Attribution(Result[AttributedText]):
    """The texts in question, or every known text, attributed from all the others.

    method, calibration: for texts as long as most of them. auc: with --verify, how often a known
    text that is rightly attributed is verified with a higher probability than one whose author is
    removed, both by what the texts of other authors have taught.
    """

    by: str
    method: AttributionMethod
    calibration: Calibration
    auc: float | UnsetType = UNSET
    plot_formats = PAGE_FORMATS

    def lines(self) -> Iterator[str]:
        if len(self.results) == 1:
            yield from self._format_text(self.results[0])
        elif self.results[0].known is UNSET:
            rows = [self._list_row(one) for one in self.results]
            yield from format_rows(rows, shown=len(rows))
        else:
            yield from self._format_bins()
        checked = self.calibration
        excerpts = f"excerpts of {checked.texts} " if checked.texts < checked.documents else ""
        yield (
            f"{excerpts}known texts, each attributed from all the others: {checked.accuracy:.0%} of"
            f" {checked.documents} right ({_format_interval(_find_interval(checked))});"
            f" probabilities {checked.mean_probability:.0%} on average, off by {checked.error:.0%}"
        )
        if isinstance(self.auc, float):
            yield f"verification, tested on the known texts: AUC {self.auc:.2f} (0.5 is chance)"
        used = [f"{name} {weight:.2f}" for name, weight in self.method.weights.items() if weight]
        differs = any(one.method is not UNSET for one in self.results)
        where = " for the most common length" if differs else ""
        weights = ", ".join(used) or f"no feature tells the {self.by}s of these texts apart"
        yield f"chosen{where}: {self.method.rule} ({weights})"

    def _list_row(self, one: AttributedText) -> dict[str, object]:
        first, second = one.candidates[:2]
        verified = f"{first.verified:.2f}" if isinstance(first.verified, float) else ""
        best = f"at best {first.label} {first.probability:.2f}" if is_best(one) else ""
        return {
            "id": one.id,
            "words": one.words,
            self.by: one.label or "undecided",
            "if one of these": "" if one.probability is None else f"{one.probability:.2f}",
            **({} if self.auc is UNSET else {"theirs at all": verified}),
            "or": second.label if one.label else best,
            "of this length": f"{one.accuracy:.0%} right ({_format_interval(one.interval)})",
        }

    def _format_text(self, one: AttributedText) -> Iterator[str]:
        best = one.candidates[0]
        label = self.paint(one.label, "green") if one.label else f"undecided, at best {best.label}"
        likely = f"{label} with probability {best.probability:.2f} if it is one of these"
        yield f"{one.id}: {likely if is_best(one) else 'undecided'} ({one.words:,} words)"
        shown = one.candidates[:_SHOWN]
        rows = [{"label": each.label, "probability": f"{each.probability:.2f}"} for each in shown]
        for row, candidate in zip(rows, shown, strict=True):
            if isinstance(candidate.verified, float):
                row["beats imposters"] = f"{candidate.score:.2f}"
                row["theirs at all"] = f"{candidate.verified:.2f}"
        yield from (f"  {line}" for line in format_rows(rows))
        if one.evidence:
            first, second = one.candidates[0].label, one.candidates[1].label
            yield f"what speaks for {first} rather than {second}, per 1,000 words"
            clues = [
                {
                    "type": repr(clue.type) if clue.type != clue.type.strip() else clue.type,
                    "text": f"{clue.text_rate:.2f}",
                    first: f"{clue.author_rate:.2f}",
                    second: f"{clue.next_rate:.2f}",
                    "as in": clue.context,
                }
                for clue in one.evidence
            ]
            yield from (f"  {line}" for line in format_rows(clues, shown=len(clues)))

    def _format_bins(self) -> Iterator[str]:
        rows = [
            {
                "probability": f"{one.low:.0%} to {one.high:.0%}",
                "documents": one.documents,
                "mean": f"{one.mean_probability:.0%}",
                "right": f"{one.right:.0%}",
            }
            for one in self.calibration.bins
        ]
        yield from format_rows(rows, shown=len(rows))

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw predicted probabilities against the share that was right: png, svg, pdf or html."""
        return save_picture(draw_reliability(self.calibration.to_dict()), path)


def _find_interval(checked: Calibration) -> tuple[float, float]:
    """Return the 95% interval of the share that is right. Excerpts of one text can all be wrong for
    the same reason, so only the number of texts counts."""
    return find_interval(checked.accuracy * checked.texts, checked.texts)


def _format_interval(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.0%} to {ends[1]:.0%}"


def is_best(text: AttributedText) -> bool:
    """Is one candidate likelier than the others?"""
    return text.candidates[0].probability - text.candidates[1].probability > _TIE


@verb
def attribute(
    texts: TextsInput,
    *,
    by: Annotated[By, Help("Metadata field to guess, such as author.")],
    text: Questioned = None,
    features: Features = None,
    rule: Rule = None,
    measure: StyleMeasure = None,
    reject: Annotated[
        float,
        Meta(ge=0, le=1),
        Help(
            "Leave a text undecided if its probability is lower; with --verify, if either one is."
        ),
    ] = 0.0,
    verify: Annotated[
        bool, Help("Also ask whether the text is by each author at all (general imposters method).")
    ] = False,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> Attribution:
    """Attribute texts to their likeliest author, with a probability and evidence.

    Probabilities are calibrated on the known texts, each attributed from all the others. Without
    --text, this calibration is shown.

        lexfield attribute books/ --metadata books.csv --by author --text disputed.txt
        lexfield attribute books/ --metadata books.csv --by author --text unknown/ --reject 0.5
        lexfield attribute books/ --metadata books.csv --by author --text emma --verify
        lexfield attribute books.idx --by author --features mfw,char4 --rule svm --text emma
        lexfield attribute books/ --metadata books.csv --by author --plot reliability.png
    """
    begin_stage(progress, "reading")
    documents, notes = read_documents(texts, options, by)
    known = list(documents)
    asked = None if text is None else keep_words(choose_texts(text, known, notes, options), notes)
    found = find_authors(
        known,
        by,
        asked,
        features=features,
        rule=rule,
        measure=measure,
        verify=verify,
        progress=progress,
    )
    rows = [
        describe(found, row, one, by, reject, asked is None) for row, one in enumerate(found.texts)
    ]
    for row, one in enumerate(asked or ()):
        if is_best(rows[row]) and not found.foreign[row]:
            rows[row].evidence = _explain(found, row, one, by)
    return Attribution(
        rows,
        by=by,
        method=found.method,
        calibration=found.calibration,
        auc=UNSET if found.verification is None else float(np.median(found.verification.auc)),
        notes=[*notes, *found.notes, *(note_closed(found, by) if asked and not verify else [])],
    )


def note_closed(found: Authors, by: str) -> list[str]:
    """Return a note on what the probabilities rest on."""
    sizes = np.array(list(Counter(one.metadata[by] for one in found.known).values()))
    more = (
        "lexfield attribute --verify asks whether any of them is"
        if is_enough(sizes)
        else "there are too few known texts to ask whether any of them is"
    )
    return [f"the probabilities hold if one of these {len(found.names)} is the {by}; {more}"]


def choose_texts(
    source: Any, known: Sequence[Document], notes: list[str], options: FileOptions | None = None
) -> list[Document]:
    """Return the texts in question: a known one by its id, those of a folder, or a new one. Notes
    say what was left out of a folder.

    Those ``options`` for reading known texts that say what a text is hold for these as well.
    """
    if isinstance(source, Document):
        return [source]
    is_name = isinstance(source, str | Path)
    same = [one for one in known if one.id == str(source)] if is_name else []
    if not is_name or (not same and str(source) != "-" and is_path(source)):
        documents, more = read_documents(source, get_shared_options(options))
        notes += more
        return list(documents)
    return same[:1] or [choose_text(source, Corpus.of([]))]


def keep_words(asked: Sequence[Document], notes: list[str]) -> list[Document]:
    """Return the texts in question that have words; a note names the others."""
    kept = [one for one in asked if one.text.split()]
    if not kept:
        raise InputError("The text in question has no words.", "Name another one.")
    if empty := [one.id for one in asked if not one.text.split()]:
        notes.append(f"left out, without words: {list_names(empty)}")
    return kept


def describe(
    found: Authors, row: int, text: Document, by: str, reject: float, is_known: bool
) -> AttributedText:
    """Return the candidates for a text, likeliest first; the evidence is not yet there."""
    p = found.probabilities[row]
    candidates = [
        CandidateAuthor(label=found.names[i], probability=float(p[i]))
        for i in np.argsort(-p, kind="stable").tolist()
    ]
    best = candidates[0]
    if found.verification is not None and not found.foreign[row]:
        places = {name: i for i, name in enumerate(found.names)}
        for one in candidates:
            one.score = float(found.verification.scores[row, places[one.label]])
            one.verified = float(found.verification.probabilities[row, places[one.label]])
    is_theirs = best.probability >= reject and (best.verified is UNSET or best.verified >= reject)
    is_theirs = is_theirs and best.probability - candidates[1].probability > _TIE
    label = best.label if is_theirs and not found.foreign[row] else None
    known = text.metadata.get(by) if is_known else None
    can_be_right = known is not None and p[found.names.index(known)] > 0
    check = found.checks[row]
    return AttributedText(
        id=text.id,
        label=label,
        probability=None if label is None else best.probability,
        words=len(split_words(text.text)),
        accuracy=check.calibration.accuracy,
        interval=_find_interval(check.calibration),
        known=known or UNSET,
        right=label == known if can_be_right else UNSET,
        method=UNSET if check.method == found.method else check.method,
        candidates=candidates,
        evidence=[],
    )


def _explain(found: Authors, row: int, text: Document, by: str) -> list[Clue]:
    """Return what speaks for the likeliest author rather than the next."""
    first, second = (found.names[i] for i in np.argsort(-found.probabilities[row])[:2])
    method = found.checks[row].method
    used = [name.partition(": ")[2] for name, weight in method.weights.items() if weight]
    features = parse_features(", ".join(dict.fromkeys(used or method.features)))
    others = [one for i, one in enumerate(found.known) if i not in found.left_out[row]]
    return find_clues(
        text.text,
        [one.text for one in others if one.metadata.get(by) == first],
        [one.text for one in others if one.metadata.get(by) == second],
        features,
    )
