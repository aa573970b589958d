"""Set cover and ideas with rows that repeat the query, to be compared with their definitions."""

from __future__ import annotations

from dataclasses import dataclass

from lexfield.search.ideas import Ideas
from lexfield.search.setcover import SetCover


@dataclass(frozen=True, kw_only=True)
class SetCoverWithCopies(SetCover):
    copies = 0


@dataclass(frozen=True, kw_only=True)
class IdeasWithCopies(Ideas):
    """They stop when everything is covered."""

    copies = 0
    exhausted = "stop"
