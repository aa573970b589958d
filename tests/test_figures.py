"""Figures in the tables of documentation pages occur in the results that they are said to be from.

Tables that a script inserts are compared as a whole (``test_readme.py``, ``test_leaderboard.py``).
The others are written by hand: this finds figures that no result has, such as old ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests import snippets

DOCS = snippets.ROOT / "docs"
SOURCES = {
    "applications/authors.md": ["benchmarks/style"],
    "applications/tickets.md": ["reproduce/metric_duplicates"],
    "methods/divergence.md": ["benchmarks/bias", "reproduce/labels", "reproduce/hubs"],
    "methods/metric.md": [
        "reproduce/metric_sentences", "reproduce/metric_documents", "reproduce/metric_duplicates",
        "reproduce/metric_clustering",
    ],
    "methods/reuse.md": ["benchmarks/reuse"],
    "methods/study.md": [
        "reproduce/questionnaire", "reproduce/suggestions", "reproduce/published_lists",
    ],
    "methods/style.md": ["benchmarks/delta"],
    "methods/topics.md": ["benchmarks/simplex"],
    "methods/words.md": ["benchmarks/threshold", "reproduce/uncertainty", "reproduce/lecture"],
    "methods/zipf.md": ["benchmarks/exponent", "benchmarks/zipf", "reproduce/zipf"],
}  # fmt: skip
OTHERS = {  # printed in papers, or computed from figures nearby
    "methods/divergence.md": {"0.39", "64", "84"},
    "methods/study.md": {"47.1"},
    "methods/words.md": {"0.125"},
}
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_FACTORS = (1, 100, 1000, 0.001, 1e-6)  # percentages, milliseconds, thousands and millions


@pytest.mark.parametrize("name", SOURCES)
def test_figures_occur_in_the_results(name: str) -> None:
    known = set(OTHERS.get(name, ()))
    for source in SOURCES[name]:
        folder, _, stem = source.partition("/")
        found = json.loads((snippets.ROOT / folder / "results" / f"{stem}.json").read_text("utf-8"))
        for value in iterate_numbers(found):
            for factor in _FACTORS:
                known |= {f"{abs(value * factor):,.{digits}f}" for digits in range(5)}
    shown = set(iterate_figures((DOCS / name).read_text("utf-8")))
    assert len(shown) > 5
    assert not shown - known, "no result has these figures"


def iterate_numbers(value: object) -> Iterator[float]:
    """Yield all numbers of a JSON value, also those that are keys."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from iterate_numbers(one)
            if re.fullmatch(r"\d+(\.\d+)?", key):
                yield float(key)
    elif isinstance(value, list):
        for one in value:
            yield from iterate_numbers(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def iterate_figures(text: str) -> Iterator[str]:
    """Yield the numbers in tables, but not those in code, in brackets or of the first column."""
    text = re.sub(r"<!-- figures: .*?<!-- end -->|^```.*?^```", "", text, flags=re.S | re.M)
    for table in re.findall(r"(?:^ *\|.*\n)+", text, re.M):
        if len(_NUMBER.findall(table)) < 6:
            continue  # not results, but parameters and the like
        for row in table.split("\n")[2:]:
            for cell in row.split("|")[2:]:
                yield from _NUMBER.findall(re.sub(r"`[^`]*`|\([^)]*\)", "", cell))
