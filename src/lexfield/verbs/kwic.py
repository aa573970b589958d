"""``lexfield kwic``"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from lexfield.search.index import Index
from lexfield.text.kwic import Context, Sort
from lexfield.text.kwic import kwic as find_places
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import READING, CorpusInput, Reading, read_texts
from lexfield.verbs.options import Hits
from lexfield.verbs.results import Paint, Result, plain

_WIDTH = 120  # of a line that does not go to a terminal
_OPENING = "([{“‘—–-"  # marks that a space separates from the word before


@dataclass(repr=False)
class Concordance(Result[Context]):
    """Matches in context; ``totals`` counts all places per document, shown or not."""

    totals: dict[str, int]

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        """Return the matches below each other; what does not fit is cut at the ends."""
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
        name = min(24, max((len(row.document) for row in self), default=0))
        middle = max((len(row.match) for row in self), default=0)
        side = max(10, (width - name - middle - 4) // 2)
        left = min(side, max((len(row.left) for row in self), default=0))
        for row in self:
            before = f"{_cut(row.document, name):<{name}}  {_cut(row.left, left):>{left}}"
            yield f"{before} {paint(row.match, 'red')}{_format_right(row.right, side)}".rstrip()


def _cut(text: str, width: int) -> str:
    """Return the end of a text that is too long."""
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"


def _format_right(text: str, width: int) -> str:
    right = text if len(text) <= width else f"{text[: width - 1]}…"
    return f" {right}" if right[:1].isalnum() or right[:1] in _OPENING else right


@verb
def kwic(
    texts: Annotated[CorpusInput, Flags(metavar="IDX|FILE|FOLDER")],
    word: Annotated[
        Sequence[Annotated[str, Meta(max_length=10_000)]],
        Meta(min_length=1),
        Flags(metavar="WORD..."),
        Help("Words, or phrases in quotes."),
    ],
    *,
    window: Annotated[int, Meta(ge=0, le=1000), Help("Number of words on each side.")] = 8,
    sort: Annotated[
        Sort, Help("Keep the order of the text, or sort by the words to the left or right.")
    ] = "text",
    k: Annotated[Hits | None, Help("Show at most k places of each word per text.")] = None,
    reading: Reading = READING,
) -> Concordance:
    """Show words in context.

    The texts are an index, a file or a folder; a phrase goes in quotes. Words match as they are
    indexed, so capitals do not matter. A phrase lies within a sentence. With -k, --json still
    reports under "totals" how many places each text has.

        lexfield kwic my.idx sea
        lexfield kwic novel.txt "white whale" leviathan --sort right
        lexfield kwic texts/ heart --window 5 -k 20 --json
    """
    corpus = read_texts(texts, reading)
    found = find_places(corpus, word, window=window, sort=sort, k=k)
    totals = dict(found.totals)
    if not isinstance(texts, str | Path | Index):  # texts that were chosen one by one
        totals = {id: totals.get(id, 0) for id in corpus.ids}
    return Concordance(list(found), totals=totals, notes=[*corpus.notes, *found.notes])
