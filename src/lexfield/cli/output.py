"""One way to print for every verb: a table for people; JSON, JSON lines or CSV for programs.

Results go to stdout. Notes, narration and progress go to stderr, the last two only on a terminal.
Texts, ids, metadata and file names may hold control characters that would steer a terminal; every
word for people goes through ``echo``, which shows them instead.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import click
import msgspec

from lexfield.errors import LexfieldError
from lexfield.results import Aside, JsonObject
from lexfield.store.provenance import Provenance
from lexfield.verbs.results import Result, encode_body, encode_csv, hidden

FORMATS = {
    "json": "Print one JSON object with schema, results, notes and provenance.",
    "jsonl": "Print one JSON object per line.",
    "csv": "Print comma-separated values with a header.",
}
_BIDI = r"\u202a-\u202e\u2066-\u2069"  # change the order in which a line is shown
_CONTROL = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_BIDI}]|\r(?!\n)")
_UNESCAPED = re.compile(rf"[\x7f-\x9f{_BIDI}]")  # in JSON
_COLOURS = {
    "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36,
    "bright_black": 90,
}  # fmt: skip
_SETTLED = 2.0  # seconds before the time that is left is shown
_OWN = f"\ufdd0{os.urandom(8).hex()}"  # starts one of our colours; random, so no text can fake it


def visible(text: str) -> str:
    """Return text for a terminal: control characters as pictures or codes, our own colours kept."""
    return _CONTROL.sub(_picture, text).replace(_OWN, "\033[")


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)  # ␛ for ESC
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text for people."""
    click.echo(visible(text), err=err, nl=nl)


def echo_data(text: str, *, nl: bool = True) -> None:
    """Print lines for programs as they are; for people if they go to a terminal."""
    click.echo(visible(text) if sys.stdout.isatty() else text, nl=nl)


def echo_json(text: str) -> None:
    """Print JSON, whose strings may hold the control characters that it need not escape."""
    click.echo(_UNESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def print_result(
    command: str, result: Result[Any], format: str | None, provenance: Provenance
) -> None:
    """Print a result in the chosen format. Raise its failure, or exit with 1 if it is empty."""
    if format == "json":
        body = encode_body(command, result, provenance)
        echo_json(msgspec.json.format(body, indent=1).decode())
    else:
        if format == "jsonl":
            for row in result.to_dicts():
                echo_json(msgspec.json.encode(row).decode())
        elif format == "csv":
            echo_data(encode_csv(result), nl=False)
        else:
            result.paint = paint
            for line in result.lines():
                (echo_data if result.is_data else echo)(line)
        if format is None and result.legend:
            say(paint(f"scores: {result.legend}", "bright_black", sys.stderr))
        for note in choose_notes(result.notes):
            echo(paint(f"note: {note}", "yellow", sys.stderr), err=True)
    if (failure := result.failure) is not None:
        raise failure
    if not result.results:
        raise SystemExit(1)


def choose_notes(notes: Sequence[str]) -> list[str]:
    """Return the notes that people see: asides only with --verbose, and then last."""
    context = click.get_current_context(silent=True)
    verbose = context is not None and context.find_root().obj is True
    shown = [note for note in notes if verbose or not isinstance(note, Aside)]
    return sorted(shown, key=lambda note: isinstance(note, Aside))


@dataclass(repr=False)
class CommandResult(Result[JsonObject]):
    """The result of a command that is not a verb; ``text`` is for people."""

    extra: JsonObject = hidden(default_factory=dict)
    text: Sequence[str] | None = hidden(default=None)
    error: LexfieldError | None = hidden(default=None)

    @property
    def failure(self) -> LexfieldError | None:
        return self.error

    def figures(self) -> JsonObject:
        return self.extra

    def lines(self) -> Iterable[str]:
        return super().lines() if self.text is None else self.text


def paint(text: str, colour: str, stream: Any = None) -> str:
    """Return coloured text for a terminal, plain text elsewhere and under ``NO_COLOR``."""
    plain = "NO_COLOR" in os.environ or not (stream or sys.stdout).isatty()
    return text if plain else f"{_OWN}{_COLOURS[colour]}m{text}{_OWN}0m"


def say(text: str) -> None:
    """Print to stderr, on a terminal only."""
    if sys.stderr.isatty():
        echo(text, err=True)


class Bar:
    """A progress bar on stderr; silent where that is not a terminal."""

    def __init__(self) -> None:
        self._stage = ""
        self._began = time.monotonic()
        self._shown = 0.0
        self._active = sys.stderr.isatty()

    def stage(self, name: str) -> None:
        self._stage = name
        self._began = time.monotonic()

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if not self._active or (now - self._shown < 0.1 and done != total):
            return
        self._shown = now
        share = f"{done:,}"
        if total:
            share += f" of {total:,} ({done / total:.0%}){self._guess_rest(done, total, now)}"
        self._write(f"{self._stage}: {share}")

    def explain_wait(self, reason: str) -> None:
        """Show what we are waiting for while nothing can be counted."""
        if self._active:
            self._shown = time.monotonic()
            self._write(reason)

    def _write(self, line: str) -> None:
        sys.stderr.write(f"\r{visible(line)}\033[K")
        sys.stderr.flush()

    def _guess_rest(self, done: int, total: int, now: float) -> str:
        """Return an estimate of the time left, once enough is done to make one."""
        passed = now - self._began
        if passed < _SETTLED or not 0 < done < total:
            return ""
        left = round(passed * (total - done) / done)
        minutes = f"{left // 60} min " if left >= 60 else ""
        return f", about {minutes}{left % 60} s left"

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
