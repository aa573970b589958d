"""``lexfield sample``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lexfield.errors import InputError
from lexfield.sample import list_files
from lexfield.store.files import replace_file
from lexfield.verbs.declare import Flags, verb
from lexfield.verbs.options import Target
from lexfield.verbs.results import Result

_ABOUT = {
    "texts": "64 texts by eight authors on eight topics",
    "metadata.csv": "author, title, genre, level and topic of each",
    "tickets.csv": "130 support tickets, many of them duplicates",
    "sentences.csv": "247 sentences to search",
    "queries.tsv": "60 queries to try",
    "judged.qrels": "the right answers to these queries",
}


@dataclass
class SampleFile:
    """A file or folder of the sample, and what it holds."""

    path: str
    about: str


@dataclass(repr=False)
class Sample(Result[SampleFile]):
    """What was written."""

    def lines(self) -> Iterable[str]:
        width = max(len(row.path) for row in self.results)
        yield from (f"{row.path.ljust(width)}  {row.about}" for row in self.results)


@verb(served="no")
def sample(folder: Annotated[Target, Flags(metavar="FOLDER")]) -> Sample:
    """Write the sample texts that all examples use to a folder.

    64 short texts, 130 support tickets, and 60 queries with their right answers: all written for
    lexfield and free to use (CC0). Existing files with different content are never overwritten.

        lexfield sample texts-to-try
        lexfield index texts-to-try/texts --metadata texts-to-try/metadata.csv -o sample.idx
    """
    target = Path(folder)
    files = {target / name: data for name, data in list_files()}
    other = [path for path, data in files.items() if path.exists() and _differs(path, data)]
    if other:
        raise InputError(
            f"{other[0]} already exists, with different content.",
            "Nothing was written. Name another folder.",
        )
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    rows = [SampleFile(str(target / name), about) for name, about in _ABOUT.items()]
    return Sample(rows)


def _differs(path: Path, data: bytes) -> bool:
    """Does a file hold anything but ``data``? A larger file is not read."""
    return not path.is_file() or path.stat().st_size != len(data) or path.read_bytes() != data
