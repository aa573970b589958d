"""Hare et al., Figure 1: a text as counts of words, and as a cloud of word vectors.

Two texts of the embedded sample: on the left how often each uses the words that tell them apart,
on the right their words as points, by the first two principal axes of both.

    python reproduce/clouds.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lexfield import Corpus, WordVectors
from lexfield.compare.counts import count_corpus
from lexfield.compare.pair import divergence
from lexfield.plots.figure import COLOURS, figure, save
from lexfield.sample import TEXTS

HERE = Path(__file__).parent
PAIR = ("carter-sea", "raman-kitchen")
BARS, NAMED = 8, 9


def main() -> None:
    corpus = Corpus.read([TEXTS / f"{name}.txt" for name in PAIR])
    counts = count_corpus(corpus, stopwords="en")
    shares = np.asarray(counts.matrix.todense()) / counts.totals[:, None]
    vectors = WordVectors.default()
    known = [i for i, word in enumerate(counts.types) if word in vectors]
    places = plane(np.array([vectors[counts.types[i]] for i in known]))
    texts = [document.text for document in corpus.documents]
    result = {
        "texts": PAIR,
        "distinct_words": [int((row > 0).sum()) for row in shares],
        "js_categorical": round(divergence(*texts, measure="js").value, 4),
        "kl_latent": round(divergence(*texts, space="latent", measure="kl", stopwords="en").raw, 4),
        "difference": "The paper's figure is a sketch; this one is drawn from two texts.",
    }
    draw(shares, counts.types, known, places)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (HERE / "results" / "clouds.json").write_text(text + "\n", "utf-8")
    print(text)


def plane(points: Any) -> Any:
    centred = points - points.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T


def draw(shares: Any, types: Any, known: list[int], places: Any) -> None:
    gap = shares[0] - shares[1]
    telling = [*np.argsort(-gap)[:BARS], *np.argsort(gap)[:BARS][::-1]]
    with figure(10.5, 4.8) as drawing:
        left, right = drawing.subplots(1, 2, width_ratios=(1, 1.5))
        for row, (name, colour) in enumerate(zip(PAIR, COLOURS, strict=False)):
            left.barh(
                np.arange(len(telling)) + 0.4 * row,
                1000 * shares[row, telling],
                0.4,
                color=colour,
                label=name,
            )
            mine = [i for i, word in enumerate(known) if shares[row, word] > 0]
            right.scatter(*places[mine].T, s=12, color=colour, alpha=0.65, lw=0, label=name)
        left.set_yticks(np.arange(len(telling)) + 0.2, [types[i] for i in telling], fontsize=8)
        left.invert_yaxis()
        left.set(xlabel="uses per 1,000 words", title="Two texts as counts of words")
        left.legend()
        for word in telling:
            if word in known:
                at = places[known.index(word)]
                right.annotate(
                    types[word],
                    at,
                    fontsize=8,
                    xytext=(3, 2),
                    textcoords="offset points",
                    color=COLOURS[int(gap[word] < 0)],
                    fontweight="bold",
                )
        right.set(
            xlabel="first principal axis",
            ylabel="second principal axis",
            title="The same texts as clouds of word vectors",
        )
        save(drawing, HERE / "results" / "figures" / "figure-1-clouds.png")  # fmt: skip


if __name__ == "__main__":
    main()
