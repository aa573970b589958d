"""The bounds of every numeric option, declared once for the command line and the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bound:
    """Numbers from ``low`` to ``high``; ``above`` and ``below`` leave out the ends themselves."""

    low: float
    high: float
    above: bool = False
    below: bool = False

    def field(self) -> dict[str, Any]:
        """Return the bounds as a pydantic field takes them."""
        return {"gt" if self.above else "ge": self.low, "lt" if self.below else "le": self.high}


RESULTS = Bound(1, 1_000_000)  # hits, words, types, lines: how many to return
WORDS = Bound(1, 1_000_000_000)  # occurrences, or words of a text or of a set of vectors
NGRAM = Bound(1, 100)
SEED = Bound(0, 2**32 - 1)
NEIGHBOUR = Bound(1, 10_000)
NEIGHBOURS = Bound(1, 1_000)
ORDER = Bound(0, 100, above=True)
CONFIDENCE = Bound(0, 1, above=True, below=True)
RESAMPLES = Bound(20, 100_000)
SHARE = Bound(0, 1, above=True)
GIGABYTES = Bound(0, 100_000, above=True)
PROCESS_GIGABYTES = Bound(0.5, 100_000)
DIMENSION = Bound(0, 10_000, above=True)
SYNONYMS = Bound(0, 1_000, above=True)
DEVIATION = Bound(0, 1_000)
SAMPLED_WORDS = Bound(40, 100_000)
TOPICS = Bound(2, 10_000)
PASSES = Bound(1, 10_000)
PRIOR = Bound(0, 1_000, above=True)
LETTERS = Bound(1, 100)
WINDOW = Bound(1, 100)
EPOCHS = Bound(1, 1_000)
STEP = Bound(0.001, 1)
SENTENCES = Bound(1, 1_000)
PORT = Bound(0, 65_535)
MEGABYTES = Bound(0.001, 100_000)
SECONDS = Bound(0.1, 86_400)
REQUESTS = Bound(1, 10_000)
TASTES = Bound(0, 100)
ANSWERS = Bound(0, 1_000_000, above=True)
