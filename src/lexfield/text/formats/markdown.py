"""Markdown: the text without its marks. Front matter becomes metadata, of plain texts too."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from lexfield.text.document import Document
from lexfield.text.source import Source, name_text

_FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.{0,20000}?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_FOLDED = re.compile("[|>][-+]?")  # the lines that follow are one value
_FIELD = re.compile(r"([A-Za-z][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?")
_NAMES = {"lang": "language", "authors": "author", "creator": "author"}
_CHANGES = tuple(
    (re.compile(pattern, re.MULTILINE), by)
    for pattern, by in (
        (r"^[ \t]{0,3}(?:```|~~~).*$", ""),  # fences; the code between them stays
        (r"^[ \t]{0,3}(?:[-*_][ \t]*){3,}$", ""),  # rules
        (r"^[ \t]{0,3}=+[ \t]*$", ""),  # under headings
        (r"^[ \t]{0,3}#{1,6}[ \t]+([^\n]*?)[ \t]*#*[ \t]*$", r"\1\n"),
        (r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]+\S+.*$", ""),  # where links go
        (r"^[ \t]{0,3}(?:>[ \t]?)+", ""),
        (r"^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+", r"\1"),
        (r"!\[[^\[\]\n]{0,1000}\]\([^)\n]{0,2000}\)", ""),  # pictures
        (r"\[([^\[\]\n]{0,1000})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])", r"\1"),
        (r"<(https?://[^>\s]{1,2000})>", r"\1"),
        (r"<!--[^<>]{0,10000}-->|</?[a-zA-Z][^<>\n]{0,1000}>", ""),
        (r"`{1,3}([^`\n]{1,1000})`{1,3}", r"\1"),
        (r"(\*{1,3})(?=\S)([^*\n]{1,1000})(?<=\S)\1", r"\2"),
        (r"(?<!\w)(_{1,3})(?=\S)([^_\n]{1,1000})(?<=\S)\1(?!\w)", r"\2"),
        (r"\\([\\`*_{}\[\]()#+.!>-])", r"\1"),
        (r"\n{3,}", "\n\n"),
    )
)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the fields between two lines of hyphens (YAML) or plus signs (TOML) at the beginning
    of a text, and the rest.

    Plain values and lists of them are read, and of YAML texts of several lines; other lines are
    left out. A text that begins with a rule but no fields stays as it is.
    """
    if text.startswith("+++"):
        return _split_toml(text)
    front = _FRONT.match(text) if text.startswith("---") else None
    lines = front[1].split("\n") if front else []
    fields: dict[str, str] = {}
    name, is_folded = "", False
    for line in lines:
        if found := _FIELD.fullmatch(line.rstrip()):
            name = _NAMES.get(found[1].lower(), found[1])
            is_folded = _FOLDED.fullmatch(found[2] or "") is not None
            fields[name] = "" if is_folded else _read_value(found[2] or "")
        elif is_folded and line.startswith((" ", "\t")):
            fields[name] = f"{fields[name]} {line.strip()}".strip()
        elif name and line.lstrip().startswith("- "):
            value = _read_value(line.lstrip()[2:])
            fields[name] = f"{fields[name]}, {value}" if fields[name] else value
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            return {}, text
    if not front or not fields:
        return {}, text
    return {key: value for key, value in fields.items() if value}, text[front.end() :].lstrip("\n")


def _read_value(text: str) -> str:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return ", ".join(filter(None, (_read_value(one) for one in text[1:-1].split(","))))
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return "" if text in ("null", "~") else text


def _split_toml(text: str) -> tuple[dict[str, str], str]:
    front = _TOML.match(text)
    try:
        found = tomllib.loads(front[1]) if front else {}
    except (ValueError, RecursionError):
        found = {}
    if not front or not found:
        return {}, text
    fields = {}
    for name, value in found.items():
        values = value if isinstance(value, list) else [value]
        plain = [one for one in values if not isinstance(one, dict | list)]
        fields[_NAMES.get(name.lower(), name)] = ", ".join(map(_write_value, plain))
    return {key: value for key, value in fields.items() if value}, text[front.end() :].lstrip("\n")


def _write_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(source: Source) -> Iterator[Document]:
    """Read a text in Markdown."""
    known, text = split_front_matter(source.text())
    for pattern, by in _CHANGES:
        text = pattern.sub(by, text)
    yield Document(name_text(source), text.strip("\n"), str(source), known)
