"""Where the command ``lexfield`` starts: stored help needs no other module."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from importlib import import_module

from lexfield.cli.guide import TOPICS, read_help

_WIDTH = 80  # columns of stored help


def main(arguments: Sequence[str] | None = None) -> None:
    """Print stored help if that is asked for, or else run the command line."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    text = _find_stored_help(args)
    if text is None:
        import_module("lexfield.cli.main").main(args)
    try:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
        sys.stdout.write(f"{text}\n")  # our own words: no control characters to remove
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    raise SystemExit(0)


def discard_output() -> None:
    """Discard what is still to be printed: the reader of our output has gone, as `head` does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _find_stored_help(args: Sequence[str]) -> str | None:
    """Return the stored help that is asked for; None if something else is, or it has no room."""
    words = [arg for arg in args if arg not in ("-h", "--help")]
    is_asked = len(words) < len(args) and args[-1] in ("-h", "--help")
    if words[:1] == ["help"] and words[1:] and not is_asked:
        words, is_asked = words[1:], words[1] not in TOPICS
    if not words and len(getattr(sys.modules.get("lexfield.verbs"), "__path__", ())) > 1:
        return None  # verbs were added to those that the page lists
    is_narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < _WIDTH
    return read_help(words) if is_asked and not is_narrow else None
