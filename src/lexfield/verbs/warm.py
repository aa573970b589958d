"""Read an index ahead of its first query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lexfield.index.about import read_hot
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import pluralise
from lexfield.verbs.declare import verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.results import Result

_QUERY = "the first of all questions"
_METHODS = ("best", "bm25", "mean")


@dataclass(kw_only=True)
class WarmRow:
    """How much of an index was read."""

    path: str
    files: int
    bytes: int


@dataclass(repr=False)
class Warmed(Result[WarmRow]):
    """What was read."""

    def lines(self) -> Iterable[str]:
        (row,) = self.results
        return [f"read {row.bytes / 1e6:,.1f} MB in {pluralise(row.files, 'file')} of {row.path}"]


@verb(served="no")
def warm(index: IndexInput, *, progress: Progress = silent) -> Warmed:
    """Read an index ahead of time, so that the first query does not wait for it.

    All files but the texts are read and checked once: from an address to the copy on this machine,
    from a disk to its cache. Then one query each by best, bm25 and mean compiles what they need, if
    that has not been done since lexfield was installed. A server does the last part by itself.

        lexfield warm my.idx
        lexfield warm s3://bucket/library.idx && lexfield serve s3://bucket/library.idx
    """
    opened = open_index(index)
    begin_stage(progress, "reading")
    files, size = read_hot(opened.segments, progress)
    begin_stage(progress, "compiling")
    for number, method in enumerate(_METHODS, 1):
        opened.search(_QUERY, method, 1, allow_unknown=True)
        progress(number, len(_METHODS))
    return Warmed([WarmRow(path=opened.address, files=files, bytes=size)])
