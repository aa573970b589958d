"""What the fits say, in words that claim no more than they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lexfield.ranks.fit import Fit
from lexfield.ranks.nulls import Null

ENOUGH = 10  # ranks, before anything is called a law
_NEAR = 0.1
_STRAIGHT = 0.95
_PLAUSIBLE = 0.1  # Clauset et al.'s bound for the bootstrap
_SURE = 0.05


def verdict(
    unit: str,
    ranks: int,
    fits: Mapping[str, Fit],
    slopes: Sequence[float],
    nulls: Sequence[Null],
) -> str:
    """A few sentences: the line, the distribution, the null models."""
    if ranks < ENOUGH:
        return (
            f"Too little to judge: {ranks} {unit}s; at least {ENOUGH} are needed to speak of a law."
        )
    return " ".join([_line(fits["line"], slopes), *_distribution(unit, fits), *_nulls(nulls)])


def _line(fit: Fit, slopes: Sequence[float]) -> str:
    slope, r2 = fit.parameters["slope"], fit.r2 or 0.0
    if abs(slope + 1) <= _NEAR:
        said = f"The slope {slope:.2f} is close to Zipf's −1"
    else:
        said = f"The slope {slope:.2f} is {'flatter' if slope > -1 else 'steeper'} than Zipf's −1"
    if len(slopes) > 1:
        said += f" ({min(slopes):.2f} to {max(slopes):.2f} over {len(slopes)} seeds)"
    straight = "and the ranks lie on a line" if r2 >= _STRAIGHT else "but the ranks are no line"
    return f"{said}, {straight} (R² {r2:.2f})."


def _distribution(unit: str, fits: Mapping[str, Fit]) -> list[str]:
    law = fits.get("power_law")
    if law is None:
        return ["There are too few counts to test a distribution."]
    tail = f"the {law.points:,} {unit}s with a count of {law.parameters['xmin']:,} or more"
    if law.p is None:
        said = f"A power law was fitted to {tail}"
    elif law.p < _PLAUSIBLE:
        said = f"A power law is implausible even for {tail} (p {law.p:.2f})"
    else:
        said = f"A power law is plausible for {tail} (p {law.p:.2f})"
    tested = [fit for name, fit in fits.items() if name != "power_law" and fit.ratio is not None]
    likelier = [_plain(f) for f in tested if (f.ratio or 0) < 0 and (f.p or 0) < _SURE]
    beaten = [_plain(f) for f in tested if (f.ratio or 0) > 0 and (f.p or 0) < _SURE]
    open_ = [_plain(f) for f in tested if (f.p or 0) >= _SURE]
    parts = []
    if likelier:
        parts.append(f"{_list(likelier)} fit{_s(likelier)} better")
    if beaten:
        parts.append(f"{_list(beaten)} fit{_s(beaten)} worse")
    if open_:
        parts.append(f"{_list(open_)} cannot be told from it")
    return [f"{said}{'; ' if parts else ''}{', '.join(parts)}."]


def _nulls(nulls: Sequence[Null]) -> list[str]:
    said = []
    for null in nulls:
        name = {"shuffled": "shuffled words", "gaussian": "a Gaussian cloud"}[null.model]
        if null.p is None or null.p >= _SURE:
            said.append(f"It cannot be told from {name} (slope {null.slope:.2f}).")
        else:
            how = "steeper" if null.difference < 0 else "flatter"
            said.append(f"It is {how} than for {name} (slope {null.slope:.2f}).")
    return said


def _s(names: Sequence[str]) -> str:
    return "s" if len(names) == 1 else ""


def _plain(fit: Fit) -> str:
    return f"the {fit.name.replace('_', ' ')}"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
