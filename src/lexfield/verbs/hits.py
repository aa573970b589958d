"""Hits as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from lexfield.index.chance import LEAST
from lexfield.index.passages import Passage, pieces
from lexfield.index.ranking import Hit
from lexfield.verbs.results import Paint, plain

_TELLING = 2  # smallest odds that are shown
_LINE = 200  # characters of a hit without reasons
_COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "red")


def format_hit(hit: Hit, explain: bool, full: bool, paint: Paint = plain) -> Iterator[str]:
    """Return a hit as lines of text: reasons in plain words, and in numbers if wanted."""
    if full:
        shown = " ".join(hit.text.split())
    elif explain:
        shown = " … ".join(_highlight(passage, paint) for passage in hit.passages)
    else:
        shown = _shorten(hit)
    about = f"[{hit.id}]{word_chance(hit)}"
    yield f"{hit.rank:>3}. {hit.score:9.4f}  {shown}  {paint(about, 'bright_black')}"
    yield from (f"                  {line}" for line in hit.lines(explain))


def word_chance(hit: Hit) -> str:
    """Return how rarely a row matches as well by chance; where several do, how many."""
    if hit.chance is None or hit.odds is None or hit.odds < _TELLING:
        return ""
    if hit.chance >= 1:
        return f" about {_round(hit.chance)} as good by chance"
    rarest = "less than " if hit.chance == LEAST else ""
    return f" {rarest}one in {_round(hit.odds)} by chance"


def _round(number: float) -> str:
    """Return a number with one or two digits that say something."""
    if number >= 1e12:
        return "a trillion"
    digits = len(f"{number:.0f}") - 2
    return f"{round(number, -max(0, digits)):,.0f}"


def _shorten(hit: Hit) -> str:
    """Return the best passage on one line."""
    passage = hit.passages[0]
    shown = " ".join(passage.text.split())[:_LINE]
    return shown if passage.complete and len(shown) < _LINE else f"{shown}…"


def _highlight(passage: Passage, paint: Paint) -> str:
    """Return the text with matched words in the colour of the query word that they answer."""
    numbers: dict[str, int] = {}
    parts = [
        piece
        if query is None
        else paint(piece, _COLOURS[numbers.setdefault(query, len(numbers)) % len(_COLOURS)])
        for piece, query in pieces(passage.text, passage.highlights)
    ]
    return " ".join("".join(parts).split())
