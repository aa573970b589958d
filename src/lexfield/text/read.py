"""Files, folders, tables and standard input → a stream of ``Document``.

What cannot be read is either an error that names file and line or, inside a folder, an entry of
``Reader.skipped``. Nothing is left out silently.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

from lexfield.errors import InputError, ReadError, check, list_names, refuse_unknown
from lexfield.results import JsonObject
from lexfield.store.manifest import CURRENT, generations
from lexfield.text.cut import Cutter, Joining, NamePattern
from lexfield.text.decode import check_encoding, strip_gutenberg
from lexfield.text.document import Document
from lexfield.text.readers import READERS, Item, Record, Source, map_suffixes, name_text

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_TEXT_FIELDS = ("text", "body", "content", "sentence", "abstract", "description")
_NO_TITLE = "none"
_ID_FIELDS = ("id", "_id", "doc_id", "docno", "key")
_IGNORE_FILES = (".gitignore", ".ignore", ".lexfieldignore")


class Reader:
    """Documents from paths, read one at a time.

    paths: files, folders (recursively), or ``"-"`` for standard input.
    text_fields: the fields of a record that make its text, in order; by default the first of
        text, body, content, sentence, abstract, description. The other fields become metadata.
    title_field: the field with the title of a record. The title begins the text, unless the text
        begins with it already, and is metadata too. By default it is the field title (or summary,
        as bug trackers have it, beside a description) where text_fields are left out as well;
        "none" leaves titles out.
    id_field: the field with the id; by default id, _id, doc_id, docno or key, else the line.
    encoding: by default a byte-order mark, valid UTF-8, or a guess.
    format: a name from ``READERS``, such as text, lines (one document per line), jsonl, csv, tsv or
        parquet; by default from the suffix of the file.
    metadata: a csv, tsv or jsonl file with one record per document, joined by id, file name or
        stem.
    name: where metadata are in the names of files, such as ``{author}_{title}_{year}``.
    split, chunk, sample_chunks, join_lines: see ``Cutter``.
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        text_fields: Sequence[str] = (),
        title_field: str | None = None,
        id_field: str | None = None,
        encoding: str | None = None,
        format: str | None = None,
        metadata: str | Path | None = None,
        keep_gutenberg: bool = False,
        name: str | None = None,
        split: str | None = None,
        chunk: int | None = None,
        sample_chunks: int | None = None,
        join_lines: Joining = "auto",
        **unknown: Never,
    ) -> None:
        refuse_unknown(type(self), unknown)
        names = READERS.names()
        check(format is None or format in names, "format", f"one of {', '.join(names)}", format)
        self.paths = [paths] if isinstance(paths, str | Path) else list(paths)
        self.text_fields = tuple(text_fields)
        self.title_field = title_field
        self.id_field = id_field
        self.encoding = check_encoding(encoding) if encoding else None
        self.format = format
        self.keep_gutenberg = keep_gutenberg
        self.skipped: list[tuple[str, str]] = []
        self.notes: list[str] = []
        self._cutting = (split, chunk, sample_chunks, join_lines)
        self._cutter = Cutter(*self._cutting)
        self._name = None if name is None else NamePattern(name)
        self._misnamed: list[str] = []
        self._suffixes = map_suffixes()
        self._metadata = self._read_metadata(Path(metadata)) if metadata else {}

    def __iter__(self) -> Iterator[Document]:
        for noted in (self.skipped, self.notes, self._misnamed):
            noted.clear()
        self._cutter = Cutter(*self._cutting)
        return self._cutter.cut(self._read_paths())

    def _read_paths(self) -> Iterator[Document]:
        for path in self.paths:
            if str(path) == "-":
                yield from self._read(Source(None, encoding=self.encoding))
            elif os.path.isdir(path):
                yield from self._read_folder(Path(path))
            elif os.path.exists(path):
                yield from self._read(Source(Path(path), encoding=self.encoding))
            else:
                raise ReadError(f"{path} does not exist.", "Check the path.")

    def _read_folder(self, folder: Path) -> Iterator[Document]:
        if (folder / CURRENT).is_file() and generations(folder):
            raise ReadError(
                f"{folder} is an index, not texts.",
                "Name the texts it was built from, or the index alone.",
            )
        for path in walk(folder, self.skipped):
            source = Source(path, path.relative_to(folder).as_posix(), self.encoding)
            is_text = getattr(READERS.get(self._format_of(source)), "is_text", False)
            if is_text and (problem := source.problem()):
                self.skipped.append((source.name, problem))
            else:
                yield from self._read(source)

    def _format_of(self, source: Source) -> str:
        """Return the name of the format that the user chose, or that the suffix stands for."""
        if self.format:
            return self.format
        name = source.name.lower().removesuffix(".gz")
        return self._suffixes.get(os.path.splitext(name)[1], "text")

    def _read(self, source: Source) -> Iterator[Document]:
        format = self._format_of(source)
        for item in _read_items(format, source):
            document = item if isinstance(item, Document) else self._to_document(*item, str(source))
            if format == "text":
                if not self.keep_gutenberg:
                    document = replace(document, text=strip_gutenberg(document.text))
                document = self._read_name(document)
            yield self._join_metadata(document)
        self.notes.extend(source.notes)

    def _read_name(self, document: Document) -> Document:
        """Add the metadata in the name of a file."""
        if self._name is None:
            return document
        fields = self._name.read(document.id)
        if not fields:
            self._misnamed.append(document.id)
        return replace(document, metadata={**document.metadata, **fields})

    def from_records(
        self, records: Iterable[tuple[int, Record]], source: str
    ) -> Iterator[Document]:
        """Make documents from numbered records; other fields become metadata."""
        for number, record in records:
            yield self._join_metadata(self._to_document(number, record, source))

    def preview(self, count: int) -> tuple[dict[str, str], list[dict[str, str]]]:
        """Return what the fields of the first file are used for, and its first records.

        A use is text, title, id or metadata. A file that is not a table has neither.
        """
        source = Source(Path(self.paths[0]), encoding=self.encoding)
        items = islice(_read_items(self._format_of(source), source), count)
        records = [item[1] for item in items if not isinstance(item, Document)]
        roles = {name: "metadata" for record in records for name in record}
        for record in records[:1]:
            fields = self.text_fields or _find_field(_TEXT_FIELDS, record, any_case=True)
            title = self._find_title(fields, record) if fields else None
            ids = (self.id_field,) if self.id_field else _find_field(_ID_FIELDS, record)
            roles |= dict.fromkeys(ids, "id") | ({title: "title"} if title else {})
            roles |= dict.fromkeys(fields, "text")
        return roles, [{n: _to_string(v) for n, v in record.items()} for record in records]

    def _to_document(self, number: int, record: Record, source: str) -> Document:
        place = f"{source}:{number}"
        fields = self.text_fields or _find_field(_TEXT_FIELDS, record, any_case=True)
        missing = [name for name in fields if name not in record]
        if not fields or missing:
            raise ReadError(
                f"{place}: no field {' or '.join(map(repr, missing[:20] or _TEXT_FIELDS))};"
                f" there are {list_names(map(repr, record))}.",
                "Name the field with the text: --text-field NAME.",
            )
        title = self._find_title(fields, record)
        for field, use in ((self.id_field, "id"), (title, "title")):
            if field and field not in record:
                raise ReadError(
                    f"{place}: no field {field!r} for the {use};"
                    f" there are {list_names(map(repr, record))}."
                )
        id_fields = (self.id_field,) if self.id_field else _find_field(_ID_FIELDS, record)
        id = _to_string(record[id_fields[0]]) if id_fields else f"{Path(source).name}:{number}"
        text = "\n\n".join(value for name in fields if (value := _to_string(record[name])))
        if title:
            text = _put_title(_to_string(record[title]), text)
        rest = {
            name: _to_string(value)
            for name, value in record.items()
            if name not in fields and name not in id_fields
        }
        return Document(id, text, place, rest)

    def _find_title(self, fields: Sequence[str], record: Record) -> str | None:
        """Return the field with the title of a record, if that has one beside its text."""
        if self.title_field is not None:
            is_left_out = self.title_field == _NO_TITLE or self.title_field in fields
            return None if is_left_out else self.title_field
        if self.text_fields:
            return None
        names = ("title", "summary") if fields[0].lower() == "description" else ("title",)
        return next(iter(_find_field(names, record, any_case=True)), None)

    def _join_metadata(self, document: Document) -> Document:
        id = document.id
        extra = self._metadata.get(id) or self._metadata.get(Path(id).name)
        return replace(document, metadata={**document.metadata, **extra}) if extra else document

    def _read_metadata(self, path: Path) -> dict[str, Mapping[str, str]]:
        """Return the records of a table by id."""
        source = Source(path)
        format = self._suffixes.get(os.path.splitext(path.name.lower().removesuffix(".gz"))[1])
        known: dict[str, Mapping[str, str]] = {}
        for item in _read_items("csv" if format in (None, "text") else format, source):
            number, record = (0, {}) if isinstance(item, Document) else item
            fields = _find_field(_ID_FIELDS, record)
            if not fields:
                raise ReadError(f"{path}:{number}: no field {' or '.join(map(repr, _ID_FIELDS))}.")
            known[_to_string(record[fields[0]])] = {
                name: _to_string(value) for name, value in record.items() if name not in fields
            }
        return known

    def check_field(self, field: str) -> None:
        """Raise InputError if no document can have a metadata field, before any text is read: all
        files are plain texts, and neither ``metadata`` nor ``name`` has it for any of them."""
        ids: list[str] = []
        for path in map(Path, self.paths):
            if (path / CURRENT).is_file():
                return  # an index, which is refused where it is read
            files = walk(path, []) if path.is_dir() else [path]
            for file in files:
                name = file.relative_to(path).as_posix() if path.is_dir() else file.name
                source = Source(file, name)
                if self._format_of(source) != "text":
                    return  # a record may have it
                ids.append(name_text(source))
        named = (self._join_metadata(self._read_name(Document(id, ""))) for id in ids)
        if (
            not ids
            or field in ("heading", "part_of")
            or any(one.metadata.get(field) for one in named)
        ):
            return
        tables = {name for record in self._metadata.values() for name in record}
        known = sorted(tables.union(self._name.fields if self._name else ()))
        what = f"the texts have only {list_names(known)}" if known else "the texts have no metadata"
        if field in known:
            what = f"where it is, none of the {len(ids):,} texts is named, such as {ids[0]!r}"
        raise InputError(
            f"No document has the field {field!r}: {what}.",
            f"Give a table with the columns id and {field} (--metadata FILE), or say where it is in"
            f" the names of the files: --name '{{{field}}}_{{title}}'.",
        )

    def report(self) -> list[str]:
        """Return notes on what was left out, guessed or repaired, once everything was read."""
        notes = [*self._report_skipped(), *self.notes, *self._cutter.report()]
        if self._name is not None and self._misnamed:
            names = list_names(self._misnamed, 5)
            notes.append(f"names that do not fit {self._name.pattern!r}: {names}")
        return notes

    def _report_skipped(self) -> list[str]:
        reasons: dict[str, list[str]] = {}
        for name, reason in self.skipped:
            reasons.setdefault(reason, []).append(name)
        return [
            f"skipped {len(names):,} ({reason}): {list_names(names, 3)}"
            for reason, names in reasons.items()
        ]

    def no_text_error(self) -> InputError:
        """Return the error for input without any text."""
        skipped = "; ".join(["", *self._report_skipped()])
        return InputError(f"There is no text in {list_names(self.paths)}{skipped}.")


def _read_items(format: str, source: Source) -> Iterator[Item]:
    """Yield what a reader makes of a file. Raise InputError if it is not what readers yield."""
    expected = "documents or pairs (number, fields) are expected"
    items: object = READERS.get(format).read(source)
    if not isinstance(items, Iterable):
        kind = type(items).__name__
        raise InputError(f"The reader {format!r} returned {kind} where {expected}.")
    for item in items:
        is_record = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], Mapping)
        if not is_record and not isinstance(item, Document):
            raise InputError(f"The reader {format!r} yielded {item!r} where {expected}.")
        yield item


def _find_field(names: Sequence[str], record: Record, any_case: bool = False) -> tuple[str, ...]:
    """Return the first of some names that a record has, as it is written there."""
    found: dict[str, str] = {}
    for name in record:
        found.setdefault(name.lower() if any_case else name, name)
    return next(((found[name],) for name in names if name in found), ())


def _put_title(title: str, text: str) -> str:
    """Return a text that begins with its title, as a sentence of its own; never twice."""
    wanted = " ".join(title.split()).casefold().rstrip(" .")
    start = " ".join(text.lstrip()[: 2 * len(title) + 100].split()).casefold()
    if not wanted or (start.startswith(wanted) and not start[len(wanted) :][:1].isalnum()):
        return text
    return f"{title}\n\n{text}" if text else title


def _to_string(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def walk(folder: Path, skipped: list[tuple[str, str]]) -> Iterator[Path]:
    """Yield files below ``folder``; others go to ``skipped`` with the reason.

    Links are followed within the folder only: one from elsewhere could hold a link to a secret.
    """
    from pathspec import GitIgnoreSpec  # of no use to most commands

    inside = os.path.join(os.path.realpath(folder), "")
    rules: list[tuple[str, GitIgnoreSpec]] = []
    for here, folders, files in os.walk(folder):
        folders.sort()
        base = os.path.relpath(here, folder)
        prefix = "" if base == "." else f"{Path(base).as_posix()}/"
        lines = [line for name in _IGNORE_FILES for line in _lines(Path(here, name))]
        rules = [(at, spec) for at, spec in rules if prefix.startswith(at)]
        if lines:
            rules.append((prefix, GitIgnoreSpec.from_lines(lines)))
        for name in list(folders):
            if reason := _reason(f"{prefix}{name}/", rules):
                folders.remove(name)
                skipped.append((f"{prefix}{name}/", reason))
        for name in sorted(files):
            if reason := _reason(f"{prefix}{name}", rules):
                skipped.append((f"{prefix}{name}", reason))
            elif not os.path.isfile(path := os.path.join(here, name)):
                skipped.append((f"{prefix}{name}", "not a regular file"))
            elif os.path.islink(path) and not os.path.realpath(path).startswith(inside):
                skipped.append((f"{prefix}{name}", "a link out of the folder"))
            else:
                yield Path(path)


def _reason(relative: str, rules: list[tuple[str, GitIgnoreSpec]]) -> str:
    if os.path.basename(relative.rstrip("/")).startswith("."):
        return "hidden"
    if any(spec.match_file(relative[len(at) :]) for at, spec in rules):
        return "ignored"
    return ""


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines() if path.is_file() else []


def records_of(frame: Any) -> list[JsonObject]:
    """Return one dictionary per row; missing values are None. No data frame package is imported."""
    if hasattr(frame, "to_dicts"):  # polars, and lexfield's own tables
        rows = frame.to_dicts()
    elif hasattr(frame, "to_pylist"):  # Arrow
        rows = frame.to_pylist()
    elif hasattr(frame, "to_dict") and hasattr(frame, "columns"):  # pandas
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    elif isinstance(frame, Iterable) and not isinstance(frame, str | bytes | Mapping):
        rows = list(frame)
    else:
        rows = None
    if rows is None or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            f"A {type(frame).__name__} is not a table of texts.",
            "Give a pandas, polars or Arrow table, or a list of dictionaries.",
        )
    return [{str(name): value for name, value in row.items()} for row in rows]
