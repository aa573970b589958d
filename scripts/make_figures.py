"""Draw the figures of docs/pictures that are not the page: ``python scripts/make_figures.py``.

Every figure is drawn from the sample texts. Name some to draw only these:
``python scripts/make_figures.py ideas zipf``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import lexfield as lx
from lexfield.index.ranking import Hit
from lexfield.plots.figure import COLOURS, figure, save
from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
QUERY = "The fishing boat came home before the storm."
WORDS = ("fishing", "boat", "came", "home", "storm")
GREY = "#777777"


def draw_ideas(index: Index) -> None:
    """Which word of each suggestion answers which word of the query."""
    hits = index.search(QUERY, "ideas", 5)
    with figure(8.0, 3.4) as drawing:
        axes = _begin(drawing, f"“{QUERY}”: what each suggestion picks up")
        for row, hit in enumerate(hits):
            axes.text(-0.7, row, _fold(hit.text), ha="right", va="center", fontsize=9)
            for column, word in enumerate(WORDS):
                match, strength = _find_best(hit, word)
                if strength > 0.1:
                    axes.scatter(column, row, s=1400 * strength, color=COLOURS[0], alpha=0.25)
                    axes.text(column, row, match, ha="center", va="center", fontsize=9)
        for column, word in enumerate(WORDS):
            axes.text(column, -0.8, word, ha="center", weight="bold", color=COLOURS[1])
        axes.set(xlim=(-4.6, 4.6), ylim=(4.6, -1.2))
        save(drawing, PICTURES / "ideas.png")


def draw_setcover(index: Index) -> None:
    """The ball of each query word, and the words that the first rows cover."""
    hits = index.search(QUERY, "setcover", 4)
    covered = {
        (reason.query, reason.match): colour
        for hit, colour in zip(hits, COLOURS, strict=False)
        for reason in hit.explanation.reasons
    }
    with figure(8.0, 4.6) as drawing:
        axes = _begin(drawing, "The ball of a word: the ten words nearest to it in these texts")
        for column, ball in enumerate(lx.balls(index, QUERY)):
            for row, word in enumerate([ball.word, *(near.word for near in ball.ball)]):
                colour = covered.get((ball.word, word))
                box = {"boxstyle": "round,pad=0.25", "fc": colour, "ec": "none"} if colour else None
                axes.text(
                    column, row, word, ha="center", va="center", fontsize=9, bbox=box,
                    weight="normal" if row else "bold", color="white" if colour else "black",
                )  # fmt: skip
        for row, (hit, colour) in enumerate(zip(hits, COLOURS, strict=False)):
            line = f"{row + 1}. {_fold(hit.text, 90)}"
            axes.text(-0.5, 12 + row, line, color=colour, va="center", fontsize=9, weight="bold")
        axes.set(xlim=(-0.6, 4.6), ylim=(11.7 + len(hits), -0.8))
        save(drawing, PICTURES / "setcover.png")


def draw_wmd(index: Index) -> None:
    """How far the words of a query travel to become those of a sentence."""
    hit = index.search(QUERY, "wmd", 3)[2]
    flows = [(r.query, r.match or "", r.distance or 0.0) for r in hit.explanation.reasons]
    title = "Word Mover's Distance: each word travels to the nearest word of the other text"
    with figure(8.0, 3.2) as drawing:
        _draw_links(drawing, flows, title, lambda distance: f"{distance:.2f}")
        drawing.supxlabel(f"“{QUERY}” → “{_fold(hit.text, 90)}”", fontsize=9)
        save(drawing, PICTURES / "wmd.png")


def draw_late() -> None:
    """Which words of two sentences without a common word an encoder pairs."""
    texts = [
        "The vessel returned ahead of the gale.",
        "Bread and butter.",
        "A market full of people.",
    ]
    index = lx.Index(texts)
    index.encode("minilm")
    hit = index.search("The boat came home before the storm.", "late", 1)[0]
    pairs = [(r.query, r.match or "", r.contribution) for r in hit.explanation.reasons]
    pairs = [pair for pair in pairs if pair[0] != "the"]
    order = "boat came home before storm".split()
    pairs.sort(key=lambda pair: order.index(pair[0]))
    title = "Two sentences that share only “the”: what each pair of words adds to the score"
    with figure(8.0, 3.2) as drawing:
        _draw_links(drawing, pairs, title, lambda part: f"+{part:.2f}")
        save(drawing, PICTURES / "late.png")


def draw_counts(index: Index) -> None:
    """What each word of a weighted query adds to the score of a document."""
    asked = {"storm": 3, "harbour": 2, "boat": 1}
    text = " + ".join(f"{weight}*{word}" for word, weight in asked.items())
    hits = index.search(text, "count", 6, unit="document", algebra=True)
    parts = {
        f"{weight} × {word}": [_add_up(hit, word) for hit in hits] for word, weight in asked.items()
    }
    with figure(7.5, 3.2) as drawing:
        _stack(drawing, [hit.id for hit in hits], parts)
        drawing.axes[0].set_title(f"{text}: every mention counts, times its weight")
        drawing.axes[0].set_xlabel("score")
        save(drawing, PICTURES / "counts.png")


def draw_compare() -> None:
    """The words that make the difference between two texts, with their rates in each."""
    names = "pell-sea", "carter-sea"
    paths = [str(TEXTS / f"{name}.txt") for name in names]
    (found,) = lx.compare(*paths, measure="js", explain=True).details
    rates = dict(list(found.explanation.facts["per_thousand"].items())[:12])
    with figure(7.5, 4.2) as drawing:
        axes = drawing.subplots()
        for side, sign in enumerate((-1, 1)):
            bars = [sign * rate[side] for rate in rates.values()]
            axes.barh(range(len(rates)), bars, color=COLOURS[side], label=names[side])
        axes.set_yticks(range(len(rates)), list(rates))
        axes.invert_yaxis()
        axes.axvline(0, color=GREY, lw=0.8)
        axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        axes.set_xlabel("times per 1,000 words")
        axes.set_title("The words that set two texts apart most, by Jensen–Shannon divergence")
        axes.legend()
        save(drawing, PICTURES / "divergence.png")


def draw_zipf() -> None:
    """Counts by rank, with the line and the law that fit them."""
    lx.zipf(TEXTS, draws=0).plot(PICTURES / "zipf.png")


def draw_near() -> None:
    """The nearest words of one word, and the similarity from which words count as related."""
    near = list(lx.near("storm", k=25))
    limit = lx.threshold("default", limit=20_000, sample=2000).results[0].threshold
    with figure(7.5, 4.6) as drawing:
        axes = drawing.subplots()
        values = [row.similarity for row in near]
        colours = [COLOURS[0] if value >= limit else "#bbbbbb" for value in values]
        axes.barh(range(len(near)), values, color=colours)
        axes.set_yticks(range(len(near)), [row.word for row in near], fontsize=8)
        axes.invert_yaxis()
        axes.axvline(limit, color=COLOURS[1])
        axes.set_xlim(0.5, 1)
        axes.set_xlabel(f"cosine with “storm”; related above {limit:.2f}")
        axes.set_title("Words near “storm”: above the line they count as related")
        save(drawing, PICTURES / "near.png")


def draw_tree() -> None:
    """A dendrogram of the sample by cosine Delta, coloured by author."""
    corpus = Corpus.read(TEXTS, metadata=METADATA)
    lx.pairs(corpus, measure="cosine-delta", mfw=300, by="author", tree=PICTURES / "style-tree.png")


def draw_fusion(index: Index) -> None:
    """What each of two rankings adds to the score of a document."""
    query, methods = "a storm in the harbour", ("bm25", "ideas")
    hits = index.search(query, f"fuse({', '.join(methods)}, how=sum)", 8, unit="document")
    parts = {name: [_add_up(hit, name) for hit in hits] for name in methods}
    with figure(7.5, 3.6) as drawing:
        _stack(drawing, [hit.id for hit in hits], parts)
        drawing.axes[0].set_xlabel("score, and what each list added to it")
        drawing.axes[0].set_title(f"“{query}”: two rankings fused by their sum of ranks")
        save(drawing, PICTURES / "fusion.png")


def _begin(drawing: Figure, title: str) -> Any:
    axes = drawing.subplots()
    axes.set_axis_off()
    axes.set_title(title)
    return axes


def _fold(text: str, most: int = 44) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _find_best(hit: Hit, word: str) -> tuple[str, float]:
    """Return the word of a hit that answers a word of the query, and how well, from 0 to 1."""
    found = [
        r for r in hit.explanation.reasons if r.query == word and r.match in WordVectors.default()
    ]
    if not found:
        return "", 0.0
    best = max(found, key=lambda reason: reason.contribution)
    cosine = 1 - (best.distance or 0.0) ** 2 / 2
    return str(best.match), max(0.0, cosine) ** 2


def _add_up(hit: Hit, name: str) -> float:
    return sum(r.contribution for r in hit.explanation.reasons if r.query == name)


def _draw_links(
    drawing: Figure,
    links: Sequence[tuple[str, str, float]],
    title: str,
    label: Callable[[float], str],
) -> None:
    """Draw two rows of words and a line for each pair, labelled with its number."""
    axes = _begin(drawing, title)
    tops, bottoms = (list(dict.fromkeys(words)) for words in list(zip(*links, strict=True))[:2])
    wide = max(len(tops), len(bottoms)) - 1
    across = {
        side: {word: (i + 0.5) * (wide + 1) / len(words) for i, word in enumerate(words)}
        for side, words in (("top", tops), ("bottom", bottoms))
    }
    for top, bottom, value in links:
        x, y = across["top"][top], across["bottom"][bottom]
        axes.plot([x, y], [0.9, 0.1], color=COLOURS[0], lw=2)
        axes.text(
            (x + y) / 2, 0.5, label(value), ha="center", va="center", fontsize=9,
            bbox={"fc": "white", "ec": "none", "pad": 1.5},
        )  # fmt: skip
    for side, place in (("top", 1.0), ("bottom", 0.0)):
        for word, x in across[side].items():
            axes.text(x, place, word, ha="center", va="center", fontsize=12, weight="bold")
    axes.set(xlim=(0, wide + 1), ylim=(-0.1, 1.1))


def _stack(drawing: Figure, names: Sequence[str], parts: dict[str, list[float]]) -> None:
    axes = drawing.subplots()
    left = np.zeros(len(names))
    for (label, values), colour in zip(parts.items(), COLOURS, strict=False):
        axes.barh(range(len(names)), values, left=left, color=colour, label=label)
        left += values
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.legend()


OF_INDEX: tuple[Callable[[Index], None], ...] = (
    draw_ideas, draw_setcover, draw_wmd, draw_counts, draw_fusion,
)  # fmt: skip
ALONE: tuple[Callable[[], None], ...] = (
    draw_compare, draw_zipf, draw_near, draw_tree, draw_late,
)  # fmt: skip


def main(chosen: Iterable[str]) -> None:
    names = {f"draw_{name}" for name in chosen}
    with TemporaryDirectory() as folder:
        for draw in ALONE:
            if not names or draw.__name__ in names:
                draw()
        index = Index.build(Corpus.read(TEXTS, metadata=METADATA), Path(folder) / "sample.idx")
        for draw_from in OF_INDEX:
            if not names or draw_from.__name__ in names:
                draw_from(index)


if __name__ == "__main__":
    main(sys.argv[1:])
