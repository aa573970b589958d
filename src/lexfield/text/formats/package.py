"""Documents that are zip files of XML, such as DOCX, ODT and EPUB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lexfield.errors import ReadError
from lexfield.store.bounds import most_unpacked
from lexfield.text.decode import ENCRYPTED_OFFICE, OLD_OFFICE
from lexfield.text.formats.archive import Bounds, open_zip, read_entry
from lexfield.text.formats.xml import parse, read_fields
from lexfield.text.source import MAX_DOCUMENT, Source


class Package:
    """The parts of such a document; ``kind`` names it in messages."""

    def __init__(self, source: Source, kind: str) -> None:
        self.source, self.kind = source, kind
        self._data = source.data()
        if self._data.startswith(OLD_OFFICE):
            if ENCRYPTED_OFFICE in self._data:
                raise ReadError(f"{source} is encrypted.", "Save it without a password.")
            raise ReadError(f"{source} is an old Office document (DOC).", "Save it as DOCX.")
        if not self._data.startswith(b"PK"):
            article = "an" if kind[0] in "AEIO" else "a"
            raise ReadError(
                f"{source} is not {article} {kind}, despite its name.",
                "Rename it, or say what it is, as in --format text.",
            )
        self._room = min(MAX_DOCUMENT, most_unpacked(len(self._data)))
        self._bounds = Bounds(unpacked=self._room)

    @contextmanager
    def open(self) -> Iterator[Package]:
        with open_zip(self._data, str(self.source), self.kind, self._bounds) as self._archive:
            self.names = set(self._archive.namelist())
            yield self

    def read(self, name: str) -> bytes:
        """Return a part. Raise ReadError if there is none of this name."""
        if name not in self.names:
            raise ReadError(f"{self.source} is not a complete {self.kind}: {name} is missing.")
        entry = self._archive.getinfo(name)
        data = read_entry(self._archive, entry, str(self.source), self._room, self._bounds)
        self._room -= len(data)
        return data

    def find(self, name: str) -> bytes:
        """Return a part, or nothing if there is none of this name."""
        return self.read(name) if name in self.names else b""

    def find_fields(self, name: str, paths: Mapping[str, str]) -> dict[str, str]:
        """Return the fields of a part (see ``read_fields``), which need not be there."""
        data = self.find(name)
        return read_fields(parse(data, str(self.source)), paths) if data else {}
