"""Zip and tar archives, unpacked one file at a time and within bounds.

What is inside is yielded as sources, each of which ``Reader`` reads in its own format. Nothing is
written to disk; links, hidden files and folders are left out; an archive inside is not unpacked.
"""

from __future__ import annotations

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from lexfield.errors import ReadError
from lexfield.store.bounds import most_unpacked
from lexfield.text.source import COPY, MAX_DOCUMENT, Source

_ENTRY = b"PK\x01\x02"  # before each entry of the directory
_PIECE = 1 << 16
_ERRORS = (  # of zipfile, tarfile and the packers under them, whose headers can hold any number
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError,
    OSError, LookupError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Bounds:
    """Limits: files in all, bytes of everything unpacked, and its ratio to what is packed."""

    entries: int = 10_000
    unpacked: int = MAX_DOCUMENT
    ratio: float = float("inf")


@contextmanager
def open_zip(data: bytes, where: str, kind: str, bounds: Bounds) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive. Raise ReadError if it is damaged, or has too many entries."""
    # Counted before zipfile makes an object of each; an archive within may hold as many again.
    too_many = data.count(_ENTRY) // 2 > bounds.entries
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if too_many or len(archive.filelist) > bounds.entries:
                raise ReadError(
                    f"{where} has more than {bounds.entries:,} entries.", "Split it into several."
                )
            yield archive
    except ReadError:
        raise
    except _ERRORS as error:
        is_cut = str(error) == "File is not a zip file" and data.startswith(b"PK")
        problem = "its end is missing" if is_cut else error
        raise ReadError(f"{where} is a damaged {kind}: {problem}.", COPY) from error


def unzip(data: bytes, where: str, bounds: Bounds) -> Iterator[tuple[str, bytes | ReadError]]:
    """Yield the names and contents of the files in a zip archive, or what is wrong with one."""
    room = bounds.unpacked
    with open_zip(data, where, "zip archive", bounds) as archive:
        for entry in archive.infolist():
            is_link = entry.external_attr >> 28 == 0xA
            if entry.is_dir() or is_link or is_hidden(entry.filename):
                continue
            content: bytes | ReadError
            try:
                content = read_entry(archive, entry, where, room, bounds)
                room -= len(content)
            except ReadError:
                raise
            except NotImplementedError:
                problem = "packed in a way that is not supported"
                content = ReadError(f"{where}/{entry.filename} is {problem}.", "Unpack it first.")
            except _ERRORS:
                content = ReadError(f"{where}/{entry.filename} is damaged.", COPY)
            yield entry.filename, content


def read_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, where: str, room: int, bounds: Bounds
) -> bytes:
    """Return the content of an entry of at most ``room`` bytes."""
    if entry.flag_bits & 1:
        raise ReadError(f"{where} is encrypted.", "Save it without a password.")
    with archive.open(entry) as stream:
        name = f"{where}: {entry.filename}"
        return read_bounded(stream, name, max(entry.compress_size, 1), room, bounds)


class Stream(Protocol):
    """What can be read piece by piece."""

    def read(self, size: int, /) -> bytes: ...


def read_bounded(stream: Stream, name: str, packed: int, room: int, bounds: Bounds) -> bytes:
    """Return all bytes, read piece by piece, as the size that an entry claims may be wrong."""
    parts, size = [], 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > room:
            raise ReadError(
                f"{name} unpacks to more than {bounds.unpacked / 1e6:,.0f} MB in all.",
                "If you trust it, unpack it first.",
            )
        if size > _PIECE and size > bounds.ratio * packed:
            raise ReadError(
                f"{name} unpacks to more than {bounds.ratio:g} times its size.",
                "If you trust it, unpack it first.",
            )
        parts.append(piece)
    return b"".join(parts)


def is_hidden(name: str) -> bool:
    """Does a path have a hidden part, as systems put into archives?"""
    parts = (part for part in PurePosixPath(name).parts if part != "..")
    return any(part.startswith((".", "__MACOSX")) for part in parts)


def read_zip(source: Source) -> Iterator[Source]:
    """Yield the files in a zip archive."""
    data = source.data()
    bounds = Bounds(unpacked=most_unpacked(len(data)))
    for name, content in unzip(data, str(source), bounds):
        yield _enter(source, name, content)


def read_tar(source: Source) -> Iterator[Source]:
    """Yield the files in a tar archive."""
    bounds, number = Bounds(), 0
    try:
        with tarfile.open(fileobj=io.BytesIO(source.data()), mode="r:") as archive:
            for member in archive:
                archive.members = []  # type: ignore[attr-defined]  # it keeps every member
                number += 1
                if number > bounds.entries:
                    raise ReadError(
                        f"{source} has more than {bounds.entries:,} entries.",
                        "Split it into several.",
                    )
                if not member.isreg() or member.sparse is not None or is_hidden(member.name):
                    continue
                if stream := archive.extractfile(member):
                    yield _enter(source, member.name, stream.read())
    except ReadError:
        raise
    except _ERRORS as error:
        raise ReadError(f"{source} is a damaged tar archive: {error}.", COPY) from error


def _enter(source: Source, name: str, content: bytes | ReadError) -> Source:
    parts = name.replace("\\", "/").split("/")
    name = "/".join(part for part in parts if part not in ("", ".", ".."))  # a name, not a place
    path = Path(str(source), name)
    return Source(path, f"{source.name}/{name}", source.encoding, content)
