"""A bag: a multiset of n-grams (the lecture notes' bag of words), with sums and multiples.

{if police: 1, police police: 8, …}    4 types, 11 tokens
A ⊎ B   is  a + b          counts add up
3 ⊗ A   is  3 * a          counts are multiplied
A ∪ B   is  a | b          the larger of two counts
A ∩ B   is  a & b          the smaller of two counts
A ∖ B   is  a.difference(b)    counts are subtracted, but not below 0
A ⊆ B   is  a <= b         no count is larger in a
freq(s) is  count(s) / tokens
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from lexfield.errors import InputError, check, shorten
from lexfield.results import Frames, html_table, pluralise
from lexfield.text.normalise import Normalisation

Number: TypeAlias = int | float


class Bag(Frames, Mapping[Hashable, Number]):
    """A multiset. Types that are not in it have count 0; bags that differ only in zeros are equal.

    N-grams are words joined by spaces: ``bag["police then"]`` equals ``bag["police", "then"]``.
    """

    def __init__(self, counts: Mapping[Hashable, Number] | Iterable[Hashable] = ()) -> None:
        if isinstance(counts, str | bytes) or not isinstance(counts, Iterable):
            raise InputError(
                "A Bag is made of counts or of a list of types."
                f" Got {shorten(repr(counts), 60)} instead.",
                "For the words of a text use Bag.of(text).",
            )
        self._counts: dict[Hashable, Number] = dict(
            counts if isinstance(counts, Mapping) else Counter(counts)
        )

    @classmethod
    def of(cls, words: Sequence[str], n: int = 1) -> Bag:
        """Return the bag of the n-grams of a sequence of words; a string is split into words."""
        check(isinstance(n, int) and n >= 1, "n", "a whole number of at least 1", n)
        if isinstance(words, str):
            words = Normalisation().words(words)
        shifted = [words[start:] for start in range(n)]
        return cls(Counter(map(" ".join, zip(*shifted, strict=False))))

    def __getitem__(self, type: Hashable) -> Number:
        return self._counts.get(_key(type), 0)

    def __contains__(self, type: object) -> bool:
        return self[type] != 0

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return _without_zeros(self._counts) == _without_zeros(other)

    def __hash__(self) -> int:
        return hash(frozenset(_without_zeros(self._counts).items()))

    def __add__(self, other: Bag) -> Bag:
        if not isinstance(other, Bag):
            return NotImplemented
        total = dict(self._counts)
        for type, count in other._counts.items():
            total[type] = total.get(type, 0) + count
        return Bag(total)

    def __sub__(self, other: Bag) -> Bag:
        """Subtract counts. They may become negative, as in a weighted query."""
        return self + -1 * other

    def __or__(self, other: Bag) -> Bag:
        """Return the union: the larger of the two counts of each type."""
        return self._combine(other, max) if isinstance(other, Bag) else NotImplemented

    def __and__(self, other: Bag) -> Bag:
        """Return the intersection: the smaller of the two counts of each type."""
        return self._combine(other, min) if isinstance(other, Bag) else NotImplemented

    def difference(self, other: Bag) -> Bag:
        """Return what is left of this multiset without the other: no count falls below 0."""
        return self._combine(other, lambda own, others: max(0, own - others))

    def __le__(self, other: Bag) -> bool:
        """Is this multiset included in the other?"""
        if not isinstance(other, Bag):
            return NotImplemented
        return all(self[type] <= other[type] for type in {**self._counts, **other._counts})

    def _combine(self, other: Bag, operation: Callable[[Number, Number], Number]) -> Bag:
        types = {**self._counts, **other._counts}
        return Bag(_without_zeros({type: operation(self[type], other[type]) for type in types}))

    def __mul__(self, scalar: Number) -> Bag:
        if not isinstance(scalar, int | float):
            return NotImplemented
        return Bag({type: scalar * count for type, count in self._counts.items()})

    __rmul__ = __mul__

    @property
    def types(self) -> int:
        """The number of types with a count other than 0."""
        return sum(count != 0 for count in self._counts.values())

    @property
    def tokens(self) -> Number:
        """The sum of all counts."""
        return sum(self._counts.values())

    def set(self) -> frozenset[Hashable]:
        """Return the types without their counts."""
        return frozenset(_without_zeros(self._counts))

    def frequencies(self) -> dict[Hashable, float]:
        """Return the relative frequency of each type, the most frequent first."""
        if not self._counts:
            return {}
        total = self.tokens
        if total == 0:
            raise InputError("The counts of this bag add up to 0; it has no frequencies.")
        return {type: count / total for type, count in self.most_common()}

    def most_common(self, k: int | None = None) -> list[tuple[Hashable, Number]]:
        """Return types with their counts, the largest first; ties in alphabetical order."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], str(item[0])))
        return ordered[:k]

    def to_dicts(self) -> list[dict[str, object]]:
        frequencies = self.frequencies()
        return [
            {"type": type, "count": count, "frequency": frequencies[type]}
            for type, count in self.most_common()
        ]

    def __repr__(self) -> str:
        shown = ", ".join(f"{type}: {count:g}" for type, count in self.most_common(10))
        more = ", …" if len(self) > 10 else ""
        return (
            f"<Bag of {pluralise(self.types, 'type')}, {self.tokens:,} tokens: {{{shown}{more}}}>"
        )

    def _repr_html_(self) -> str:
        return html_table([{"type": type, "count": n} for type, n in self.most_common(20)])


def join_phrases(words: Sequence[str], phrases: Sequence[Sequence[str]]) -> list[str]:
    """Return the words with every occurrence of a phrase as one word, which contains spaces.

    Where several phrases begin, the longest counts.
    """
    ordered = sorted((list(phrase) for phrase in phrases), key=len, reverse=True)
    joined, place = [], 0
    while place < len(words):
        fitting = (p for p in ordered if list(words[place : place + len(p)]) == p)
        length = len(next(fitting, [""]))
        joined.append(" ".join(words[place : place + length]))
        place += length
    return joined


def _key(type: Hashable) -> Hashable:
    return " ".join(map(str, type)) if isinstance(type, tuple) else type


def _without_zeros(counts: Mapping[Hashable, Number]) -> dict[Hashable, Number]:
    return {type: count for type, count in counts.items() if count}
