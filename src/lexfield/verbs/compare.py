"""``lexfield compare`` and ``lexfield duplicates``: how alike texts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack

from msgspec import UNSET, Meta, UnsetType

from lexfield.compare.counts import count_texts
from lexfield.compare.estimate import Estimate, Resampling
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pair import compare_counts
from lexfield.compare.token_clouds import compare_tokens
from lexfield.plots.divergence import draw_bars
from lexfield.plots.figure import Picture
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows
from lexfield.search.duplicates import Pair
from lexfield.search.duplicates import duplicates as find_pairs
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.written import find_written
from lexfield.verbs.declare import Default, Flags, Help, Input, verb
from lexfield.verbs.input import (
    IndexInput,
    Source,
    TextInput,
    TextOptions,
    join_texts,
    open_index,
    read_documents,
    read_texts,
    refuse_ids,
)
from lexfield.verbs.options import AllowUnknown, Neighbour, Ngram, Seed, Unit, VectorsInput
from lexfield.verbs.results import ReadThrough, Result, hidden, save_picture, to_builtins
from lexfield.verbs.sides import SideOptions, add_where, name_side

_REASONS = 500  # words in JSON; the others are summed up
_SHOWN = 15  # words
_SPELLED, _READ = 100, 300_000  # words whose usual form is looked for; characters of a file for it


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
class Comparison(ReadThrough[Divergence, Estimate]):
    """A divergence and the words behind it; ``details`` holds the library's own result."""

    names: tuple[str, str] = hidden()
    explain: bool = hidden(default=False)

    def figures(self) -> JsonObject:
        record: JsonObject = to_builtins(self.results[0])
        record.pop("explanation", None)
        return record

    def lines(self) -> Iterable[str]:
        (estimate,) = self.details
        yield self.paint(str(estimate), "green")
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


class DivergenceOptions(TypedDict, total=False):
    """How the difference of texts is measured."""

    space: Annotated[
        Literal["categorical", "latent"],
        Default("categorical"),
        Help("Compare counts of words, or clouds of word vectors."),
    ]
    measure: Annotated[
        str,
        Meta(max_length=200),
        Default("kl"),
        Help(
            "Divergence: kl, js, renyi, hellinger or minmax; for collections also delta,"
            " cosine-delta, eder-delta or quadratic-delta."
        ),
    ]
    features: Annotated[
        str | None,
        Meta(max_length=500),
        Flags(metavar="SPEC"),
        Default(None),
        Help("Compare features of style instead of words: char4, word(1-2), pos, function, punct."),
    ]
    mfw: Annotated[
        int | None,
        Meta(ge=1, le=10**6),
        Default(None),
        Help("Compare only the N most frequent words. By default all; for a Delta, 2,000."),
    ]
    culling: Annotated[
        float,
        Meta(ge=0, le=100),
        Flags(metavar="PERCENT"),
        Default(0.0),
        Help("Compare only words found in at least this percentage of the texts."),
    ]
    hubs: Annotated[
        Literal["centre", "local"] | None,
        Default(None),
        Help(
            "Correct for texts that are near very many others: subtract mean divergences "
            "(centre), or divide by those from the nearest few (local)."
        ),
    ]
    smoothing: Annotated[
        str,
        Meta(max_length=200),
        Flags(metavar="SPEC"),
        Default("jm"),
        Help("For words that one text lacks: shared, additive(0.1) or jm(0.5)."),
    ]
    ngram: Annotated[Ngram, Default(1)]
    order: Annotated[
        float,
        Meta(gt=0, le=100),
        Flags(old="alpha"),
        Default(0.5),
        Help("Order of the Rényi divergence; at 1 it is kl by its limit."),
    ]
    estimator: Annotated[
        Literal["plain", "extrapolated", "equal_radius", "spread"],
        Default("plain"),
        Help("Estimator for clouds of vectors; see docs/methods/divergence.md."),
    ]
    points: Annotated[
        Literal["tokens", "types"],
        Default("tokens"),
        Help("In a cloud, count words as often as they occur, or only once."),
    ]
    exponent: Annotated[
        str,
        Meta(max_length=200),
        Flags(old="dimension"),
        Default("ambient"),
        Help("Exponent of distances in a cloud: ambient, intrinsic or a number."),
    ]
    reduce: Annotated[
        str | None,
        Meta(max_length=200),
        Flags(metavar="SPEC"),
        Default(None),
        Help("Reduce the dimensions of a cloud first, as in pca(20)."),
    ]
    stopwords: Annotated[
        str | None,
        Meta(max_length=20),
        Flags(metavar="LANGUAGE"),
        Default(None),
        Help("Leave out the stopwords of a language, such as en."),
    ]
    bits: Annotated[bool, Default(False), Help("Report bits instead of nats.")]
    vectors: Annotated[VectorsInput, Default("default")]
    allow_unknown: Annotated[AllowUnknown, Default(False)]


class Comparing(DivergenceOptions, TextOptions, total=False):
    """How texts are compared, and how they are read."""


def choose_options(comparing: DivergenceOptions) -> JsonObject:
    """Return the options of a comparison under the names that the library uses."""
    names = DivergenceOptions.__annotations__
    options: JsonObject = {name: one for name, one in comparing.items() if name in names}
    for ours, theirs in (("ngram", "n"), ("order", "alpha"), ("exponent", "dimension")):
        options[theirs] = options.pop(ours)
    options["unit"] = "bits" if options.pop("bits") else "nats"
    with suppress(ValueError):  # ambient and intrinsic are words, anything else is a number
        options["dimension"] = float(options["dimension"])
    return options


CloudEncoder = Annotated[
    Any,
    Input("encoder"),
    Flags(metavar="NAME", served=False),
    Help(
        "Compare clouds of a sentence encoder's vectors of words in their context (--space latent):"
        " minilm (needs the extra encoder), or in Python a model."
    ),
]


class ComparingSides(Comparing, SideOptions, total=False):
    """How the two sides are compared and read."""


@verb
def compare(
    a: TextInput,
    b: TextInput,
    *,
    neighbour: Neighbour = 3,
    interval: Annotated[
        float | None, Meta(gt=0, lt=1), Help("Confidence of an error bar, such as 0.95.")
    ] = None,
    test: Annotated[
        bool, Flags(old="p"), Help("Test by permutation whether the texts differ at all.")
    ] = False,
    resamples: Annotated[
        int, Meta(ge=20, le=100_000), Help("Number of resamples for --interval and --test.")
    ] = 200,
    seed: Seed = 0,
    explain: Annotated[bool, Help("Show the words that make the difference.")] = False,
    encoder: CloudEncoder = None,
    progress: Progress = silent,
    **comparing: Unpack[ComparingSides],
) -> Comparison:
    """Measure how different two texts are, and see which words make the difference.

    A and B are each a file, a folder or an index, or with --index the id of a document; several
    documents are joined into one text.

        lexfield compare emma.txt ulysses.txt --explain
        lexfield compare emma ulysses --index books.idx
        lexfield compare books.idx books.idx --a-where author=Austen --b-where author=Dickens
        lexfield compare emma.txt ulysses.txt --measure js --interval 0.95 --test
        lexfield compare emma.txt ulysses.txt --space latent --neighbour 5 --explain --json
        lexfield compare emma.txt ulysses.txt --encoder minilm --explain
        lexfield compare emma.txt ulysses.txt --plot words.png
    """
    options = choose_options(comparing) | ({} if encoder is None else {"space": "latent"})
    chosen = ComparisonOptions.from_dict({"k": neighbour, **options})
    refuse_ids([a, b], comparing)
    sides = (a, comparing["a_where"]), (b, comparing["b_where"])
    texts, notes = _read_texts(sides, comparing, whole=encoder is not None)
    resampling = Resampling(interval, test, resamples, seed)
    if encoder is not None:
        whole = [text for text in texts if isinstance(text, Document)]
        found = compare_tokens(whole, encoder, chosen, resampling, progress)
    else:
        ids = [name_side(*side) for side in sides]
        counts = count_texts(texts, n=chosen.n, stopwords=chosen.stopwords, ids=ids)
        begin_stage(progress, "resampling")
        found = compare_counts(counts, chosen, resampling, progress)
    record = found.to_dict()
    del record["notes"]
    row = Divergence(a=name_side(*sides[0]), b=name_side(*sides[1]), **record)
    if explain:
        row.explanation = found.explanation.to_dict(_REASONS) | {"written": _spell(found, texts)}
    return Comparison(
        [row],
        details=[found],
        names=(name_side(*sides[0], brief=True), name_side(*sides[1], brief=True)),
        explain=explain,
        notes=[*notes, *found.notes],
    )


def _spell(estimate: Estimate, texts: Iterable[Document | Corpus]) -> dict[str, str]:
    """Return how the text that has more of it writes a word, where it is not written as counted."""
    rates = estimate.explanation.facts.get("per_thousand", {})
    words = [one.query for one in estimate.explanation.reasons[:_SPELLED] if one.query in rates]
    written: dict[str, str] = {}
    for side, text in enumerate(texts):
        corpus = text if isinstance(text, Corpus) else Corpus.of(text.text[:_READ])
        own = [word for word in words if rates[word][side] > rates[word][1 - side]]
        written |= find_written(corpus, own)
    return written


def _read_texts(
    sides: Iterable[tuple[Source, Iterable[str]]], options: TextOptions, *, whole: bool
) -> tuple[list[Document | Corpus], list[str]]:
    """Return each side as one text, and notes; an index stays cut unless texts must be whole."""
    texts: list[Document | Corpus] = []
    notes: list[str] = []
    for source, where in sides:
        name, reading = name_side(source, where), add_where(options, where)
        if isinstance(source, Corpus | Index) and not whole:
            corpus = read_texts(source, reading)
            count, found = len(corpus), corpus.notes
            texts.append(corpus)
        else:
            documents, found = read_documents(source, reading)
            count = len(documents)
            again = " (again)" if any(getattr(text, "id", None) == name for text in texts) else ""
            texts.append(Document(name + again, join_texts(documents)))
        notes += found
        if count > 1:
            notes.append(f"{name}: {count:,} documents are joined into one text")
    return texts, notes


_LINE = 150  # characters of a text on one line


@dataclass(repr=False)
class Duplicates(Result[Pair]):
    """Pairs of texts with nearly the same words, most similar first."""

    full: bool = hidden(default=False)

    def lines(self) -> Iterator[str]:
        for pair in self:
            yield f"{pair.similarity:.3f}  {pair.a}  {pair.b}"
            for text in (pair.text_a, pair.text_b):
                line = " ".join(text.split())
                yield f"       {line if self.full else line[:_LINE]}"


@verb
def duplicates(
    index: IndexInput,
    *,
    threshold: Annotated[
        float, Meta(gt=0, le=1), Help("Minimum Jaccard similarity of the words, without stopwords.")
    ] = 0.8,
    unit: Annotated[Unit, Help("Compare sentences or whole documents.")] = "document",
    min_words: Annotated[
        int, Meta(ge=1, le=10**6), Help("Skip texts with fewer distinct words, without stopwords.")
    ] = 1,
    full: Annotated[bool, Help("Print whole texts, not just their beginnings.")] = False,
    progress: Progress = silent,
) -> Duplicates:
    """Find pairs of documents or sentences with nearly the same words.

    Similarity is the share of distinct words that two texts have in common (Jaccard); the order of
    the words does not matter.

        lexfield duplicates tickets.idx --threshold 0.5
        lexfield duplicates my.idx --unit sentence --min-words 5 --json
    """
    opened = open_index(index)
    begin_stage(progress, "comparing")
    found = find_pairs(
        opened, threshold, unit=unit, min_words=min_words, full=full, progress=progress
    )
    none = f"no duplicates: no two {unit}s have a similarity of at least {threshold:g}"
    return Duplicates(list(found), full=full, notes=[*found.notes, *([] if found else [none])])
