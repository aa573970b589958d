"""What a participant is shown, and in which order (Hare et al., section 4.4.2).

*choose3*: one sentence from a target method and one from each baseline, in random order; the
participant chooses three. *head2head*: the suggestions of a target beside those of a baseline, left
and right at random; one group says which helps writing, the other which is more varied.

The sentences of a choose-3 question are one of each method's, drawn at random among the ways to
draw them all different: two methods may suggest the same sentence, and a participant who sees it
twice learns something. Queries, targets and baselines come in an order of the participant's own,
targets and baselines each about as often as the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import TypeVar

from lexfield.errors import InputError, check, list_names

T = TypeVar("T")
KINDS = ("choose3", "head2head")
CHOSEN = 3  # of the sentences of a choose-3 question
SUGGESTIONS = 5  # a method gives for a query
GROUPS = {"choose3": ("useful",), "head2head": ("helpful", "varied")}
TASKS = {
    "useful": "Which three of these sentences would help you most? Think also of variety:"
    " three that say the same help less.",
    "helpful": "Which list would help you more with your own writing?",
    "varied": "Which list is more varied, while still related to the sentence?",
}
BACKGROUND: dict[str, tuple[str, tuple[str, ...]]] = {
    "field": (
        "What do you study or work in?",
        (
            "Humanities",
            "Social sciences",
            "Engineering or natural sciences",
            "Something else",
            "Nothing in particular",
        ),
    ),
    "writing": (
        "How often do you write something longer than a message?",
        ("Never", "A few times a year", "A few times a month", "Every week"),
    ),
    "reading": (
        "How well do you read the language of this study?",
        ("Not well", "Fairly well", "Well", "Very well", "It is my first language"),
    ),
    "adoption": (
        "How likely would you use a tool that suggests sentences while you write?",
        ("Very unlikely", "Rather unlikely", "Undecided", "Rather likely", "Very likely"),
    ),
}
_TRIES = 2_000

Suggestions = Mapping[int, Mapping[str, Sequence[tuple[int, str]]]]  # query → method → (id, text)


@dataclass(frozen=True)
class Design:
    """What kind of study, of which methods; targets are compared with baselines."""

    kind: str
    targets: tuple[str, ...]
    baselines: tuple[str, ...]
    seed: int = 0
    methods: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        check(self.kind in KINDS, "kind", f"one of {', '.join(KINDS)}", self.kind)
        object.__setattr__(self, "methods", (*self.targets, *self.baselines))
        if len(set(self.methods)) < len(self.methods):
            raise InputError("A method is named twice.", f"Named: {list_names(self.methods)}.")
        check(1 <= len(self.targets) <= 4, "targets", "1 to 4 methods", self.targets)
        least = CHOSEN if self.kind == "choose3" else 1
        check(
            least <= len(self.baselines) <= 8,
            "baselines",
            f"{least} to 8 methods for {self.kind}",
            self.baselines,
        )
        check(0 <= self.seed < 1 << 32, "seed", "a whole number below 2³²", self.seed)

    @property
    def groups(self) -> tuple[str, ...]:
        return GROUPS[self.kind]

    @property
    def size(self) -> int:
        """Things offered in a question."""
        return 1 + len(self.baselines) if self.kind == "choose3" else 2

    @property
    def choose(self) -> int:
        """How many of them are chosen."""
        return CHOSEN if self.kind == "choose3" else 1


@dataclass(frozen=True)
class Planned:
    """One question of one participant: what is shown, by place.

    ``shown`` holds in each place ids of suggestions: one in choose-3, a list in head-to-head.
    """

    query: int
    methods: tuple[str, ...]
    shown: tuple[tuple[int, ...], ...]


def plan(design: Design, suggestions: Suggestions, seed: int) -> list[Planned]:
    """All questions of a participant in order; the same for the same seed."""
    rng = Random(seed)
    queries = list(suggestions)
    rng.shuffle(queries)
    if design.kind == "choose3":
        targets = _in_turn(rng, design.targets, len(queries))
        planned = [
            _sentences(rng, design, query, suggestions[query], target)
            for query, target in zip(queries, targets, strict=True)
        ]
    else:
        pairs = list(product(design.targets, design.baselines))
        turns = _in_turn(rng, pairs, len(queries))
        planned = [
            _lists(rng, pairs, query, suggestions[query], pair)
            for query, pair in zip(queries, turns, strict=True)
        ]
    return [question for question in planned if question]


def usable(design: Design, lists: Mapping[str, Sequence[tuple[int, str]]]) -> bool:
    """Can a question be made of these suggestions, whichever target it falls to?"""
    if design.kind == "choose3":
        each = [[lists[method] for method in _panel(design, target)] for target in design.targets]
        return all(_can_differ([{text for _, text in one} for one in panel]) for panel in each)
    pairs = product(design.targets, design.baselines)
    return all(lists[m] for m in design.methods) and any(_differ(lists, *pair) for pair in pairs)


def _panel(design: Design, target: str) -> tuple[str, ...]:
    return (target, *design.baselines)


def _in_turn(rng: Random, things: Sequence[T], count: int) -> list[T]:
    """So many of them, each as often as the others give or take one, shuffled."""
    order = list(things)
    rng.shuffle(order)
    turns = [order[i % len(order)] for i in range(count)]
    rng.shuffle(turns)
    return turns


def _sentences(
    rng: Random,
    design: Design,
    query: int,
    lists: Mapping[str, Sequence[tuple[int, str]]],
    target: str,
) -> Planned | None:
    methods = list(_panel(design, target))
    for _ in range(_TRIES):
        drawn = [rng.choice(lists[method]) for method in methods]
        if len({text for _, text in drawn}) == len(drawn):
            order = list(range(len(methods)))
            rng.shuffle(order)
            shown = tuple((drawn[i][0],) for i in order)
            return Planned(query, tuple(methods[i] for i in order), shown)
    return None


def _lists(
    rng: Random,
    pairs: Sequence[tuple[str, str]],
    query: int,
    lists: Mapping[str, Sequence[tuple[int, str]]],
    pair: tuple[str, str],
) -> Planned | None:
    if not _differ(lists, *pair):
        others = [other for other in pairs if _differ(lists, *other)]
        if not others:
            return None
        pair = rng.choice(others)
    sides = list(pair)
    rng.shuffle(sides)
    # a shorter list would tell its method apart
    length = min(len(lists[method]) for method in sides)
    shown = tuple(tuple(row for row, _ in lists[method][:length]) for method in sides)
    return Planned(query, tuple(sides), shown)


def _differ(lists: Mapping[str, Sequence[tuple[int, str]]], a: str, b: str) -> bool:
    length = min(len(lists[a]), len(lists[b]))
    return {text for _, text in lists[a][:length]} != {text for _, text in lists[b][:length]}


def _can_differ(sets: Sequence[set[str]]) -> bool:
    """Is there one text of each set, all different? (A matching; augmenting paths.)"""
    owner: dict[str, int] = {}

    def place(i: int, tried: set[str]) -> bool:
        for text in sets[i] - tried:
            tried.add(text)
            if text not in owner or place(owner[text], tried):
                owner[text] = i
                return True
        return False

    return all(place(i, set()) for i in range(len(sets)))
