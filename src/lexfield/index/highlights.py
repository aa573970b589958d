"""Words of a text that answer words of the query, marked for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from lexfield.text.normalise import Normalisation

# backgrounds for black text that can be distinguished with any kind of colour vision
TINTS = ("#cfe8f7", "#fbdcc4", "#cdeee2", "#f4dcea", "#fbeebd", "#e3e3e3")


@dataclass(frozen=True, slots=True)
class Highlight:
    """A word of a text, by its characters, that answers a query word; weight 1 is strongest."""

    start: int
    end: int
    query: str
    weight: float


def highlight(
    text: str, answers: Mapping[str, tuple[str, float]], normalise: Normalisation
) -> list[Highlight]:
    """Return the words of a text that answer words of the query."""
    found = []
    for start, end in normalise.word_spans(text):
        answer = answers.get(normalise(text[start:end]))
        if answer is not None:
            found.append(Highlight(start, end, *answer))
    return found


def pieces(text: str, highlights: Sequence[Highlight]) -> Iterator[tuple[str, str | None]]:
    """Yield the text in pieces, each with the query word that it answers, if any."""
    position = 0
    for one in highlights:
        if position < one.start:
            yield text[position : one.start], None
        yield text[one.start : one.end], one.query
        position = one.end
    if position < len(text):
        yield text[position:], None


def as_html(text: str, highlights: Sequence[Highlight], colours: dict[str, int]) -> str:
    """Return the text with its answers marked, one tint per query word, numbered by ``colours``."""
    parts = []
    for piece, query in pieces(text, highlights):
        shown = escape(piece)
        if query is not None:
            tint = TINTS[colours.setdefault(query, len(colours)) % len(TINTS)]
            style = f"background:{tint};color:#111"
            shown = f'<mark style="{style}" title="answers: {escape(query)}">{shown}</mark>'
        parts.append(shown)
    return "".join(parts)
