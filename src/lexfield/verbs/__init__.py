"""The verbs. A file in this folder with a function decorated by ``@verb`` is all it takes.

Verbs are listed by reading the files, not by importing them, so that ``lexfield --help`` and
``import lexfield`` stay quick; a verb's module is imported when the verb is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    """A verb as the list shows it: what users type, its function, and one line about it.

    ``about`` is the docstring of its module, which explains a group such as ``topics``.
    """

    command: str
    name: str
    module: str
    summary: str
    about: str

    def load(self) -> Verb:
        """Import the verb's module and return its declaration."""
        function = getattr(import_module(self.module), self.name)
        declared: Verb = function.verb
        return declared


@lru_cache(1)
def list_verbs() -> dict[str, Listed]:
    """Return every verb by the command that users type, such as ``topics fit``."""
    return read_verbs(__name__, __path__)


@lru_cache(1)
def list_functions() -> dict[str, Listed]:
    """Return every verb by the name of its function, such as ``fit_topics``."""
    return {listed.name: listed for listed in list_verbs().values()}


def read_verbs(package: str, folders: Iterable[str]) -> dict[str, Listed]:
    """Return what the files of a package declare with ``@verb``, by command."""
    paths = (path for folder in folders for path in sorted(Path(folder).glob("*.py")))
    found = [listed for path in paths for listed in _read_file(path, package)]
    return {listed.command: listed for listed in sorted(found, key=lambda one: one.command)}


def _read_file(path: Path, package: str) -> Iterator[Listed]:
    source = path.read_text("utf-8")
    text = _MODULE_DOCSTRING.match(source)
    about = cleandoc(text[1]) if text else ""
    for found in _VERB.finditer(source):
        summary = _DOCSTRING.search(source, found.end())
        first = summary[1].strip() if summary else ""
        command = found["command"] or found["name"]
        yield Listed(command, found["name"], f"{package}.{path.stem}", first, about)
