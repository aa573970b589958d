"""Parts of speech: how many of each a text has, and whether near words share theirs.

Hare et al., 4.3.1, Tables 2 and 6. Each distinct word gets one tag, as in the paper: a word that is
sometimes a noun and sometimes a verb counts as what it mostly is. The tagger is that of the
language of the texts (``text/taggers.py``). Any callable that maps a word to a Penn Treebank tag,
or to the name of a class, can replace it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import CorpusVectors, Source, Texts, make_corpus
from lexfield.results import Table, format_rows
from lexfield.text.speech import choose_tagger, tag_words
from lexfield.text.taggers import CLASSES, Tagger
from lexfield.vectors.nearest import nearest_rows, unit_rows

NEIGHBOURS = (3, 5, 10, 20, 50)


@dataclass(frozen=True)
class Share:
    """The share of a class of words in a text, by tokens and by types."""

    speech: str
    tokens: int
    token_share: float
    types: int
    type_share: float


@dataclass(frozen=True)
class SameClass:
    """The mean share of the ``k`` nearest words that have the class of the word itself.

    by_chance: the share if neighbours were drawn at random. above: (share − chance) / (1 − chance).
    """

    k: int
    share: float
    by_chance: float
    above: float


@dataclass(frozen=True)
class SpeechResult:
    """Table 6 (``shares``) and Table 2 (``neighbours``) of a text; ``classes`` of its words."""

    name: str
    shares: Table[Share]
    neighbours: Table[SameClass]
    classes: NDArray[np.uint8]
    vectors: str
    embedded: int
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        return [
            f"{self.name}: parts of speech",
            *format_rows(self.shares.to_dicts()),
            "",
            f"nearest words of the same class ({self.embedded:,} words, vectors {self.vectors!r})",
            *format_rows(self.neighbours.to_dicts()),
        ]

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *self.notes])

    def _repr_html_(self) -> str:
        return self.shares._repr_html_() + self.neighbours._repr_html_()


def speech(
    texts: Texts,
    *,
    vectors: Source = "default",
    tagger: Tagger | None = None,
    neighbours: Sequence[int] = NEIGHBOURS,
    name: str = "text",
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> SpeechResult:
    """Tag the distinct words of texts; count classes, and compare those of the nearest words."""
    corpus = make_corpus(texts)
    if tagger is None:
        tagger = choose_tagger(corpus.count_languages())
    embedded = CorpusVectors.of(corpus, vectors, progress, allow_unknown)
    classes = tag_words(corpus.vocabulary.words, tagger)
    known = embedded.words.known
    table, notes = compare_neighbours(embedded.words.vectors, classes[known], neighbours, progress)
    notes[:0] = embedded.notes
    if missing := int((~known).sum()):
        notes.append(f"{missing:,} words without a vector are not among the neighbours")
    return SpeechResult(
        name,
        count_classes(classes, corpus.vocabulary.counts),
        table,
        classes,
        embedded.source,
        int(known.sum()),
        notes,
    )


def count_classes(classes: NDArray[np.uint8], counts: NDArray[np.int64]) -> Table[Share]:
    """Return Table 6: each class's share of the tokens and of the types."""
    tokens = np.bincount(classes, counts, minlength=len(CLASSES)).astype(np.int64).tolist()
    types = np.bincount(classes, minlength=len(CLASSES)).tolist()
    rows = [
        Share(name, tokens[i], tokens[i] / sum(tokens), types[i], types[i] / sum(types))
        for i, name in enumerate(CLASSES)
    ]
    return Table(rows, "parts of speech")


def compare_neighbours(
    matrix: NDArray[np.float32],
    classes: NDArray[np.uint8],
    neighbours: Sequence[int] = NEIGHBOURS,
    progress: Progress = silent,
) -> tuple[Table[SameClass], list[str]]:
    """Return Table 2: the mean share of the k nearest words (by cosine) with a word's class.

    By chance it is Σ p_c (n_c − 1)/(n − 1): a word of class c, with probability p_c, and one other.
    """
    n = len(classes)
    usable = [k for k in neighbours if k < n]
    notes = []
    if len(usable) < len(neighbours):
        notes.append(f"there are {n:,} words with vectors: too few for the larger k")
    if not usable:
        return Table([], "nearest words of the same class"), notes
    unit = unit_rows(matrix)
    most = max(usable)
    nearest = nearest_rows(unit, unit, k=most, skip=np.arange(n), progress=progress)
    same = classes[nearest.rows.reshape(n, most)] == classes[:, None]
    sizes = np.bincount(classes, minlength=len(CLASSES)).astype(np.float64)
    chance = float((sizes * (sizes - 1)).sum() / (n * (n - 1)))
    rows = []
    for k in usable:
        share = float(same[:, :k].mean())
        above = (share - chance) / (1 - chance) if chance < 1 else 0.0
        rows.append(SameClass(k, share, chance, above))
    return Table(rows, "nearest words of the same class"), notes
