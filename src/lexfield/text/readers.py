"""One small reader per file format, and the table in which users register their own.

A reader has ``suffixes``, those of the files it reads, and ``read(source)``, which yields

- documents: ``Document(id, text)``;
- sources: the files in an archive, each of which is read by the reader for its name; or
- numbered records: ``(number, fields)`` with the line or row, for error messages and default ids,
  and a mapping of fields, from which the options of ``Reader`` pick text, id and metadata.

``source`` can be used as a path; it also has ``text()`` and ``lines()``, which unzip and decode.

    class Verses:
        suffixes = (".verses",)

        def read(self, source):
            for number, line in enumerate(source.lines(), 1):
                yield Document(f"{source.name}:{number}", line)

    READERS.register("verses", Verses())
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any, Protocol

from lexfield.errors import ReadError, list_names, need
from lexfield.registry import Registry
from lexfield.store.bounds import bounded_json, most_unpacked, split_list
from lexfield.text.decode import HTML, TEXT, XML
from lexfield.text.document import Document
from lexfield.text.formats import markdown
from lexfield.text.records import Record
from lexfield.text.source import MAX_DOCUMENT, Source, growth_error, name_text

Item = Document | Source | tuple[int, Record]
_ROOM, _FEW_ROWS = 64 << 20, 10_000  # of parquet files
_LONGEST_NAME = 255  # of a file, in characters
_OTHER_SUFFIXES = (".doc", ".json", ".gz", ".bz2", ".xz", ".idx", ".run")
_BEGINNING, _FEWEST_LINES = 20_000, 10  # characters of a text, and lines of a list
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*(?:\s|$)|[。！？]")
_CSV_ERRORS = {"unexpected end of data": "a quote is opened and not closed"}


class FileReader(Protocol):
    """What ``READERS`` holds. An attribute ``is_text = True`` lets folders skip binary files."""

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    def read(self, source: Source, /) -> Iterable[Item]: ...


@dataclass(frozen=True)
class _Format:
    read: Callable[[Source], Iterable[Item]]
    suffixes: tuple[str, ...] = ()
    is_text: bool = True


def read_text(source: Source) -> Iterator[Document]:
    """Read the whole file as one document; front matter becomes metadata."""
    known, text = markdown.split_front_matter(source.text())
    if _is_list(text):
        source.notes.append(
            f"{source}: hardly any line ends a sentence; if each is a text of its own, add"
            " --format lines"
        )
    yield Document(name_text(source), text, str(source), known)


def _is_list(text: str) -> bool:
    """Does a text seem to be a list, such as a log, because its lines hold hardly a sentence?"""
    beginning = text[:_BEGINNING]
    lines = sum(1 for line in beginning.splitlines() if line.strip())
    return lines >= _FEWEST_LINES and len(_SENTENCE_END.findall(beginning)) <= lines / 10


def read_lines(source: Source) -> Iterator[tuple[int, Record]]:
    """Read every line that is not blank as a document."""
    for number, line in enumerate(source.lines(), 1):
        if text := line.strip():
            yield number, {"text": text}


_RECORDS = (
    'Each line must be one JSON object, such as {"id": "a", "text": "Some words."}, or the file a'
    " list of them. A file whose name ends in .txt is read as it is."
)


def read_jsonl(source: Source) -> Iterator[tuple[int, Record]]:
    """Read one JSON object per line, or a list of objects."""
    for number, text in _split_json(source):
        try:
            record = bounded_json(text)
        except (ValueError, RecursionError) as error:
            raise _json_error(source, number, error) from error
        if not isinstance(record, dict):
            raise ReadError(f"{source}:{number}: not a JSON object.", _RECORDS)
        yield number, record


def _split_json(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the text of each record, and its line, or its place in a list."""
    lines = ((number, line) for number, line in enumerate(source.lines(), 1) if line.strip())
    first = next(lines, None)
    if first is None:
        return
    if not first[1].lstrip("\ufeff \t").startswith("["):
        yield first
        yield from lines
        return
    parts, size, number = [first[1]], len(first[1]), 0
    for _, line in lines:
        parts.append(line)
        size += len(line)
        if size > MAX_DOCUMENT:
            raise ReadError(
                f"{source} is a JSON list of more than {MAX_DOCUMENT >> 20} MB.",
                "Write one record per line: jq -c '.[]' FILE > FILE.jsonl",
            )
    try:
        for number, text in enumerate(split_list("".join(parts)), 1):
            yield number, text
    except ValueError as error:
        raise _json_error(source, number + 1, error) from error


def _json_error(source: Source, number: int, error: Exception) -> ReadError:
    return ReadError(f"{source}:{number}: not JSON that can be read: {error}.", _RECORDS)


def read_csv(source: Source, delimiter: str = ",") -> Iterator[tuple[int, Record]]:
    """Read a table whose first row names its columns.

    The standard library needs four to eight bytes of memory per character of a field.
    """
    csv.field_size_limit(MAX_DOCUMENT)  # of the whole process; 128 kB by default
    lines = iter(source.lines())
    head = []  # up to the header
    for line in lines:
        head.append(line)
        if line.strip():
            break
    if delimiter == "," and head and "," not in head[-1]:  # as spreadsheets in Europe write it
        delimiter = next((mark for mark in ";\t" if mark in head[-1]), ",")
    rows = csv.reader(chain(head, lines), delimiter=delimiter, strict=True)
    header: list[str] = []
    try:
        for row in filter(None, rows):
            if header and len(row) != len(header):
                compared = "more" if len(row) > len(header) else "fewer"
                raise ReadError(
                    f"{source}:{rows.line_num}: {compared} fields than the {len(header)} of the"
                    " header.",
                    "Put fields that contain the separator in double quotes. If it is not a table,"
                    " let its name end in .txt.",
                )
            if header:
                yield rows.line_num, dict(zip(header, row, strict=True))
            header = header or row
    except csv.Error as error:
        problem = _CSV_ERRORS.get(str(error), str(error))
        if "field larger" in problem:
            problem = f"a field over {MAX_DOCUMENT >> 20} MB"
        raise ReadError(f"{source}:{rows.line_num}: {problem}.") from error


def read_tsv(source: Source) -> Iterator[tuple[int, Record]]:
    """Read a table whose columns are separated by tabs."""
    return read_csv(source, "\t")


def read_parquet(source: Source) -> Iterator[tuple[int, Record]]:
    """Read the rows of a Parquet table without its columns of lists and structures."""
    parquet, types = need("pyarrow.parquet", "parquet"), need("pyarrow.types", "parquet")
    number = unpacked = 0
    try:
        with source.open() as opened, parquet.ParquetFile(opened) as file:
            most = most_unpacked(opened.seek(0, 2))
            flat = [field.name for field in file.schema_arrow if not types.is_nested(field.type)]
            if other := [name for name in file.schema_arrow.names if name not in flat]:
                source.notes.append(
                    f"{source}: left out columns that are neither text nor numbers:"
                    f" {list_names(other)}"
                )
            batch_size = _choose_batch_size(source, file.metadata, most)
            for batch in file.iter_batches(batch_size=batch_size, columns=flat):
                unpacked += batch.nbytes
                if unpacked > most:
                    raise growth_error(source)
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except ReadError:
        raise
    except (OSError, ValueError, RuntimeError, LookupError, TypeError, MemoryError) as error:
        raise ReadError(f"{source} cannot be read as parquet: {error}.") from error


def _choose_batch_size(source: Source, about: Any, most: int) -> int:
    """Return how many rows fit into memory if each holds the largest possible text.

    A text that is stored once can occur in every row. Reading row by row is slow where there are
    many. Statistics of single columns are not used: Arrow ends the process if they are damaged.
    """
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    sizes = [group.total_byte_size for group in groups]
    if sum(sizes) > most:
        raise growth_error(source)
    few = max((group.num_rows for group in groups), default=0) <= _FEW_ROWS
    return int(min(1024, max(1 if few else 8, _ROOM // max([1, *sizes]))))


def _defer(module: str, name: str = "read") -> Callable[[Source], Iterable[Item]]:
    """Return a reader whose module is imported when a file is read.

    Most commands read none of these formats; all modules together take 30 ms to import.
    """

    def read(source: Source) -> Iterable[Item]:
        imported = import_module(f"lexfield.text.formats.{module}")
        items: Iterable[Item] = getattr(imported, name)(source)
        return items

    return read


_FORMATS: dict[str, FileReader] = {
    "text": _Format(read_text, (".txt", ".text")),
    "lines": _Format(read_lines),
    "jsonl": _Format(read_jsonl, (".jsonl", ".ndjson", ".json")),
    "csv": _Format(read_csv, (".csv",)),
    "tsv": _Format(read_tsv, (".tsv",)),
    "parquet": _Format(read_parquet, (".parquet",), is_text=False),
    "pdf": _Format(_defer("pdf"), (".pdf",), is_text=False),
    "docx": _Format(_defer("docx"), (".docx", ".docm"), is_text=False),
    "odt": _Format(_defer("odt"), (".odt", ".ott"), is_text=False),
    "epub": _Format(_defer("epub"), (".epub",), is_text=False),
    "html": _Format(_defer("html"), (".html", ".htm", ".xhtml")),
    "rtf": _Format(_defer("rtf"), (".rtf",), is_text=False),
    "markdown": _Format(markdown.read, (".md", ".markdown")),
    "eml": _Format(_defer("mail", "read_message"), (".eml", ".mht", ".mhtml")),
    "mbox": _Format(_defer("mail", "read_mbox"), (".mbox",)),
    "subtitles": _Format(_defer("subtitles"), (".srt", ".vtt")),
    "tei": _Format(_defer("tei"), (".xml", ".tei")),
    "zip": _Format(_defer("archive", "read_zip"), (".zip",), is_text=False),
    "tar": _Format(_defer("archive", "read_tar"), (".tar", ".tgz"), is_text=False),
}
ARCHIVES = ("zip", "tar")
PACKED = ("docx", "odt", "epub")  # documents that are zip archives
BY_CONTENT = {  # what ``identify`` says, and the format
    "a PDF document": "pdf",
    "an RTF document": "rtf",
    "a Word document (DOCX)": "docx",
    "an EPUB book": "epub",
    "an OpenDocument text (ODT)": "odt",
    "a zip archive": "zip",
    "a tar archive": "tar",
    "a parquet table": "parquet",
    HTML: "html",
    XML: "tei",
}
READERS: Registry[FileReader] = Registry(
    "file format", "lexfield.readers", _FORMATS, instantiate=True
)


def map_suffixes() -> dict[str, str]:
    """Return the name of the format for every suffix. Registered readers override our own."""
    names = sorted(READERS.names(), key=lambda name: name not in _FORMATS)
    return {suffix: name for name in names for suffix in READERS.get(name).suffixes}


def looks_like_file(text: str) -> bool:
    """Does a line end in a suffix of files, or is it one word with a separator of paths?"""
    if not text.strip() or len(text) > _LONGEST_NAME or "\n" in text:
        return False
    is_path = len(text.split()) == 1 and ("/" in text or "\\" in text)
    return is_path or os.path.splitext(text)[1].lower() in {*map_suffixes(), *_OTHER_SUFFIXES}


def choose_format(suffix_format: str, kind: str) -> str:
    """Return the format of a file, from the one that its name stands for and its first bytes.

    The bytes win over the suffixes of our own formats: many files have the wrong suffix.
    """
    by_content = BY_CONTENT.get(kind)
    if suffix_format not in _FORMATS:
        return suffix_format
    if kind == TEXT and not getattr(_FORMATS[suffix_format], "is_text", False):
        return "text"
    if by_content is None:
        return suffix_format
    is_inside = by_content == "zip" and suffix_format in PACKED  # begins like any archive
    is_page = by_content == "tei" and suffix_format != "text"  # may be XML itself
    return suffix_format if is_inside or is_page else by_content
