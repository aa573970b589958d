"""``lexfield text`` and ``lexfield show``: read a document of an index, or around a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from lexfield.index.ranking import Hit
from lexfield.index.reading import (
    ReadSentence,
    check_sentence,
    count_characters,
    count_sentences,
    find_text,
    read_sentences,
    split_id,
)
from lexfield.results import JsonObject, pluralise
from lexfield.search.index import Index
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.results import Result, hidden

_MOST = 2000  # sentences at a time
_Id = Annotated[str, Meta(min_length=1, max_length=2000), Flags(metavar="ID")]


@dataclass(repr=False)
class Text(Result[ReadSentence]):
    """Sentences of a document in order; ``sentences`` and ``characters`` are those of all of it."""

    document: str
    metadata: dict[str, str]
    sentences: int
    characters: int
    start: int
    chosen: int | None = hidden(default=None)

    def lines(self) -> Iterator[str]:
        """Return the text in paragraphs; around a chosen sentence, with numbers."""
        if self.chosen is None:
            yield from self._join_paragraphs()
            return
        known = ", ".join(f"{name}={value}" for name, value in self.metadata.items() if value)
        yield self.paint(f"[{self.document}]{f'  {known}' if known else ''}", "bright_black")
        width = len(str(self.start + len(self)))
        for row in self:
            is_chosen = row.sentence == self.chosen
            text = " ".join(row.text.split())
            shown = self.paint(text, "green") if is_chosen else text
            yield f"{'>' if is_chosen else ' '} {row.sentence:>{width}}  {shown}"

    def _join_paragraphs(self) -> Iterator[str]:
        paragraph: list[str] = []
        for row in self:
            if row.paragraph and paragraph:
                yield from (" ".join(paragraph), "")
                paragraph = []
            paragraph.append(" ".join(row.text.split()))
        yield " ".join(paragraph)


@verb
def text(
    index: IndexInput,
    document: _Id,
    *,
    start: Annotated[
        int, Meta(ge=0, le=10**9), Help("Number of the first sentence, counted from 0.")
    ] = 0,
    count: Annotated[int, Meta(ge=1, le=_MOST), Help("Number of sentences.")] = 200,
) -> Text:
    """Read a document of an index, some sentences at a time.

    With --json, each sentence has its id, its place in the text, and whether it begins a paragraph.

        lexfield text my.idx emma
        lexfield text my.idx emma --start 200
        lexfield text my.idx emma --start 81 --count 1 --json
    """
    return _read(open_index(index), document, start, count)


@verb
def show(
    index: IndexInput,
    id: _Id,
    *,
    context: Annotated[
        int, Meta(ge=0, le=_MOST // 2 - 1), Help("Number of sentences before and after it.")
    ] = 3,
) -> Text:
    """Show a sentence of an index in context, or a document from its beginning.

    ID is as printed by any other command: document#number for a sentence.

        lexfield show my.idx emma#81
        lexfield show my.idx emma#81 --context 10
        lexfield show my.idx emma
    """
    opened = open_index(index)
    document, number = split_id(opened.documents, id)
    if number is None:
        return _read(opened, document, 0, _MOST)
    check_sentence(*find_text(opened.segments, opened.documents, document), number)
    start = max(0, number - context)
    return _read(opened, document, start, number + context + 1 - start, chosen=number)


def _read(index: Index, document: str, start: int, count: int, chosen: int | None = None) -> Text:
    corpus, row = find_text(index.segments, index.documents, document)
    found = read_sentences(corpus, row, start, count)
    sentences = count_sentences(corpus, row)
    about: JsonObject = {
        "document": document,
        "metadata": corpus.metadata(row),
        "sentences": sentences,
        "characters": count_characters(corpus, row),
        "start": start,
    }
    notes = []
    if start and start >= sentences:
        notes.append(f"{document} has only {sentences:,} sentences")
    elif chosen is None and (after := start + count) < sentences:
        notes.append(
            f"{pluralise(sentences - after, 'more sentence')}; to read on, start at {after}"
        )
    return Text(found, **about, notes=notes, chosen=chosen)


def read_contexts(index: Index, hits: Sequence[Sequence[Hit]], context: int) -> dict[str, str]:
    """Return sentences that were found with ``context`` ones before and after them, by id."""
    found: dict[str, str] = {}
    for hit in (hit for own in hits for hit in own) if context else ():
        document, number = split_id(index.documents, hit.id)
        if number is not None:
            corpus, row = find_text(index.segments, index.documents, document)
            first = max(0, number - context)
            read = read_sentences(corpus, row, first, number + context + 1 - first)
            found[hit.id] = " ".join(" ".join(one.text.split()) for one in read)
    return found
