"""What an encoder says of the rows of an index: a part of its store.

Every row, a sentence or a document, has the vector of its text in bytes with a scale, and a code
for each of its words (``vectors/codec.py``). These are kept per segment, under a fingerprint of its
texts. A text is known by its hash: equal texts, and a document that is one sentence, are encoded
once, and segments that are merged or compacted are put together from what is there. Texts that are
encoded while the work goes on are kept in loose tables, so that an interruption loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.arrays import join_ranges
from lexfield.errors import InputError
from lexfield.index.fitted import PREFIX as FITTED
from lexfield.index.fitted import FittedVectors
from lexfield.index.names import name_encoding, name_index
from lexfield.index.parts import ENCODER, encoder_key
from lexfield.index.segment import Segment
from lexfield.index.units import byte_spans
from lexfield.results import JsonObject
from lexfield.store.folder import Store, Writer
from lexfield.vectors.codec import Codec
from lexfield.vectors.encoders import Encoded, is_word

LOOSE = "loose."
Item = tuple[int, Encoded | str]  # the hash of a text; what the encoder says, or why it failed


@dataclass(frozen=True)
class EncodedTexts:
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
    def load(cls, part: Store, key: str) -> EncodedTexts:
        arrays: JsonObject = {name: part.array(f"{key}{name}") for name in _ARRAYS}
        return cls(**arrays, names=part.strings(f"{key}names"))


_ARRAYS = ("hashes", "vectors", "scales", "offsets", "codes", "words")


def pack(items: Sequence[Item], codec: Codec) -> EncodedTexts:
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
    return EncodedTexts(
        np.array([number for number, _ in items], np.uint64),
        vectors,
        scales,
        np.append(0, np.cumsum(np.array(sizes, np.int64))),
        codec.encode(np.concatenate(states)),
        np.array([numbers[word] for word in words], np.int32),
        list(names),
    )


def gather(
    tables: Sequence[EncodedTexts], hashes: NDArray[np.uint64], codec: Codec
) -> EncodedTexts:
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
    return EncodedTexts(
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
    def fitted(self) -> FittedVectors | None:
        """Vectors of words, fitted to those of the texts; None until all texts are encoded."""
        return FittedVectors.load(self._part) if self.is_finished else None

    def table(self, segment: Segment, unit: str) -> EncodedTexts | None:
        key = encoder_key(segment, unit)
        return EncodedTexts.load(self._part, key) if f"{key}hashes" in self._part else None

    def tables(self) -> Iterator[EncodedTexts]:
        """Yield all tables, of segments that are gone and loose ones too."""
        for name in self._part.names(""):
            if name.endswith(".hashes"):
                yield EncodedTexts.load(self._part, name.removesuffix("hashes"))

    def count_loose(self) -> int:
        return sum(name.endswith("hashes") for name in self._part.names(LOOSE))

    def keep(self, out: Writer, *prefixes: str) -> None:
        """Take what begins with these over into a new generation."""
        out.meta = dict(self.meta)
        for prefix in prefixes:
            out.keep(self._part, prefix)


def find_encodings(index: Store, name: str = ENCODER) -> Encodings | None:
    """Return what an encoder said of the rows of an index; None if it was never asked."""
    part = index.part(name)
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
