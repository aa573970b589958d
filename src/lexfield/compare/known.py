"""Texts whose author, or year, is known, and what they cannot tell.

A known text must not count when it is itself in question, nor its parts and copies. A short text is
judged by excerpts of known texts that are as short. A text in another language is not judged at
all: that is one in which the frequent words of the known texts are less than half as frequent. Nor
is one without running words: numbers, one word again and again, or a greeting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.copies import Sequences
from lexfield.errors import InputError, list_fields, list_names
from lexfield.text.document import Document

_ALIKE = 0.75  # a text of this share of the words of a known one is as long
_EXCERPTS = 100  # excerpts of known texts that judge a short text, if the texts are long enough
_FREQUENT = 200  # words by which a language is known
_READ = 5000  # words of a text that are read for it
_DISTINCT = 5  # words that a text needs, and a tenth of those in as many words of known texts


def keep_known(documents: Sequence[Document], by: str, notes: list[str]) -> list[Document]:
    """Return the texts that have the field and words; notes name the others.

    Parts of one text (``--chunk``, ``--split``) are joined again and copies left out: otherwise a
    text that is left out would still be among the known ones. A text that is given more than one
    value of the field is not known.
    """
    has_field = [
        replace(one, metadata={**one.metadata, by: one.metadata[by].strip()})
        for one in documents
        if one.metadata.get(by, "").strip()
    ]
    if not has_field:
        fields = list_fields({name for one in documents for name in one.metadata})
        raise InputError(
            f"No text has the field {by!r}.",
            f"{fields} Join a table with the columns id and {by}: --metadata FILE.",
        )
    kept = join_parts([one for one in has_field if one.text.split()], by, notes)
    left_out = {
        f"without {by}": [one.id for one in documents if not one.metadata.get(by, "").strip()],
        "without words": [one.id for one in has_field if not one.text.split()],
    }
    same: dict[str, list[Document]] = {}
    for one in kept:
        same.setdefault(" ".join(one.text.split()), []).append(one)
    disputed = [group for group in same.values() if len({one.metadata[by] for one in group}) > 1]
    agreed = [group for group in same.values() if group not in disputed]
    left_out["copies of another known text"] = [
        f"{one.id} ({group[0].id})" for group in agreed for one in group[1:]
    ]
    left_out[f"the same text with more than one {by}"] = [
        f"{one.id} ({one.metadata[by]})" for group in disputed for one in group
    ]
    notes += [f"left out, {why}: {list_names(names)}" for why, names in left_out.items() if names]
    if not agreed:
        raise InputError(f"No text has one {by} only.", f"Give each text one {by}.")
    _note_spellings({group[0].metadata[by] for group in agreed}, by, notes)
    return [group[0] for group in agreed]


def _note_spellings(labels: Iterable[str], by: str, notes: list[str]) -> None:
    """Note labels that differ by case or spaces only, and so are likely to mean the same."""
    spellings: dict[str, list[str]] = {}
    for one in sorted(labels):
        spellings.setdefault(" ".join(one.casefold().split()), []).append(one)
    alike = [" and ".join(map(repr, ones)) for ones in spellings.values() if len(ones) > 1]
    if alike:
        notes.append(f"{by}s that differ by case or spaces only: {list_names(alike)}")


def note_strangers(
    names: Container[str], asked: Sequence[Document], by: str, notes: list[str]
) -> None:
    """Note texts in question whose author is given but has no known text."""
    given = [(one.id, one.metadata.get(by, "").strip()) for one in asked]
    strange = [f"{id} ({label})" for id, label in given if label and label not in names]
    if strange:
        notes.append(
            f"texts in question whose {by} has no known text and so cannot be found:"
            f" {list_names(strange)}"
        )


def order_by_content(known: Sequence[Document], by: str) -> NDArray[np.int64]:
    """Return an order of texts that depends on their words only, the texts of one author together.

    Folds and random draws go by it, so that answers depend neither on names nor on the order in
    which texts are given.
    """
    keys = [_hash_words(one) for one in known]
    first: dict[str, bytes] = {}
    for one, key in sorted(zip(known, keys, strict=True), key=lambda pair: pair[1]):
        first.setdefault(one.metadata[by], key)
    order = sorted(range(len(known)), key=lambda row: (first[known[row].metadata[by]], keys[row]))
    return np.array(order, np.int64)


def _hash_words(text: Document) -> bytes:
    return sha256(" ".join(text.text.split()).encode("utf-8", "surrogatepass")).digest()


def join_parts(documents: Sequence[Document], by: str, notes: list[str]) -> list[Document]:
    """Return documents with the parts of one text joined, where they agree in the field."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for one in documents:
        whole = one.metadata.get("part_of", one.id)
        groups.setdefault((whole, one.metadata.get(by, "")), []).append(one)
    if len(groups) == len(documents):
        return list(documents)
    notes.append(
        f"parts of one text count as one: {len(documents):,} parts of {len(groups):,} texts"
    )
    return [
        replace(parts[0], id=whole if len(parts) > 1 else parts[0].id,
                text="\n".join(part.text for part in parts))
        for (whole, _), parts in groups.items()
    ]  # fmt: skip


def find_known(
    known: Sequence[Document],
    asked: Sequence[Document],
    notes: list[str],
    sequences: Sequences | None = None,
) -> list[tuple[int, ...]]:
    """Return the known texts that each text in question is a copy of; a note names them."""
    sequences = sequences or Sequences([one.text for one in known])
    copies = sequences.find_copies([one.text for one in asked])
    same = [
        f"{one.id} ({list_names(others)})" if others else one.id
        for one, rows in zip(asked, copies, strict=True)
        for others in [[known[row].id for row in rows if known[row].id != one.id]]
        if rows
    ]
    if same:
        notes.append(f"also among the known texts, so left out of them: {list_names(same)}")
    return copies


def find_foreign(
    known: Sequence[Document], asked: Sequence[Document], notes: list[str]
) -> NDArray[np.bool_]:
    """Return which texts in question are in another language than the known ones or have too few
    distinct words; notes name them. In the frequency, an error of one over the root of the number
    of words is allowed for."""
    words = [_read_words(one) for one in known]
    totals: Counter[str] = Counter()
    for one in words:
        totals.update(one)
    frequent = {word for word, _ in totals.most_common(_FREQUENT)}

    def find_share(read: Sequence[str]) -> float:
        return sum(one in frequent for one in read) / max(len(read), 1)

    usual = float(np.median([find_share(one) for one in words]))

    @cache
    def count_usual(size: int) -> float:
        return float(np.median([len(set(one[:size])) for one in words]))

    foreign, few = [], []
    for text in asked:
        read = _read_words(text)
        distinct = sum(any(map(str.isalpha, one)) for one in set(read))
        fewest = count_usual(2 ** int(math.log2(max(len(read), 1)))) / 10
        foreign.append(find_share(read) + max(len(read), 1) ** -0.5 < usual / 2)
        few.append(not foreign[-1] and distinct < max(_DISTINCT, fewest))
    for found, why in (
        (foreign, "without the frequent words of the known texts, so in another language or no"
                  " running text"),
        (few, "with too few distinct words, so not judged"),
    ):  # fmt: skip
        if any(found):
            names = [one.id for one, is_so in zip(asked, found, strict=True) if is_so]
            notes.append(f"{why}: {list_names(names)}")
    return np.array([a or b for a, b in zip(foreign, few, strict=True)], bool)


def _read_words(text: Document) -> list[str]:
    return [one.strip(".,;:!?\"'“”‘’()-—_").casefold() for one in text.text.split()[:_READ]]


def group_by_length(lengths: Array, known: Array) -> NDArray[np.int64]:
    """Return the power of two that is nearest to the words of each text; 0 for those as long as
    most known ones."""
    powers = 2 ** np.round(np.log2(lengths)).astype(np.int64)
    return np.where(lengths >= _ALIKE * np.median(known), 0, powers)


def count_excerpts(size: int, known: Array) -> int:
    """Return how many excerpts of so many words to cut from each known text, given their words: as
    few texts say little about short ones, several, unless that needs more words than a text has."""
    return int(min(max(1, known.min() // size), -(-_EXCERPTS // len(known)))) if size else 1


def cut_excerpt(words: Sequence[str], size: int, place: int = 0, number: int = 1) -> str | None:
    """Return so many words from the middle, or from that of one of ``number`` equal parts; None if
    the text is not longer, or the words are 0."""
    if not size or len(words) * _ALIKE <= size:
        return None
    start = ((2 * place + 1) * len(words) - number * size) // (2 * number)
    return " ".join(words[start : start + size])


def note_single(names: Array, labels: Array, by: str, notes: list[str]) -> None:
    """Note the authors with one text."""
    single = names[np.bincount(labels) == 1].tolist()
    if single:
        notes.append(
            f"{by}s with one text, which are candidates but cannot be checked: {list_names(single)}"
        )
