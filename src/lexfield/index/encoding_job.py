"""Encoding the texts of an index: what is finished is kept, whatever interrupts the work.

Where vectors of an encoder are replaced, the old ones are used until the new ones are complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, LexfieldError, shorten
from lexfield.index.encodings import (
    LOOSE,
    Encodings,
    Item,
    find_encodings,
    gather,
    hash_rows,
    pack,
)
from lexfield.index.fitted import PREFIX as FITTED
from lexfield.index.fitted import fit_words
from lexfield.index.names import name_encoding
from lexfield.index.parts import ENCODER, NEXT_ENCODER, encoder_key, write_part
from lexfield.index.segment import Segment
from lexfield.index.units import UNITS, byte_spans
from lexfield.progress import Progress, begin_stage, silent
from lexfield.store.folder import Store
from lexfield.vectors.codec import Codec
from lexfield.vectors.encoders import (
    Encoder,
    check_dimensions,
    encode_each,
    is_known_elsewhere,
    open_encoder,
)

_TOGETHER = 64  # texts that are encoded between two reports
_SECONDS = 30.0  # after which finished work is kept
_ENOUGH = 20_000  # tokens to fit a codec to
_MOST_FAILED = 20  # texts that are named


class EncodingJob:
    """Encodes the texts of an index that are not encoded yet."""

    def __init__(
        self,
        index: Store,
        segments: Sequence[Segment],
        encoder: Any = None,
        replace: bool = False,
        goes_on: bool = False,
    ) -> None:
        """``encoder`` is a name or an object; by default the one that the index was encoded by.

        ``goes_on``: continue a replacement of vectors that has begun, instead of starting over.
        """
        self._path, self._segments = index.path, segments
        self._part = ENCODER  # that the work is kept in
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
            # interrupted so early that its codec fits these texts badly
            self._encoder, self._held = self._encoder or open_encoder(self._held.name), None
        elif self._held and replace:
            self._replace(self._encoder or open_encoder(self._held.name), goes_on)
        self.failed: list[str] = []
        self._names: dict[int, str] = {}

    def _replace(self, encoder: Encoder, goes_on: bool) -> None:
        """Encode all texts again; the old vectors stay until the new ones are complete."""
        self._encoder, self._part = encoder, NEXT_ENCODER
        self._open()
        is_begun = self._held is not None and self._held.name == encoder.name
        if not (is_begun and (goes_on or is_known_elsewhere(encoder.name))):
            self._held = None

    def _open(self) -> None:
        self._index = Store.open(self._path)
        self._held = find_encodings(self._index, self._part)

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
        done = [self._part] if self._part != ENCODER else []
        with write_part(self._index, self._segments, ENCODER, without=done) as out:
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
        if self._held is None and self._encoder is not None:
            check_dimensions(self._encoder, [one for _, one in items])
        codec, is_fitted = (self._held.codec, True) if self._held else self._choose_codec(items)
        sizes = {len(one.vector) for _, one in items if not isinstance(one, str)}
        if sizes - {len(codec.mean)}:
            raise InputError(
                f"The encoder returned vectors of {max(sizes)} dimensions; this index has"
                f" vectors of {len(codec.mean)}.",
                f"Encode it again: {name_encoding(self._path, replace=True)}",
            )
        table = pack(items, codec)
        with write_part(self._index, self._segments, self._part) as out:
            if self._held is not None:
                self._held.keep(out, "")
            else:
                out.array("codec.mean", codec.mean)
                out.array("codec.axes", codec.axes)
            encoder = self._encoder.name if self._encoder else ""
            about = {"name": encoder, "dims": len(codec.mean), "scale": codec.scale}
            out.meta = self._held.meta if self._held else {**about, "is_fitted": is_fitted}
            number = self._held.count_loose() if self._held else 0
            table.save(out, f"{LOOSE}{number:06d}.")
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
