"""``lexfield overview``: what a collection is about, at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lexfield.index.filter import allowed_rows, column_of
from lexfield.index.overview import find_distinctive, find_languages, find_unusual
from lexfield.index.rows import Rows
from lexfield.results import pluralise
from lexfield.search.index import Index
from lexfield.text.fields import read_where
from lexfield.text.written import find_written
from lexfield.verbs.declare import verb
from lexfield.verbs.documents import select_documents
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import Where
from lexfield.verbs.results import Result

_WORDS, _DOCUMENTS, _UNUSUAL = 5, 100, 5
_LOOKED_AT = 2000  # documents whose language is detected
_SHOWN = 20  # documents in the text for people


@dataclass(kw_only=True)
class LanguageCount:
    """A language by its code, or unknown, and how many documents are in it."""

    language: str
    documents: int


@dataclass(kw_only=True)
class ScoredWord:
    """A word that is more frequent in a document than in the others, with G²."""

    word: str
    score: float


@dataclass(kw_only=True)
class DistinctiveWords:
    """What sets a document apart."""

    document: str
    words: list[ScoredWord]


@dataclass(kw_only=True)
class UnusualSentence:
    """A sentence far from the others in meaning."""

    id: str
    document: str
    text: str
    why: str


@dataclass(kw_only=True)
class Question:
    """A question to ask of the collection: the view that answers it, with its parameters."""

    text: str
    view: Literal["search", "compare", "trends", "map", "topics"]
    parameters: dict[str, str]


@dataclass(repr=False)
class Overview(Result[DistinctiveWords]):
    """A collection at a glance; ``results`` and ``distinctive`` are the same."""

    documents: int
    sentences: int
    words: int
    languages: list[LanguageCount]
    fields: list[str]
    distinctive: list[DistinctiveWords]
    unusual: list[UnusualSentence]
    questions: list[Question]

    def lines(self) -> Iterator[str]:
        sizes = (self.documents, "document"), (self.sentences, "sentence"), (self.words, "word")
        yield ", ".join(pluralise(*size) for size in sizes)
        spoken = ", ".join(f"{one.language} {one.documents:,}" for one in self.languages)
        yield f"languages: {spoken or 'none'}; metadata: {', '.join(self.fields) or 'none'}"
        yield "\nWords that set documents apart:"
        apart = [one for one in self.results if one.words]
        width = max((len(one.document) for one in apart[:_SHOWN]), default=0)
        for one in apart[:_SHOWN]:
            yield f"  {one.document:<{width}}  {', '.join(word.word for word in one.words)}"
        if len(apart) > _SHOWN:
            yield f"  … and {pluralise(len(apart) - _SHOWN, 'more document')}"
        if len(self.results) > len(apart):
            yield f"  documents without such words: {len(self.results) - len(apart):,}"
        yield "\nUnusual sentences:"
        yield from (f"  {' '.join(one.text.split())}  [{one.id}]" for one in self.unusual)
        yield "\nQuestions:"
        yield from (f"  {one.text}" for one in self.questions)


@verb
def overview(index: IndexInput, *, where: Where = ()) -> Overview:
    """See a collection at a glance: size, languages, words that set documents apart.

    It also shows the sentences farthest from the others in meaning, and suggests three questions.
    Languages are recognised by their stopwords or their script, if a text is long enough.

        lexfield overview my.idx
        lexfield overview my.idx --where 'year>=1850' --json
    """
    opened = open_index(index)
    rows = opened.rows("document")
    chosen, notes = select_documents(opened, where)
    shown = chosen[:_DOCUMENTS]
    if len(chosen) > len(shown):
        notes.append(f"distinctive words of the first {len(shown):,} documents")
    words = zip(shown.tolist(), find_distinctive(rows, chosen, shown, _WORDS), strict=True)
    distinctive = [_describe(rows, row, own) for row, own in words]
    sentences = opened.rows("sentence")
    allowed = allowed_rows(sentences, read_where(where))
    unusual = [
        UnusualSentence(
            id=about["id"], document=about["document"], text=sentences.text(row), why=why
        )
        for row, why in find_unusual(sentences, allowed, _UNUSUAL)
        for about in [sentences.describe(row)]
    ]
    return Overview(
        distinctive,
        documents=len(chosen),
        sentences=len(sentences) if allowed is None else int(allowed.sum()),
        words=int(rows.lengths[chosen].sum()),
        languages=_count_languages(rows, chosen, notes),
        fields=rows.fields,
        distinctive=distinctive,
        unusual=unusual,
        questions=_suggest(opened, rows, chosen, distinctive, unusual),
        notes=notes,
    )


def _describe(rows: Rows, row: int, words: list[tuple[str, float]]) -> DistinctiveWords:
    """Return the words of a document as it writes them."""
    number, own = rows.locate(row)
    written = find_written(rows.segments[number].corpus, [word for word, _ in words], own)
    scored = [ScoredWord(word=written.get(word, word), score=score) for word, score in words]
    return DistinctiveWords(document=rows.describe(row)["id"], words=scored)


def _count_languages(
    rows: Rows, chosen: NDArray[np.int64], notes: list[str]
) -> list[LanguageCount]:
    looked = chosen[:: max(1, -(-len(chosen) // _LOOKED_AT))]
    if len(looked) < len(chosen):
        notes.append(f"languages of {len(looked):,} evenly spaced documents")
    ranked = sorted(
        Counter(find_languages(rows, looked)).items(), key=lambda one: (-one[1], one[0])
    )
    return [LanguageCount(language=name, documents=count) for name, count in ranked]


def _suggest(
    index: Index,
    rows: Rows,
    chosen: NDArray[np.int64],
    distinctive: list[DistinctiveWords],
    unusual: list[UnusualSentence],
) -> list[Question]:
    """Return up to three questions: to search, to compare, to follow a word."""
    found = []
    by_length = sorted(
        distinctive, key=lambda one: -int(rows.lengths[index.documents[one.document]])
    )
    named = [one for one in by_length if one.words]
    for one in unusual[: 1 if len(named) > 1 else 2]:  # a single text is compared with nothing
        text = " ".join(one.text.split())
        asked = f"Which sentences are like “{text}”?"
        found.append(Question(text=asked, view="search", parameters={"query": text}))
    if len(named) > 1:
        a, b = named[0].document, named[1].document
        asked = f"How do {a} and {b} differ?"
        found.append(Question(text=asked, view="compare", parameters={"a": a, "b": b}))
    if not named:
        return found
    word, typed = named[0].words[0].word, _find_ordered(rows, chosen)
    if typed is not None:
        asked = f"How often is “{word}” used over {typed}?"
        parameters = {"query": word, "by": typed}
    else:
        asked = f"Where in {named[0].document} is “{word}” used?"
        parameters = {"query": word, "document": named[0].document}
    found.append(Question(text=asked, view="trends", parameters=parameters))
    return found


def _find_ordered(rows: Rows, chosen: NDArray[np.int64]) -> str | None:
    """Return the field of dates or years that most documents have; sizes say little over words."""
    best: list[tuple[int, str]] = []
    for name in rows.fields:
        column = column_of(rows, name)
        if column.kind != "values":
            values = {column.values[row] for row in chosen.tolist()} - {""}
            is_time = column.kind == "date" or "year" in name.lower() or "date" in name.lower()
            best += [(-len(values), name)] if is_time and len(values) > 1 else []
    return min(best)[1] if best else None
