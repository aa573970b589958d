"""Files that people send, checked before they are trusted and unpacked within limits.

The kind of a file is decided by its first bytes, not by its name. While a zip archive is unpacked,
its entries and bytes are counted, and how much larger they are than what was sent. Names are made
harmless; nothing is written outside the folder.
"""

from __future__ import annotations

import io
import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lexfield.errors import InputError
from lexfield.store.files import private_files, replace_file
from lexfield.text.decode import OLD_OFFICE, SAMPLE, identify
from lexfield.text.folder import ASSET, is_asset
from lexfield.text.formats.archive import Bounds, read_bounded, unzip
from lexfield.text.packed import PACKING_ERRORS, find_packing, strip_packing, unpack
from lexfield.text.readers import ARCHIVES, BY_CONTENT, map_suffixes

_ZIP = b"PK\x03\x04"
_SIGNS = frozenset("_.- '’()（）「」『』·・")  # which names may have, besides letters
_BOUNDS = Bounds(entries=5000, unpacked=200_000_000, ratio=100)


@dataclass(frozen=True)
class Sent:
    """A file as it was sent."""

    name: str
    data: bytes


def keep(
    files: list[Sent], folder: Path, bounds: Bounds | None = None
) -> tuple[list[str], list[str]]:
    """Write files of text into a folder; return their names, and notes on those that are not text,
    or damaged.

    Raise InputError if none is text.
    """
    bounds = bounds or _BOUNDS
    names: list[str] = []
    refused: list[InputError] = []
    room = bounds.unpacked
    for sent in files:
        for name, data in _unpack(sent, bounds, room):
            if len(names) >= bounds.entries:
                raise InputError(f"There are more than {bounds.entries:,} files.", "Send fewer.")
            try:
                if isinstance(data, InputError):
                    raise data
                room -= len(data)
                _check_text(name, data)
            except InputError as error:
                refused.append(error)
                continue
            place = _find_free(_clean_name(name), {one.lower() for one in names})
            with private_files():
                replace_file(folder / place, data)
            names.append(place)
    if not names:
        nothing = InputError(
            "There is no text in what was sent.", "Send a text file, or paste text."
        )
        raise refused[0] if refused else nothing
    return names, [f"left out: {error.message.rstrip('.')}" for error in refused]


def _unpack(sent: Sent, bounds: Bounds, room: int) -> Iterator[tuple[str, bytes | InputError]]:
    """Yield names and contents, or what is wrong with one. Raise InputError beyond the bounds."""
    if sent.data.startswith(_ZIP) and identify(sent.data[:SAMPLE])[0] == "a zip archive":
        for name, data in unzip(sent.data, sent.name, replace(bounds, unpacked=room)):
            if isinstance(data, bytes) and (
                find_packing(data[:10]) or BY_CONTENT.get(identify(data[:SAMPLE])[0]) in ARCHIVES
            ):
                what = f"{name} in {sent.name} is an archive itself."
                yield name, InputError(what, "Unpack it first.")
            else:
                yield name, data
    elif packing := find_packing(sent.data[:10]):
        name = strip_packing(sent.name)
        try:
            with unpack(io.BytesIO(sent.data), packing) as stream:
                yield name, read_bounded(stream, name, len(sent.data), room, bounds)
        except PACKING_ERRORS:
            yield name, InputError(f"{sent.name} is a damaged {packing} file.")
    else:
        yield sent.name, sent.data


def _check_text(name: str, data: bytes) -> None:
    if is_asset(name):
        raise InputError(f"{name} is {ASSET}, not text.", "Send the page itself.")
    what, hint = identify(data if data.startswith(OLD_OFFICE) else data[:SAMPLE])
    if "encrypted" in what:
        raise InputError(f"{name} is {what}.", hint)
    if what and what not in BY_CONTENT:
        raise InputError(
            f"{name} is {what}, not text.",
            "Send text, a document (PDF, DOCX, ODT, EPUB, HTML, RTF, e-mail), a table (csv, tsv,"
            " jsonl, json, parquet), or a zip archive of these.",
        )


def _clean_name(name: str) -> str:
    """Return a name without folders and odd characters; the suffix says how to read the file."""
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    base = "".join(one if _is_harmless(one) else "\0" for one in base)
    base = re.sub("\0+", "_", base).strip(". ") or "text"
    stem, dot, suffix = base.rpartition(".")
    if not dot:
        return _shorten(base) + ".txt"
    if map_suffixes().get(f".{suffix.lower()}", "text") != "text":
        return f"{_shorten(stem)}.{suffix.lower()}"
    return f"{_shorten(stem if suffix.lower() in ('txt', 'md', 'text') else base)}.txt"


def _is_harmless(sign: str) -> bool:
    """Is a sign a letter, one of its marks (as the vowels of Hindi and Thai are), or a number?"""
    return sign in _SIGNS or unicodedata.category(sign)[0] in "LMN"


def _shorten(name: str) -> str:
    """Return a name that every file system can hold: they count bytes, of which 漢 has three."""
    return name[:100].encode()[:200].decode("utf-8", "ignore")


def _find_free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken; some systems do not distinguish case."""
    stem, _, suffix = name.rpartition(".")
    others = (f"{stem} {number}.{suffix}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], others) if one.lower() not in taken)
