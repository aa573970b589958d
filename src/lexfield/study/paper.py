"""The questionnaire of Hare et al.: their suggestions, and the totals of their students' answers.

The authors' ``database.json`` holds 100 queries with five suggestions of six methods (two are set
covers); ``choose-3-results.json`` and ``head-to-head-results.json`` hold sums over all students.
Who answered what was not published, so intervals from these sums take answers as independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexfield.errors import ReadError
from lexfield.study.design import SUGGESTIONS, Design
from lexfield.study.queries import MOST_QUERIES, StudyQuery, clean, different, read_json
from lexfield.study.store import Study, create

TARGETS = ("set_cover", "weighted_set_cover")
BASELINES = ("embedding_average", "word_movers_distance", "jaccard", "edit_distance")
_GROUPS = {"preference": "helpful", "variety": "varied"}
_PANELS = {"unweighted": "set_cover", "weighted": "weighted_set_cover"}


@dataclass(frozen=True)
class Total:
    """Answers to questions alike: how often asked, and how often each method was chosen."""

    group: str
    asked: int
    chosen: dict[str, int]


@dataclass(frozen=True)
class Totals:
    kind: str
    participants: int
    totals: tuple[Total, ...]

    def to_dict(self) -> dict[str, Any]:
        totals = [{"group": t.group, "asked": t.asked, "chosen": t.chosen} for t in self.totals]
        return {"kind": self.kind, "participants": self.participants, "totals": totals}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Totals:
        return cls(
            value["kind"], value["participants"], tuple(Total(**one) for one in value["totals"])
        )


def import_study(
    database: str | Path,
    path: str | Path,
    kind: str = "choose3",
    *,
    results: str | Path | None = None,
    seed: int = 0,
) -> Study:
    """A study with the paper's queries and suggestions; ``results`` adds the published totals."""
    design = Design(kind, TARGETS, BASELINES, seed)
    queries, lists = read_database(database, design.methods)
    about: dict[str, Any] = {"source": Path(database).name}
    if results is not None:
        about["published"] = read_totals(results, kind).to_dict()
    return create(path, design, queries, lists, about)


def read_database(
    path: str | Path, methods: tuple[str, ...]
) -> tuple[list[StudyQuery], list[dict[str, list[str]]]]:
    """Queries with their level, and each method's suggestions."""
    value = read_json(path)
    if not isinstance(value, dict) or not value or len(value) > MOST_QUERIES:
        raise ReadError(f"{path} is not a questionnaire's database: no entries by number.")
    queries, lists = [], []
    for name, entry in value.items():
        missing = [key for key in ("query", *methods) if key not in _mapping(entry)]
        if missing:
            raise ReadError(f"{path}: entry {str(name)[:20]!r} has no {missing[0]!r}.")
        query = clean(entry["query"], path)
        queries.append(StudyQuery(query, clean(entry.get("difficulty", "all"), path)))
        found = {}
        for method in methods:
            places = sorted(_mapping(entry[method]).items(), key=lambda item: _whole(item[0]))
            texts = [clean(text, path) for _, text in places[: 2 * SUGGESTIONS]]
            found[method] = different(query, texts)[:SUGGESTIONS]
        lists.append(found)
    return queries, lists


def read_totals(path: str | Path, kind: str) -> Totals:
    """The sums over all students of one questionnaire."""
    value = read_json(path)
    try:
        if kind == "choose3":
            totals = [_panel(value, *panel) for panel in _PANELS.items()]
        else:
            totals = [
                Total(name, won + lost, {target: won, baseline: lost})
                for group, name in _GROUPS.items()
                for target in TARGETS
                for baseline in BASELINES
                for won, lost in [_duel(value[target], group, baseline)]
            ]
        return Totals(kind, _whole(value["num_responses"]), tuple(totals))
    except (KeyError, TypeError) as error:
        raise ReadError(
            f"{path} does not hold the totals of a {kind} questionnaire: {error} is missing."
        ) from error


def _panel(value: Mapping[str, Any], weighting: str, target: str) -> Total:
    chosen = {
        method: _whole(value[method][f"included_count_{weighting}"])
        for method in (target, *BASELINES)
    }
    return Total("useful", _whole(value[f"num_answered_{weighting}"]), chosen)


def _duel(target: Mapping[str, Any], group: str, baseline: str) -> tuple[int, int]:
    return _whole(target["wins"][group][baseline]), _whole(target["losses"][group][baseline])


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int:
    try:
        number = int(str(value))
    except ValueError as error:
        raise ReadError(f"{str(value)[:20]!r} is not a whole number.") from error
    if not 0 <= number < 10**9:
        raise ReadError(f"{number} is not a count.")
    return number
