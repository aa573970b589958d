"""A corpus: documents → sentences → token ids, over one vocabulary.

Strings live at the edges; inside there are arrays that map from disk as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
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
from lexfield.text.segment import BREAK, marked, words
from lexfield.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from lexfield.text.numbers import Words

T = TypeVar("T")
_ARRAYS = ("sentence_spans", "sentence_offsets", "tokens", "token_offsets", "counts")
_COMPILED = 2_000_000  # characters of text that are numbered at a time
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
        for number, item in enumerate(documents):
            builder.add(item if isinstance(item, Document) else Document(str(number), item))
            progress(number + 1, None)
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
        self._seen: dict[str, str] = {}
        self._texts: list[bytes] = []
        self._size = 0
        self._sources: list[str] = []
        self._metadata: list[str] = []
        self._spans: list[NDArray[np.int64]] = []
        self._pending: list[str] = []  # marked texts whose words have no numbers yet
        self._pending_size = 0
        self._numbers: Words | None = None
        self._tokens: list[NDArray[np.int32]] = []
        self._sentences: list[int] = []

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
        data = text.encode()
        places = np.array(spans, np.int64).reshape(-1, 2)
        if not text.isascii():
            starts = np.flatnonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80)
            places = np.append(starts, len(data))[places]
        self._seen[identity] = source
        self._sources.append(source)
        self._metadata.append(
            json.dumps({_valid(k): _valid(v) for k, v in document.metadata.items()})
            if document.metadata
            else "{}"
        )
        self._spans.append(places + self._size)
        self._texts.append(data)
        self._size += len(data)
        self._sentences.append(len(spans))
        self._pending.append(sentences)
        self._pending_size += len(sentences)

    def _number_pending(self) -> None:
        """A compiled loop does it for long texts; for short ones, it takes too long to load."""
        from lexfield.text.numbers import Words, as_bytes, pieces

        self._numbers = self._numbers or Words()
        text = b"".join(map(as_bytes, self._pending))
        self._pending, self._pending_size = [], 0
        self._tokens += [self._numbers.number(piece) for piece in pieces(text)]

    def _numbered(self) -> tuple[NDArray[np.int32], list[str]]:
        """All words as numbers, 0 for a break between sentences; and the words, from number 0."""
        if self._numbers or self._pending_size > _COMPILED:
            self._number_pending()
            assert self._numbers
            parts, self._tokens = self._tokens, []
            return np.concatenate(parts), [BREAK, *self._numbers.names()]
        cut = [word for text in self._pending for word in words(text)]
        ids = {word: number for number, word in enumerate(dict.fromkeys(chain((BREAK,), cut)))}
        return np.fromiter(map(ids.__getitem__, cut), np.int32, len(cut)), list(ids)

    def finish(self) -> Corpus:
        numbers, names = self._numbered()
        breaks = np.flatnonzero(numbers == 0)
        counts = np.zeros(len(names), np.int64)
        for part in _parts(numbers, len(names)):
            counts += np.bincount(part, minlength=len(names))
        numbers = numbers[numbers != 0]
        falling = (-counts).tolist()
        order = sorted(range(1, len(names)), key=lambda i: (falling[i], names[i]))
        new_ids = np.empty(len(names), np.int32)
        new_ids[order] = np.arange(len(order), dtype=np.int32)
        for part in _parts(numbers):
            part[:] = new_ids[part]
        lengths = [len(data) for data in self._texts]
        arrays = {
            "sentence_spans": np.concatenate([np.empty((0, 2), np.int64), *self._spans]),
            "sentence_offsets": _offsets(self._sentences),
            "tokens": numbers,
            "token_offsets": np.append(0, breaks - np.arange(len(breaks))).astype(np.int64),
            "counts": counts[order].astype(np.int64),
        }
        strings = {
            "texts": StringArray(np.frombuffer(b"".join(self._texts), np.uint8), _offsets(lengths)),
            "ids": StringArray.pack(self._seen),
            "sources": StringArray.pack(self._sources),
            "metadata": StringArray.pack(self._metadata),
            "words": StringArray.pack(names[i] for i in order),
        }
        notes = []
        if empty := sum(n == 0 for n in self._sentences):
            notes.append(f"{empty:,} documents hold no words")
        return Corpus(arrays, strings, self._normalisation, notes)


def _parts(numbers: NDArray[np.int32], least: int = 0) -> Iterator[NDArray[np.int32]]:
    """Some at a time, where each is copied in twice the width."""
    step = max(1 << 20, least)
    return (numbers[first : first + step] for first in range(0, len(numbers), step))


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(lengths)).astype(np.int64)


def _valid(text: str) -> str:
    """Text that UTF-8 can carry: lone surrogates (from JSON escapes) become U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
