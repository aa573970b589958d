"""What an encoder says of the rows of an index: a part of its store.

Every row, a sentence or a document, has the vector of its text in bytes with a scale, and a code
for each of its words (``vectors/codec.py``). These are kept per segment, under a fingerprint of its
texts. A text is known by its hash: equal texts, and a document that is one sentence, are encoded
once, and segments that are merged or compacted are put together from what is there. Texts that are
encoded while the work goes on are kept in loose tables, so that an interruption loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.arrays import join_ranges
from lexfield.errors import InputError, LexfieldError, shorten
from lexfield.index.fitted import PREFIX as FITTED
from lexfield.index.fitted import Fitted, fit_words
from lexfield.index.names import name_encoding, name_index
from lexfield.index.parts import ENCODER, encoder_key, write_part
from lexfield.index.segment import Segment
from lexfield.index.units import UNITS, byte_spans
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject
from lexfield.store.folder import Store, Writer
from lexfield.vectors.codec import Codec
from lexfield.vectors.encoders import Encoded, Encoder, encode_each, is_word, open_encoder

_LOOSE = "loose."
_TOGETHER = 64  # texts that are encoded between two reports
_SECONDS = 30.0  # after which finished work is kept
_ENOUGH = 20_000  # tokens to fit a codec to
_MOST_FAILED = 20  # texts that are named
Item = tuple[int, Encoded | str]  # the hash of a text; what the encoder says, or why it failed


@dataclass(frozen=True)
class Table:
    """Encoded texts. One whose scale is 0 has no vector: it is missing, or the encoder failed."""

    hashes: NDArray[np.uint64]
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]  # vector = scale × bytes, of length 1
    offsets: NDArray[np.int64]  # text → first of its words
    codes: NDArray[np.uint8]
    words: NDArray[np.int32]  # of each code, a number in ``names``
    names: Sequence[str]

    def save(self, out: Writer, key: str) -> None:
        for name in _ARRAYS:
            out.array(f"{key}{name}", getattr(self, name))
        out.strings(f"{key}names", list(self.names))

    @classmethod
    def load(cls, part: Store, key: str) -> Table:
        arrays: JsonObject = {name: part.array(f"{key}{name}") for name in _ARRAYS}
        return cls(**arrays, names=part.strings(f"{key}names"))


_ARRAYS = ("hashes", "vectors", "scales", "offsets", "codes", "words")


def pack(items: Sequence[Item], codec: Codec) -> Table:
    """Return a table of encoded texts."""
    dims = len(codec.mean)
    vectors, scales = np.zeros((len(items), dims), np.int8), np.zeros(len(items), np.float32)
    sizes, words, states = [], [], [np.empty((0, dims), np.float32)]
    for row, (_, one) in enumerate(items):
        if isinstance(one, str):
            sizes.append(0)
            continue
        own = [place for place, word in enumerate(one.tokens) if is_word(word)]
        sizes.append(len(own) if len(one.states) else 0)
        if len(one.states):
            words += [one.tokens[place] for place in own]
            states.append(one.states[own])
        length = one.vector / np.linalg.norm(one.vector.astype(np.float64))
        scales[row] = np.abs(length).max() / 127
        vectors[row] = np.rint(length / scales[row])
    names = dict.fromkeys(words)
    numbers = {name: number for number, name in enumerate(names)}
    return Table(
        np.array([number for number, _ in items], np.uint64),
        vectors,
        scales,
        np.append(0, np.cumsum(np.array(sizes, np.int64))),
        codec.encode(np.concatenate(states)),
        np.array([numbers[word] for word in words], np.int32),
        list(names),
    )


def gather(tables: Sequence[Table], hashes: NDArray[np.uint64], codec: Codec) -> Table:
    """Return the table of some texts, put together from those that hold them."""
    made = [pack([], codec), *tables]
    numbers: dict[str, int] = {}
    maps = [
        np.array([numbers.setdefault(name, len(numbers)) for name in table.names], np.int32)
        for table in made
    ]
    known = np.concatenate([table.hashes for table in made])
    scales = np.concatenate([table.scales for table in made])
    order = np.lexsort((scales == 0, known))  # of equal hashes, one with a vector comes first
    places = np.searchsorted(known[order], hashes)
    inside = np.minimum(places, max(len(order) - 1, 0))
    found = order[inside] if len(order) else inside
    is_known = (known[found] == hashes) if len(order) else np.zeros(len(hashes), bool)
    firsts = np.cumsum([0, *(len(table.hashes) for table in made)])
    rows = np.arange(len(hashes))
    vectors = np.zeros((len(hashes), len(codec.mean)), np.int8)
    own_scales = np.zeros(len(hashes), np.float32)
    sizes, codes, words, at = np.zeros(len(hashes), np.int64), [], [], []
    for number, table in enumerate(made):
        here = is_known & (found >= firsts[number]) & (found < firsts[number + 1])
        own = found[here] - firsts[number]
        vectors[here], own_scales[here] = table.vectors[own], table.scales[own]
        sizes[here] = table.offsets[own + 1] - table.offsets[own]
        taken = join_ranges(table.offsets[own], sizes[here])
        codes.append(table.codes[taken])
        words.append(maps[number][table.words[taken]])
        at.append(np.repeat(rows[here], sizes[here]))
    by_row = np.argsort(np.concatenate(at), kind="stable")
    all_words = np.concatenate(words)[by_row]
    used, numbered = np.unique(all_words, return_inverse=True)
    names = list(numbers)
    return Table(
        hashes,
        vectors,
        own_scales,
        np.append(0, np.cumsum(sizes)),
        np.concatenate(codes)[by_row],
        numbered.astype(np.int32),
        [names[number] for number in used.tolist()],
    )


class Encodings:
    """An open part: which encoder, its codec, the tables, the words that were fitted to it."""

    def __init__(self, part: Store) -> None:
        self._part = part
        self.meta: JsonObject = part.meta

    @property
    def name(self) -> str:
        return str(self.meta["name"])

    @property
    def dims(self) -> int:
        return int(self.meta["dims"])

    @cached_property
    def codec(self) -> Codec:
        mean, axes = (self._part.array(f"codec.{name}") for name in ("mean", "axes"))
        return Codec(mean, axes, float(self.meta["scale"]))

    @property
    def is_finished(self) -> bool:
        """Were all texts of the index encoded once?"""
        return f"{FITTED}vectors" in self._part

    @property
    def fitted(self) -> Fitted | None:
        """Vectors of words, fitted to those of the texts; None until all texts are encoded."""
        return Fitted.load(self._part) if self.is_finished else None

    def table(self, segment: Segment, unit: str) -> Table | None:
        key = encoder_key(segment, unit)
        return Table.load(self._part, key) if f"{key}hashes" in self._part else None

    def tables(self) -> Iterator[Table]:
        """Yield all tables, of segments that are gone and loose ones too."""
        for name in self._part.names(""):
            if name.endswith(".hashes"):
                yield Table.load(self._part, name.removesuffix("hashes"))

    def count_loose(self) -> int:
        return sum(name.endswith("hashes") for name in self._part.names(_LOOSE))

    def keep(self, out: Writer, *prefixes: str) -> None:
        """Take what begins with these over into a new generation."""
        out.meta = dict(self.meta)
        for prefix in prefixes:
            out.keep(self._part, prefix)


def find_encodings(index: Store) -> Encodings | None:
    """Return what an encoder said of the rows of an index; None if it was never asked."""
    part = index.part(ENCODER)
    return None if part is None else Encodings(part)


def need_encodings(index: Store) -> Encodings:
    """Return what an encoder said of the rows of an index. Raise InputError if there is none."""
    found = find_encodings(index)
    if found is None:
        raise InputError(
            f"The {name_index(index.path)} has no vectors of an encoder.",
            f"Make them with: {name_encoding(index.path)}",
        )
    return found


def hash_rows(segment: Segment, unit: str) -> NDArray[np.uint64]:
    """Return the hash of the text of each row."""
    data, spans = segment.corpus.texts.data.tobytes(), byte_spans(segment.corpus, unit).tolist()
    return np.array([xxhash.xxh3_64_intdigest(data[a:b]) for a, b in spans], np.uint64)


class EncodingJob:
    """Encodes the texts of an index that are not encoded yet."""

    def __init__(
        self,
        index: Store,
        segments: Sequence[Segment],
        encoder: Any = None,
        replace: bool = False,
    ) -> None:
        """``encoder`` is a name or an object; by default the one that the index was encoded by."""
        self._path, self._segments = index.path, segments
        self._held: Encodings | None = None
        self._open()
        self._encoder: Encoder | None = None if encoder is None else open_encoder(encoder)
        encoder_name = self._encoder.name if self._encoder else ""
        if self._held and not replace and encoder_name not in ("", self._held.name):
            raise InputError(
                f"This index has vectors of the encoder {self._held.name!r}.",
                f"To replace them: {name_encoding(self._path, replace=True)} --encoder …",
            )
        if self._held and not self._held.is_finished and not self._held.meta.get("is_fitted", True):
            replace = True  # interrupted so early that its codec fits these texts badly
        if self._held and replace:
            self._encoder = self._encoder or open_encoder(self._held.name)
            self._held = None  # all texts are encoded anew
        self.failed: list[str] = []
        self._names: dict[int, str] = {}

    def _open(self) -> None:
        self._index = Store.open(self._path)
        self._held = find_encodings(self._index)

    def run(self, progress: Progress = silent, *, is_update: bool = False) -> None:
        """Encode what is missing, keep it, and fit vectors of the words to it.

        ``is_update``: leave the words as they are, and do without an encoder that is not there.
        """
        hashes = {(s, u): hash_rows(self._segments[s], u)
                  for s in range(len(self._segments)) for u in UNITS}  # fmt: skip
        if texts := self._find_missing(hashes):
            begin_stage(progress, "encoding texts")
            try:
                self._encode(texts, progress)
            except LexfieldError:
                if not is_update:
                    raise
        assert self._held is not None
        codec, tables = self._held.codec, list(self._held.tables())
        live = dict(zip(hashes, self._find_live(), strict=True))
        made = {key: gather(tables, own, codec) for key, own in hashes.items()}
        targets = {key: (table.vectors, table.scales * live[key]) for key, table in made.items()}
        with write_part(self._index, self._segments, ENCODER) as out:
            self._held.keep(out, "codec.", *([FITTED] if is_update else []))
            out.meta["failed"] = self.failed
            for (number, unit), table in made.items():
                table.save(out, encoder_key(self._segments[number], unit))
            if not is_update:
                fit_words(self._segments, targets).save(out)

    def _find_live(self) -> Iterator[NDArray[np.bool_]]:
        """Yield which rows of each segment and unit belong to documents that were not deleted."""
        deleted, first = self._index.array("deleted"), 0
        for segment in self._segments:
            sentences = np.diff(segment.corpus.sentence_offsets)
            live = ~deleted[first : first + len(sentences)]
            first += len(sentences)
            yield np.repeat(live, sentences)
            yield live

    def _find_missing(self, hashes: dict[tuple[int, str], NDArray[np.uint64]]) -> dict[int, str]:
        """Return the texts that have no vector yet, by their hashes, in the order of these."""
        known: set[int] = set()
        for table in [] if self._held is None else self._held.tables():
            known.update(table.hashes[table.scales > 0].tolist())
        found: dict[int, str] = {}
        for (number, unit), own in hashes.items():
            segment = self._segments[number]
            spans = byte_spans(segment.corpus, unit)
            for row, hash_ in enumerate(own.tolist()):
                if hash_ not in known and hash_ not in found:
                    found[hash_] = segment.corpus.texts.text(*spans[row])
                    self._names[hash_] = _name_row(segment, unit, row)
        return dict(sorted(found.items()))

    def _encode(self, texts: dict[int, str], progress: Progress) -> None:
        if self._encoder is None:
            assert self._held is not None
            self._encoder = open_encoder(self._held.name)
        items: list[Item] = []
        waiting, every, since = list(texts), len(texts), monotonic()
        try:
            for first in range(0, every, _TOGETHER):
                some = waiting[first : first + _TOGETHER]
                made = encode_each(self._encoder, [texts[hash_] for hash_ in some])
                items += zip(some, made, strict=True)
                progress(min(first + _TOGETHER, every), every)
                if monotonic() - since > _SECONDS:
                    items, since = self._keep(items), monotonic()
        finally:  # an interruption too
            self._keep(items)

    def _keep(self, items: list[Item]) -> list[Item]:
        """Write finished work to the index; return what is left of it: nothing."""
        if not items:
            return []
        self._note_failures(items)
        if all(isinstance(one, str) for _, one in items) and self._held is None:
            name = self._encoder.name if self._encoder else ""
            raise InputError(f"The encoder {name!r} failed on every text. {self.failed[0]}")
        codec, is_fitted = (self._held.codec, True) if self._held else self._choose_codec(items)
        sizes = {len(one.vector) for _, one in items if not isinstance(one, str)}
        if sizes - {len(codec.mean)}:
            raise InputError(
                f"The encoder returned vectors of {max(sizes)} dimensions; this index has"
                f" vectors of {len(codec.mean)}.",
                f"Encode it again: {name_encoding(self._path, replace=True)}",
            )
        table = pack(items, codec)
        with write_part(self._index, self._segments, ENCODER) as out:
            if self._held is not None:
                self._held.keep(out, "")
            else:
                out.array("codec.mean", codec.mean)
                out.array("codec.axes", codec.axes)
            encoder = self._encoder.name if self._encoder else ""
            about = {"name": encoder, "dims": len(codec.mean), "scale": codec.scale}
            out.meta = self._held.meta if self._held else {**about, "is_fitted": is_fitted}
            number = self._held.count_loose() if self._held else 0
            table.save(out, f"{_LOOSE}{number:06d}.")
        self._open()
        return []

    def _choose_codec(self, items: Iterable[Item]) -> tuple[Codec, bool]:
        """Return a codec and whether there were enough words to fit it.

        It is fitted to the first texts that have enough, so that an interruption later changes
        nothing. With fewer words it is the encoder's own if it has one.
        """
        good = [one for _, one in items if not isinstance(one, str)]
        ends = np.cumsum([len(one.states) for one in good])
        some = good[: int(np.searchsorted(ends, _ENOUGH)) + 1]
        is_enough = bool(ends[-1] >= _ENOUGH)
        own = self._encoder.codec if self._encoder else None
        if own is not None and not is_enough:
            return own, False
        if not ends[-1]:  # an encoder without tokens
            return Codec.fit(np.stack([one.vector for one in good])), True
        return Codec.fit(np.concatenate([one.states for one in some])), is_enough

    def _note_failures(self, items: Iterable[Item]) -> None:
        for hash_, one in items:
            if isinstance(one, str):
                self.failed.append(f"{self._names[hash_]}: {shorten(one, 200)}")


def describe_failures(failed: Sequence[str]) -> list[str]:
    """Return a note that counts the texts on which an encoder failed, and names some."""
    if not failed:
        return []
    more = f" and {len(failed) - _MOST_FAILED:,} more" if len(failed) > _MOST_FAILED else ""
    shown = "; ".join(failed[:_MOST_FAILED]) + more
    return [f"texts that the encoder failed on and cannot find: {len(failed):,} ({shown})"]


def _name_row(segment: Segment, unit: str, row: int) -> str:
    corpus = segment.corpus
    if unit == "document":
        return str(corpus.ids[row])
    document = corpus.document_of(row)
    return f"{corpus.ids[document]}#{row - int(corpus.sentence_offsets[document])}"


def update_encodings(index: Store, segments: Sequence[Segment], progress: Progress) -> bool:
    """Encode what was added to an index that has vectors of an encoder.

    Return whether anything was written. Where the encoder is not installed, the new texts are
    without a vector, which a search says.
    """
    found = find_encodings(index)
    if found is None or all(found.table(s, unit) for s in segments for unit in UNITS):
        return False
    EncodingJob(index, segments).run(progress, is_update=True)
    return True
