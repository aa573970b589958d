"""Files of queries: JSON lines, ``id<TAB>text`` lines, or one query per line.

A file whose first character is ``{`` or whose name ends in ``.jsonl`` or ``.ndjson`` holds JSON
lines. In any other file, a line may begin with an id and a tab. A query without an id is named by
the number of its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lexfield.errors import ReadError, list_names
from lexfield.store.bounds import bounded_json
from lexfield.text.readers import Source

_LONGEST_QUERY = 10_000_000  # characters; a query may be a book
MOST_BYTES = 100_000_000  # of a file that is kept in memory
_JSON_SUFFIXES = (".jsonl", ".ndjson")
_FORMS = 'A line is: one query, id<TAB>query, or {"_id": "1", "text": "…"}'


def read_queries(
    path: str | Path | None, id_field: str | None = None, text_field: str = "text"
) -> dict[str, str]:
    """Return the texts of queries by their ids, in order; ``path`` None is standard input.

    In JSON lines, the id is in ``id_field``; by default in ``_id`` or ``id``.
    """
    queries = dict(iterate_queries(path, id_field, text_field))
    if not queries:
        raise ReadError(f"{'The input' if path is None else path} holds no queries.", _FORMS)
    return queries


def iterate_queries(
    path: str | Path | None, id_field: str | None = None, text_field: str = "text"
) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each query, as ``read_queries`` returns them."""
    name = "The input" if path is None else str(path)
    is_json = name.lower().endswith(_JSON_SUFFIXES)
    seen: set[str] = set()
    for number, line in read_lines(path, _LONGEST_QUERY, MOST_BYTES):
        is_json = is_json or (not seen and line.lstrip().startswith("{"))
        where = f"{name}, line {number}"
        if is_json:
            identity, text = _parse_record(where, line, id_field, text_field)
        else:
            identity, text = split_line(line)
        identity = identity or str(number)
        if len(identity.split()) != 1 or identity in seen:
            why = "is used twice" if identity in seen else "has spaces or is empty"
            raise ReadError(f"{where}: the id {identity!r} {why}.")
        seen.add(identity)
        yield identity, text


def read_lines(
    path: str | Path | None, longest: int, most_bytes: int | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is not blank; ``path`` None is standard input.

    Raise ReadError if the file is not text or cannot be read, if a line has more than ``longest``
    characters, or if the file is larger than ``most_bytes``.
    """
    size, source = 0, Source(None if path is None else Path(path))
    for number, line in enumerate(source.lines(longest, utf8_only=True), 1):
        size += len(line)
        if most_bytes is not None and size > most_bytes:
            raise ReadError(
                f"{source} is larger than {most_bytes // 1_000_000} MB.",
                "Split it, or check that it is the file you meant.",
            )
        if not line.isspace():
            yield number, line


def split_line(line: str) -> tuple[str, str]:
    """Split ``id<TAB>text``; the id is empty if there is none. An id has no spaces."""
    text = line.strip()
    identity, tab, rest = text.partition("\t")
    return (identity, rest.strip()) if tab and len(identity.split()) == 1 else ("", text)


def _parse_record(where: str, line: str, id_field: str | None, text_field: str) -> tuple[str, str]:
    try:
        record = bounded_json(line)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{where}: not JSON that can be read: {error}.", _FORMS) from error
    if not isinstance(record, dict):
        raise ReadError(f"{where}: {line[:60]!r} is not a JSON object.", _FORMS)
    text = record.get(text_field)
    if not isinstance(text, str):
        known = list_names(record)
        raise ReadError(
            f"{where}: there is no text in the field {text_field!r}.",
            f"Its fields are: {known}. Name another with --text-field.",
        )
    names = (id_field,) if id_field else ("_id", "id")
    return str(next((record[name] for name in names if name in record), "")), text
