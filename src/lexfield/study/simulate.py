"""Simulated participants, to check a study and its analysis before people are asked.

Participant p has strengths θ_pm = θ_m + τ·z_pm, z standard normal, and chooses S of the methods M
that are offered with probability

    P(S) = Π_{m∈S} exp(θ_pm) / Σ_{S'⊆M, |S'|=|S|} Π_{m∈S'} exp(θ_pm)

(Bradley–Terry for two lists, see ``strengths.py``), independently for each question, whatever a
sentence says and wherever it stands. After each answer a participant quits with probability
1/answers. With τ = 0 the analysis must recover θ; with τ > 0 it finds the strengths of the mean
choice, which are closer to 0.

Simulated participants join, see questions and answer through the same calls as people; only the
methods behind the places are looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import exp, fsum
from random import Random

from lexfield.errors import InputError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.study.database import Study
from lexfield.study.design import BACKGROUND, plan


def simulate(
    study: Study,
    participants: int,
    strengths: Mapping[str, float] | None = None,
    *,
    spread: float = 0.0,
    answers: float = 50.0,
    seed: int = 0,
    progress: Progress = silent,
) -> None:
    """Let participants answer; ``strengths`` maps methods to θ, which is 0 by default."""
    given = dict(strengths or {})
    for method, value in given.items():
        if method not in study.design.methods:
            raise InputError(
                f"The study has no method {method!r}.",
                f"It has: {list_names(study.design.methods)}.",
            )
        check(abs(value) <= 20, f"strength of {method}", "from -20 to 20", value)
    rng = Random(seed)
    for number in range(participants):
        _take_part(study, given, spread, answers, rng)
        progress(number + 1, participants)


def _take_part(
    study: Study, strengths: Mapping[str, float], spread: float, answers: float, rng: Random
) -> None:
    background = {name: rng.randrange(len(options)) for name, (_, options) in BACKGROUND.items()}
    participant = study.join(background, simulated=True)
    planned = plan(study.design, study.suggestions, participant.seed)
    own = {
        method: strengths.get(method, 0.0) + spread * rng.gauss(0, 1)
        for method in study.design.methods
    }
    while (question := study.question(participant)) is not None:
        methods = planned[question.place].methods
        chosen = choose([own[method] for method in methods], study.design.choose, rng)
        study.answer(participant, question.place, chosen)
        if rng.random() < 1 / answers:
            break


def choose(theta: list[float], count: int, rng: Random) -> tuple[int, ...]:
    """Draw the chosen places from the model above."""
    sets = list(combinations(range(len(theta)), count))
    top = max(theta)
    weights = [exp(fsum(theta[i] - top for i in chosen)) for chosen in sets]
    return rng.choices(sets, weights)[0]
