"""Files, folders, tables and standard input → a stream of ``Document``.

What cannot be read is either an error that names file and line or, inside a folder, an entry of
``Reader.skipped``. Nothing is left out silently.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Never

from lexfield.errors import (
    InputError,
    LexfieldError,
    MissingExtraError,
    ReadError,
    check,
    list_names,
    refuse_unknown,
)
from lexfield.store.manifest import CURRENT, generations
from lexfield.text.cut import Cutter, Joining, NamePattern
from lexfield.text.decode import HTML, TEXT, XML, check_encoding, refuse_kind, strip_gutenberg
from lexfield.text.document import Document
from lexfield.text.fields import fill_field
from lexfield.text.folder import ASSET, is_asset, walk
from lexfield.text.formats.pdf import CHILD
from lexfield.text.language import FIELD, UNKNOWN, detect_text_language
from lexfield.text.language_data import find_code
from lexfield.text.metadata_table import MetadataTable
from lexfield.text.packed import strip_packing
from lexfield.text.readers import ARCHIVES, READERS, Item, choose_format, map_suffixes
from lexfield.text.records import ID_FIELDS, Record, find_field, put_title, to_string
from lexfield.text.skipped import give_reason, group_notes, report_skipped
from lexfield.text.source import Source, name_text
from lexfield.text.stopwords import check_language

_TEXT_FIELDS = ("text", "body", "content", "sentence", "abstract", "description")
_NO_TITLE = "none"


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
    language: that of all texts, whatever the files say; "none" is the same as leaving it out.
    encoding: by default a byte-order mark, valid UTF-8, or a guess.
    format: a name from ``READERS``, such as text, lines (one document per line), csv or pdf; by
        default from the suffix of the file and its first bytes.
    metadata: a csv, tsv or jsonl file with one record per document, joined by id or by file name
        with or without its suffix. Notes say what did not match.
    name_pattern: where metadata are in the names of files, such as ``{author}_{title}_{year}``.
    split, chunk, sample_chunks, join_lines: see ``Cutter``.
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        text_fields: Sequence[str] = (),
        title_field: str | None = None,
        id_field: str | None = None,
        language: str | None = None,
        encoding: str | None = None,
        format: str | None = None,
        metadata: str | Path | None = None,
        keep_gutenberg: bool = False,
        name_pattern: str | None = None,
        split: str | None = None,
        chunk: int | None = None,
        sample_chunks: int | None = None,
        join_lines: Joining = "auto",
        **unknown: Never,
    ) -> None:
        refuse_unknown(type(self), unknown)
        names = READERS.names()
        check(format is None or format in names, "format", f"one of {', '.join(names)}", format)
        check(isinstance(paths, Path | Iterable), "paths", "a path or a list of paths", paths)
        self.paths = [paths] if isinstance(paths, str | Path) else list(paths)
        self.text_fields = tuple(text_fields)
        self.title_field, self.id_field = title_field, id_field
        self.language = check_language(language)
        self.encoding = check_encoding(encoding) if encoding else None
        self.format = format
        self.keep_gutenberg = keep_gutenberg
        self.skipped: list[tuple[str, str]] = []
        self.notes: list[str] = []
        self._cutting = (split, chunk, sample_chunks, join_lines)
        self._cutter = Cutter(*self._cutting)
        self._name = None if name_pattern is None else NamePattern(name_pattern)
        self._misnamed: list[str] = []
        self._files: dict[str, str] = {}  # ids of files that are one document, and their names
        self._guesses: dict[str, set[str]] = {}  # columns, and the files where they were chosen
        self._declared: list[str] = []  # texts that are not English, as their files say
        self._read_files = 0
        self._noted: dict[str, tuple[str, str]] = {}  # by note: path and name of its file
        self._errors: list[LexfieldError] = []  # of skipped files
        self._suffixes = map_suffixes()
        self._metadata = self._read_metadata(Path(metadata)) if metadata else MetadataTable()

    def __iter__(self) -> Iterator[Document]:
        for noted in (
            self.skipped, self.notes, self._misnamed, self._files, self._guesses, self._errors,
            self._noted, self._declared,
        ):  # fmt: skip
            noted.clear()
        self._metadata.forget()
        self._read_files = 0
        self._cutter = Cutter(*self._cutting)
        try:
            yield from self._cutter.cut(self._read_paths())
        finally:
            CHILD.close()

    def __length_hint__(self) -> int:
        """Return the number of files in folders, most of which hold one document."""
        folders = [Path(path) for path in self.paths if os.path.isdir(path)]
        return sum(1 for folder in folders for _ in walk(folder, []))

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
            name = path.relative_to(folder).as_posix()
            yield from self._read_one_of_many(Source(path, name, self.encoding))

    def _read_one_of_many(self, source: Source) -> Iterator[Document]:
        """Read a file of a folder or archive; skip it, with the reason, if it cannot be read."""
        found: set[str] = set()
        try:
            for document in self._read(source):
                if document.id in found:
                    raise ReadError(f"{document.source}: the id {document.id!r} is used twice.")
                yield document
                found.add(document.id)
        except (ReadError, MissingExtraError) as error:
            reason = give_reason(error, str(source))
            self._errors.append(error)
            self.skipped.append((source.name, f"the rest, from {reason}" if found else reason))

    def _name_format(self, source: Source) -> str:
        """Return the name of the format that the user chose, or that the suffix stands for."""
        if self.format:
            return self.format
        name = strip_packing(source.name).lower()
        return self._suffixes.get(os.path.splitext(name)[1], "text")

    def _choose_format(self, source: Source) -> str:
        by_name = self._name_format(source)
        kind, hint = ("", "") if self.format else source.kind()
        format = choose_format(by_name, kind)
        if format != by_name:
            source.notes.append(f"{source}: read as {format}, because it is {kind}")
        if kind not in (HTML, TEXT, XML) and getattr(READERS.get(format), "is_text", False):
            refuse_kind(kind, hint, str(source))
        if source.is_inside and format in ARCHIVES:
            raise ReadError(f"{source} is an archive in an archive.", "Unpack it first.")
        return format

    def _read(self, source: Source) -> Iterator[Document]:
        format = self._choose_format(source)
        item = None
        for item in _read_items(format, source):
            if isinstance(item, Source):
                if is_asset(item.name):
                    self.skipped.append((item.name, ASSET))
                else:
                    yield from self._read_one_of_many(item)
                continue
            if not isinstance(item, Document):
                document = self._to_document(*item, str(source))
            elif item.id == name_text(source):
                document = self._read_file(item, source)
            else:
                document = item
            yield self._join_metadata(document, source.name)
        if item is None:
            source.notes.append(f"{source}: holds no texts")
        self.notes.extend(source.notes)
        self._noted.update(dict.fromkeys(source.notes, (str(source), source.name)))
        self._read_files += format not in ARCHIVES

    def _read_file(self, document: Document, source: Source) -> Document:
        """Complete a file that is one document; beside one of the same name it keeps its suffix."""
        if not self.keep_gutenberg:
            document = replace(document, text=strip_gutenberg(document.text))
        document = self._read_name(document)
        if self._files.setdefault(document.id, source.name) != source.name:
            return replace(document, id=source.name)
        return document

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
            yield self._join_metadata(self._to_document(number, record, source), "")

    def preview(self, count: int) -> tuple[dict[str, str], list[dict[str, str]]]:
        """Return what the fields of the first file are used for, and its first records.

        A use is text, title, id or metadata. A file that is not a table has neither.
        """
        source = Source(Path(self.paths[0]), encoding=self.encoding)
        items = islice(_read_items(self._choose_format(source), source), count)
        records = [item[1] for item in items if isinstance(item, tuple)]
        roles = {name: "metadata" for record in records for name in record}
        for record in records[:1]:
            fields, title, ids = self._choose_fields(record)
            roles |= dict.fromkeys(ids, "id") | ({title: "title"} if title else {})
            roles |= dict.fromkeys(fields, "text")
        return roles, [{n: to_string(v) for n, v in record.items()} for record in records]

    def _to_document(self, number: int, record: Record, source: str) -> Document:
        place = f"{source}:{number}"
        fields, title, id_fields = self._choose_fields(record)
        missing = [name for name in fields if name not in record]
        if not fields or missing:
            raise ReadError(
                f"{place}: no field {' or '.join(map(repr, missing[:20] or _TEXT_FIELDS))};"
                f" there are {list_names(map(repr, record))}.",
                "Name the field with the text: --text-field NAME.",
            )
        for field, use in ((self.id_field, "id"), (title, "title")):
            if field and field not in record:
                raise ReadError(
                    f"{place}: no field {field!r} for the {use};"
                    f" there are {list_names(map(repr, record))}."
                )
        if not self.text_fields and fields != ("text",):
            pairs = zip(("text", "title", "id"), (*fields, title, *id_fields), strict=False)
            guess = ", ".join(f"{use} from {field!r}" for use, field in pairs if field)
            self._guesses.setdefault(guess, set()).add(Path(source).name)
        id = to_string(record[id_fields[0]]) if id_fields else f"{Path(source).name}:{number}"
        text = "\n\n".join(value for name in fields if (value := to_string(record[name])))
        if title:
            text = put_title(to_string(record[title]), text)
        used = {*fields, *id_fields}
        rest = {name: to_string(value) for name, value in record.items() if name not in used}
        return Document(id, text, place, rest)

    def _choose_fields(self, record: Record) -> tuple[tuple[str, ...], str | None, tuple[str, ...]]:
        """Return the fields with the text of a record, with its title and with its id."""
        fields = self.text_fields or find_field(_TEXT_FIELDS, record)
        ids = (self.id_field,) if self.id_field else find_field(ID_FIELDS, record)
        if self.title_field is not None:
            is_left_out = self.title_field == _NO_TITLE or self.title_field in fields
            return fields, None if is_left_out else self.title_field, ids
        if self.text_fields or not fields:
            return fields, None, ids
        names = ("title", "summary") if fields[0].lower() == "description" else ("title",)
        return fields, next(iter(find_field(names, record)), None), ids

    def _join_metadata(self, document: Document, file: str) -> Document:
        """Add the language that is given, and the record of the table whose id is that of a
        document, or the name of its file."""
        record = self._metadata.find(document.id, file if document.id in self._files else "")
        known = {**document.metadata, **record}
        if self.language:
            known[FIELD] = self.language
        elif find_code(known.get(FIELD, "")) == "en":
            found = detect_text_language(document.text)
            self._declared += [document.id] * (found not in ("en", UNKNOWN))
        return replace(document, metadata=known)

    def _read_metadata(self, path: Path) -> MetadataTable:
        format = self._suffixes.get(os.path.splitext(strip_packing(path.name).lower())[1])
        items = _read_items("csv" if format in (None, "text") else format, Source(path))
        return MetadataTable(items, str(path))

    def check_field(self, field: str) -> None:
        """Raise InputError if no document can have a metadata field, before any text is read: all
        files are plain texts, and neither ``metadata`` nor ``name`` has it for any of them."""
        found: list[tuple[str, str]] = []  # ids and names of files
        for path in map(Path, self.paths):
            if (path / CURRENT).is_file():
                return  # an index, which is refused where it is read
            files = walk(path, []) if path.is_dir() else [path]
            for file in files:
                name = file.relative_to(path).as_posix() if path.is_dir() else file.name
                source = Source(file, name)
                if self._name_format(source) != "text" or source.has_front_matter():
                    return  # a record, a document or its front matter may have it
                found.append((name_text(source), name))
        self._files.update(found)
        named = [self._join_metadata(self._read_name(Document(id, "")), file) for id, file in found]
        if (
            not found
            or field in ("heading", "part_of")
            or any(one.metadata.get(field) for one in fill_field(field, named)[0])
        ):
            return
        tables = self._metadata.fields
        known = sorted(tables.union(self._name.fields if self._name else ()))
        what = f"the texts have only {list_names(known)}" if known else "the texts have no metadata"
        if field in tables and not self._metadata.has_value(field):
            what = f"the column {field} of the table is empty"
        elif field in known:
            what = (
                f"where it is, none of the {len(found):,} texts is named, such as {found[0][0]!r}"
            )
        raise InputError(
            f"No document has the field {field!r}: {what}.",
            f"Give a table with the columns id and {field} (--metadata FILE), or say where it is in"
            f" the names of the files: --name-pattern '{{{field}}}_{{title}}'.",
        )

    def report(self) -> list[str]:
        """Return notes on what was left out, guessed or repaired, once everything was read."""
        notes = report_skipped(self.skipped, self._read_files)
        notes += [*group_notes(self.notes, self._noted), *self._cutter.report()]
        if self._name is not None and self._misnamed:
            names = list_names(self._misnamed, 5)
            notes.append(f"names that do not fit {self._name.pattern!r}: {names}")
        notes += [f"{list_names(sorted(on), 3)}: {guess}" for guess, on in self._guesses.items()]
        if self._declared:
            wrong = f"{len(self._declared):,} ({list_names(self._declared, 3)})"
            what = "texts that their files declare to be English, but that seem not to be"
            notes.append(f"{what}: {wrong}; to correct it: --language")
        notes += self._metadata.report()
        return notes

    def no_text_error(self) -> LexfieldError:
        """Return the error for input without any text: that of the only file, if it is one."""
        if len(self._errors) == 1 and not self._read_files:
            return self._errors[0]
        skipped = "; ".join(["", *report_skipped(self.skipped, self._read_files)])
        hint = self._errors[0].typed[1] if self._errors else ""
        return InputError(f"There is no text in {list_names(self.paths)}{skipped}.", hint)


def _read_items(format: str, source: Source) -> Iterator[Item]:
    """Yield what a reader makes of a file. Raise InputError if it is not what readers yield."""
    expected = "documents or pairs (number, fields) are expected"
    items: object = READERS.get(format).read(source)
    if not isinstance(items, Iterable):
        kind = type(items).__name__
        raise InputError(f"The reader {format!r} returned {kind} where {expected}.")
    for item in items:
        is_record = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], Mapping)
        if not is_record and not isinstance(item, Document | Source):
            raise InputError(f"The reader {format!r} yielded {item!r} where {expected}.")
        yield item
