"""Queries of a study from a file: a query a line, or JSON.

JSON is a list of texts, or lists of them by level: ``{"middle": ["…", …], "college": […]}``. A
level says which documents of the index are searched (``--by FIELD``). Every size is bounded: the
queries are shown to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexfield.errors import InputError, ReadError
from lexfield.store.bounds import bounded_json
from lexfield.text.records import read_most
from lexfield.text.sniff import SAMPLE, refuse_binary

MOST_BYTES = 20_000_000
MOST_QUERIES = 10_000
MOST_PARTS = 1_000_000  # of JSON: those queries with suggestions
LONGEST = 2_000  # characters of a query or a sentence


@dataclass(frozen=True)
class StudyQuery:
    text: str
    level: str = ""


def read_queries(path: str | Path) -> list[StudyQuery]:
    """The queries of a text or JSON file, in order; those that come twice count once."""
    if Path(path).suffix.lower() == ".json":
        found = _from_json(read_json(path), path)
    else:
        lines = (line[0] for line in re.finditer(".+", read_text(path)))
        found = (StudyQuery(clean(line, path)) for line in lines if line.strip())
    queries: dict[StudyQuery, None] = {}
    for query in found:
        queries[query] = None
        if len(queries) > MOST_QUERIES:
            raise InputError(f"{path} holds more than {MOST_QUERIES:,} queries.")
    if not queries:
        raise InputError(f"There is no query in {path}.", "Write one query a line.")
    return list(queries)


def read_text(path: str | Path) -> str:
    """A file of bounded size, as UTF-8."""
    with open(path, "rb") as file:
        data = read_most(file, MOST_BYTES)
    if data is None:
        raise ReadError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB.")
    refuse_binary(data[:SAMPLE], str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8 (byte {error.start:,}).") from error


def read_json(path: str | Path) -> Any:
    """The value of a bounded JSON file."""
    try:
        return bounded_json(read_text(path), MOST_PARTS)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{path} is not JSON that can be read: {error}.") from error


def clean(text: object, path: str | Path) -> str:
    """One line, without control characters, of bounded length."""
    if not isinstance(text, str):
        raise ReadError(f"{path}: {str(text)[:60]!r} is not a text.")
    line = _line(text)
    if not line:
        raise ReadError(f"{path} holds an empty text.")
    if len(line) > LONGEST:
        raise ReadError(f"{path}: a text has {len(line):,} characters, more than {LONGEST:,}.")
    return line


def _from_json(value: Any, path: str | Path) -> Iterable[StudyQuery]:
    if isinstance(value, list):
        return (StudyQuery(clean(text, path)) for text in value)
    if isinstance(value, dict) and all(isinstance(texts, list) for texts in value.values()):
        return (
            StudyQuery(clean(text, path), clean(level, path))
            for level, texts in value.items()
            for text in texts
        )
    raise ReadError(
        f"{path} holds neither a list of texts nor lists of texts by level.",
        "For the paper's database use: lexfield study import",
    )


def different(query: str, sentences: Sequence[str]) -> list[str]:
    """Sentences on one line each, without the query, without copies, none too long."""
    seen = {_plain(query)}
    kept = []
    for sentence in sentences:
        line = _line(sentence)
        if _plain(line) and _plain(line) not in seen and len(line) <= LONGEST:
            seen.add(_plain(line))
            kept.append(line)
    return kept


def _line(text: str) -> str:
    """On one line, without control characters: it is shown in terminals."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _plain(text: str) -> str:
    """Letters and digits only: what makes two sentences the same to a reader."""
    return "".join(c for c in text.casefold() if c.isalnum())
