"""The verbs. A file in this folder with a function decorated by ``@verb`` is all it takes.

Verbs are listed by reading the files, not by importing them, so that ``lexfield --help`` and
``import lexfield`` stay quick; a verb's module is imported when the verb is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexfield.verbs.declare import Verb

_VERB = re.compile(
    r"""^@verb(?:\((?:[^()]*command="(?P<command>[^"]+)")?[^()]*\))?\ndef (?P<name>\w+)\(""", re.M
)
_MODULE_DOCSTRING = re.compile(r'\A"""(.*?)"""', re.S)
_DOCSTRING = re.compile(r'^    """(.*?)(?:"""|$)', re.M)


@dataclass(frozen=True)
class Listed:
    """A verb as the list shows it: what users type, its function, and one line about it."""

    command: str
    name: str
    module: str
    summary: str

    def load(self) -> Verb:
        """Import the verb's module and return its declaration."""
        function = getattr(import_module(f"lexfield.verbs.{self.module}"), self.name)
        declared: Verb = function.verb
        return declared


@lru_cache(1)
def list_verbs() -> dict[str, Listed]:
    """Return every verb by the command that users type, such as ``topics fit``."""
    paths = sorted(path for folder in __path__ for path in Path(folder).glob("*.py"))
    found = [listed for path in paths for listed in _read_verbs(path)]
    return {listed.command: listed for listed in sorted(found, key=lambda one: one.command)}


@lru_cache(1)
def list_functions() -> dict[str, Listed]:
    """Return every verb by the name of its function, such as ``fit_topics``."""
    return {listed.name: listed for listed in list_verbs().values()}


@lru_cache(16)
def describe_group(module: str) -> str:
    """Return the docstring of a verb's module, which explains a group such as ``topics``."""
    paths = (Path(folder) / f"{module}.py" for folder in __path__)
    source = next(path for path in paths if path.is_file()).read_text("utf-8")
    found = _MODULE_DOCSTRING.match(source)
    return cleandoc(found[1]) if found else ""


def _read_verbs(path: Path) -> Iterator[Listed]:
    source = path.read_text("utf-8")
    for found in _VERB.finditer(source):
        summary = _DOCSTRING.search(source, found.end())
        command = found["command"] or found["name"]
        yield Listed(command, found["name"], path.stem, summary[1].strip() if summary else "")
