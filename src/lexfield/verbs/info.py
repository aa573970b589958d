"""``lexfield info`` and ``lexfield documents``: what an index holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from lexfield.index.topics import has_topics
from lexfield.results import JsonObject, format_rows
from lexfield.search.index import Index
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import Hits
from lexfield.verbs.results import Paint, Result, plain

_LINE = 160  # characters of the values of a metadata field


@dataclass(kw_only=True)
class IndexInfo:
    """The sizes of an index, its vectors and how many words they know, and its metadata."""

    path: str
    generation: int
    bytes: int
    documents: int
    deleted: int
    segments: int
    sentences: int
    tokens: int
    words: int
    language: str
    normalisation: dict[str, bool | str]
    vectors: JsonObject
    metadata: dict[str, dict[str, int]]
    shards: list[JsonObject] | UnsetType = UNSET
    topics: bool


@dataclass(repr=False)
class Info(Result[IndexInfo]):
    """What an index holds, in figures."""

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        (info,) = self.results
        coverage = info.vectors["coverage"]
        total = sum(matches["tokens"] for matches in coverage.values())
        yield (
            f"index       {info.path} ({info.bytes / 1e6:,.1f} MB, generation {info.generation})"
        )
        yield f"documents   {info.documents:,}"
        yield f"sentences   {info.sentences:,}"
        yield f"tokens      {info.tokens:,} ({info.words:,} distinct)"
        yield f"vectors     {info.vectors['name']}, {info.vectors['dims']} dimensions"
        if (stem := info.normalisation.get("stem", "none")) != "none":
            yield f"stems       {stem}"
        for match, matches in coverage.items():
            if matches["types"]:
                share = f"{matches['tokens'] / total:.2%} of tokens"
                yield f"  {match:<9} {matches['types']:,} distinct words, {share}"
        for name, values in info.metadata.items():
            shown = ", ".join(f"{value or '(empty)'} {count:,}" for value, count in values.items())
            yield f"{name:<11} {shown[:_LINE]}{'…' if len(shown) > _LINE else ''}"


@verb
def info(index: IndexInput) -> Info:
    """Describe an index: sizes, metadata, vectors and how many words they know.

    lexfield info my.idx
    lexfield info my.idx --json
    """
    row, notes = describe_index(open_index(index))
    return Info([row], notes=notes)


def describe_index(index: Index) -> tuple[IndexInfo, list[str]]:
    """Return the figures of an index, and notes."""
    found = index.info()
    notes = found.pop("notes")
    return IndexInfo(**found, topics=has_topics(index.path)), notes


@dataclass(kw_only=True)
class DocumentRow:
    """A document of an index, without its text."""

    id: str
    tokens: int
    metadata: dict[str, str]


@dataclass(repr=False)
class Documents(Result[DocumentRow]):
    """The documents of an index."""

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        rows = [
            {
                "id": row.id,
                "tokens": row.tokens,
                "metadata": ", ".join(f"{name}={value}" for name, value in row.metadata.items()),
            }
            for row in self.results
        ]
        return format_rows(rows, shown=len(rows))


@verb
def documents(
    index: IndexInput,
    *,
    query: Annotated[
        str | None,
        Meta(max_length=1000),
        Help("List only documents whose id or metadata contains this text."),
    ] = None,
    k: Annotated[Hits, Help("Number of documents listed.")] = 2000,
) -> Documents:
    """List the documents of an index, with their lengths and metadata.

    lexfield documents my.idx
    lexfield documents my.idx --query march --csv
    """
    opened = open_index(index)
    rows = opened.rows("document")
    part = (query or "").casefold()
    found = []
    for identity, number in opened.documents.items():
        metadata = dict(rows.describe(number)["metadata"])
        if part in " ".join([identity, *metadata.values()]).casefold():
            tokens = int(rows.lengths[number])
            found.append(DocumentRow(id=identity, tokens=tokens, metadata=metadata))
    notes = [f"the first {k:,} of {len(found):,} documents"] if len(found) > k else []
    if not found:
        notes.append(f"no id or metadata contains {query!r}" if query else "the index is empty")
    return Documents(found[:k], notes=notes)
