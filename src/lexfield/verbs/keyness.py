"""``lexfield keyness``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from lexfield.bags.keyness import Correction, KeyWord
from lexfield.bags.keyness import keyness as find_keywords
from lexfield.plots.figure import Picture
from lexfield.plots.words import draw_keyness
from lexfield.results import format_rows
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import (
    READING,
    CorpusInput,
    Reading,
    name_briefly,
    name_source,
    read_texts,
)
from lexfield.verbs.options import Hits, Ngram
from lexfield.verbs.results import Paint, Result, hidden, plain, save_plot


@dataclass(repr=False)
class Keywords(Result[KeyWord]):
    """Words that are more frequent in one of two texts, surest first."""

    a: str
    b: str
    tested: int
    found: int
    names: tuple[str, str] = hidden()

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        if not self.results:
            return []
        rows = [
            {
                "word": word.word,
                "more in": word.more_in,
                "A": word.count_a,
                "B": word.count_b,
                "G²": round(word.g2, 1),
                "p": float(f"{word.p:.2g}"),
                "log ratio": round(word.log_ratio, 2),
                "%DIFF": round(word.diff),
            }
            for word in self.results
        ]
        head = f"A is {self.names[0]}, B is {self.names[1]}: {self.found:,} words differ"
        return [head, *format_rows(rows, shown=len(rows))]

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the words as bars: png, svg or pdf."""
        return save_plot(draw_keyness(self.results, self.names), path)


@verb
def keyness(
    a: CorpusInput,
    b: CorpusInput,
    *,
    ngram: Ngram = 1,
    least: Annotated[
        int, Meta(ge=1, le=10**9), Help("Skip words that are rarer than this in both together.")
    ] = 5,
    correction: Annotated[
        Correction, Help("How p values are corrected for the number of words tested.")
    ] = "holm",
    p: Annotated[float, Meta(ge=0, le=1), Help("Largest p value of a word that is shown.")] = 0.05,
    only: Annotated[Literal["A", "B"] | None, Help("Show the words of one side only.")] = None,
    k: Annotated[Hits, Help("Number of words shown.")] = 20,
    reading: Reading = READING,
) -> Keywords:
    """Find the words that tell one text from another.

    A and B are each a file, a folder or an index. G² says how certain a difference is, log ratio
    how large: 1 means twice as frequent in A, -1 half as frequent.

        lexfield keyness emma.txt ulysses.txt
        lexfield keyness emma.txt ulysses.txt --only A -k 30 --plot words.png
        lexfield keyness before/ after/ --ngram 2 --least 10 --correction bh --json
    """
    texts = [read_texts(source, reading) for source in (a, b)]
    tested = find_keywords(texts[0], texts[1], n=ngram, least=least, correction=correction)
    found = [word for word in tested if word.p <= p and only in (None, word.more_in)]
    notes = [note for text in texts for note in text.notes] + tested.notes
    if not found:
        notes.append(f"no word differs with p of at most {p:g}")
    return Keywords(
        found[:k],
        a=name_source(a),
        b=name_source(b),
        tested=len(tested),
        found=len(found),
        names=(name_briefly(a), name_briefly(b)),
        notes=notes,
    )
