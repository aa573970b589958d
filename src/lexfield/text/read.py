"""Files, folders, tables and standard input → a stream of ``Document``.

What cannot be read is either an error that names file and line, or, inside a folder, an entry of
``Reader.skipped``: nothing is left out without a trace.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from lexfield.errors import InputError, ReadError, check, list_names
from lexfield.store.manifest import CURRENT, generations
from lexfield.text.decode import check_encoding, detect, is_binary, strip_gutenberg
from lexfield.text.document import Document
from lexfield.text.folder import walk
from lexfield.text.records import Record, opened, read_bounded, read_parquet, read_records

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
FORMATS = ("text", "lines", "jsonl", "csv", "tsv", "parquet")
_TEXT_FIELDS = ("text", "body", "content", "sentence", "abstract")
_ID_FIELDS = ("id", "_id", "doc_id", "docno", "key")


class Reader:
    """Documents from paths, read one at a time.

    paths: files, folders (recursively), or ``"-"`` for standard input.
    text_fields: the fields of a record that make its text, in order; by default the first of
        text, body, content, sentence, abstract. The other fields become metadata.
    id_field: the field with the id; by default id, _id, doc_id, docno or key, else the line.
    encoding: by default a byte-order mark, valid UTF-8, or a guess.
    format: text, lines (one document a line), jsonl, csv, tsv, parquet; by default from the name.
    metadata: a csv, tsv or jsonl file with one record a document, joined by id, file name or stem.
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        text_fields: Sequence[str] = (),
        id_field: str | None = None,
        encoding: str | None = None,
        format: str | None = None,
        metadata: str | Path | None = None,
        keep_gutenberg: bool = False,
    ) -> None:
        check(format is None or format in FORMATS, "format", f"one of {', '.join(FORMATS)}", format)
        self.paths = [paths] if isinstance(paths, str | Path) else list(paths)
        self.text_fields = tuple(text_fields)
        self.id_field = id_field
        self.encoding = check_encoding(encoding) if encoding else None
        self.format = format
        self.keep_gutenberg = keep_gutenberg
        self.skipped: list[tuple[str, str]] = []
        self.notes: list[str] = []
        self._metadata = _read_metadata(Path(metadata)) if metadata else {}

    def __iter__(self) -> Iterator[Document]:
        self.skipped.clear()
        self.notes.clear()
        for path in self.paths:
            if str(path) == "-":
                yield from self._stream(sys.stdin.buffer, "stdin", "stdin", self.format or "text")
            elif os.path.isdir(path):
                yield from self._folder(Path(path))
            elif os.path.exists(path):
                yield from self._file(Path(path), Path(path).name)
            else:
                raise ReadError(f"{path} does not exist.", "Check the path.")

    def _folder(self, folder: Path) -> Iterator[Document]:
        if (folder / CURRENT).is_file() and generations(folder):
            raise ReadError(
                f"{folder} is an index, not texts.", "Give what it was made of, or an index alone."
            )
        for path in walk(folder, self.skipped):
            relative = path.relative_to(folder).as_posix()
            try:
                with opened(path) as file:
                    if _kind(path, self.format) == "text" and is_binary(file.read(8192)):
                        self.skipped.append((relative, "binary"))
                        continue
            except ReadError as error:
                self.skipped.append((relative, error.message))
                continue
            yield from self._file(path, relative)

    def told(self) -> list[str]:
        """What was left out, guessed or repaired, when all has been read."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.skipped:
            reasons.setdefault(reason, []).append(name)
        skipped = [
            f"skipped {len(names):,} ({reason}): {', '.join(names[:3])}{', …' * (len(names) > 3)}"
            for reason, names in reasons.items()
        ]
        return [*skipped, *self.notes]

    def nothing(self) -> InputError:
        """The error when there was no text."""
        skipped = f" {len(self.skipped):,} files were skipped." if self.skipped else ""
        return InputError(f"There is no text in {list_names(self.paths)}.{skipped}")

    def _file(self, path: Path, name: str) -> Iterator[Document]:
        kind = _kind(path, self.format)
        if kind == "parquet":
            yield from self.records(read_parquet(path, self.notes), str(path))
            return
        with opened(path) as file:
            yield from self._stream(file, name, str(path), kind)

    def _stream(self, file: IO[bytes], name: str, source: str, kind: str) -> Iterator[Document]:
        if kind == "text":
            yield self._text(file, name, source)
        else:
            yield from self.records(read_records(file, kind, source, self.encoding), source)

    def _text(self, file: IO[bytes], name: str, source: str) -> Document:
        data = read_bounded(file, source)
        encoding = self.encoding or detect(data, whole=True)
        if encoding not in ("utf-8", "utf-8-sig") and not self.encoding:
            self.notes.append(f"{source}: not UTF-8, read as {encoding}")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            raise ReadError(
                f"{source} is not valid {encoding} (byte {error.start:,}).",
                "Name its encoding with --encoding.",
            ) from error
        text = text.replace("\r\n", "\n")
        stem = name[: -len(Path(name).suffix)] if name.endswith((".txt", ".md", ".text")) else name
        return self._document(
            stem, text if self.keep_gutenberg else strip_gutenberg(text), source, {}
        )

    def records(self, records: Iterable[tuple[int, Record]], source: str) -> Iterator[Document]:
        """Documents from numbered records; other fields become metadata."""
        for line, record in records:
            place = f"{source}:{line}"
            fields = self.text_fields or _first(_TEXT_FIELDS, record)
            missing = [name for name in fields if name not in record]
            if not fields or missing:
                raise ReadError(
                    f"{place}: no field {' or '.join(map(repr, missing[:20] or _TEXT_FIELDS))};"
                    f" there are {list_names(map(repr, record))}.",
                    "Name the field with the text: --text-field NAME.",
                )
            id_fields = (self.id_field,) if self.id_field else _first(_ID_FIELDS, record)
            if self.id_field and self.id_field not in record:
                raise ReadError(f"{place}: no field {self.id_field!r} for the id.")
            identity = _string(record[id_fields[0]]) if id_fields else f"{Path(source).name}:{line}"
            text = "\n\n".join(value for name in fields if (value := _string(record[name])))
            rest = {
                name: _string(value)
                for name, value in record.items()
                if name not in fields and name not in id_fields
            }
            yield self._document(identity, text, place, rest)

    def _document(self, id: str, text: str, source: str, known: dict[str, str]) -> Document:
        extra = self._metadata.get(id) or self._metadata.get(Path(id).name) or {}
        return Document(id, text, source, {**known, **extra})


def _kind(path: Path, format: str | None) -> str:
    name = path.name.lower().removesuffix(".gz")
    return format or _SUFFIXES.get(os.path.splitext(name)[1], "text")


def _first(names: Sequence[str], record: Record) -> tuple[str, ...]:
    return next(((name,) for name in names if name in record), ())


def _string(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _read_metadata(path: Path) -> dict[str, Mapping[str, str]]:
    """Records of a table by their id, for joining to texts."""
    known: dict[str, Mapping[str, str]] = {}
    with opened(path) as file:
        for line, record in read_records(file, _kind(path, None), str(path), None):
            fields = _first(_ID_FIELDS, record)
            if not fields:
                raise ReadError(f"{path}:{line}: no field {' or '.join(map(repr, _ID_FIELDS))}.")
            known[_string(record[fields[0]])] = {
                name: _string(value) for name, value in record.items() if name not in fields
            }
    return known
