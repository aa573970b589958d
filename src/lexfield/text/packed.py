"""Files packed by gzip, bzip2 or xz, unpacked as they are read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from typing import IO

from lexfield.errors import LexfieldError

_MARKS = {
    "gzip": (b"\x1f\x8b",),
    "bzip2": tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),
    "xz": (b"\xfd7zXZ\0",),
}
_SUFFIXES = {".gz": "", ".bz2": "", ".xz": "", ".tbz2": ".tar", ".tbz": ".tar", ".txz": ".tar"}
_MEMORY = 128 << 20  # bytes that xz may ask for; what xz -9 has packed needs 65 MB
_PIECE = 1 << 16


class PackingError(OSError):
    """What bzip2 and xz raise for damaged data."""


PACKING_ERRORS = (PackingError, EOFError, gzip.BadGzipFile, zlib.error)


def find_packing(start: bytes) -> str:
    """Return gzip, bzip2 or xz, from the first ten bytes of a file; empty if it is not packed."""
    return next((name for name, marks in _MARKS.items() if start.startswith(marks)), "")


def strip_packing(name: str) -> str:
    """Return the name of a file without the suffix that says how it is packed."""
    for suffix, instead in _SUFFIXES.items():
        if name.lower().endswith(suffix):
            return name[: -len(suffix)] + instead
    return name


def unpack(
    raw: IO[bytes], packing: str, most: float = float("inf"), error: LexfieldError | None = None
) -> IO[bytes]:
    """Return a stream of what is packed. Reading raises one of ``PACKING_ERRORS`` if it is damaged,
    and ``error`` if there are more than ``most`` bytes: it may be made to do harm."""
    if packing == "gzip":
        unzipped = _GzipFile(fileobj=raw)
        unzipped.limit(most, error)
        return unzipped  # type: ignore[return-value]
    return io.BufferedReader(_Stream(raw, packing, most, error), _PIECE)


class _GzipFile(gzip.GzipFile):
    def limit(self, most: float, error: LexfieldError | None) -> None:
        self._most, self._error = most, error

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self._error and self.tell() > self._most:
            raise self._error
        return data


class _Stream(io.RawIOBase):
    """What bzip2 or xz has packed, which may be several parts, one after another.

    The classes of the standard library do not limit how much memory a file may ask for.
    """

    def __init__(
        self, raw: IO[bytes], packing: str, most: float, error: LexfieldError | None
    ) -> None:
        self._raw, self._packing, self._room, self._error = raw, packing, most, error
        self._unpacker = self._start()

    def _start(self) -> bz2.BZ2Decompressor | lzma.LZMADecompressor:
        if self._packing == "bzip2":
            return bz2.BZ2Decompressor()
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = b""
        while not piece:
            data = b""
            if self._unpacker.eof:
                data = (self._unpacker.unused_data or self._raw.read(_PIECE)).lstrip(b"\0")
                if not data:
                    return 0
                self._unpacker = self._start()
            elif self._unpacker.needs_input and not (data := self._raw.read(_PIECE)):
                raise EOFError
            try:
                piece = self._unpacker.decompress(data, len(buffer))
            except (OSError, lzma.LZMAError) as error:
                raise PackingError(str(error)) from error
        self._room -= len(piece)
        if self._error and self._room < 0:
            raise self._error
        buffer[: len(piece)] = piece
        return len(piece)
