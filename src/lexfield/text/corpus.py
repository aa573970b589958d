"""A corpus: documents → sentences → token ids, over one vocabulary.

Texts and tokens are arrays that can be mapped from disk; strings are made when they are asked for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import length_hint
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.errors import InputError, UnknownDocumentError
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject, pluralise
from lexfield.store.folder import Store, Writer
from lexfield.store.scratch import shrink
from lexfield.store.strings import StringArray
from lexfield.text.builder import CorpusBuilder
from lexfield.text.document import Document, read_mapping
from lexfield.text.frames import is_table, records_of
from lexfield.text.language import FIELD
from lexfield.text.language_data import find_code
from lexfield.text.normalise import DEFAULT_TOKENIZER, TOKENIZERS, Normalisation, Tokenizer
from lexfield.text.read import Reader
from lexfield.text.stopwords import check_language

T = TypeVar("T")
Text = str | Document | Mapping[str, object]  # a mapping is a record
Texts = str | Document | Mapping[str, str] | Iterable[Text]
_ARRAYS = ("sentence_spans", "sentence_offsets", "tokens", "token_offsets", "counts")
_PLACES = ("sentence_spans", "token_offsets")  # stored in half the bytes where that is enough
_STRINGS = ("texts", "ids", "sources", "metadata", "words")


class Sentence(str):
    """The text of a sentence, with the id of its document and its number there, from 0."""

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
    """A sequence that creates its items on access."""

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
            raise IndexError(f"{index} is out of range: there are {self._length:,}.")
        return self._item(index % self._length)


class Vocabulary:
    """Words by id. Ids are ordered by falling count, then alphabetically, whatever the order of the
    texts."""

    def __init__(self, words: StringArray, counts: NDArray[np.int64]) -> None:
        self.words = words
        self.counts = counts

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def id(self, word: str) -> int:
        """Return the id of a word, or -1 if it does not occur."""
        return self._ids.get(word, -1)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self):,} words, {int(self.counts.sum()):,} tokens>"


class Corpus:
    """Texts split into sentences and words: ``Corpus.read(paths)`` or ``Corpus.of(texts)``.

    >>> corpus = Corpus.of(["The cat sat.", "A dog barked."])
    >>> len(corpus), corpus[0].text, corpus["1"].text, "1" in corpus
    (2, 'The cat sat.', 'A dog barked.', True)

    documents, sentences: sequences of ``Document`` and ``Sentence``.
    tokens: vocabulary ids of all words, in order; sentence s begins at ``token_offsets[s]``, and
        ``sentence_offsets[d]`` is the first sentence of document d.
    notes: what was left out, guessed or repaired.
    arrays, strings: everything that is stored, by name; numbers may be of smaller types there, and
        what is on disk is checked as it is read, where the attributes check and hold all of it.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        strings: Mapping[str, StringArray] | None = None,
        normalisation: Normalisation | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if strings is None or normalisation is None:
            raise InputError(
                "A corpus is not made from paths or texts directly.",
                "Use lx.Corpus.read(paths) for files and folders, or lx.Corpus.of(texts).",
            )
        self.arrays, self.strings = arrays, strings
        self.texts, self.ids, self.sources = strings["texts"], strings["ids"], strings["sources"]
        self.vocabulary = Vocabulary(strings["words"], arrays["counts"])
        self.normalisation = normalisation
        self.notes = list(notes)

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        return np.asarray(self.arrays["tokens"])

    @cached_property
    def token_offsets(self) -> NDArray[np.int64]:
        return np.asarray(self.arrays["token_offsets"], np.int64)

    @cached_property
    def sentence_offsets(self) -> NDArray[np.int64]:
        return np.asarray(self.arrays["sentence_offsets"], np.int64)

    @cached_property
    def sentence_spans(self) -> NDArray[np.int64]:
        return np.asarray(self.arrays["sentence_spans"], np.int64)

    @classmethod
    def read(
        cls,
        paths: str | Path | Iterable[str | Path],
        *,
        tokenize: str | Tokenizer | None = None,
        normalisation: Normalisation | None = None,
        choose_tokenizer: bool | None = None,
        progress: Progress = silent,
        **options: Any,
    ) -> Corpus:
        """Read files, folders, tables or ``"-"``; ``options`` are those of ``Reader``."""
        reader = Reader(paths, **options)
        corpus = cls.of(
            reader,
            tokenize=tokenize,
            normalisation=normalisation,
            choose_tokenizer=choose_tokenizer,
            progress=progress,
        )
        if not len(corpus):
            raise reader.no_text_error()
        corpus.notes.extend(reader.report())
        return corpus

    @classmethod
    def of(
        cls,
        texts: Texts,
        *,
        tokenize: str | Tokenizer | None = None,
        normalisation: Normalisation | None = None,
        language: str | None = None,
        choose_tokenizer: bool | None = None,
        taken: Container[str] = (),
        progress: Progress = silent,
    ) -> Corpus:
        """Return a corpus of one text, several texts (strings or documents), ids with texts, or a
        table (as ``from_frame``).

        A string gets the lowest whole number as its id that is neither in ``taken`` nor the id of a
        document, so the ids of a list of strings are "0", "1", …. ``tokenize`` is the name of a
        tokenizer or a function that returns the words of a sentence; see ``Normalisation``.
        ``language`` is that of all texts, whatever their metadata say; by default it is that of
        their metadata, or else detected for each. ``choose_tokenizer``: may texts without spaces
        between words change the tokenizer? By default only if neither tokenizer nor normalisation
        is given.
        """
        if choose_tokenizer is None:
            choose_tokenizer = normalisation is None and tokenize is None
        normalisation = normalisation or Normalisation()
        if tokenize is not None:
            normalisation = replace(normalisation, tokenizer=tokenize)
        builder = CorpusBuilder(normalisation, taken, check_language(language), choose_tokenizer)
        expected = length_hint(texts) if isinstance(texts, Reader) else 0
        for number, item in enumerate(_iterate(texts), 1):
            builder.add(item)
            progress(number, expected if number <= expected else None)
        return cls(*builder.finish())

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        text: str | Sequence[str] = (),
        title: str | None = None,
        id: str | None = None,
        normalisation: Normalisation | None = None,
    ) -> Corpus:
        """Return a corpus with a document per row of a pandas, polars or Arrow table, or of a list
        of dictionaries.

        ``text`` names the column with the text, or several; ``title`` the column with the title,
        which begins the text; ``id`` the column with the ids. Other columns become metadata, and so
        does the title. All are found automatically as in ``Reader``.
        """
        fields = (text,) if isinstance(text, str) else tuple(text)
        rows = read_table(frame, text_fields=fields, title_field=title, id_field=id)
        return cls.of(rows, normalisation=normalisation)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    @overload
    def __getitem__(self, key: int | str) -> Document: ...
    @overload
    def __getitem__(self, key: slice) -> list[Document]: ...
    def __getitem__(self, key: int | str | slice) -> Document | list[Document]:
        """Return a document by its id or its position, or several by a slice."""
        if not isinstance(key, str):
            return self.documents[key]
        if key not in self._rows:
            raise UnknownDocumentError(f"There is no document {key!r}.", "See corpus.ids.")
        return self._document(self._rows[key])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {id: row for row, id in enumerate(self.ids)}

    @property
    def documents(self) -> View[Document]:
        return View(len(self.ids), self._document)

    @property
    def sentences(self) -> View[Sentence]:
        return View(len(self.arrays["sentence_spans"]), self._sentence)

    def _document(self, row: int) -> Document:
        return Document(self.ids[row], self.texts[row], self.sources[row], self.metadata(row))

    def _sentence(self, row: int) -> Sentence:
        document = self.document_of(row)
        sentence = Sentence(self.texts.text(*self.arrays["sentence_spans"][row].tolist()))
        sentence.document = self.ids[document]
        sentence.number = row - int(self.sentence_offsets[document])
        return sentence

    def metadata(self, row: int) -> dict[str, str]:
        """Return the metadata of document ``row``."""
        known: dict[str, str] = json.loads(self.strings["metadata"][row])
        return known

    def count_languages(self) -> Counter[str]:
        """Return how many characters are in documents of each language, by its code."""
        counted: Counter[str] = Counter()
        sizes = np.diff(self.texts.offsets).tolist()
        for row, size in enumerate(sizes):
            if code := find_code(self.metadata(row).get(FIELD, "")):
                counted[code] += size
        return counted

    def document_of(self, sentence: int) -> int:
        """Return the row of the document that holds a sentence."""
        return int(np.searchsorted(self.sentence_offsets, sentence, "right")) - 1

    def document_tokens(self, row: int) -> NDArray[np.int32]:
        """Return the token ids of document ``row``."""
        first, last = self.sentence_offsets[row], self.sentence_offsets[row + 1]
        return self.tokens[self.token_offsets[first] : self.token_offsets[last]]

    def sentence_tokens(self, row: int) -> NDArray[np.int32]:
        """Return the token ids of sentence ``row``."""
        return self.tokens[self.token_offsets[row] : self.token_offsets[row + 1]]

    def select(self, rows: Sequence[int]) -> Corpus:
        """Return some of the documents, as ``Corpus.of`` would cut them; nothing is cut again."""
        chosen = np.asarray(rows, np.int64)
        firsts, sentences = _ranges(self.sentence_offsets, chosen)
        starts, tokens = _ranges(self.token_offsets[self.sentence_offsets], chosen)
        numbers = self.tokens[join_ranges(starts, tokens)]
        counts = np.bincount(numbers, minlength=len(self.vocabulary))
        kept = np.flatnonzero(counts)
        names = self.vocabulary.words.take(kept)
        order = names.ordered(-counts[kept])
        new_ids = np.zeros(len(counts), np.int32)
        new_ids[kept[order]] = np.arange(len(order), dtype=np.int32)
        texts = self.texts.take(chosen)
        shifts = np.repeat(texts.offsets[:-1] - self.texts.offsets[chosen], sentences)
        own = join_ranges(firsts, sentences)
        lengths = np.diff(self.token_offsets)[own]
        arrays: dict[str, Array] = {
            "sentence_spans": self.sentence_spans[own] + shifts[:, None],
            "sentence_offsets": np.append(0, np.cumsum(sentences)),
            "tokens": new_ids[numbers],
            "token_offsets": np.append(0, np.cumsum(lengths)),
            "counts": counts[kept][order],
        }
        strings = {"texts": texts, "words": names.take(order)}
        strings |= {
            name: self.strings[name].take(chosen) for name in ("ids", "sources", "metadata")
        }
        return Corpus(arrays, strings, self.normalisation, self.notes)

    def save(self, out: Writer, prefix: str = "") -> JsonObject:
        """Write the corpus into a store. Return the metadata that ``load`` needs."""
        normalisation = self.normalisation.to_dict()
        for name in _ARRAYS:
            values = self.arrays[name]
            values = shrink(values, out.scratch) if name in _PLACES else values
            out.array(f"{prefix}{name}", values)
        for name in _STRINGS:
            out.strings(f"{prefix}{name}", self.strings[name])
        return {"normalisation": normalisation, "notes": self.notes}

    @classmethod
    def load(cls, store: Store, meta: JsonObject, prefix: str = "") -> Corpus:
        tokenizer = meta["normalisation"].get("tokenizer", DEFAULT_TOKENIZER)
        if tokenizer not in TOKENIZERS:
            raise InputError(
                f"The index was built with the tokenizer {tokenizer!r}, which is not registered.",
                f"Register it first, as in lx.register(function, {tokenizer!r}), or install the"
                " package that it is from.",
            )
        return cls(
            {name: store.checked(f"{prefix}{name}") for name in _ARRAYS},
            {name: store.strings(f"{prefix}{name}") for name in _STRINGS},
            Normalisation(**meta["normalisation"]),
            meta["notes"],
        )

    def __repr__(self) -> str:
        return (
            f"<Corpus: {pluralise(len(self), 'document')},"
            f" {pluralise(len(self.sentences), 'sentence')},"
            f" {pluralise(len(self.arrays['tokens']), 'token')}, {len(self.vocabulary):,} distinct>"
        )


def _ranges(offsets: Array, rows: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where some rows begin, and their sizes."""
    return offsets[rows], offsets[rows + 1] - offsets[rows]


def read_table(frame: Any, **options: Any) -> Iterable[Document]:
    """Return the rows of a table as documents; ``options`` are those of ``Reader``."""
    return Reader((), **options).from_records(enumerate(records_of(frame), 1), "row")


def _iterate(texts: Texts) -> Iterable[Text]:
    if isinstance(texts, str | Document):
        return [texts]
    if isinstance(texts, Mapping):
        return read_mapping(texts)
    if is_table(texts):
        return read_table(texts)
    if isinstance(texts, Iterable):
        return texts
    raise InputError(
        f"A corpus is made of texts. Got {type(texts).__name__} instead.",
        "Pass a string, a Document, a list of these, or a dictionary of ids and texts.",
    )
