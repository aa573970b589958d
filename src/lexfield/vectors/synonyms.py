"""How many synonyms a word has, counted in an installed WordNet.

The synonyms of a term are the other terms of all its synsets; terms are compared in lower case.
Nothing is downloaded: WordNet is looked for where its packages install it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from lexfield.errors import InputError, ReadError

_LONGEST = 100_000  # characters of a line
_PARTS = ("noun", "verb", "adj", "adv")
_XML = "english_wordnet_version_31.xml"


@dataclass(frozen=True)
class Synonyms:
    """Mean and deviation of the number of synonyms over all terms, and their source."""

    mean: float
    deviation: float
    terms: int
    source: str


def find_wordnet() -> Path | None:
    """Return a folder with WordNet's data files, or the file of the package NlpToolkit-WordNet.

    In this order: ``WNSEARCHDIR``, ``WNHOME/dict``, the Debian package, NLTK's data, the package.
    """
    named = [os.environ.get("WNSEARCHDIR", "")]
    if home := os.environ.get("WNHOME"):
        named.append(f"{home}/dict")
    folders = [Path(folder) for folder in named if folder]
    folders.append(Path("/usr/share/wordnet"))
    data = [*os.environ.get("NLTK_DATA", "").split(os.pathsep), "~/nltk_data"]
    folders += [Path(root).expanduser() / "corpora" / "wordnet" for root in data if root]
    for folder in folders:
        if all((folder / f"data.{part}").is_file() for part in _PARTS):
            return folder
    package = find_spec("WordNet")
    for place in package.submodule_search_locations or () if package else ():
        if (Path(place) / "data" / _XML).is_file():
            return Path(place) / "data" / _XML
    return None


def count_synonyms(source: str | Path | None = None) -> Synonyms | None:
    """Count in ``source`` (a WordNet folder or an xml file), by default in an installed WordNet."""
    path = find_wordnet() if source is None else Path(source)
    if path is None:
        return None
    others: dict[str, set[str]] = {}
    for synset in _read_xml(path) if path.suffix == ".xml" else _read_folder(path):
        for term in synset:
            others.setdefault(term, set()).update(synset)
    if not others:
        raise InputError(f"There are no synsets in {str(path)!r}.")
    counts = [len(terms) - 1 for terms in others.values()]  # a term is not its own synonym
    mean = sum(counts) / len(counts)
    variance = sum((count - mean) ** 2 for count in counts) / len(counts)
    return Synonyms(mean, math.sqrt(variance), len(counts), str(path))


def _read_folder(folder: Path) -> Iterator[set[str]]:
    """Yield synsets of ``data.noun`` etc.: ``offset file type count word id word id …``."""
    for part in _PARTS:
        path = folder / f"data.{part}"
        with open(path, encoding="utf-8") as file:
            lines = iter(lambda: file.readline(_LONGEST), "")
            for number, line in enumerate(lines, 1):
                if line.startswith(" "):  # the licence
                    continue
                try:
                    fields = line.split(" ")
                    words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
                except (IndexError, ValueError) as error:
                    raise ReadError(f"{path}, line {number}: not a line of WordNet.") from error
                # an adjective can end with its position: "galore(ip)"
                yield {word.partition("(")[0].replace("_", " ").lower() for word in words}


def _read_xml(path: Path) -> Iterator[set[str]]:
    """Yield synsets of ``<SYNSET>…<LITERAL>word<SENSE>…``."""
    from xml.etree.ElementTree import ParseError, iterparse

    try:
        for _, element in iterparse(path):
            if element.tag == "SYNSET":
                literals = ((literal.text or "").strip() for literal in element.iter("LITERAL"))
                yield {literal.lower() for literal in literals if literal}
                element.clear()
    except ParseError as error:
        raise ReadError(f"{path} is incomplete: {error}.", "Install its package again.") from error
