"""What a participant is shown, and in which order (Hare et al., section 4.4.2).

*choose3*: one sentence of a target method and one of each baseline, in random order; the
participant chooses three. *head2head*: the suggestions of a target next to those of a baseline,
left and right at random; one group says which list helps writing, the other which is more varied.

A choose-3 question takes one random sentence of each method, all different: two methods may suggest
the same sentence, and a sentence shown twice would be a hint. Each participant gets the queries in
a different random order, and sees every target and baseline about equally often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import TypeVar

from lexfield.errors import InputError, check, list_names

T = TypeVar("T")
Lists = Mapping[str, Sequence[tuple[int, str]]]  # method → (id, text)
KINDS = ("choose3", "head2head")
TARGETS = ("ideas",)
BASELINES = ("mean(plain=true)", "wmd", "jaccard", "edit")
PAPER_TARGETS = ("set_cover", "weighted_set_cover")  # as the file of Hare et al. names them
PAPER_BASELINES = ("embedding_average", "word_movers_distance", "jaccard", "edit_distance")
GROUPS = {"choose3": ("useful",), "head2head": ("helpful", "varied")}
TASKS = {
    "useful": "Which three of these sentences would help you most? Think of variety too:"
    " three that say the same thing help less.",
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


@dataclass(frozen=True)
class StudyQuery:
    text: str
    level: str = ""


@dataclass(frozen=True)
class Design:
    """The kind of a study and its methods; targets are compared with baselines."""

    kind: str
    targets: tuple[str, ...]
    baselines: tuple[str, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        check(self.kind in KINDS, "kind", f"one of {', '.join(KINDS)}", self.kind)
        if len(set(self.methods)) < len(self.methods):
            raise InputError("A method is named twice.", f"Named: {list_names(self.methods)}.")
        check(1 <= len(self.targets) <= 4, "targets", "1 to 4 methods", self.targets)
        check(
            self.choose <= len(self.baselines) <= 8,
            "baselines",
            f"{self.choose} to 8 methods for {self.kind}",
            self.baselines,
        )
        check(0 <= self.seed < 1 << 32, "seed", "a whole number below 2³²", self.seed)

    @property
    def methods(self) -> tuple[str, ...]:
        return (*self.targets, *self.baselines)

    @property
    def groups(self) -> tuple[str, ...]:
        return GROUPS[self.kind]

    @property
    def size(self) -> int:
        """The number of offers in a question: sentences or lists."""
        return 1 + len(self.baselines) if self.kind == "choose3" else 2

    @property
    def choose(self) -> int:
        """The number of offers that a participant chooses."""
        return 3 if self.kind == "choose3" else 1

    @property
    def chance(self) -> float:
        """How often an offer is chosen at random, in per cent."""
        return 100 * self.choose / self.size


@dataclass(frozen=True)
class PlannedQuestion:
    """What one participant is shown, by place: one suggestion in choose-3, else a list."""

    query: int
    methods: tuple[str, ...]
    shown: tuple[tuple[int, ...], ...]  # ids of suggestions


def plan(design: Design, suggestions: Mapping[int, Lists], seed: int) -> list[PlannedQuestion]:
    """Return the questions of a participant in order; the same for the same seed."""
    rng = Random(seed)
    queries = list(suggestions)
    rng.shuffle(queries)
    planned: list[PlannedQuestion | None]
    if design.kind == "choose3":
        targets = _take_turns(rng, design.targets, len(queries))
        planned = [
            _offer_sentences(rng, query, suggestions[query], (target, *design.baselines))
            for query, target in zip(queries, targets, strict=True)
        ]
    else:
        pairs = list(product(design.targets, design.baselines))
        planned = [
            _offer_lists(rng, query, suggestions[query], pair, pairs)
            for query, pair in zip(queries, _take_turns(rng, pairs, len(queries)), strict=True)
        ]
    return [question for question in planned if question]


def can_ask(design: Design, lists: Lists) -> bool:
    """Return whether a question can be made of these suggestions, for every target."""
    if design.kind == "choose3":
        texts = {method: {text for _, text in lists[method]} for method in design.methods}
        panels = [(target, *design.baselines) for target in design.targets]
        return all(have_distinct_texts([texts[method] for method in panel]) for panel in panels)
    pairs = product(design.targets, design.baselines)
    return all(lists[m] for m in design.methods) and any(_differ(lists, *pair) for pair in pairs)


def _take_turns(rng: Random, things: Sequence[T], count: int) -> list[T]:
    """Return ``count`` things in random order, each about equally often."""
    order = list(things)
    rng.shuffle(order)
    turns = [order[i % len(order)] for i in range(count)]
    rng.shuffle(turns)
    return turns


def _offer_sentences(
    rng: Random, query: int, lists: Lists, methods: Sequence[str]
) -> PlannedQuestion | None:
    for _ in range(_TRIES):
        drawn = [rng.choice(lists[method]) for method in methods]
        if len({text for _, text in drawn}) == len(drawn):
            order = list(range(len(methods)))
            rng.shuffle(order)
            shown = tuple((drawn[i][0],) for i in order)
            return PlannedQuestion(query, tuple(methods[i] for i in order), shown)
    return None


def _offer_lists(
    rng: Random, query: int, lists: Lists, pair: tuple[str, str], pairs: Sequence[tuple[str, str]]
) -> PlannedQuestion | None:
    if not _differ(lists, *pair):
        others = [other for other in pairs if _differ(lists, *other)]
        if not others:
            return None
        pair = rng.choice(others)
    sides = list(pair)
    rng.shuffle(sides)
    length = _common_length(lists, *pair)
    shown = tuple(tuple(number for number, _ in lists[method][:length]) for method in sides)
    return PlannedQuestion(query, tuple(sides), shown)


def _common_length(lists: Lists, a: str, b: str) -> int:
    """Return the length to which both lists are cut: a shorter one would reveal its method."""
    return min(len(lists[a]), len(lists[b]))


def _differ(lists: Lists, a: str, b: str) -> bool:
    length = _common_length(lists, a, b)
    return {text for _, text in lists[a][:length]} != {text for _, text in lists[b][:length]}


def have_distinct_texts(sets: Sequence[set[str]]) -> bool:
    """Return whether one text can be taken from each set, all different: a bipartite matching."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    texts = sorted(set().union(*sets))
    if len(texts) < len(sets):
        return False
    offered = csr_matrix([[text in own for text in texts] for own in sets])
    return bool((maximum_bipartite_matching(offered, "column") >= 0).all())
