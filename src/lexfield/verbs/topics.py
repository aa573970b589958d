"""Fit, show and infer the topics of an index.

lexfield topics fit my.idx -t 50
lexfield topics show my.idx
lexfield topics infer my.idx "A new text."
lexfield topics neighbours my.idx "A new text."
lexfield search my.idx "A new text." --method topic
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType
from numpy.typing import NDArray

from lexfield.index.fit_topics import (
    choose_defaults,
    find_names,
    infer_texts,
    mixtures_of_documents,
    use_mixtures,
)
from lexfield.index.names import name_step
from lexfield.index.topics import Topics, segment_counts
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, pluralise
from lexfield.search.index import Index
from lexfield.store.files import replace_file
from lexfield.text.written import find_written
from lexfield.topics.lda import Filters, TopicSummary
from lexfield.topics.simplex import read_mixtures
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import FileInput, Hits, Seed, Target
from lexfield.verbs.results import Result, hidden

Prior = Annotated[float | None, Meta(gt=0, le=1000)]
Occurrences = Annotated[int, Meta(ge=1, le=10**9)]
Passes = Annotated[
    Annotated[int, Meta(ge=1, le=10_000)] | None,
    Help("Passes over all documents, by default 20; over passages, by default 8."),
]
Share = Annotated[
    Annotated[float, Meta(gt=0, le=1)] | None,
    Help(
        "Leave out words in more than this share of the documents, by default 0.5; of the"
        " passages of long documents, by default 0.2."
    ),
]
OtherMixtures = Annotated[
    FileInput | None,
    Help(
        "Instead of fitting, store the mixtures of another model from this file: .npy, or"
        " .parquet with an id column."
    ),
]
_NAME = 60  # characters of a text by which it is shown


class FitRow(msgspec.Struct, kw_only=True, rename={"source": "from"}):
    """How topics were fitted, or which file of mixtures they came from."""

    topics: int
    source: str | UnsetType = UNSET
    documents: int | UnsetType = UNSET
    empty: int | UnsetType = UNSET
    passages: int | UnsetType = UNSET
    words: int | UnsetType = UNSET
    tokens: int | UnsetType = UNSET
    passes: int | UnsetType = UNSET
    batch: int | UnsetType = UNSET
    alpha: float | UnsetType = UNSET
    eta: float | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    filters: dict[str, int | float | None] | UnsetType = UNSET


@dataclass(repr=False)
class FittedTopics(Result[FitRow]):
    """The topics that an index has now."""

    index: Path = hidden()

    def lines(self) -> Iterable[str]:
        (row,) = self.results
        if row.source is not UNSET:
            return super().lines()
        return [
            f"fitted {row.topics:,} topics to {row.documents:,} documents, {row.words:,} words;"
            f" see: {name_step(self.index, 'topics show IDX', 'lx.topics(index)')}"
        ]


@verb(command="topics fit", served="job")
def fit_topics(
    index: IndexInput,
    *,
    topics: Annotated[int, Meta(ge=2, le=10_000), Flags(("-t",)), Help("Number of topics.")] = 50,
    passes: Passes = None,
    alpha: Annotated[Prior, Help("Prior of the mixtures; 1/topics by default.")] = None,
    eta: Annotated[Prior, Help("Prior of the topics; 1/topics by default.")] = None,
    seed: Seed = 0,
    min_count: Annotated[Occurrences, Help("Leave out words that occur less often.")] = 5,
    max_count: Annotated[Occurrences | None, Help("Leave out words that occur more often.")] = None,
    max_share: Share = None,
    min_length: Annotated[
        int,
        Meta(ge=1, le=100),
        Help(
            "Leave out words with fewer characters; those of Chinese, Japanese and Korean count"
            " twice."
        ),
    ] = 4,
    no_names: Annotated[
        bool, Help("Leave out names: words that are mostly capitalised inside sentences.")
    ] = False,
    mixtures: OtherMixtures = None,
    progress: Progress = silent,
) -> FittedTopics:
    """Fit topics to the documents of an index and store them in it.

    Topics are fitted by online latent Dirichlet allocation. Stopwords, numbers, and short, rare and
    very frequent words are left out. Long documents, such as books, are cut into passages of about
    a thousand words.

        lexfield topics fit my.idx -t 50
        lexfield topics fit patents.idx -t 500 --alpha 0.1 --eta 0.1 --passes 5 --min-count 20
        lexfield topics fit novels.idx --no-names
        lexfield topics fit my.idx --mixtures from-another-model.npy
    """
    opened = open_index(index)
    if mixtures is not None:
        kept = use_mixtures(opened, *read_mixtures(mixtures))
        row = FitRow(topics=kept.topics, source=str(mixtures))
        return FittedTopics([row], index=opened.path, notes=kept.notes)
    usual_share, usual_passes = choose_defaults(opened)
    filters = Filters(
        min_count=min_count,
        max_count=max_count,
        max_share=max_share or usual_share,
        min_length=min_length,
    )
    names = find_names(opened) if no_names else []
    begin_stage(progress, "fitting topics")
    options: JsonObject = {"alpha": alpha, "eta": eta, "seed": seed, "filters": filters}
    options |= {"passes": passes or usual_passes, "without": names}
    row = msgspec.convert(opened.fit_topics(topics, progress=progress, **options).about, FitRow)
    notes = [f"names left out: {len(names):,}"] if no_names else []
    return FittedTopics([row], index=opened.path, notes=notes + _note_fit(row))


def _note_fit(row: FitRow) -> list[str]:
    notes = []
    if row.passages is not UNSET:
        notes.append(f"fitted to passages of these long documents: {row.passages:,}")
    if row.empty:
        notes.append(
            f"documents without a mixture, because all their words are left out: {row.empty:,}"
        )
    return notes


@dataclass(repr=False)
class ShownTopics(Result[TopicSummary]):
    """The topics of an index, largest first, and how they were fitted."""

    coherence: float
    about: JsonObject = hidden()
    perplexity: float | UnsetType = UNSET

    def figures(self) -> JsonObject:
        return {**self.about, **super().figures()}


@verb(command="topics show")
def topics(
    index: IndexInput,
    *,
    k: Annotated[Hits, Help("Words shown per topic.")] = 10,
    perplexity: Annotated[
        bool, Help("Also measure how well the model predicts one half of a text from the other.")
    ] = False,
) -> ShownTopics:
    """Show the topics of an index, largest first.

    Each has its share of all words, its coherence (from -1 to 1) and its likeliest words, as the
    texts usually write them.

        lexfield topics show my.idx
        lexfield topics show my.idx -k 20 --perplexity --json
    """
    opened = open_index(index)
    model = Topics.open(opened.path).require_model()
    coherence = float(model.coherences.mean())
    notes = [f"mean coherence {coherence:.3f}"]
    rows = _spell(opened, list(model.describe(k)))
    shown = ShownTopics(rows, about=model.about, coherence=coherence, notes=notes)
    if perplexity:
        from scipy.sparse import vstack

        counts = [segment_counts(one, "document", model.ids) for one in opened.segments]
        shown.perplexity = model.perplexity(vstack(counts, format="csr"))
        notes.append(
            f"perplexity {shown.perplexity:,.0f} (second half of each document after the first;"
            f" {len(model.words):,} for a model that knows nothing)"
        )
    return shown


def _spell(index: Index, rows: list[TopicSummary]) -> list[TopicSummary]:
    """Return topics with their words as the texts usually write them: Elizabeth, not elizabeth."""
    words = {word for row in rows for word in row.words.split()}
    written: dict[str, str] = {}
    for segment in index.segments:
        written |= find_written(segment.corpus, words - written.keys())
    return [
        replace(row, words=" ".join(written.get(word, word) for word in row.words.split()))
        for row in rows
    ]


@dataclass(kw_only=True)
class TopicWeight:
    """The share of a topic in a text."""

    topic: int
    weight: float
    name: str


@dataclass(kw_only=True)
class TextTopics:
    """The largest topics of a text, or of a document of the index."""

    text: str | UnsetType = UNSET
    document: str | UnsetType = UNSET
    topics: list[TopicWeight]


@dataclass(repr=False)
class InferredTopics(Result[TextTopics]):
    """The largest topics of texts; ``mixtures`` has a row with all topics for each."""

    mixtures: NDArray[np.float32] = hidden()
    output: str | Path | None = hidden(default=None)

    def lines(self) -> Iterable[str]:
        if self.output is not None:
            rows, columns = self.mixtures.shape
            yield f"wrote {self.output}: {rows:,} × {columns:,}"
            return
        for row in self.results:
            yield str(row.document if row.text is UNSET else row.text)[:_NAME]
            for one in row.topics:
                yield f"  {one.weight:.3f}  {one.name}"


@verb(command="topics infer")
def infer(
    index: IndexInput,
    texts: Annotated[
        Sequence[Annotated[str, Meta(max_length=10_000_000)]],
        Flags(metavar="[TEXT]..."),
        Help("New texts; by default the documents of the index."),
    ] = (),
    *,
    k: Annotated[Hits, Help("Topics shown per text.")] = 5,
    output: Annotated[
        Target | None, Flags(("-o",), "FILE.npy"), Help("Write the mixtures to this file.")
    ] = None,
) -> InferredTopics:
    """Infer the topics of new texts, or of the documents of the index.

    lexfield topics infer my.idx "The harbour froze that winter."
    lexfield topics infer my.idx -o mixtures.npy
    """
    opened = open_index(index)
    kept = Topics.open(opened.path)
    if texts:
        names, (mixtures, known) = list(texts), infer_texts(opened, kept, texts)
    else:
        names, (mixtures, known) = list(opened.documents), mixtures_of_documents(opened, kept)
    if output is not None:
        data = io.BytesIO()
        np.save(data, mixtures, allow_pickle=False)
        replace_file(Path(output), data.getvalue())
    field = "text" if texts else "document"
    rows = [
        TextTopics(**{field: name}, topics=_find_largest(kept, mixture, k))
        for name, mixture, is_known in zip(names, mixtures, known, strict=True)
        if is_known
    ]
    notes = []
    if missing := int((~known).sum()):
        of, have = pluralise(len(known), field), "has" if missing == 1 else "have"
        notes.append(f"{missing:,} of {of} {have} no word that the model knows")
    return InferredTopics(rows, mixtures=mixtures, output=output, notes=notes)


def _find_largest(kept: Topics, mixture: NDArray[np.float32], k: int) -> list[TopicWeight]:
    order = np.argsort(-mixture, kind="stable")[:k].tolist()
    return [
        TopicWeight(topic=topic, weight=float(mixture[topic]), name=kept.name(topic))
        for topic in order
    ]
