"""Texts before they are split into sentences: parts of files, joined lines, metadata in names."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from typing import Any, Literal

import numpy as np
import xxhash

from lexfield.errors import InputError, check, list_names
from lexfield.text.document import Document
from lexfield.text.segment import word_spans

Joining = Literal["auto", "always", "never"]
_LONGEST_HEADING = 200  # characters
_REPEATS = 4  # of unknown length in the pattern of a heading: more could take very long
_PATIENCE = 2.0  # seconds of computing for the headings of one text
_SAMPLE = 200_000  # characters by which double spacing is detected
_FEWEST, _RUNNING_ON = 20, 0.3  # empty lines, and the share of them inside sentences
_ENDS = frozenset(".!?…:;\"'”’»)]*_—")
_FIELD = re.compile(r"\{(\w*)\}")
_AFTER_GAP = re.compile(r"\n(?:[^\S\n]*+\n)++[^\S\n]*+(\S)")


@dataclass
class Cutter:
    """How documents are cut into parts.

    split: a regular expression; a line that matches it from its beginning is a heading, at which a
        part begins. What is above the first heading is part 0. A heading with no text below it, as
        in a table of contents, makes no part.
    chunk: words per part. The rest is a part of its own if it has at least half as many words, and
        otherwise belongs to the last part.
    sample_chunks: keep this many parts of each text, drawn at random; the same ones every time.
    join_lines: remove empty lines inside sentences; auto: of texts that are typed double-spaced.

    Part 3 of the document emma is emma#3; its metadata are those of emma, and ``part_of`` and
    ``heading``.
    """

    split: str | None = None
    chunk: int | None = None
    sample_chunks: int | None = None
    join_lines: Joining = "auto"
    _joined: list[str] = field(default_factory=list, init=False)
    _whole: list[str] = field(default_factory=list, init=False)
    _empty: int = field(default=0, init=False)
    _short: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for name in ("chunk", "sample_chunks"):
            value = getattr(self, name)
            check(value is None or value >= 1, name, "at least 1", value)
        ok = self.sample_chunks is None or self.cuts
        check(ok, "sample_chunks", "given with chunk or split", self.sample_chunks)
        ways = ("auto", "always", "never")
        check(self.join_lines in ways, "join_lines", f"one of {', '.join(ways)}", self.join_lines)
        self._heading = compile_heading(self.split) if self.split is not None else None

    @property
    def cuts(self) -> bool:
        """Are documents cut at all?"""
        return self.split is not None or self.chunk is not None

    def cut(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            document = self._join(document)
            if not self.cuts:
                yield document
                continue
            parts = [(document.text, "")]
            if self._heading is not None:
                parts = self._split(document, self._heading)
            if self.chunk is not None:
                parts = [
                    (text, head) for whole, head in parts for text in _chunk(whole, self.chunk)
                ]
            if self.chunk is None and len(parts) == 1 and not parts[0][1]:
                yield document
                continue
            has_preface = any(head for _, head in parts) and not parts[0][1]
            first = 0 if has_preface else 1
            numbers = range(len(parts))
            if self.sample_chunks is not None:
                numbers = self._draw(document.id, len(parts), self.sample_chunks)
            for number in numbers:
                text, heading = parts[number]
                known = {**document.metadata, "part_of": document.id}
                if heading:
                    known["heading"] = heading
                yield replace(
                    document, id=f"{document.id}#{number + first}", text=text, metadata=known
                )

    def _join(self, document: Document) -> Document:
        if self.join_lines == "never" or "\n" not in document.text:
            return document
        if self.join_lines == "auto":
            if not is_double_spaced(document.text):
                return document
            self._joined.append(document.id)
        return replace(document, text=join_lines(document.text))

    def _split(self, document: Document, heading: re.Pattern[str]) -> list[tuple[str, str]]:
        """Return the parts that begin with a heading, each with that line."""
        starts, place, began = [(0, "")], 0, time.thread_time()
        for line in document.text.splitlines(keepends=True):
            bare = line.strip()
            if time.thread_time() > began + _PATIENCE:
                raise InputError(
                    f"{self.split!r} takes too long in {document.id}.", "Write it more simply."
                )
            if bare and len(bare) <= _LONGEST_HEADING and heading.match(bare):
                starts.append((place, bare))
            place += len(line)
        if len(starts) == 1:
            self._whole.append(document.id)
        ends = [start for start, _ in starts[1:]] + [place]
        parts = []
        for (start, head), end in zip(starts, ends, strict=True):
            text = document.text[start:end]
            if text.strip().removeprefix(head).strip():
                parts.append((text, head))
            elif head:
                self._empty += 1
        return parts

    def _draw(self, id: str, parts: int, wanted: int) -> Any:
        if parts < wanted:
            self._short.append(id)
            return range(parts)
        rng = np.random.default_rng(xxhash.xxh64_intdigest(id.encode("utf-8", "replace")))
        return np.sort(rng.choice(parts, wanted, replace=False)).tolist()

    def report(self) -> list[str]:
        """Return notes on what was joined or could not be cut."""
        about = {
            "typed double-spaced, so empty lines inside sentences were removed"
            " (--join-lines never keeps them)": self._joined,
            f"no line matches {self.split!r}, so taken whole": self._whole,
            f"with fewer than {self.sample_chunks} parts, so all are kept": self._short,
        }
        notes = [f"{what}: {list_names(ids, 5)}" for what, ids in about.items() if ids]
        if self._empty:
            notes.append(f"headings without text, as in a table of contents: {self._empty:,}")
        return notes


def _chunk(text: str, size: int) -> list[str]:
    """Cut a text after every ``size`` words; half a chunk or more at the end is one too."""
    starts = [start for start, _ in word_spans(text)]
    count = max(1, len(starts) // size + (2 * (len(starts) % size) >= size))
    bounds = [0, *(starts[number * size] for number in range(1, count)), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def compile_heading(pattern: str) -> re.Pattern[str]:
    """Compile the pattern of a heading. Raise InputError if it is malformed, matches nothing at
    all, or could take very long: a repeated group with another repetition or alternatives in it."""
    import re._constants as codes  # type: ignore[import-not-found]
    import re._parser as parser  # type: ignore[import-not-found]

    hint = "Write it as in --split '^(CHAPTER|BOOK) [IVXLC]+'."
    check(len(pattern) <= 500, "split", "at most 500 characters", pattern[:60])
    try:
        compiled = re.compile(pattern)
        tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(f"{pattern!r} is not a regular expression: {error}.", hint) from error
    if compiled.match(""):
        raise InputError(f"{pattern!r} matches an empty line, so it finds no headings.", hint)
    repeats = 0

    def visit(node: Any, inside: bool) -> None:
        nonlocal repeats
        for code, value in node if isinstance(node, parser.SubPattern) else ():
            is_repeat = code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[1] > 1
            is_choice = code is codes.BRANCH or code is codes.GROUPREF
            if inside and (is_repeat or is_choice):
                raise InputError(
                    f"{pattern!r} could take very long: it repeats a group that itself repeats"
                    " something or offers alternatives.",
                    "Write the group out, or repeat single characters: [A-Z ]+.",
                )
            repeats += is_repeat
            for part in _list_parts(value):
                visit(part, inside or is_repeat)

    visit(tree, False)
    check(repeats <= _REPEATS, "split", f"a pattern with at most {_REPEATS} repetitions", pattern)
    return compiled


def _list_parts(value: Any) -> Iterator[Any]:
    """Yield the parsed patterns inside the argument of an operator."""
    for part in value if isinstance(value, tuple | list) else ():
        if isinstance(part, list):
            yield from part
        else:
            yield part


def is_double_spaced(text: str) -> bool:
    """Is a large share of the empty lines inside sentences: does a small letter follow them?"""
    following = _AFTER_GAP.findall(text[:_SAMPLE].lstrip())
    if len(following) < _FEWEST:
        return False
    return sum(map(str.islower, following)) >= _RUNNING_ON * len(following)


def _find_gaps(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the lines before and after each run of empty lines."""
    filled = [place for place, line in enumerate(lines) if line and not line.isspace()]
    return [(before, after) for before, after in pairwise(filled) if after > before + 1]


def join_lines(text: str) -> str:
    """Remove the empty lines inside sentences: before a small letter, and after a full line that
    does not end like a sentence. If some gaps are of one empty line and some are longer, the longer
    ones are between paragraphs and stay."""
    lines = text.split("\n")
    gaps = _find_gaps(lines)
    if not gaps:
        return text
    lengths = sorted(len(lines[before].rstrip()) for before, _ in gaps)
    full = 0.6 * lengths[int(0.9 * (len(gaps) - 1))]
    shortest = min(after - before for before, after in gaps)
    kept = [True] * len(lines)
    for before, after in gaps:
        line = lines[before].rstrip()
        runs_on = len(line) >= full and line[-1] not in _ENDS
        if after - before == shortest and (lines[after].lstrip()[0].islower() or runs_on):
            kept[before + 1 : after] = [False] * (after - before - 1)
    return "\n".join(compress(lines, kept))


class NamePattern:
    """Metadata in names, as in ``{author}_{title}_{year}``.

    A year is a number; a title may contain anything, every other field not the character after it
    (the last one may, if there is no title). A pattern with a slash applies to the path within the
    folder, any other one to the name of the file alone.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        parts = _FIELD.split(pattern)
        self.fields = parts[1::2]
        ok = bool(self.fields) and all(self.fields) and len(set(self.fields)) == len(self.fields)
        ok = ok and all(parts[2:-1:2]) and len(pattern) <= 200
        check(
            ok,
            "name_pattern",
            "fields with text between them, as in {author}_{title}_{year}",
            pattern,
        )
        written = re.escape(parts[0])
        for place, (name, after) in enumerate(zip(self.fields, parts[2::2], strict=True)):
            is_rest = name == "title" or (place == len(self.fields) - 1 and "title" not in parts)
            body = r" *-?\d{1,4} *" if name == "year" else ".+" if is_rest else None
            body = body or (f"[^{re.escape(after[0])}]+" if after else ".+")
            written += f"(?P<{name}>{body}){re.escape(after)}"
        try:
            self._matcher = re.compile(written)
        except re.error:
            check(False, "name_pattern", "fields named by letters", pattern)

    def read(self, id: str) -> Mapping[str, str]:
        """Return the fields in the id of a document; nothing if it does not match."""
        name = id if "/" in self.pattern else id.rpartition("/")[2]
        found = self._matcher.fullmatch(unicodedata.normalize("NFC", name.strip()))
        return {name: value.strip() for name, value in found.groupdict().items()} if found else {}
