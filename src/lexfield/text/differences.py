"""What is not the same in two texts that are nearly equal, in plain words.

Vectors place "the market rose" beside "the market fell". Words tell them apart: negations, numbers,
opposites and names that only one text has, then other words. ``data/opposites.txt`` is made by
``scripts/make_opposites.py``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, pairwise

from lexfield.text.forms import find_base_forms, is_english, read_table
from lexfield.text.normalise import Normalisation
from lexfield.text.numerals import Numeral, find_numerals
from lexfield.text.segment import sentence_spans, word_spans
from lexfield.text.stopwords import stopwords

# Share of the longer text's words that both texts have, if they nearly equal each other.
NEAR = 0.5  # content words
NEAR_ALL = 0.65  # all words, for texts with few content words: "A man is singing."
# The longer text has at most this many times the characters, and this many more.
_RATIO, _SHORT = 3, 60
_LISTED = 4  # words of one kind
_ORDERED = 60  # words; the order of longer texts is not compared
_TITLE = 0.8  # share of capitals from which they do not tell names, as in a headline
_NEGATIONS = frozenset(
    """not no never neither nor none nobody nothing nowhere without cannot cant dont doesnt didnt
    wont isnt arent wasnt werent""".split()
)
# stopwords that hardly change what is said
_EMPTY = frozenset(
    """a an the be is are was were been being am do does did done have has had having that which who
    whom this these those it its there here will would shall should so then also very just to
    of""".split()
)
_NORMALISE = Normalisation()
Only = tuple[list[str], list[str]]  # words of the query, and of the other text


def find_differences(query: str, text: str, language: str = "en") -> list[str]:
    """Return short sentences on what differs; none if the texts are equal or not nearly so.

    ``text`` is "here" in them. Languages other than English: numbers and names only.
    """
    short, long = sorted((len(query), len(text)))
    if long > _RATIO * short + _SHORT or query == text:
        return []
    one, other = _Side(query, language), _Side(text, language)
    own, others = one.list_only(other), other.list_only(one)
    opposites = _pair_opposites(one, own, other, others) if one.is_english else []
    if not _is_near(one, other, opposites):
        return []
    sentences = _compare_negations(one, other)
    sentences += [f"{one.write(a)} → {other.write(b)} (opposites)" for a, b in opposites[:_LISTED]]
    left, right = set(one.content), set(other.content)
    left, right = left - {a for a, _ in opposites}, right - {b for _, b in opposites}
    words = [a for a in own if a in left], [b for b in others if b in right]
    kinds = [_compare_numbers(one, other), *_compare_words(one, words[0], other, words[1])]
    sentences += _contrast(kinds)
    if not sentences and one.is_english:
        if _is_reordered(one, other):
            return ["the same words in another order"]
        sentences = _contrast([(one.write_small(own), other.write_small(others))])
    return sentences


@dataclass(frozen=True)
class _Side:
    """One text, cut into words."""

    text: str
    language: str

    @cached_property
    def is_english(self) -> bool:
        return is_english(self.language)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        return word_spans(self.text)

    @cached_property
    def words(self) -> list[str]:
        """The words in lower case, without a possessive ending."""
        found = [_NORMALISE(self.text[start:end]) for start, end in self.spans]
        return [word.removesuffix("'s") for word in found] if self.is_english else found

    @cached_property
    def forms(self) -> list[str]:
        return find_base_forms(self.words, self.language)

    @cached_property
    def numerals(self) -> list[Numeral]:
        found = find_numerals(self.words, self.is_english)
        return [(self._find_sign(first) + key, first, last) for key, first, last in found]

    def _find_sign(self, place: int) -> str:
        """Return the minus before a number; the dash of a range or a word is none."""
        before = self.text[: self.spans[place][0]]
        return "-" if before[-1:] in ("-", "−") and not before[-2:-1].strip() else ""

    @cached_property
    def negations(self) -> list[int]:
        """The places of words that negate; "no. 5" does not."""
        if not self.is_english:
            return []
        return [
            place
            for place, word in enumerate(self.words)
            if (word in _NEGATIONS or word.endswith("n't"))
            and not (word == "no" and "".join(self.words[place + 1 : place + 2])[:1].isdecimal())
        ]

    @cached_property
    def content(self) -> list[int]:
        """The places of words that are neither stopwords, numbers nor negations."""
        excluded = stopwords(self.language)
        after = {last + 1 for _, _, last in self.numerals}  # 9 am
        return [
            place
            for place, word in enumerate(self.words)
            if place not in self._taken
            and (word not in excluded or (word == "am" and place in after))
        ]

    @cached_property
    def _taken(self) -> set[int]:
        """The places of negations and of the words of numbers."""
        spans = (range(first, last + 1) for _, first, last in self.numerals)
        return {*self.negations, *chain.from_iterable(spans)}

    @cached_property
    def names(self) -> set[int]:
        """The places of capitalised words inside sentences, unless capitals are the rule."""
        starts = [start for start, _ in self.spans]
        first = {bisect_left(starts, start) for start, _ in sentence_spans(self.text)}
        inside = [place for place in range(len(starts)) if place not in first]
        capital = {place for place in inside if self.text[starts[place]].isupper()}
        content = [place for place in self.content if place not in first]
        if len(content) > 3 and len(capital.intersection(content)) > _TITLE * len(content):
            return set()
        small = {self.words[place] for place in inside if place not in capital}
        return {place for place in capital if self.words[place] not in {"i", *small}}

    @cached_property
    def known(self) -> set[str]:
        """The base forms, and neighbouring words as one: hard hat is hardhat."""
        return {*self.forms, *map("".join, pairwise(self.words))}

    def list_only(self, other: _Side) -> list[int]:
        """Return the places of words that the other text does not have, each word once."""
        split = {
            place
            for first, pair in enumerate(pairwise(self.words))
            if "".join(pair) in other.words_known
            for place in (first, first + 1)
        }
        only: dict[str, int] = {}
        for place, (word, form) in enumerate(zip(self.words, self.forms, strict=True)):
            if place not in split and form not in other.known and word not in other.known:
                only.setdefault(form, place)
        return list(only.values())

    @cached_property
    def words_known(self) -> set[str]:
        return set(self.words)

    def write(self, place: int, last: int | None = None) -> str:
        """Return words as they are written."""
        end = self.spans[place if last is None else last][1]
        return " ".join(self.text[self.spans[place][0] : end].split())

    def write_all(self, places: Sequence[int]) -> list[str]:
        return [self.write(place) for place in places]

    def write_small(self, places: Sequence[int]) -> list[str]:
        """Return those of some words that say something beside content words: on, my, or."""
        small = (place for place in places if place not in self._taken)
        return self.write_all([place for place in small if self.words[place] not in _EMPTY])

    def is_joined(self, place: int, other: _Side) -> bool:
        """Is a word one with its neighbour here or in the other text: 750ml and 750 ml?"""
        word, after = self.words[place], "".join(self.words[place + 1 : place + 2])
        joins = word not in other.words_known and word in other.known
        return joins or (bool(after) and word + after in other.words_known)

    def join(self, places: Sequence[int]) -> list[str]:
        """Return words as they are written, neighbours as one: New York."""
        runs: list[list[int]] = []
        for place in places:
            if runs and runs[-1][1] == place - 1:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        return [self.write(first, last) for first, last in runs]


def _is_near(one: _Side, other: _Side, opposites: list[tuple[int, int]]) -> bool:
    """Are most content words, or nearly all words, in both texts? Opposites count as equal, and
    numbers may differ."""
    paired = {other.forms[b]: one.forms[a] for a, b in opposites}

    def overlap(own: set[str], others: set[str]) -> tuple[int, float]:
        own = {*own, *paired.values()}
        others = {paired.get(form, form) for form in {*others, *paired}}
        shared = len(own & others)
        return shared, shared / max(1, len(own), len(others))

    content = [{side.forms[place] for place in side.content} for side in (one, other)]
    shared, part = overlap(*content)
    has_numbers = bool(one.numerals and other.numerals)
    is_enough = shared + has_numbers >= 2 or part == 1
    return (part >= NEAR and is_enough) or overlap(set(one.forms), set(other.forms))[1] >= NEAR_ALL


def _compare_negations(one: _Side, other: _Side) -> list[str]:
    """Return what one text negates more often than the other."""
    sentences = []
    for side, against, where in ((one, other, "in the query"), (other, one, "here")):
        more = len(side.negations) - len(against.negations)
        if more > 0:
            words = _quote(side.write_all(_find_surplus(side, against)[:more]))
            only = "only" if not against.negations else "once more" if more == 1 else "more often"
            sentences.append(f"{words} {only} {where}")
    return sentences


def _find_surplus(side: _Side, against: _Side) -> list[int]:
    """Return the places of negations, those that the other text does not have first."""
    known = {against.words[place] for place in against.negations}
    return sorted(side.negations, key=lambda place: side.words[place] in known)


def _compare_numbers(one: _Side, other: _Side) -> Only:
    """Return the numbers that only one text has."""
    only = []
    for side, against in ((one, other), (other, one)):
        known = {key for key, _, _ in against.numerals}
        new = {
            key: (first, last)
            for key, first, last in side.numerals
            if key not in known and not side.is_joined(first, against)
        }
        signs = {key: "-" if key.startswith("-") else "" for key in new}
        only.append({key: signs[key] + side.write(*span) for key, span in new.items()})
    left, right = only
    for some, rest in ((left, right), (right, left)):
        if some.get("1", "").lower() == "one" and not rest:  # "one man" is "a man"
            del some["1"]
    return list(left.values()), list(right.values())


def _compare_words(
    one: _Side, own: Sequence[int], other: _Side, others: Sequence[int]
) -> list[Only]:
    """Return names, then other words, that only one text has."""
    if one.is_english and len(own) == len(others) == 1:
        return [(one.write_all(own), other.write_all(others))]
    names = (
        one.join([a for a in own if a in one.names]),
        other.join([b for b in others if b in other.names]),
    )
    words = (
        one.write_all([a for a in own if a not in one.names]),
        other.write_all([b for b in others if b not in other.names]),
    )
    return [names, words] if one.is_english else [names]


def _contrast(kinds: Sequence[Only]) -> list[str]:
    """Return what stands for what, then what only the query has, and what only the other text."""
    sentences: list[str] = []
    left: list[str] = []
    right: list[str] = []
    for own, others in kinds:
        if len(own) == len(others) == 1:
            sentences.append(f"{own[0]} → {others[0]}")
        else:
            left += own
            right += others
    sentences += [f"{_quote(left)} only in the query"] if left else []
    return [*sentences, f"{_quote(right)} only here"] if right else sentences


def _quote(words: Sequence[str]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words[:_LISTED])
    more = len(words) - _LISTED
    return f"{quoted} and {more:,} more" if more > 0 else quoted


def _pair_opposites(
    one: _Side, own: Sequence[int], other: _Side, others: Sequence[int]
) -> list[tuple[int, int]]:
    """Return pairs of opposites, each word in one: rose and fell, happy and unhappy."""
    table = _opposites()
    left = [b for b in others if b not in other.negations]
    pairs = []
    for a in own:
        forms = _list_forms(one.words[a]) if a not in one.negations else []
        against = {form for own_form in forms for form in table.get(own_form, ())}
        for b in left:
            is_pair = not against.isdisjoint(_list_forms(other.words[b])) if against else False
            if is_pair or _is_negated(one.words[a], other.words[b]):
                pairs.append((a, b))
                left.remove(b)
                break
    return pairs


def _list_forms(word: str) -> list[str]:
    """Return the base form of a word, and of what it may be a comparative of: colder, largest."""
    forms = [word]
    for ending in ("er", "est"):
        if word.endswith(ending):
            forms += [word.removesuffix(ending), word.removesuffix(ending[1:])]
    return find_base_forms(forms, "en")


def _is_negated(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long in (f"un{short}", f"non{short}") and long != "unless"


@cache
def _opposites() -> dict[str, set[str]]:
    """The base forms of the opposites of each base form."""
    lines = read_table("opposites")
    forms = iter(find_base_forms([word for line in lines for word in line], "en"))
    table: dict[str, set[str]] = {}
    for line in lines:
        first, *rest = [next(forms) for _ in line]
        for form in rest:
            table.setdefault(first, set()).add(form)
            table.setdefault(form, set()).add(first)
    return table


def _is_reordered(one: _Side, other: _Side) -> bool:
    own, others = ([side.forms[place] for place in side.content] for side in (one, other))
    return len(own) <= _ORDERED and own != others and sorted(own) == sorted(others)
