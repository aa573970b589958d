"""The whole path: simulated participants answer, and the analysis finds why."""

from __future__ import annotations

from itertools import combinations
from math import exp
from pathlib import Path
from random import Random

import numpy as np
import pytest

from lexfield.cli import study as commands
from lexfield.errors import InputError
from lexfield.study.analyse import Analysis, GroupAnalysis, analyse, compute_power, describe_power
from lexfield.study.analyse import compute_detectable_difference as detectable
from lexfield.study.analyse import compute_power as power
from lexfield.study.analyse import count_needed_participants as needed
from lexfield.study.database import Answer, Study
from lexfield.study.design import Design
from lexfield.study.simulate import choose, simulate
from tests.conftest import import_reproduce
from tests.study.conftest import METHODS, make

wilson = import_reproduce("published_totals").wilson
THETA = {"setcover": 0.6, "mean": 0.3, "wmd": 0.0, "jaccard": -0.3, "edit": -0.6}


def test_by_hand(tmp_path: Path) -> None:
    study = make(tmp_path / "s.db", queries=2)
    for favourites in (("setcover", "mean", "wmd"), ("setcover", "mean", "edit")):
        one = study.join({"field": 0})
        while (question := study.question(one)) is not None:
            names = [offer[0].split()[0] for offer in question.offers]
            study.answer(one, question.place, [names.index(name) for name in favourites])
    study.join()  # and does nothing
    found = analyse(study, draws=200)
    assert (found.participants, found.answers, found.simulated) == (2, 4, False)
    shares = {share.method: share for share in found.shares}
    assert {m: s.per_cent for m, s in shares.items()} == {
        "setcover": 100, "mean": 100, "wmd": 50, "jaccard": 0, "edit": 50
    }  # fmt: skip
    assert all(share.asked == 4 and share.chance == 60 for share in found.shares)
    assert (shares["wmd"].low, shares["wmd"].high) == (0, 100)
    assert found.background["field"]["Humanities"] == 2
    assert found.background["writing"]["no answer"] == 2
    notes = " ".join(found.notes)
    assert "only the prior bounds the score of jaccard" in notes
    assert "1 joined but answered nothing" in notes and "fewer than 20 participants (2)" in notes


def test_head_to_head_by_hand(tmp_path: Path) -> None:
    study = make(tmp_path / "s.db", "head2head", 8)
    for _ in range(2):  # one a group; the target always wins but against edit
        one = study.join()
        while (question := study.question(one)) is not None:
            names = [offer[0].split()[0] for offer in question.offers]
            wanted = "edit" if "edit" in names else "setcover"
            study.answer(one, question.place, [names.index(wanted)])
    found = analyse(study, draws=200)
    for group in ("helpful", "varied"):
        wins = {s.method: (s.chosen, s.asked) for s in found.shares if s.group == group}
        assert wins == {
            "mean": (2, 2),
            "wmd": (2, 2),
            "jaccard": (2, 2),
            "edit": (0, 2),
            "all": (6, 8),
        }
    assert [s.low for s in found.shares] == [None] * 10 and found.power == []


def by_method(found: Analysis) -> dict[str, tuple[float, float, float]]:
    return {s.method: (s.score, s.low or 0, s.high or 0) for s in found.strengths}


@pytest.mark.parametrize("kind", ["choose3", "head2head"])
def test_strengths_are_recovered(tmp_path: Path, kind: str) -> None:
    make(tmp_path / "s.db", kind, 60).close()
    study = Study(tmp_path / "s.db", durable=False)
    simulate(study, 120, THETA, answers=40, seed=5)
    found = analyse(study)
    assert found.simulated and found.participants == 120
    for group in study.design.groups:
        scores = {s.method: s for s in found.strengths if s.group == group}
        assert set(scores) == set(METHODS)
        for method, strength in scores.items():
            assert strength.low is not None and strength.high is not None
            # one interval in twenty may miss; none by as much as its own width
            width = strength.high - strength.low
            assert strength.low - width / 2 < THETA[method] < strength.high + width / 2
            assert width < 0.6
    for position in found.positions:  # the model does not look at places
        assert abs(position.per_cent - position.chance) < 6
    assert all(abs(a.alpha or 0) < 0.2 for a in found.agreement.values())


def test_shares_are_those_of_the_model(tmp_path: Path) -> None:
    make(tmp_path / "s.db", queries=60).close()
    study = Study(tmp_path / "s.db", durable=False)
    simulate(study, 100, THETA, seed=1)
    weights = {s: exp(sum(THETA[m] for m in s)) for s in combinations(METHODS, 3)}
    total = sum(weights.values())
    for share in analyse(study).shares:
        truth = 100 * sum(w for s, w in weights.items() if share.method in s) / total
        assert share.per_cent == pytest.approx(truth, abs=4)


def draw(
    people: int, spread: float, rng: Random, answers: int, pairs: bool = False
) -> list[Answer]:
    """Answers by the model of ``simulate``, without a file."""
    found = []
    for person in range(people):
        own = {m: THETA[m] + spread * rng.gauss(0, 1) for m in METHODS}
        for query in range(answers):
            offered = ("setcover", rng.choice(METHODS[1:])) if pairs else METHODS
            chosen = choose([own[m] for m in offered], 1 if pairs else 3, rng)
            shown = tuple((i,) for i in range(len(offered)))
            found.append(Answer(person, "useful", query, offered, shown, chosen))
    return found


@pytest.mark.parametrize("kind", ["choose3", "head2head"])
@pytest.mark.parametrize("people", [12, 40])
def test_strengths_are_calibrated(kind: str, people: int) -> None:
    """Over many studies, 95% intervals hold the strengths that made the answers about so often."""
    design = Design(kind, METHODS[:1], METHODS[1:])
    rng = Random(people)
    hits = []
    for study in range(50):
        part = group(design, draw(people, 0, rng, 15, kind == "head2head"), study)
        hits += [(s.low or 0) <= THETA[s.method] <= (s.high or 0) for s in part.strengths([])]
    assert 0.90 <= np.mean(hits) <= 0.99


def test_intervals_are_calibrated() -> None:
    """95% intervals hold the truth about so often when tastes differ; naive ones do not."""
    design = Design("choose3", METHODS[:1], METHODS[1:])
    rng = Random(11)
    truth = {s.method: s.per_cent for s in group(design, draw(8000, 0.7, rng, 3), 0).shares()}
    hits, naive = [], []
    for study in range(40):
        for share in group(design, draw(30, 0.7, rng, 20), study).shares():
            low, high = wilson(share.chosen, share.asked)
            hits.append((share.low or 0) <= truth[share.method] <= (share.high or 100))
            naive.append(low <= truth[share.method] <= high)
    assert np.mean(hits) > 0.86 > 0.75 > np.mean(naive)


def group(design: Design, answers: list[Answer], seed: int) -> GroupAnalysis:
    return GroupAnalysis("useful", design, answers, 400, 0.95, seed)


def test_power_is_how_often_a_difference_is_seen() -> None:
    design = Design("choose3", METHODS[:1], METHODS[1:])
    rng = Random(3)
    truth = {s.method: s.per_cent for s in group(design, draw(8000, 0.5, rng, 3), 0).shares()}
    seen, told = [], []
    for study in range(60):
        part = group(design, draw(25, 0.5, rng, 4), study)
        share = part.shares()[0]
        (row,) = part.power()
        low, high = share.low or 0, share.high or 100
        seen.append(not low <= 60 <= high)
        told.append(compute_power(truth["setcover"] - 60, row.error))
    assert np.mean(seen) == pytest.approx(np.mean(told), abs=0.15)


def test_same_seed_same_figures(choose3: Study) -> None:
    simulate(choose3, 3, answers=4)
    assert analyse(choose3, draws=300) == analyse(choose3, draws=300)


def test_bad_simulations(choose3: Study) -> None:
    with pytest.raises(InputError, match="no method 'bm25'"):
        simulate(choose3, 3, {"bm25": 1})
    with pytest.raises(InputError, match="strength of mean must be"):
        simulate(choose3, 3, {"mean": 99})
    assert analyse(choose3).shares == []
    for name, wrong in (("spread", -1), ("spread", 11), ("answers", 0.5), ("count", 0)):
        with pytest.raises(InputError, match=f"{name} must be"):
            commands.run(str(choose3.path), **{"count": 3, name: wrong})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="draws must be"):
        commands.analyse(str(choose3.path), draws=1)


def test_power_by_hand() -> None:
    assert power(0, 1) == pytest.approx(0.05)
    assert detectable(1) == pytest.approx(2.8016, abs=1e-4)  # 1.9600 + 0.8416
    assert power(detectable(1), 1) == pytest.approx(0.8, abs=1e-4)
    assert needed(50, 2.0, detectable(2.0)) == 50
    assert needed(50, 2.0, detectable(2.0) / 2) == 200
    assert needed(50, 0.0, 5) == 2
    row = describe_power("x", 40, 2.5)
    assert row.power_2 < row.power_5 < row.power_10 and row.needed_2 > row.needed_5 > row.needed_10
    assert power(1, 0) == 1 and power(0, 0) == 0.05


@pytest.mark.parametrize("difference", [0.0, 3.0, 6.0, 12.0])
def test_beside_draws(difference: float) -> None:
    rng = np.random.default_rng(int(difference))
    found = rng.normal(difference, 3.0, 200_000)
    assert power(difference, 3.0) == pytest.approx((abs(found) > 1.95996 * 3).mean(), abs=0.005)
