"""Reading the texts of an index: a window of a document's sentences, as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import UnknownDocumentError, shorten, suggest
from lexfield.index.segment import Segment
from lexfield.results import pluralise
from lexfield.text.corpus import Corpus

_LINE_FEED = ord("\n")


@dataclass(kw_only=True)
class ReadSentence:
    """A sentence of a document; ``start`` and ``end`` are characters of the document.

    ``sentence`` is its number, from 0. ``paragraph`` says whether a paragraph begins with it.
    """

    id: str
    sentence: int
    start: int
    end: int
    text: str
    paragraph: bool


def find_text(
    segments: Sequence[Segment], documents: Mapping[str, int], identity: str
) -> tuple[Corpus, int]:
    """Return the corpus of the segment that holds a document, and its row there.

    ``documents`` numbers them over all segments. Raise UnknownDocumentError if it is not there.
    """
    if identity not in documents:
        raise UnknownDocumentError(
            f"The index has no document {shorten(identity, 100)!r}.",
            suggest(identity, documents) or "Ids are shown with every hit.",
        )
    number = documents[identity]
    for segment in segments:
        if number < len(segment.corpus.ids):
            break
        number -= len(segment.corpus.ids)
    return segment.corpus, number


def split_id(documents: Mapping[str, int], identity: str) -> tuple[str, int | None]:
    """Return the document of an id, and the number of a sentence: ``emma#81`` is 81 of emma.

    The id may stand in brackets, as it does in hits.
    """
    if identity.startswith("[") and identity.endswith("]") and identity not in documents:
        identity = identity[1:-1]
    document, mark, number = identity.rpartition("#")
    is_sentence = identity not in documents and mark and number.isdecimal() and len(number) < 19
    return (document, int(number)) if is_sentence else (identity, None)


def check_sentence(corpus: Corpus, row: int, number: int) -> None:
    """Raise UnknownDocumentError if a document has no sentence of this number."""
    total = count_sentences(corpus, row)
    if number >= total:
        raise UnknownDocumentError(
            f"{corpus.ids[row]} has {pluralise(total, 'sentence')}, but no number {number:,}.",
            "Sentences are counted from 0.",
        )


def count_sentences(corpus: Corpus, row: int) -> int:
    """Return how many sentences a document has."""
    return int(corpus.sentence_offsets[row + 1] - corpus.sentence_offsets[row])


def count_characters(corpus: Corpus, row: int) -> int:
    """Return how many characters a document has."""
    begin, end = corpus.texts.offsets[row : row + 2].tolist()
    return _count(corpus.texts.data[begin:end])


def read_sentences(corpus: Corpus, row: int, start: int, count: int) -> list[ReadSentence]:
    """Return ``count`` sentences of a document from number ``start``; fewer at its end.

    Only the bytes before them are counted, so a window of a long novel takes milliseconds.
    """
    first, last = corpus.sentence_offsets[row : row + 2].tolist()
    chosen = range(min(first + start, last), min(first + start + count, last))
    paragraphs = _begin_paragraphs(corpus, row)
    place = int(corpus.texts.offsets[row])
    position, found = 0, []
    for sentence in chosen:
        begin, end = corpus.arrays["sentence_spans"][sentence].tolist()
        position += _count(corpus.texts.data[place:begin])
        text = corpus.texts.text(begin, end)
        found.append(
            ReadSentence(
                id=f"{corpus.ids[row]}#{sentence - first}",
                sentence=sentence - first,
                start=position,
                end=position + len(text),
                text=text,
                paragraph=bool(paragraphs[sentence - first]),
            )
        )
        position, place = position + len(text), end
    return found


def _count(data: NDArray[np.uint8]) -> int:
    """Return how many characters begin in bytes of UTF-8."""
    return int(np.count_nonzero(data.view(np.int8) > -65))


def _begin_paragraphs(corpus: Corpus, row: int) -> NDArray[np.bool_]:
    """Return which sentences of a document begin a paragraph: those after an empty line.

    In a text without empty lines between sentences, each line is a paragraph.
    """
    first, last = corpus.sentence_offsets[row : row + 2].tolist()
    begin, end = corpus.texts.offsets[row : row + 2].tolist()
    lines = begin + np.flatnonzero(corpus.texts.data[begin:end] == _LINE_FEED)
    spans = corpus.arrays["sentence_spans"][first:last]
    feeds = np.searchsorted(lines, spans[1:, 0]) - np.searchsorted(lines, spans[:-1, 1])
    paragraphs = np.ones(last - first, bool)
    paragraphs[1:] = feeds >= (2 if (feeds >= 2).any() else 1)
    return paragraphs
