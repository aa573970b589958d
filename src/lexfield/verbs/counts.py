"""``lexfield bag``, ``keyness`` and ``kwic``: words counted, compared and in context."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Unpack

from msgspec import UNSET, Meta, UnsetType

from lexfield.bags.bag import Bag, join_phrases
from lexfield.bags.keyness import Correction, KeyWord
from lexfield.bags.keyness import keyness as find_keywords
from lexfield.bags.matrix import BagMatrix
from lexfield.plots.figure import Picture
from lexfield.plots.words import draw_keyness
from lexfield.progress import Progress, silent
from lexfield.results import format_rows, pluralise
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.kwic import Context, Sort
from lexfield.text.kwic import kwic as find_places
from lexfield.text.normalise import Normalisation
from lexfield.verbs.declare import Flags, Help, Input, verb
from lexfield.verbs.input import (
    CorpusInput,
    Sources,
    TextOptions,
    TextsInput,
    read_texts,
    refuse_ids,
)
from lexfield.verbs.options import Hits, MinCount, Ngram
from lexfield.verbs.results import Result, hidden, save_picture
from lexfield.verbs.sides import SideOptions, add_where, name_side

BagInput = Annotated[Sources | Bag, Input("texts")]
_WRITTEN = 10  # types of the set and the multiset that are written out
_SHOWN = 20  # types in the table


@dataclass(kw_only=True)
class NgramRow:
    """An n-gram with its count and its share of all tokens."""

    type: str
    count: int
    frequency: float


@dataclass(repr=False)
class CountedNgrams(Result[NgramRow]):
    """The n-grams of texts, most frequent first; ``bag`` holds all of them."""

    ngram: int
    types: int
    tokens: int
    included: bool | UnsetType = UNSET  # in the other bag, if there is one
    bag: Bag = hidden()
    k: int | None = hidden(default=None)

    def lines(self) -> Iterable[str]:
        first = self.bag.most_common(_WRITTEN)
        more = ", …" if self.types > _WRITTEN else ""
        yield f"{self.types:,} types, {self.tokens:,} tokens"
        yield f"set       {{{', '.join(str(type) for type, _ in first)}{more}}}"
        yield f"multiset  {{{', '.join(f'{type}: {count}' for type, count in first)}{more}}}"
        if self.included is not UNSET:
            yield f"the first multiset is {'' if self.included else 'not '}included in the other"
        yield ""
        rows = self.to_dicts()
        yield from format_rows(rows, shown=len(rows) if self.k else _SHOWN)


@verb
def bag(
    texts: Annotated[TextsInput, Flags(metavar="FILE...")],
    *,
    ngram: Ngram = 1,
    keep_case: Annotated[bool, Help("Count Misses and misses as different words.")] = False,
    phrases: Annotated[
        Sequence[Annotated[str, Meta(max_length=1000)]],
        Meta(max_length=1000),
        Flags(("--phrase",), "PHRASE"),
        Help("Count this phrase as one word that contains spaces; can be repeated."),
    ] = (),
    other: Annotated[
        CorpusInput | None, Flags(metavar="PATH"), Help("Combine with the multiset of other texts.")
    ] = None,
    operation: Annotated[
        Literal["sum", "union", "intersection", "difference"],
        Help("With --other: add counts, take the larger or smaller, or subtract (not below 0)."),
    ] = "sum",
    k: Annotated[Hits | None, Help("Show only the k most frequent types.")] = None,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> CountedNgrams:
    """Count the n-grams of texts: types, tokens, frequencies.

    They are also shown as a set and as a multiset. N-grams do not cross the end of a sentence.
    With --other the result also says whether the first multiset is included in the other.

        lexfield bag novel.txt
        lexfield bag novel.txt --ngram 2 -k 20 --json
        lexfield bag menu.txt --keep-case --phrase "passion fruit"
        lexfield bag a.txt --other b.txt --operation intersection
        echo "Only John could like John" | lexfield bag -
    """
    normalisation = _read_as_written(keep_case, phrases)
    corpus = _read(texts, options, progress, normalisation)
    counted = BagMatrix.of(corpus, ngram).total()
    included: bool | UnsetType = UNSET
    if other is not None:
        others = BagMatrix.of(_read(other, options, progress, normalisation), ngram).total()
        included, counted = counted <= others, _OPERATIONS[operation](counted, others)
    frequencies = counted.frequencies()
    rows = [
        NgramRow(type=str(type), count=int(count), frequency=frequencies[type])
        for type, count in counted.most_common(k)
    ]
    return CountedNgrams(
        rows,
        ngram=ngram,
        types=counted.types,
        tokens=int(counted.tokens),
        included=included,
        bag=counted,
        k=k,
        notes=corpus.notes,
    )


_OPERATIONS: dict[str, Callable[[Bag, Bag], Bag]] = {
    "sum": Bag.__add__,
    "union": Bag.__or__,
    "intersection": Bag.__and__,
    "difference": Bag.difference,
}


def _read_as_written(keep_case: bool, phrases: Sequence[str]) -> Normalisation | None:
    """Return how texts are cut into words if capitals or phrases count; None for the usual way."""
    if not keep_case and not phrases:
        return None
    plain = Normalisation(lower=not keep_case)
    if not phrases:
        return plain
    sought = [plain.words(phrase) for phrase in phrases]
    return Normalisation(
        lower=not keep_case, tokenizer=lambda text: join_phrases(plain.words(text), sought)
    )


def _read(
    texts: Sources, options: TextOptions, progress: Progress, normalisation: Normalisation | None
) -> Corpus:
    """Return texts cut into words as asked, again if they come from an index."""
    corpus = read_texts(texts, options, progress, normalisation)
    if normalisation is None or corpus.normalisation == normalisation:
        return corpus
    language = options.get("language")
    return Corpus.of(corpus.documents, normalisation=normalisation, language=language)


@dataclass(repr=False)
class Keywords(Result[KeyWord]):
    """Words that are more frequent in one of two texts, most certain first."""

    a: str
    b: str
    tested: int
    found: int
    names: tuple[str, str] = hidden()

    def lines(self) -> Iterable[str]:
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
                "% change": round(word.diff),
            }
            for word in self.results
        ]
        differ = pluralise(self.found, "word differs", "words differ")
        head = f"A is {self.names[0]}, B is {self.names[1]}: {differ}"
        return [head, *format_rows(rows, shown=len(rows))]

    def plot(self, path: str | Path | None = None) -> Path | Picture:
        """Draw the words as bars: png, svg or pdf."""
        return save_picture(draw_keyness(self.results, self.names), path)


class KeynessOptions(TextOptions, SideOptions, total=False):
    """How the two sides are read."""


@verb
def keyness(
    a: BagInput,
    b: BagInput,
    *,
    ngram: Ngram = 1,
    min_count: Annotated[
        MinCount, Help("Skip words that occur less often than this in both texts together.")
    ] = 5,
    correction: Annotated[
        Correction, Help("How p values are corrected for the number of words tested.")
    ] = "holm",
    max_p: Annotated[
        float,
        Meta(ge=0, le=1),
        Flags(old="p"),
        Help("Largest p value of a word that is shown."),
    ] = 0.05,
    only: Annotated[Literal["A", "B"] | None, Help("Show the words of one side only.")] = None,
    k: Annotated[Hits, Help("Number of words shown.")] = 20,
    **options: Unpack[KeynessOptions],
) -> Keywords:
    """Find the words that set one text apart from another.

    A and B are each a file, a folder or an index. G² says how certain a difference is, log ratio
    how large: 1 means twice as frequent in A, -1 half as frequent.

        lexfield keyness emma.txt ulysses.txt
        lexfield keyness emma.txt ulysses.txt --only A -k 30 --plot words.png
        lexfield keyness books.idx books.idx --a-where author=Austen --b-where author=Dickens
        lexfield keyness before/ after/ --ngram 2 --min-count 10 --correction bh --json
    """
    refuse_ids([a, b], options)
    chosen = options["a_where"], options["b_where"]
    texts = [
        one if isinstance(one, Bag) else read_texts(one, add_where(options, where))
        for one, where in zip((a, b), chosen, strict=True)
    ]
    tested = find_keywords(texts[0], texts[1], n=ngram, least=min_count, correction=correction)
    found = [word for word in tested if word.p <= max_p and only in (None, word.more_in)]
    notes = [note for text in texts if isinstance(text, Corpus) for note in text.notes]
    notes += tested.notes
    if not found:
        notes.append(f"no word differs significantly (p ≤ {max_p:g})")
    return Keywords(
        found[:k],
        a=name_side(a, chosen[0]),
        b=name_side(b, chosen[1]),
        tested=len(tested),
        found=len(found),
        names=(name_side(a, chosen[0], brief=True), name_side(b, chosen[1], brief=True)),
        notes=notes,
    )


_WIDTH = 120  # of a line that does not go to a terminal
_OPENING = "([{“‘—–-"  # marks that a space separates from the word before


@dataclass(repr=False)
class Concordance(Result[Context]):
    """Matches in context; ``totals`` counts all matches per document, shown or not."""

    totals: dict[str, int]

    def lines(self) -> Iterator[str]:
        """Return the matches below each other; what does not fit is cut at the ends."""
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
        name = min(24, max((len(row.document) for row in self), default=0))
        middle = max((len(row.match) for row in self), default=0)
        side = max(10, (width - name - middle - 4) // 2)
        left = min(side, max((len(row.left) for row in self), default=0))
        for row in self:
            before = f"{_cut(row.document, name):<{name}}  {_cut(row.left, left):>{left}}"
            match = self.paint(row.match, "red")
            yield f"{before} {match}{_format_right(row.right, side)}".rstrip()


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
    k: Annotated[Hits | None, Help("Show at most k occurrences of each word per text.")] = None,
    start: Annotated[
        int, Meta(ge=0, le=10**9), Help("Skip the first occurrences of each word in each text.")
    ] = 0,
    forms: Annotated[
        bool,
        Help("Also show other forms of a word, such as whales for whale, if the index has stems."),
    ] = False,
    **options: Unpack[TextOptions],
) -> Concordance:
    """Show words in context.

    The texts are an index, a file or a folder; a phrase goes in quotes. Words match as they are
    indexed, so capitals do not matter. A phrase does not cross the end of a sentence. With -k,
    --json still reports the number of occurrences in each text, under "totals".

        lexfield kwic my.idx sea
        lexfield kwic novel.txt "white whale" leviathan --sort right
        lexfield kwic texts/ heart --window 5 -k 20 --json
        lexfield kwic books.idx heart --where author=Austen
        lexfield kwic books.idx whale --forms
    """
    corpus = read_texts(texts, options)
    found = find_places(corpus, word, window=window, sort=sort, k=k, start=start, forms=forms)
    totals = dict(found.totals)
    if not isinstance(texts, str | Path | Index):  # texts that were chosen one by one
        totals = {id: totals.get(id, 0) for id in corpus.ids}
    return Concordance(list(found), totals=totals, notes=[*corpus.notes, *found.notes])
