"""A corpus: documents → sentences → token ids, over one vocabulary.

Strings live at the edges; inside there are arrays that map from disk as they are.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, Writer
from lexfield.store.strings import StringArray
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.text.read import Reader
from lexfield.text.segment import BREAK, marked, pieces, words
from lexfield.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from lexfield.text.numbers import Words

T = TypeVar("T")
_ARRAYS = ("sentence_spans", "sentence_offsets", "tokens", "token_offsets", "counts")
_COMPILED = 2_000_000  # characters of text that are numbered at a time
_MOST_WORDS = 50_000  # distinct ones that are numbered without
_BLOCK = 1 << 18
_STRINGS = ("texts", "ids", "sources", "metadata", "words")


class Sentence(str):
    """A sentence is its text, and knows where it stands: document id and number in it, from 0."""

    __slots__ = ("document", "number")
    document: str
    number: int

    @property
    def text(self) -> str:
        return str(self)

    @property
    def id(self) -> str:
        return f"{self.document}#{self.number}"


class View(Sequence[T], Generic[T]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, length: int, item: Callable[[int], T]) -> None:
        self._length = length
        self._item = item

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._item(i) for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(f"item {index} of {self._length}")
        return self._item(index % self._length)


class Corpus:
    """Cut text. Made by ``Corpus.read(paths)`` or ``Corpus.of(documents)``.

    documents, sentences: sequences of ``Document`` and ``Sentence``.
    tokens: vocabulary ids of all words, in order; ``token_offsets[s]`` is where sentence s begins,
        ``sentence_offsets[d]`` is the first sentence of document d.
    notes: what the reading left out, guessed or repaired.
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        strings: dict[str, StringArray],
        normalisation: Normalisation,
        notes: Sequence[str] = (),
    ) -> None:
        self.sentence_spans: NDArray[np.int64] = arrays["sentence_spans"]
        self.sentence_offsets: NDArray[np.int64] = arrays["sentence_offsets"]
        self.tokens: NDArray[np.int32] = arrays["tokens"]
        self.token_offsets: NDArray[np.int64] = arrays["token_offsets"]
        self.texts, self.ids, self.sources = strings["texts"], strings["ids"], strings["sources"]
        self._metadata = strings["metadata"]
        self.vocabulary = Vocabulary(strings["words"], arrays["counts"])
        self.normalisation = normalisation
        self.notes = list(notes)

    @classmethod
    def read(
        cls,
        paths: str | Path | Iterable[str | Path],
        *,
        normalisation: Normalisation | None = None,
        progress: Progress = silent,
        **options: Any,
    ) -> Corpus:
        """Read files, folders, tables or ``"-"``; ``options`` are those of ``Reader``."""
        reader = Reader(paths, **options)
        corpus = cls.of(reader, normalisation=normalisation, progress=progress)
        if not len(corpus.documents):
            raise reader.nothing()
        corpus.notes.extend(reader.told())
        return corpus

    @classmethod
    def of(
        cls,
        documents: Iterable[Document | str],
        *,
        normalisation: Normalisation | None = None,
        progress: Progress = silent,
    ) -> Corpus:
        """Cut documents (or plain strings, numbered from 0) into a corpus."""
        builder = _Builder(normalisation or Normalisation())
        builder.add_all(documents, progress)
        return builder.finish()

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        text: str | Sequence[str] = (),
        id: str | None = None,
        normalisation: Normalisation | None = None,
    ) -> Corpus:
        """Cut a pandas, polars or Arrow table, or a list of dictionaries, a document a row.

        ``text`` names the column with the text, or several; ``id`` that of the ids. Other columns
        become metadata.
        """
        from lexfield.text.frames import records_of

        fields = (text,) if isinstance(text, str) else tuple(text)
        reader = Reader((), text_fields=fields, id_field=id)
        rows = enumerate(records_of(frame), 1)
        return cls.of(reader.records(rows, "row"), normalisation=normalisation)

    @property
    def documents(self) -> Sequence[Document]:
        return View(len(self.ids), self._document)

    @property
    def sentences(self) -> Sequence[Sentence]:
        return View(len(self.sentence_spans), self._sentence)

    def _document(self, row: int) -> Document:
        return Document(self.ids[row], self.texts[row], self.sources[row], self.metadata(row))

    def _sentence(self, row: int) -> Sentence:
        document = self.document_of(row)
        sentence = Sentence(self.texts.text(*self.sentence_spans[row]))
        sentence.document = self.ids[document]
        sentence.number = row - int(self.sentence_offsets[document])
        return sentence

    def metadata(self, row: int) -> dict[str, str]:
        """What is known of document ``row``."""
        known: dict[str, str] = json.loads(self._metadata[row])
        return known

    def document_of(self, sentence: int) -> int:
        """The row of the document that holds a sentence."""
        return int(np.searchsorted(self.sentence_offsets, sentence, "right")) - 1

    def document_tokens(self, row: int) -> NDArray[np.int32]:
        """Token ids of document ``row``."""
        first, last = self.sentence_offsets[row], self.sentence_offsets[row + 1]
        return self.tokens[self.token_offsets[first] : self.token_offsets[last]]

    def sentence_tokens(self, row: int) -> NDArray[np.int32]:
        """Token ids of sentence ``row``."""
        return self.tokens[self.token_offsets[row] : self.token_offsets[row + 1]]

    def save(self, out: Writer, prefix: str = "") -> dict[str, Any]:
        """Put the corpus into a store that is being written; gives what ``load`` needs beside."""
        for name in _ARRAYS:
            values = self.vocabulary.counts if name == "counts" else getattr(self, name)
            out.array(f"{prefix}{name}", values)
        for name, strings in zip(_STRINGS, self._strings(), strict=True):
            out.strings(f"{prefix}{name}", strings)
        return {"normalisation": asdict(self.normalisation), "notes": self.notes}

    @classmethod
    def load(cls, store: Store, meta: dict[str, Any], prefix: str = "") -> Corpus:
        return cls(
            {name: store.array(f"{prefix}{name}") for name in _ARRAYS},
            {name: store.strings(f"{prefix}{name}") for name in _STRINGS},
            Normalisation(**meta["normalisation"]),
            meta["notes"],
        )

    def _strings(self) -> tuple[StringArray, ...]:
        return self.texts, self.ids, self.sources, self._metadata, self.vocabulary.words

    def __repr__(self) -> str:
        return (
            f"<Corpus: {len(self.documents):,} documents, {len(self.sentences):,} sentences,"
            f" {len(self.tokens):,} tokens, {len(self.vocabulary):,} distinct>"
        )


class _Builder:
    """Collects what documents give; nothing is kept twice."""

    def __init__(self, normalisation: Normalisation) -> None:
        self._normalisation = normalisation
        self._seen: dict[str, str] = {}  # ids and sources
        self._texts = bytearray()
        self._ends = array("q", [0])
        self._metadata: list[str] = []
        self._spans = array("q")
        self._pending: list[str] = []  # marked texts whose words have no numbers yet
        self._pending_size = 0
        self._numbers: Words | None = None
        self._tokens = array("i")
        self._sentences = array("q", [0])  # up to the end of each document

    def add_all(self, documents: Iterable[Document | str], progress: Progress) -> None:
        for number, item in enumerate(documents):
            self.add(item if isinstance(item, Document) else Document(str(number), item))
            progress(number + 1, None)

    def add(self, document: Document) -> None:
        if self._pending_size > _COMPILED:
            self._number_pending()
        identity = _valid(document.id)
        source = _valid(document.source)
        if identity in self._seen:
            raise InputError(
                f"The id {identity!r} is used twice: {self._seen[identity] or 'earlier'} and"
                f" {source or 'later'}.",
                "Give every document an id of its own, or name another --id-field.",
            )
        text = _valid(document.text)
        spans, sentences = marked(text, self._normalisation)
        start = len(self._texts)
        for first in range(0, len(text), _BLOCK):
            self._texts += text[first : first + _BLOCK].encode()
        places = np.frombuffer(spans, np.int64)  # what changes these changes the spans
        if not text.isascii():
            _to_bytes(places, memoryview(self._texts)[start:])
        places += start
        self._seen[identity] = source
        self._metadata.append(
            json.dumps({_valid(k): _valid(v) for k, v in document.metadata.items()})
            if document.metadata
            else "{}"
        )
        self._spans += spans
        self._ends.append(len(self._texts))
        self._sentences.append(len(self._spans) // 2)
        self._pending.append(sentences)
        self._pending_size += len(sentences)

    def _number_pending(self) -> None:
        """A compiled loop does it for long texts; for short ones, it takes too long to load."""
        from lexfield.text.numbers import Words, as_bytes

        self._numbers = self._numbers or Words()
        text = "".join(self._pending)
        self._pending, self._pending_size = [], 0
        for piece in pieces(text):
            self._tokens.frombytes(self._numbers.number(as_bytes(piece)).data.cast("B"))

    def _numbered(self) -> StringArray:
        """The distinct words, when all have numbers, less one: 0 is a break between sentences."""
        if not self._numbers and self._pending_size <= _COMPILED:
            ids = {BREAK: 0}
            for piece in pieces("".join(self._pending)):
                cut = words(piece)
                for word in dict.fromkeys(cut):
                    ids.setdefault(word, len(ids))
                self._tokens.extend(map(ids.__getitem__, cut))
                if len(ids) > _MOST_WORDS:
                    break
            else:
                return StringArray.pack(islice(ids, 1, None))
            self._tokens = array("i")
        self._number_pending()
        assert self._numbers
        return self._numbers.names()

    def finish(self) -> Corpus:
        names = self._numbered()
        numbers = np.frombuffer(self._tokens, np.int32)
        breaks = np.flatnonzero(numbers == 0)
        breaks -= np.arange(len(breaks))
        counts = np.zeros(len(names) + 1, np.int64)
        for part in _parts(numbers, len(counts)):
            counts += np.bincount(part, minlength=len(counts))
        kept = 0
        for part in _parts(numbers):  # to the front: a copy of all would be as large again
            named = part[part != 0]
            numbers[kept : kept + len(named)] = named
            kept += len(named)
        numbers = numbers[:kept]
        order = names.ordered(-counts[1:])
        new_ids = np.empty(len(counts), np.int32)
        new_ids[order + 1] = np.arange(len(order), dtype=np.int32)
        for part in _parts(numbers):
            part[:] = new_ids[part]
        arrays: dict[str, NDArray[Any]] = {
            "sentence_spans": np.frombuffer(self._spans, np.int64).reshape(-1, 2),
            "sentence_offsets": np.frombuffer(self._sentences, np.int64),
            "tokens": numbers,
            "token_offsets": np.append(0, breaks),
            "counts": counts[1:][order],
        }
        strings = {
            "texts": StringArray(
                np.frombuffer(self._texts, np.uint8), np.frombuffer(self._ends, np.int64)
            ),
            "ids": StringArray.pack(self._seen),
            "sources": StringArray.pack(self._seen.values()),
            "metadata": StringArray.pack(self._metadata),
            "words": names.take(order),
        }
        notes = []
        if empty := sum(a == b for a, b in pairwise(self._sentences)):
            notes.append(f"{empty:,} documents hold no words")
        return Corpus(arrays, strings, self._normalisation, notes)


def _parts(numbers: NDArray[np.int32], least: int = 0) -> Iterator[NDArray[np.int32]]:
    """Some at a time, where each is copied in twice the width."""
    step = max(1 << 20, least)
    return (numbers[first : first + step] for first in range(0, len(numbers), step))


def _to_bytes(places: NDArray[np.int64], data: memoryview) -> None:
    """Make places of characters, which rise, places of bytes in their UTF-8."""
    seen = done = 0
    for first in range(0, len(data), _BLOCK):
        block = np.frombuffer(data, np.uint8, min(_BLOCK, len(data) - first), first)
        starts = np.flatnonzero((block & 0xC0) != 0x80)
        upto = done + int(np.searchsorted(places[done:], seen + len(starts)))
        places[done:upto] = starts[places[done:upto] - seen] + first
        seen, done = seen + len(starts), upto
    places[done:] = len(data)


def _valid(text: str) -> str:
    """Text that UTF-8 can carry: lone surrogates (from JSON escapes) become U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
