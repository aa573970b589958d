"""Parts of speech: what a text is made of, and whether near words have the same.

Hare et al., 4.3.1, Tables 2 and 6.

Each distinct word gets one tag, as in the paper, so a word that is a noun here and a verb there
counts as what it mostly is. The tagger is TextBlob's (a lexicon of 94,000 English words and rules
for the endings of others; its data are in its package); any callable will do instead that takes a
word and gives a tag of the Penn Treebank or the name of a class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Source, embed_corpus, unit_rows
from lexfield.results import Table, format_rows
from lexfield.text.corpus import Corpus
from lexfield.vectors.nearest import nearest_rows

CLASSES = ("noun", "verb", "adjective", "adverb", "pronoun", "other")
NEIGHBOURS = (3, 5, 10, 20, 50)
Tagger = Callable[[str], str]
# Beginnings of Penn Treebank tags; all others, digits and marks among them, are "other".
_PENN = {
    "NN": "noun",
    "VB": "verb",
    "MD": "verb",
    "JJ": "adjective",
    "RB": "adverb",
    "WRB": "adverb",
    "PRP": "pronoun",
    "WP": "pronoun",
}


@dataclass(frozen=True)
class Share:
    """A class of words in a text, by tokens and by types."""

    speech: str
    tokens: int
    token_share: float
    types: int
    type_share: float


@dataclass(frozen=True)
class SameClass:
    """Of the ``k`` nearest words, the mean share with the class of the word itself.

    by_chance: the share if neighbours were drawn at random. above: how much of the way from chance
    to all of one class the neighbours have gone.
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

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "vectors": self.vectors,
            "embedded": self.embedded,
            "shares": self.shares.to_dicts(),
            "neighbours": self.neighbours.to_dicts(),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        return [*self.shares.to_dicts(), *self.neighbours.to_dicts()]

    def lines(self) -> list[str]:
        """The report as lines of text."""
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


def default_tagger() -> Tagger:
    """TextBlob's tagger, for one word at a time."""
    from textblob.en import parser

    def tag(word: str) -> str:
        return str(parser.find_tags([word])[0][1])

    return tag


def class_of(tag: str) -> str:
    """The class of a Penn Treebank tag; the name of a class is its own."""
    if tag in CLASSES:
        return tag
    return next((name for start, name in _PENN.items() if tag.startswith(start)), "other")


def classes_of(words: Sequence[str], tagger: Tagger | None = None) -> NDArray[np.uint8]:
    """The class of every word, as its place in ``CLASSES``."""
    tag = tagger or default_tagger()
    places = {name: place for place, name in enumerate(CLASSES)}
    found = np.empty(len(words), np.uint8)
    for number, word in enumerate(words):
        given = tag(word)
        if not isinstance(given, str):
            raise InputError(
                f"The tagger gave {given!r} for {word!r}.",
                f"It must give a Penn Treebank tag or one of: {', '.join(CLASSES)}.",
            )
        found[number] = places[class_of(given)]
    return found


def speech(
    corpus: Corpus,
    *,
    vectors: Source = "default",
    tagger: Tagger | None = None,
    neighbours: Sequence[int] = NEIGHBOURS,
    name: str = "text",
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> SpeechResult:
    """Tag the distinct words of a corpus; count classes, and those of the nearest words."""
    check(isinstance(corpus, Corpus), "corpus", "a Corpus, as Corpus.read gives", corpus)
    check(len(neighbours) > 0 and min(neighbours) >= 1, "neighbours", "at least 1", neighbours)
    if not len(corpus.tokens):
        raise InputError("There are no words in this text.", "Give one with some.")
    source, embedded, low = embed_corpus(corpus, vectors, allow_unknown, progress)
    classes = classes_of(corpus.vocabulary.words, tagger)
    known = embedded.known
    table, notes = same_class(embedded.matrix[known], classes[known], neighbours, progress)
    notes[:0] = low
    if missing := int((~known).sum()):
        notes.append(f"{missing:,} words without a vector are not among the neighbours")
    return SpeechResult(
        name,
        composition(classes, corpus.vocabulary.counts),
        table,
        classes,
        source,
        int(known.sum()),
        notes,
    )


def composition(classes: NDArray[np.uint8], counts: NDArray[np.int64]) -> Table[Share]:
    """Table 6: each class's part of the tokens and of the types."""
    tokens = np.bincount(classes, counts, minlength=len(CLASSES)).astype(np.int64).tolist()
    types = np.bincount(classes, minlength=len(CLASSES)).tolist()
    rows = [
        Share(name, tokens[i], tokens[i] / sum(tokens), types[i], types[i] / sum(types))
        for i, name in enumerate(CLASSES)
    ]
    return Table(rows, "parts of speech")


def same_class(
    matrix: NDArray[np.float32],
    classes: NDArray[np.uint8],
    neighbours: Sequence[int] = NEIGHBOURS,
    progress: Progress = silent,
) -> tuple[Table[SameClass], list[str]]:
    """Table 2: the mean share of the k nearest words (by cosine) that have a word's class.

    By chance it is Σ p_c (n_c − 1)/(n − 1): a word of class c, with probability p_c, and one other.
    """
    n = len(classes)
    wanted = [k for k in neighbours if k < n]
    notes = []
    if len(wanted) < len(neighbours):
        notes.append(f"there are {n:,} words with vectors: too few for so many neighbours")
    if not wanted:
        return Table([], "nearest words of the same class"), notes
    unit = unit_rows(matrix)
    most = max(wanted)
    found = nearest_rows(unit, unit, k=most, skip=np.arange(n), progress=progress)
    same = classes[found.rows.reshape(n, most)] == classes[:, None]
    sizes = np.bincount(classes, minlength=len(CLASSES)).astype(np.float64)
    chance = float((sizes * (sizes - 1)).sum() / (n * (n - 1)))
    rows = []
    for k in wanted:
        share = float(same[:, :k].mean())
        above = (share - chance) / (1 - chance) if chance < 1 else 0.0
        rows.append(SameClass(k, share, chance, above))
    return Table(rows, "nearest words of the same class"), notes
