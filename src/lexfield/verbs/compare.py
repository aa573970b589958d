"""``lexfield compare``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Unpack

from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.counts import count_texts
from lexfield.compare.estimate import Estimate, Resampling
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pair import compare_counts
from lexfield.plots.divergence import draw_bars
from lexfield.plots.figure import Picture
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows
from lexfield.text.document import Document
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import (
    READING,
    Reading,
    Source,
    TextInput,
    join_texts,
    name_briefly,
    name_source,
    read_documents,
)
from lexfield.verbs.options import Comparing, Neighbour, Seed, choose_options
from lexfield.verbs.results import (
    Paint,
    ReadThrough,
    Result,
    hidden,
    plain,
    save_picture,
    to_builtins,
)

_REASONS = 500  # words in JSON; the others are summed up
_SHOWN = 15  # words


@dataclass(kw_only=True)
class Divergence:
    """How far one text is from another, and how far that can be trusted."""

    a: str
    b: str
    value: float | None
    possible: bool
    unit: str
    measure: str
    space: str
    interval: list[float] | None
    p: float | None
    n: int
    m: int
    dropped: list[float]
    entropy: list[float]
    explanation: JsonObject | UnsetType = UNSET


@dataclass(repr=False)
class Comparison(ReadThrough[Estimate], Result[Divergence]):
    """A divergence and the words behind it; ``details`` holds the library's own result."""

    details: list[Estimate] = hidden()
    names: tuple[str, str] = hidden()
    explain: bool = hidden(default=False)

    def figures(self) -> JsonObject:
        record: JsonObject = to_builtins(self.results[0])
        record.pop("explanation", None)
        return record

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        (estimate,) = self.details
        yield paint(str(estimate), "green")
        if self.explain:
            yield from (f"  {line}" for line in _format_words(estimate))

    def plot(self, path: str | Path | None = None) -> Path | Picture:
        """Draw what each word contributes: png, svg or pdf."""
        return save_picture(draw_bars(self.details[0], self.names), path)


def _format_words(estimate: Estimate) -> list[str]:
    """Return the words that matter most: their rates in each text, or what is near in the other."""
    explanation = estimate.explanation
    rates = explanation.facts.get("per_thousand")
    if rates is None:
        return explanation.lines(_SHOWN)
    rows = [
        {
            "part": reason.contribution,
            "word": reason.query,
            "per 1,000 in A": rates[reason.query][0],
            "in B": rates[reason.query][1],
        }
        for reason in explanation.reasons[:_SHOWN]
    ]
    return format_rows(rows)


@verb
def compare(
    a: TextInput,
    b: TextInput,
    *,
    k: Neighbour = 3,
    interval: Annotated[
        float | None, Meta(gt=0, lt=1), Help("Confidence of an error bar, such as 0.95.")
    ] = None,
    p: Annotated[bool, Help("Test by permutation whether the texts differ at all.")] = False,
    resamples: Annotated[
        int, Meta(ge=20, le=100_000), Help("Number of resamples for --interval and --p.")
    ] = 200,
    seed: Seed = 0,
    explain: Annotated[bool, Help("Show the words that make the difference.")] = False,
    reading: Reading = READING,
    progress: Progress = silent,
    **comparing: Unpack[Comparing],
) -> Comparison:
    """Say how different two texts are, and which words make the difference.

    A and B are each a file, a folder or an index; several documents are taken as one text.

        lexfield compare emma.txt ulysses.txt --explain
        lexfield compare emma.txt ulysses.txt --measure js --interval 0.95 --p
        lexfield compare emma.txt ulysses.txt --space latent -k 3 --explain --json
        lexfield compare emma.txt ulysses.txt --plot words.png
    """
    chosen = ComparisonOptions.from_dict({"k": k, **choose_options(comparing)})
    texts, notes = _read([a, b], reading)
    counts = count_texts(texts, n=chosen.n, stopwords=chosen.stopwords)
    begin_stage(progress, "resampling")
    found = compare_counts(counts, chosen, Resampling(interval, p, resamples, seed), progress)
    record = found.to_dict()
    del record["notes"]
    row = Divergence(a=name_source(a), b=name_source(b), **record)
    if explain:
        row.explanation = found.explanation.to_dict(_REASONS)
    return Comparison(
        [row],
        details=[found],
        names=(name_briefly(a), name_briefly(b)),
        explain=explain,
        notes=[*notes, *found.notes],
    )


def _read(sources: list[Source], reading: Reading) -> tuple[list[Document], list[str]]:
    """Return each source as one text, and notes."""
    texts: list[Document] = []
    notes: list[str] = []
    for source in sources:
        documents, found = read_documents(source, reading)
        name = name_source(source)
        again = " (again)" if any(text.id == name for text in texts) else ""
        texts.append(Document(name + again, join_texts(documents)))
        notes += found
        if len(documents) > 1:
            notes.append(f"{name}: {len(documents):,} documents are taken as one text")
    return texts, notes
