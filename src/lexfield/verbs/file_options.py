"""Options that say how files become texts, shared by every verb that reads files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypedDict, cast

from msgspec import Meta

from lexfield.results import JsonObject
from lexfield.text.cut import Joining
from lexfield.verbs.declare import Default, Flags, Help, Input


class FileOptions(TypedDict, total=False):
    """Options for reading files."""

    text_fields: Annotated[
        Sequence[str],
        Flags(("--text-field",), "NAME", old="text_field", served=False),
        Default(()),
        Help(
            "Field with the text of a record; repeat it to join several. By default the first of"
            " text, body, content, sentence, abstract and description."
        ),
    ]
    title_field: Annotated[
        str | None,
        Flags(metavar="NAME", served=False),
        Default(None),
        Help(
            "Field with the title of a record, which is put before its text; none leaves "
            "titles out. By default title, or summary next to a description, unless "
            "--text-field is given."
        ),
    ]
    id_field: Annotated[
        str | None,
        Flags(metavar="NAME", served=False),
        Default(None),
        Help("Field with the id of a record."),
    ]
    metadata: Annotated[
        str | Path | None,
        Input("file"),
        Flags(served=False),
        Default(None),
        Help(
            "A csv, tsv or jsonl file with a column id or file, joined to the texts by id or file"
            " name."
        ),
    ]
    language: Annotated[
        str | None,
        Meta(max_length=20),
        Flags(metavar="CODE", served=False),
        Default(None),
        Help(
            "Language of all texts, such as fr, whatever the files say. By default the one that a"
            " file declares, or else the one that is detected."
        ),
    ]
    encoding: Annotated[
        str | None,
        Flags(served=False),
        Default(None),
        Help("Encoding of the texts; detected automatically by default."),
    ]
    format: Annotated[
        str | None,
        Flags(metavar="NAME", served=False),
        Default(None),
        Help(
            "Read every file in this format, whatever its name: text, lines (one document per"
            " line), jsonl, csv, tsv, parquet, pdf, docx, odt, epub, html, rtf, markdown, eml,"
            " mbox, subtitles, tei, zip, tar, or a registered reader."
        ),
    ]
    keep_gutenberg: Annotated[
        bool,
        Flags(served=False),
        Default(False),
        Help("Keep Project Gutenberg's header and licence."),
    ]
    name_pattern: Annotated[
        str | None,
        Meta(max_length=200),
        Flags(metavar="PATTERN", old="name", served=False),
        Default(None),
        Help("Read metadata from file names, such as {author}_{title}_{year}."),
    ]
    split: Annotated[
        str | None,
        Meta(max_length=500),
        Flags(metavar="REGEX", served=False),
        Default(None),
        Help("Split texts at headings: lines whose beginning matches this pattern."),
    ]
    chunk: Annotated[
        int | None,
        Meta(ge=1, le=10**9),
        Flags(metavar="WORDS", served=False),
        Default(None),
        Help(
            "Split texts into parts of this many words; less than half a part left "
            "over is added to the last."
        ),
    ]
    sample_chunks: Annotated[
        int | None,
        Meta(ge=1, le=10**6),
        Flags(metavar="N", served=False),
        Default(None),
        Help("Keep N parts of each text, drawn at random but always the same ones."),
    ]
    join_lines: Annotated[
        Joining,
        Flags(served=False),
        Default("auto"),
        Help("Remove empty lines inside sentences; auto does so only in double-spaced texts."),
    ]


_FILE_OPTIONS = frozenset(FileOptions.__annotations__)
_SHARED = (
    "text_fields",
    "title_field",
    "id_field",
    "language",
    "encoding",
    "keep_gutenberg",
    "join_lines",
)


def get_file_options(options: FileOptions | None) -> JsonObject:
    """Return those of the options of a verb that say how to read files."""
    return {name: one for name, one in (options or {}).items() if name in _FILE_OPTIONS}


def get_shared_options(options: FileOptions | None) -> FileOptions:
    """Return those of the options for known texts by which a text in question is read as well:
    neither their metadata and format, nor how they are cut."""
    return cast(
        "FileOptions", {name: one for name, one in (options or {}).items() if name in _SHARED}
    )
