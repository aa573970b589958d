"""Style features: what a text is measured by when the question is who wrote it.

A feature is written as a spec, several are separated by commas (a combination):

    mfw(500)               the 500 most frequent words; also mfw500
    mfw(2000, culling=20)  … of those that occur in at least 20% of the texts
    char(4), char(2-5)     character n-grams within words, a space before and after each; also char4
    char(4, across=true)   character n-grams of the running text
    word(2), word(1-2)     n-grams of words and punctuation marks; also word2
    pos(1-3)               n-grams of parts of speech and marks; also pos(2, language=de)
    function, function(de) the function words of a language: its stopword list
    punct                  punctuation marks

``most=N`` keeps the N most frequent types of any of them. Words and characters are in lower case;
typographic quotes, dashes and dots are written as on a typewriter, and underscores that stand for
italics are left out, because these belong to the edition and not to the author.

``count_features(texts, spec)`` returns one ``StyleCounts`` per feature, in the order of the spec:
``Counts`` whose columns are ordered by falling frequency, with ``sizes``, the number of all tokens
of each text, also of those that are not kept. ``shares`` divides by it; these are the relative
frequencies that Delta standardises. Which types are kept is decided by the texts ``among``, so that
a text in question cannot choose its own features; no labels are used.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.counts import Counts
from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.specs import format_spec, parse_spec, split_list
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.text.segment import split_tokens
from lexfield.text.stopwords import stopwords
from lexfield.text.taggers import TAGGED, find_tagger

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_LONGEST = 10  # items of an n-gram
_SHORT = 100  # n-grams per text; if there are more, those of each text are counted first
_TYPEWRITER = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "«": '"', "»": '"', "„": '"', "–": "-", "—": " -- "}
    | {"…": "...", "_": "", "\u00a0": " ", "\u00ad": "", "\u2060": "", "\ufeff": ""}
)


def to_typewriter(text: str) -> str:
    """Return a text without what belongs to its edition: typographic quotes, dashes, italics."""
    return text.translate(_TYPEWRITER)


@dataclass(frozen=True)
class Feature:
    """One kind of feature; ``low`` to ``high`` are the lengths of its n-grams."""

    name: str
    low: int = 1
    high: int = 1
    most: int | None = None
    culling: float = 0
    across: bool = False
    language: str = ""  # English, unless ``use_language`` finds another

    def __str__(self) -> str:
        """Return the spec, the shortest that is parsed as this feature."""
        lengths = str(self.low) if self.low == self.high else f"{self.low}-{self.high}"
        given: dict[str, object] = {"culling": self.culling, "across": self.across}
        values = []
        if self.name == "mfw":
            values = [str(self.most)]
        else:
            given["most"] = self.most
            if self.name in _LENGTHS:
                values, given["language"] = [lengths], self.language
            elif self.language:
                values = [self.language]
        defaults = {"culling": 0, "across": False, "language": "", "most": _MOST.get(self.name)}
        return format_spec(self.name, values, given, defaults)


_LENGTHS = {"char": (4, 4), "word": (1, 2), "pos": (1, 3)}  # n-grams, and their default lengths
_MOST = {"mfw": 500, "char": 30_000, "word": 30_000}  # types kept by default
_PARAMETERS = ("most", "culling", "across", "language")


def parse_features(spec: str) -> list[Feature]:
    """Return the features of a combination. Raise InputError if one is malformed."""
    found = [_parse_feature(part) for part in split_list(spec)]
    check(len(found) > 0, "features", "at least one, such as mfw(500)", spec)
    return found


def _parse_feature(text: str) -> Feature:
    spec = parse_spec(text, "feature")
    name, values = spec.name, list(spec.values)
    short = re.fullmatch(r"([a-z]+)(\d+)", name)
    if short and not values:
        name, values = short[1], [short[2]]
    if name not in _COUNTERS:
        raise InputError(
            f"There is no feature {text.strip()!r}.", f"There are: {', '.join(_COUNTERS)}."
        )
    unknown = [one for one in spec.parameters if one not in _PARAMETERS]
    twice = name == "mfw" and "most" in spec.parameters and values
    if unknown or twice or len(values) > 1:
        raise InputError(
            f"{text.strip()!r} is not a feature.",
            "Write it as in mfw(2000, culling=20), char(2-5), char(4, across=true) or word(1-2).",
        )
    feature = replace(Feature(name, most=_MOST.get(name)), **spec.parameters)  # type: ignore[arg-type]
    if name in _LENGTHS:
        low, high = _read_lengths(values[0], text) if values else _LENGTHS[name]
        feature = replace(feature, low=low, high=high)
    elif values and name == "mfw":
        check(values[0].isdecimal(), "mfw", "a number of words", values[0])
        feature = replace(feature, most=int(values[0]))
    elif values:
        check(name == "function", name, "without a value", text.strip())
        feature = replace(feature, language=values[0])
    _check_feature(feature)
    return feature


def _read_lengths(value: str, text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", value)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    ok = 1 <= low <= high <= _LONGEST
    check(ok, "The length of n-grams", f"like 4 or 2-5, and at most {_LONGEST}", text.strip())
    return low, high


def _check_feature(feature: Feature) -> None:
    most, culling = feature.most, feature.culling
    ok = most is None or (isinstance(most, int) and not isinstance(most, bool) and most >= 1)
    check(ok, "most", "a whole number of at least 1", most)
    ok = isinstance(culling, int | float) and 0 <= culling <= 100
    check(ok, "culling", "a percentage, from 0 to 100", culling)
    check(isinstance(feature.across, bool), "across", "true or false", feature.across)
    check(not feature.across or feature.name == "char", "across", "given for char", feature.name)
    ok = feature.name in ("function", "pos") or not feature.language
    check(ok, "language", "given for function or pos", feature.name)
    if feature.name == "function":
        stopwords(feature.language or "en")
    elif feature.language:
        ok = feature.language in TAGGED
        check(ok, "language", f"one of {', '.join(TAGGED)}", feature.language)


@dataclass(frozen=True)
class StyleCounts(Counts):
    """Counts of a feature. ``sizes``: all tokens of each text, kept or not."""

    sizes: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def keep(self, rows: Array, notes: Sequence[str] = ()) -> StyleCounts:
        kept = super().keep(rows, notes)
        return StyleCounts(**vars(kept), sizes=self.sizes[np.asarray(rows)])

    @property
    def shares(self) -> csr_matrix:
        """Relative frequencies: counts divided by the tokens of each text."""
        from scipy.sparse import diags

        shares: csr_matrix = (diags(1 / np.maximum(self.sizes, 1)) @ self.matrix).tocsr()
        return shares


def count_features(
    texts: Corpus | Sequence[str | Document],
    spec: str,
    *,
    among: Array | None = None,
    progress: Progress = silent,
) -> list[StyleCounts]:
    """Count features of all texts at once: one ``StyleCounts`` per feature of the spec.

    ``among`` are the rows that decide which types are frequent; by default all.
    """
    features = parse_features(spec)
    documents = [
        text if isinstance(text, Document) else Document(str(number), text)
        for number, text in enumerate(texts.documents if isinstance(texts, Corpus) else texts)
    ]
    ids, metadata = [one.id for one in documents], [dict(one.metadata) for one in documents]
    cut = _CutTexts([one.text for one in documents])
    found: list[StyleCounts] = []
    for feature in features:
        progress(len(found), len(features))
        counted = _COUNTERS[feature.name](cut, feature)
        columns = _choose_columns(counted, feature, among)
        names, matrix = list(map(counted.name, columns.tolist())), counted.matrix[:, columns]
        found.append(StyleCounts(matrix.sorted_indices(), names, ids, metadata, [], counted.sizes))
    return found


@dataclass(frozen=True)
class _Counted:
    """All types of a feature, before the frequent ones are chosen."""

    matrix: csr_matrix
    name: Callable[[int], str]
    sizes: NDArray[np.int64]
    columns: NDArray[np.int64] | None = None  # the only ones that may be kept


def _choose_columns(counted: _Counted, feature: Feature, among: Array | None) -> Array:
    """Return the columns to keep, by falling frequency and then as they are numbered."""
    rows = counted.matrix if among is None else counted.matrix[np.asarray(among)]
    totals = np.asarray(rows.sum(axis=0)).ravel()
    columns = np.flatnonzero(totals)
    if counted.columns is not None:
        columns = np.intersect1d(columns, counted.columns)
    if feature.culling:
        texts = np.bincount(rows.indices[rows.data > 0], minlength=rows.shape[1])
        columns = columns[texts[columns] >= feature.culling / 100 * rows.shape[0]]
    order = np.argsort(-totals[columns], kind="stable")
    return np.asarray(columns[order][: feature.most])


class _CutTexts:
    """Texts cut into what stands between spaces, and into words and marks.

    Distinct strings are normalised and split once, however often they occur.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        lower = Normalisation()
        self._raw = _number(text.split() for text in texts)
        self._clean = [lower(to_typewriter(one)) for one in self._raw.types]

    @cached_property
    def pieces(self) -> _Sequences:
        return _expand(self._raw, _number(one.split() for one in self._clean))

    @cached_property
    def tokens(self) -> _Sequences:
        return _expand(self._raw, _number(map(split_tokens, self._clean)))

    @cached_property
    def characters(self) -> _Sequences:
        """The running text, with one space between pieces."""
        return _expand(self.pieces, _number([*one, " "] for one in self.pieces.types))

    @cached_property
    def is_mark(self) -> NDArray[np.bool_]:
        """For each type of ``tokens``: is it a punctuation mark?"""
        types = self.tokens.types
        return np.fromiter((not any(map(str.isalnum, one)) for one in types), bool, len(types))

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Words of each text."""
        tokens = self.tokens
        before = np.append(0, np.cumsum(~self.is_mark[tokens.items]))
        return np.asarray(np.diff(before[tokens.offsets]), np.int64)


@dataclass(frozen=True)
class _Sequences:
    """Numbered items of all texts, one after the other; text i begins at ``offsets[i]``."""

    items: NDArray[np.int32]
    offsets: NDArray[np.int64]
    types: Sequence[str]


def _number(texts: Iterable[list[str]]) -> _Sequences:
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    items = array("i")
    offsets = [0]
    for one in texts:
        items.extend(map(numbers.__getitem__, one))
        offsets.append(len(items))
    return _Sequences(np.frombuffer(items, np.int32), np.array(offsets, np.int64), list(numbers))


def _expand(outer: _Sequences, inner: _Sequences) -> _Sequences:
    """Replace every item by a sequence: text i of ``inner`` stands for type i of ``outer``."""
    lengths = np.diff(inner.offsets)[outer.items]
    ends = np.append(0, np.cumsum(lengths))
    shift = np.repeat(inner.offsets[:-1][outer.items] - ends[:-1], lengths)
    items = inner.items[np.arange(ends[-1]) + shift]
    return _Sequences(items, ends[outer.offsets], inner.types)


def _count_ngrams(found: _Sequences, feature: Feature, glue: str = "") -> _Counted:
    """Count the n-grams of each sequence."""
    from scipy.sparse import csr_matrix, hstack

    texts, width = len(found.offsets) - 1, len(found.types)
    parts, grams = [], []
    for n in range(feature.low, feature.high + 1):
        if width**n > np.iinfo(np.int64).max:
            raise InputError(
                f"{feature} has too many n-grams: there are {width:,} distinct items.",
                "Use shorter n-grams.",
            )
        rows, keys, counts = _count_keys(found, n)
        types, columns = np.unique(keys, return_inverse=True)
        parts.append(csr_matrix((counts, (rows, columns)), shape=(texts, len(types))))
        grams.append(types)
    starts = np.append(0, np.cumsum([len(types) for types in grams]))

    def name(column: int) -> str:
        part = int(np.searchsorted(starts, column, "right")) - 1
        key, items = int(grams[part][column - starts[part]]), []
        for _ in range(feature.low + part):
            key, item = divmod(key, width)
            items.append(found.types[item])
        return glue.join(reversed(items))

    matrix = hstack(parts, format="csr")
    return _Counted(matrix, name, np.asarray(matrix.sum(axis=1)).ravel().astype(np.int64))


def _count_keys(found: _Sequences, n: int) -> tuple[Array, Array, Array]:
    """Return rows, n-grams as numbers in base ``len(types)``, and how often each occurs."""
    lengths = np.maximum(np.diff(found.offsets) - n + 1, 0)
    ends = np.append(0, np.cumsum(lengths))
    starts = np.arange(ends[-1]) + np.repeat(found.offsets[:-1] - ends[:-1], lengths)
    keys = np.zeros(len(starts), np.int64)
    for place in range(n):
        keys = keys * len(found.types) + found.items[starts + place]
    if len(lengths) * _SHORT >= len(keys):
        return np.repeat(np.arange(len(lengths)), lengths), keys, np.ones(len(keys), np.int64)
    texts = [np.unique(keys[a:b], return_counts=True) for a, b in pairwise(ends.tolist())]
    rows = np.repeat(np.arange(len(texts)), [len(types) for types, _ in texts])
    return rows, np.concatenate([t for t, _ in texts]), np.concatenate([c for _, c in texts])


def _count_words(cut: _CutTexts, feature: Feature) -> _Counted:
    return _count_ngrams(cut.tokens, feature, " ")


def _count_tokens(cut: _CutTexts, feature: Feature) -> _Counted:
    """Count words, function words or marks; the size of a text is the number of its words."""
    matrix, types = _tally(cut.tokens), cut.tokens.types
    chosen = cut.is_mark if feature.name == "punct" else ~cut.is_mark
    if feature.name == "function":
        known = stopwords(feature.language or "en")
        chosen = np.array([one in known for one in types], bool)
    return _Counted(matrix, lambda column: types[column], cut.words, np.flatnonzero(chosen))


def _tally(found: _Sequences) -> csr_matrix:
    """Return texts × types."""
    from scipy.sparse import csr_matrix

    texts = len(found.offsets) - 1
    rows = np.repeat(np.arange(texts), np.diff(found.offsets))
    ones = np.ones(len(rows), np.int64)
    return csr_matrix((ones, (rows, found.items)), shape=(texts, len(found.types)))


def _count_speech(cut: _CutTexts, feature: Feature) -> _Counted:
    """Count n-grams of tags, one per distinct word; a mark stands for itself."""
    tag = find_tagger(feature.language or "en")
    tokens = cut.tokens
    tags = [
        one if is_mark else tag(one)
        for one, is_mark in zip(tokens.types, cut.is_mark.tolist(), strict=True)
    ]
    types, numbers = np.unique(np.array(tags, object).astype(str), return_inverse=True)
    found = _Sequences(numbers.astype(np.int32)[tokens.items], tokens.offsets, types.tolist())
    return _count_ngrams(found, feature, " ")


def _count_characters(cut: _CutTexts, feature: Feature) -> _Counted:
    if feature.across:
        return _count_ngrams(cut.characters, feature)
    pieces = cut.pieces  # count the n-grams of distinct ones, then how often these occur
    within = _count_ngrams(_number([" ", *one, " "] for one in pieces.types), feature)
    matrix = (_tally(pieces) @ within.matrix).tocsr()
    return _Counted(matrix, within.name, np.asarray(matrix.sum(axis=1)).ravel().astype(np.int64))


_COUNTERS: dict[str, Callable[[_CutTexts, Feature], _Counted]] = {
    "mfw": _count_tokens,
    "char": _count_characters,
    "word": _count_words,
    "pos": _count_speech,
    "function": _count_tokens,
    "punct": _count_tokens,
}
