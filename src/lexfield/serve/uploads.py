"""Files that people send, checked before they are trusted and unpacked within limits.

The kind of a file is decided by its first bytes, not by its name. While a zip archive is unpacked,
its entries and bytes are counted, and how much larger they are than what was sent. Names are made
harmless; nothing is written outside the folder.
"""

from __future__ import annotations

import gzip
import io
import itertools
import lzma
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from lexfield.errors import InputError
from lexfield.store.files import private_files, replace_file
from lexfield.text.decode import SAMPLE, identify
from lexfield.text.readers import map_suffixes

_ZIP, _GZIP, _PARQUET = b"PK\x03\x04", b"\x1f\x8b", b"PAR1"
_OFFICE = ("[Content_Types].xml", "mimetype")  # entries of documents that are zip files
_ENTRY = b"PK\x01\x02"  # before each entry of the directory
_PIECE = 1 << 16
_ZIP_ERRORS = (  # of zipfile and the packers under it, whose headers can hold any number
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, LookupError,
    OverflowError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Bounds:
    """Limits: files in all, bytes of everything unpacked, and its ratio to what was sent."""

    entries: int = 5000
    unpacked: int = 200_000_000
    ratio: float = 100.0


@dataclass(frozen=True)
class Sent:
    """A file as it was sent."""

    name: str
    data: bytes


def keep(files: list[Sent], folder: Path, bounds: Bounds | None = None) -> list[str]:
    """Write files of text into a folder; return their names."""
    bounds = bounds or Bounds()
    names: list[str] = []
    room = bounds.unpacked
    for sent in files:
        for name, data in _unpack(sent, bounds, room):
            room -= len(data)
            if len(names) >= bounds.entries:
                raise InputError(f"There are more than {bounds.entries:,} files.", "Send fewer.")
            _check_text(name, data)
            place = _find_free(_clean_name(name), {one.lower() for one in names})
            with private_files():
                replace_file(folder / place, data)
            names.append(place)
    if not names:
        raise InputError("There is no text in what was sent.", "Send a text file, or paste text.")
    return names


def _unpack(sent: Sent, bounds: Bounds, room: int) -> Iterator[tuple[str, bytes]]:
    if sent.data.startswith(_ZIP):
        yield from _unzip(sent, bounds, room)
    elif sent.data.startswith(_GZIP):
        name = sent.name.removesuffix(".gz")
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(sent.data)) as stream:
                yield name, _read(stream, name, len(sent.data), bounds, room)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{sent.name} is a damaged gzip file: {error}.") from error
    else:
        yield sent.name, sent.data


def _check_entries(sent: Sent, entries: int, bounds: Bounds) -> None:
    if entries > bounds.entries:
        raise InputError(
            f"{sent.name} has more than {bounds.entries:,} entries.", "Send fewer files."
        )


def _unzip(sent: Sent, bounds: Bounds, room: int) -> Iterator[tuple[str, bytes]]:
    # Counted before zipfile makes an object of each; an archive within may hold as many again.
    _check_entries(sent, sent.data.count(_ENTRY) // 2, bounds)
    try:
        with zipfile.ZipFile(io.BytesIO(sent.data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if any(entry.filename in _OFFICE for entry in entries):
                what, hint = identify(sent.data[:SAMPLE])
                raise InputError(f"{sent.name} is {what}, not text.", hint)
            _check_entries(sent, len(entries), bounds)
            for entry in entries:
                path = PurePosixPath(entry.filename)
                link = entry.external_attr >> 28 == 0xA
                if link or any(part.startswith((".", "__MACOSX")) for part in path.parts):
                    continue
                if entry.flag_bits & 1:
                    raise InputError(f"{sent.name} is encrypted.", "Send it without a password.")
                with archive.open(entry) as stream:
                    data = _read(stream, entry.filename, max(entry.compress_size, 1), bounds, room)
                room -= len(data)
                if data.startswith((_ZIP, _GZIP)):
                    raise InputError(
                        f"{entry.filename} in {sent.name} is an archive itself.", "Unpack it first."
                    )
                yield entry.filename, data
    except InputError:
        raise
    except _ZIP_ERRORS as error:
        raise InputError(f"{sent.name} is a damaged zip archive: {error}.") from error


def _read(
    stream: IO[bytes] | gzip.GzipFile, name: str, packed: int, bounds: Bounds, room: int
) -> bytes:
    """Return an entry, read piece by piece, as the size that it claims may be wrong."""
    parts, size = [], 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > room:
            raise InputError(
                f"More than {bounds.unpacked / 1e6:,.0f} MB are packed in what was sent.",
                "Send less at a time.",
            )
        if size > _PIECE and size > bounds.ratio * packed:
            raise InputError(
                f"{name} unpacks to more than {bounds.ratio:g} times its size.",
                "Send it unpacked, if it is what it should be.",
            )
        parts.append(piece)
    return b"".join(parts)


def _check_text(name: str, data: bytes) -> None:
    if data.startswith(_PARQUET):
        if not name.lower().endswith(".parquet"):
            raise InputError(
                f"{name} is a Parquet file by its content.", "Rename it to end in .parquet."
            )
        return
    if name.lower().endswith(".parquet"):
        raise InputError(f"{name} is not a Parquet file.", "Rename it with the correct suffix.")
    what, _ = identify(data[:SAMPLE])
    if what:
        raise InputError(
            f"{name} is {what}, not text.",
            "Send plain text, csv, tsv, jsonl, parquet, or a zip archive of these.",
        )


def _clean_name(name: str) -> str:
    """Return a name without folders and odd characters; the suffix says how to read the file."""
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    base = re.sub(r"[^\w.\- ]+", "_", base).strip(". ") or "text"
    stem, dot, suffix = base.rpartition(".")
    if not dot:
        return base[:100] + ".txt"
    if map_suffixes().get(f".{suffix.lower()}", "text") != "text":
        return f"{stem[:100]}.{suffix.lower()}"
    return f"{(stem if suffix.lower() in ('txt', 'md', 'text') else base)[:100]}.txt"


def _find_free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken; some systems do not distinguish case."""
    stem, _, suffix = name.rpartition(".")
    others = (f"{stem} {number}.{suffix}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], others) if one.lower() not in taken)
