"""Shared passages side by side: one HTML file without scripts, and words marked in plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Literal

from lexfield.results import pluralise
from lexfield.reuse.clusters import Cluster
from lexfield.reuse.describe import PassagePair, Span, Step

Side = Literal["a", "b"]
_MOST = 500  # passages on a page
_LONG = 60  # characters; more that are only on one side are left out in plain text
_CONTEXT = 160  # characters before and after a passage
_WIDTH, _HEIGHT, _BAR = 1000, 110, 14  # of the overview
_COLOURS = {"verbatim": "#0072b2", "edited": "#009e73", "reworded": "#d55e00"}
_CLASSES = {"stem": "stem", "similar": "similar", "only in a": "only", "only in b": "only"}
_MARKS = {"stem": ("~", "~"), "similar": ("~", "~"), "only": ("[", "]")}

STYLE = """
.reuse { --ink: #1c1c1c; --dim: #6b6b6b; --paper: #fff; --line: #ddd; --only: #fde3d5;
  --near: #fff1b8; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .reuse { --ink: #e8e8e8; --dim: #a0a0a0; --paper: #17181a;
  --line: #3a3c40; --only: #5a2f1c; --near: #4f4714; } }
.reuse h1 { font-size: 1.25rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.reuse h2 { font-size: 1rem; margin: 0; font-weight: 600; }
.reuse p { margin: .25rem 0; }
.reuse .dim { color: var(--dim); }
.reuse section { border-top: 1px solid var(--line); padding: 1rem 0; }
.reuse .kind { display: inline-block; width: .7em; height: .7em; border-radius: 50%;
  margin-right: .4em; }
.reuse .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }
.reuse .sides > div { min-width: 0; overflow-wrap: anywhere; }
.reuse .sides > div > bdi { white-space: pre-line; }
.reuse .place { font-size: .85rem; color: var(--dim); margin-bottom: .25rem; }
.reuse mark { color: var(--ink); background: none; border-radius: 2px; }
.reuse mark.only { background: var(--only); }
.reuse mark.stem, .reuse mark.similar { background: var(--near); }
.reuse mark.moved { border-bottom: 2px dashed var(--dim); }
.reuse svg { width: 100%; height: auto; display: block; }
.reuse svg rect { fill: var(--line); }
.reuse svg a:hover path { opacity: .9; }
@media (max-width: 640px) { .reuse .sides { grid-template-columns: 1fr; gap: .75rem; } }
"""


def list_sides(pair: PassagePair) -> tuple[tuple[Side, Span], ...]:
    return (("a", pair.a), ("b", pair.b))


def format_chance(pair: PassagePair) -> str:
    return f"{pair.chance:.1g}" if pair.chance >= 1e-300 else "< 1e-300"


def mark_words(pair: PassagePair, side: Side, text: str) -> str:
    """Return one side of a passage as plain text, with words that differ between marks."""
    parts = []
    for kind, piece, _ in _split(pair, side, text):
        before, after = _MARKS.get(kind, ("", ""))
        if kind == "only" and len(piece) > _LONG:
            piece = f"… {len(piece.split()):,} words …"
        parts.append(f"{before}{piece}{after}")
    return "".join(parts)


def _isolate(text: str) -> str:
    """Return a text as HTML that cannot change the direction of what follows."""
    return f"<bdi>{escape(text)}</bdi>"


def make_page(
    pairs: Sequence[PassagePair],
    clusters: Sequence[Cluster],
    texts: Mapping[str, str],
    notes: Sequence[str],
) -> str:
    """Return an HTML page with every passage; all texts are escaped."""
    names = list(dict.fromkeys(span.document for pair in pairs for span in (pair.a, pair.b)))
    shown = names if len(names) == 2 else [pluralise(len(names), "text")]
    title = " and ".join(shown)
    more = len(pairs) - _MOST
    every = [*([f"the first {_MOST} of {len(pairs):,} passages"] if more > 0 else []), *notes]
    body = [
        f"<h1>Passages shared by {' and '.join(map(_isolate, shown))}</h1>",
        f"<p>{_count_kinds(pairs)}</p>",
        f"<p class=dim>{_LEGEND}</p>",
        *(f"<p class=dim>Note: {_isolate(note)}</p>" for note in every),
        _draw_overview(pairs[:_MOST], texts) if len(names) == 2 else "",
        *(_format_cluster(cluster) for cluster in clusters[:_MOST]),
        *_format_passages(pairs[:_MOST], texts),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">\n"
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Passages shared by {escape(title)}</title>\n<style>{STYLE}"
        "body.reuse { margin: 0 auto; max-width: 72rem; padding: 1rem; }</style>\n"
        f'<body class="reuse">\n{"".join(body)}\n</body>\n</html>\n'
    )


def make_fragment(pairs: Sequence[PassagePair], texts: Mapping[str, str]) -> str:
    """Return the passages for a notebook."""
    body = "".join(_format_passages(pairs, texts)) or "<p>No shared passages.</p>"
    return f'<style>{STYLE}</style><div class="reuse"><p>{_count_kinds(pairs)}</p>{body}</div>'


_LEGEND = (
    "<mark class=only>Only on this side</mark>, <mark class=similar>another form or a similar"
    " word</mark>, <mark class=moved>in another order</mark>; all other words are identical."
    " Chance is the number of passages as good as this that are expected by chance."
)


def _count_kinds(pairs: Sequence[PassagePair]) -> str:
    counts = {kind: sum(pair.kind == kind for pair in pairs) for kind in _COLOURS}
    return ", ".join(f"{_draw_dot(kind)}{n:,} {kind}" for kind, n in counts.items() if n)


def _draw_dot(kind: str) -> str:
    return f'<span class="kind" style="background:{_COLOURS[kind]}"></span>'


def _format_cluster(cluster: Cluster) -> str:
    names = ", ".join(_isolate(name) for name in dict.fromkeys(m.document for m in cluster.members))
    first = f" The earliest is {_isolate(cluster.earliest)}." if cluster.earliest else ""
    return f"<p>Shared by several (cluster {cluster.cluster}): {names}.{first}</p>"


def _format_passages(pairs: Sequence[PassagePair], texts: Mapping[str, str]) -> Iterator[str]:
    for number, pair in enumerate(pairs, 1):
        columns = "".join(
            f'<div><div class="place">{_isolate(span.document)}, characters {span.start:,} to'
            f" {span.end:,}</div><bdi>{_format_side(pair, side, texts[span.document])}</bdi></div>"
            for side, span in list_sides(pair)
        )
        yield (
            f'<section id="p{number}"><h2>{_draw_dot(pair.kind)}{number}. {pair.kind}</h2>'
            f'<p class="dim">{pair.identical:.0%} identical, score {pair.score:.0f} nats, chance'
            f' {escape(format_chance(pair))}</p><div class="sides">{columns}</div></section>\n'
        )


def _format_side(pair: PassagePair, side: Side, text: str) -> str:
    span = pair.a if side == "a" else pair.b
    before = text[max(0, span.start - _CONTEXT) : span.start]
    after = text[span.end : span.end + _CONTEXT]
    parts = [f"<span class=dim>{'…' if span.start > _CONTEXT else ''}{escape(before)}</span>"]
    for kind, piece, step in _split(pair, side, text):
        names = " ".join(name for name in (kind, "moved" if step and step.moved else "") if name)
        hint = f' title="cosine {step.similarity:g}"' if step and step.similarity else ""
        parts.append(
            f'<mark class="{names}"{hint}>{escape(piece)}</mark>' if names else escape(piece)
        )
    rest = "…" if span.end + _CONTEXT < len(text) else ""
    return "".join([*parts, f"<span class=dim>{escape(after)}{rest}</span>"])


def _split(pair: PassagePair, side: Side, text: str) -> Iterator[tuple[str, str, Step | None]]:
    """Yield one side of a passage in pieces, each with the class of its mark and its step."""
    span = pair.a if side == "a" else pair.b
    places = sorted(
        (place, number)
        for number, step in enumerate(pair.alignment)
        if (place := step.a if side == "a" else step.b) is not None
    )
    at = span.start
    for (start, end), number in places:
        step = pair.alignment[number]
        if start > at:
            yield "", text[at:start], None
        yield _CLASSES.get(step.op, ""), text[max(at, start) : end], step
        at = max(at, end)


def _draw_overview(pairs: Sequence[PassagePair], texts: Mapping[str, str]) -> str:
    """Return both texts as bars, with a ribbon from each passage to its other side."""
    if not pairs:
        return ""
    names = pairs[0].a.document, pairs[0].b.document
    sizes = [max(1, len(texts[name])) for name in names]
    low = _HEIGHT - _BAR
    ribbons = []
    for number, pair in sorted(enumerate(pairs, 1), key=lambda one: one[1].score):
        a, b = pair.a, pair.b
        ends = [x / size * _WIDTH for x, size in ((a.start, sizes[0]), (a.end, sizes[0]))]
        ends += [x / size * _WIDTH for x, size in ((b.end, sizes[1]), (b.start, sizes[1]))]
        ends[1], ends[2] = max(ends[1], ends[0] + 1.5), max(ends[2], ends[3] + 1.5)
        x1, x2, x3, x4 = (round(x, 1) for x in ends)
        middle = _HEIGHT / 2
        path = (
            f"M{x1} {_BAR}L{x2} {_BAR}C{x2} {middle} {x3} {middle} {x3} {low}L{x4} {low}"
            f"C{x4} {middle} {x1} {middle} {x1} {_BAR}Z"
        )
        ribbons.append(
            f'<a href="#p{number}"><path d="{path}" fill="{_COLOURS[pair.kind]}" opacity=".5">'
            f"<title>{number}. {pair.kind}</title></path></a>"
        )
    return (
        f'<div class="place">{_isolate(names[0])}</div>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Where the passages are">'
        f'<rect x="0" y="0" width="{_WIDTH}" height="{_BAR}"/>'
        f'<rect x="0" y="{low}" width="{_WIDTH}" height="{_BAR}"/>{"".join(ribbons)}</svg>'
        f'<div class="place">{_isolate(names[1])}</div>'
    )
