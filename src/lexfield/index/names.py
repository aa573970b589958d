"""How messages name an index and the next step: an index in memory has no path worth showing."""

from __future__ import annotations

from pathlib import Path

from lexfield.store.mirror import name_path

MEMORY = "lexfield-memory-"  # begins the name of the temporary folder of an index in memory


def is_in_memory(path: Path) -> bool:
    """Is this the path of an index in memory?"""
    return path.parent.name.startswith(MEMORY)


def name_index(path: Path) -> str:
    """Return what to call the index at a path in a message."""
    return "index in memory" if is_in_memory(path) else f"index {name_path(path)}"


def name_step(path: Path, command: str, call: str) -> str:
    """Return what to type next: a command with the path in place of IDX, or a call in Python."""
    return call if is_in_memory(path) else f"lexfield {command}".replace("IDX", name_path(path))


def name_encoding(path: Path, *, replace: bool = False) -> str:
    """Return what to type to encode the index at a path."""
    if replace:
        return name_step(path, "encode IDX --replace", "index.encode(replace=True)")
    return name_step(path, "encode IDX", "index.encode()")
