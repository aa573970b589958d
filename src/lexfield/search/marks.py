"""The words of a hit that answer words of the query, found in its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from lexfield.text.normalise import Normalisation
from lexfield.text.segment import word_spans

# backgrounds that black text can be read on, told apart with any kind of colour vision
TINTS = ("#cfe8f7", "#fbdcc4", "#cdeee2", "#f4dcea", "#fbeebd", "#e3e3e3")


def marked(
    text: str, matched: Mapping[str, str], normalise: Normalisation
) -> Iterator[tuple[str, str | None, int]]:
    """The text in pieces: each with the query word that it answers, if any, and that word's number
    in the order in which they are met."""
    numbers: dict[str, int] = {}
    position = 0
    for start, end in word_spans(text):
        query = matched.get(normalise(text[start:end]))
        if query is not None:
            if position < start:
                yield text[position:start], None, 0
            yield text[start:end], query, numbers.setdefault(query, len(numbers))
            position = end
    if position < len(text):
        yield text[position:], None, 0


def as_html(text: str, matched: Mapping[str, str], normalise: Normalisation) -> str:
    """The text with its answers marked, one tint a query word."""
    parts = []
    for piece, query, number in marked(text, matched, normalise):
        shown = escape(piece)
        if query is not None:
            tint = TINTS[number % len(TINTS)]
            style = f"background:{tint};color:#111"
            shown = f'<mark style="{style}" title="answers: {escape(query)}">{shown}</mark>'
        parts.append(shown)
    return "".join(parts)
