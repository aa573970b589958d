"""The files of a folder, without those that are hidden, ignored or elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SYSTEM = ("desktop.ini", "thumbs.db", "ehthumbs.db")
_ASSETS = (".css", ".js", ".map", ".woff", ".woff2")
ASSET = "a script or style sheet of a web page"
_IGNORE_FILES = (".gitignore", ".ignore", ".lexfieldignore")


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
            is_link = os.path.islink(os.path.join(here, name))
            if reason := _reason(f"{prefix}{name}/", rules) or "a link to a folder" * is_link:
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


def is_asset(name: str) -> bool:
    """Is a file of this name part of a web page, but not text to read?"""
    return name.lower().endswith(_ASSETS)


def _reason(relative: str, rules: list[tuple[str, GitIgnoreSpec]]) -> str:
    name = os.path.basename(relative.rstrip("/")).lower()
    if name.startswith((".", "~$")) or name in _SYSTEM:
        return "hidden"
    if is_asset(name):
        return ASSET
    if any(spec.match_file(relative[len(at) :]) for at, spec in rules):
        return "ignored"
    return ""


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
