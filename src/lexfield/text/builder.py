"""How texts become the arrays of a corpus.

From the first million characters on, sentences and words are found by compiled loops
(``scan.py``), which are several times as fast as the regular expressions of ``segment.py``.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError, list_names
from lexfield.store.scratch import Spool, StringSpool, release
from lexfield.store.strings import StringArray
from lexfield.text.document import Document
from lexfield.text.language import FIELD, UNKNOWN, detect_parts, detect_text_language, is_mixed
from lexfield.text.language_data import find_code, read_language
from lexfield.text.normalise import CJK, SOFT_HYPHEN, Normalisation, has_elided
from lexfield.text.scan import scan_spans
from lexfield.text.segment import BREAK, find_spans, mark_sentences, split_pieces
from lexfield.text.unspaced import (
    SEGMENTED,
    has_segmenter,
    has_unspaced_letters,
    note_missing_segmenter,
)
from lexfield.text.word_numbers import WordNumbers

_BLOCK = 1 << 18  # characters that are encoded at a time
_MANY = 1_000_000  # bytes of texts, after which words are found by compiled loops

_NUMBERED = "\ud800"  # stands for an id that is chosen at the end; UTF-8 cannot hold it
_FEW = 3  # names in a note


class CorpusBuilder:
    """Collects documents into arrays, which are in files if they are large (``Spool``).

    The distinct words and the ids of documents are in memory.
    """

    def __init__(
        self,
        normalisation: Normalisation,
        taken: Container[str] = (),
        language: str = "",
        choose_tokenizer: bool = False,
    ) -> None:
        """``language`` is that of all texts, whatever their metadata say; by default it is that of
        their metadata, or else detected for each of them.

        choose_tokenizer: split words as the languages of the texts do.
        """
        self._normalisation = normalisation
        self._taken = taken
        self._language = language
        self._choose_tokenizer = choose_tokenizer
        self._notes: list[str] = []
        self._has_dotted = False  # a language whose I is a large i
        self._mixed = 0  # texts in several languages
        self._renamed = 0  # texts whose id another file has used
        self._clear()

    def _clear(self) -> None:
        self._ids, self._sources, self._metadata = StringSpool(), StringSpool(), StringSpool()
        self._rows: dict[str, int] = {}
        self._texts = Spool("B")
        self._ends = Spool("q", (0,))
        self._spans = Spool("q")
        self._words = WordNumbers()
        self._tokens = Spool("i")
        self._sentences = Spool("q", (0,))  # up to the end of each document

    def add(self, item: object) -> None:
        if isinstance(item, str):
            self._ids.append(_NUMBERED)
            self._sources.append("")
            self._add_text(_clean(item), {})
        elif isinstance(item, Document):
            self._add_id(_make_valid(item.id), _make_valid(item.source))
            known = {_make_valid(k): _make_valid(v) for k, v in item.metadata.items()}
            self._add_text(_clean(item.text), known)
        else:
            raise InputError(
                f"A text must be a string or a Document. Got {type(item).__name__} instead.",
                "To give ids, pass a dictionary of ids and texts.",
            )

    def _add_id(self, id: str, source: str) -> None:
        if id in self._rows:
            earlier, file = self._sources.view()[self._rows[id]], _find_file(source)
            if (
                file != _find_file(earlier)
                and (name := f"{Path(file).name}:{id}") not in self._rows
            ):
                self._renamed += 1
                return self._add_id(name, source)
            earlier = earlier or "earlier"
            raise InputError(
                f"The id {id!r} is used twice: {earlier} and {source or 'later'}.",
                "Give every document an id of its own, or name another --id-field.",
            )
        self._rows[id] = len(self._ids)
        self._ids.append(id)
        self._sources.append(source)

    def _add_text(self, text: str, metadata: dict[str, str]) -> None:
        language = self._language or find_code(metadata.get(FIELD, "")) or self._detect(text)
        if self._language or (language != UNKNOWN and not metadata.get(FIELD)):
            metadata[FIELD] = language
        self._metadata.append(json.dumps(metadata) if metadata else "{}")
        if self._choose_tokenizer:
            self._change_tokenizer(language)
        spans = self._number_words(text, language)
        self._encode(text, np.frombuffer(spans, np.int64))  # a view: changes are made to the spans
        self._spans.recent.extend(spans)
        self._ends.recent.append(len(self._texts))
        self._sentences.recent.append(len(self._spans) // 2)
        for spool in (self._ends, self._spans, self._tokens, self._sentences):
            spool.settle()

    def _encode(self, text: str, places: NDArray[np.int64]) -> None:
        """Add a text in UTF-8; ascending ``places`` in it become places of bytes in all texts."""
        done, size = 0, len(self._texts)
        for first in range(0, len(text), _BLOCK):
            block = text[first : first + _BLOCK]
            data = block.encode()
            upto = done + int(np.searchsorted(places[done:], first + len(block)))
            if len(data) == len(block):
                places[done:upto] += size - first
            else:
                starts = np.flatnonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80)
                places[done:upto] = starts[places[done:upto] - first] + size
            done, size = upto, size + len(data)
            self._texts.recent.frombytes(data)
            self._texts.settle()
        places[done:] = size

    def _detect(self, text: str) -> str:
        """Return the language of a text; of a mixed one, that of most of its paragraphs."""
        language = detect_text_language(text)
        parts = detect_parts(text, language)
        if language == UNKNOWN and len(parts) > 1:
            self._mixed += 1
            return parts.most_common(1)[0][0]
        self._mixed += is_mixed(text, parts)
        return language

    def _change_tokenizer(self, language: str) -> None:
        """Split words as a language does from here on: those without spaces, and elided ones.

        Other words are split as before, so earlier texts stay as they are, unless they have some.
        I becomes ı only if all texts are in languages where it does.
        """
        old = changed = self._normalisation
        if language in SEGMENTED and changed.is_default_tokenizer:
            if has_segmenter():
                changed = replace(changed, tokenizer=CJK)
            elif (note := note_missing_segmenter(language)) not in self._notes:
                self._notes.append(note)
        elif read_language(language).elided:
            changed = replace(changed, elide=True)
        is_dotless = read_language(language).dotless
        self._has_dotted |= language != UNKNOWN and not is_dotless
        changed = replace(changed, dotless=(changed.dotless or is_dotless) and not self._has_dotted)
        if changed != old:
            self._normalisation = changed
            if any(
                (changed.tokenizer != old.tokenizer and has_unspaced_letters(text))
                or (changed.elide != old.elide and has_elided(text))
                or (changed.dotless != old.dotless and "I" in text)
                for text in StringArray(self._texts.view(), self._ends.view())
            ):
                self._number_again()

    def _number_again(self) -> None:
        """Add the words of all texts so far once more, with the tokenizer as it is now."""
        texts, metadata = StringArray(self._texts.view(), self._ends.view()), self._metadata.view()
        ids, sources, rows = self._ids, self._sources, self._rows
        self._clear()
        self._ids, self._sources, self._rows = ids, sources, rows
        for number, text in enumerate(texts):
            self._add_text(text, json.loads(metadata[number]))
        for number in range(len(texts), len(metadata)):
            self._metadata.append(metadata[number])

    def _number_words(self, text: str, language: str) -> array[int]:
        """Add the words of a text; return the start and end of its sentences in turn."""
        spans: array[int] = array("q")
        find = find_spans
        if len(self._texts) + len(text) >= _MANY:
            find = scan_spans
            self._words.compile()
        if self._normalisation.is_default_tokenizer:
            for bounds, marked in mark_sentences(text, self._normalisation, language, find):
                spans.extend(bounds)
                for piece in split_pieces(marked):
                    self._tokens.recent.frombytes(self._words.add_text(piece).tobytes())
                self._tokens.settle()
            return spans
        for start, end in find(text.replace(BREAK, " "), language):
            spans.extend((start, end))
            words = self._words.add_words([*self._normalisation.words(text[start:end]), BREAK])
            self._tokens.recent.frombytes(words.tobytes())
        return spans

    def _choose_ids(self) -> StringArray:
        """Return all ids; those of plain strings are the lowest numbers that are free."""
        if len(self._rows) == len(self._ids):
            return self._ids.view()
        numbers = (str(number) for number in count())
        free = (n for n in numbers if n not in self._rows and n not in self._taken)
        chosen = StringSpool()
        for id in self._ids.view():
            chosen.append(next(free) if id == _NUMBERED else id)
        return chosen.view()

    def _count_words(self, words: int) -> tuple[NDArray[np.int32], Array, NDArray[np.int64]]:
        """Return the numbers of all words in order, where sentences begin among them, and how often
        each occurs."""
        numbers, starts, size = self._tokens.view(), Spool("q", (0,)), 0
        counts = np.zeros(words + 1, np.int64)
        for part in _parts(numbers, len(counts)):  # words move to the front: a copy is not needed
            counts += np.bincount(part, minlength=len(counts))
            breaks = np.flatnonzero(part == 0)
            starts.add(size + breaks - np.arange(len(breaks)))
            found = part[part != 0]
            numbers[size : size + len(found)] = found
            size += len(found)
        return numbers[:size], starts.view(), counts

    def finish(self) -> tuple[dict[str, Array], dict[str, StringArray], Normalisation, list[str]]:
        """Return what ``Corpus`` is made of. Word ids go by falling count, then by the alphabet."""
        names = StringArray.pack(islice(self._words.take_names(), 1, None))
        numbers, starts, counts = self._count_words(len(names))
        order = names.ordered(-counts[1:])
        new_ids = np.empty(len(counts), np.int32)
        new_ids[order + 1] = np.arange(len(order), dtype=np.int32)
        for part in _parts(numbers):
            part[:] = new_ids[part]
        arrays: dict[str, Array] = {
            "sentence_spans": self._spans.view().reshape(-1, 2),
            "sentence_offsets": self._sentences.view(),
            "tokens": numbers,
            "token_offsets": starts,
            "counts": counts[1:][order],
        }
        strings = {
            "texts": StringArray(self._texts.view(), self._ends.view()),
            "ids": self._choose_ids(),
            "sources": self._sources.view(),
            "metadata": self._metadata.view(),
            "words": names.take(order),
        }
        notes = self._finish_notes(strings["ids"], arrays["sentence_offsets"])
        return arrays, strings, self._normalisation, notes

    def _finish_notes(self, ids: StringArray, sentences: Array) -> list[str]:
        notes = self._notes
        if self._mixed:
            notes.append(
                f"texts in several languages: {self._mixed:,}; each is taken to be in that of most"
                " of its paragraphs (to separate them: --split or --chunk)"
            )
        if self._renamed:
            notes.append(
                f"ids that another file also uses: {self._renamed:,}; the file name was put before"
                " them"
            )
        empty = np.flatnonzero(np.diff(sentences) == 0)
        if len(empty):
            names = list_names(map(ids.__getitem__, empty[:_FEW].tolist()))
            more = f" and {len(empty) - _FEW:,} more" if len(empty) > _FEW else ""
            notes.append(f"documents without words: {len(empty):,} ({names}{more})")
        return notes


def _find_file(source: str) -> str:
    """Return the file of a source, which may end with a line."""
    file, _, line = source.rpartition(":")
    return file if line.isdecimal() else source


def _parts(numbers: NDArray[np.int32], least: int = 0) -> Iterator[NDArray[np.int32]]:
    """Yield a few at a time, because each part is copied at twice its width."""
    step = max(1 << 20, least)
    for first in range(0, len(numbers), step):
        yield numbers[first : first + step]
        release()


def _clean(text: str) -> str:
    """Return a valid text without soft hyphens, which would divide words in their middle."""
    return _make_valid(text).replace(SOFT_HYPHEN, "")


def _make_valid(text: str) -> str:
    """Return text that UTF-8 can hold: lone surrogates (from JSON escapes) become U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
