"""The files of a folder, in sorted order, without what its ignore files name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

_IGNORE_FILES = (".gitignore", ".ignore", ".lexfieldignore")


def walk(folder: Path, skipped: list[tuple[str, str]]) -> Iterator[Path]:
    """Yield files below ``folder``; hidden and ignored ones go to ``skipped`` with the reason."""
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
            if reason := _reason(f"{prefix}{name}/", rules):
                folders.remove(name)
                skipped.append((f"{prefix}{name}/", reason))
        for name in sorted(files):
            if reason := _reason(f"{prefix}{name}", rules):
                skipped.append((f"{prefix}{name}", reason))
            elif os.path.isfile(os.path.join(here, name)):
                yield Path(here, name)
            else:
                skipped.append((f"{prefix}{name}", "not a regular file"))


def _reason(relative: str, rules: list[tuple[str, GitIgnoreSpec]]) -> str:
    if os.path.basename(relative.rstrip("/")).startswith("."):
        return "hidden"
    if any(spec.match_file(relative[len(at) :]) for at, spec in rules):
        return "ignored"
    return ""


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
