"""Krstovski et al., Figure 1: Jensen–Shannon against Hellinger on pairs of Dirichlet samples.

100 samples for each length D = 50 … 500 and each α = 0.001 … 100, all pairs. The paper's lines are
½ He ≤ JS ≤ 2 ln 2 · He with JS to base 2 (it is at most 1 there); beside them ours, which are
closer and attained: ½ He ≤ JS ≤ He / (2 ln 2).

    python reproduce/simplex_bounds.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lexfield.plots.figure import COLOURS, figure, save
from lexfield.topics.certified import HELLINGER_SQUARED, JS, divergences

HERE = Path(__file__).parent
LENGTHS = (50, 100, 200, 500)
ALPHAS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
SAMPLES = 100
SEED = 2013


def main() -> None:
    rng = np.random.default_rng(SEED)
    points = {
        (length, alpha): pairs(draw(rng, length, alpha)) for length in LENGTHS for alpha in ALPHAS
    }
    table: list[dict[str, Any]] = []
    for (length, alpha), (he, js) in points.items():
        apart = he > 1e-9
        ratios = js[apart] / he[apart]
        table.append(
            {
                "length": length,
                "alpha": alpha,
                "he": [round(float(he.min()), 5), round(float(he.max()), 5)],
                "js_over_he": [round(float(ratios.min()), 4), round(float(ratios.max()), 4)],
                "outside_paper": int(
                    ((js < he / 2 - 1e-9) | (js > 2 * np.log(2) * he + 1e-9)).sum()
                ),
                "outside_ours": int(
                    ((js < he / 2 - 1e-9) | (js > he / (2 * np.log(2)) + 1e-9)).sum()
                ),
            }
        )
    result = {
        "pairs_each": len(next(iter(points.values()))[0]),
        "paper_bounds_of_js_over_he": [0.5, round(2 * np.log(2), 4)],
        "our_bounds_of_js_over_he": [0.5, round(1 / (2 * np.log(2)), 4)],
        "seen": [
            min(row["js_over_he"][0] for row in table),
            max(row["js_over_he"][1] for row in table),
        ],
        "outside_paper": sum(row["outside_paper"] for row in table),
        "outside_ours": sum(row["outside_ours"] for row in table),
        "table": table,
        "difference": "As in the paper all points lie between its lines, sparse samples near the"
        " largest values and dense ones near zero, for every length. The paper's upper line is"
        " nearly twice as high as any pair can reach.",
        "seed": SEED,
    }
    (HERE / "results" / "simplex_bounds.json").write_text(json.dumps(result, indent=1) + "\n")
    plot(points)
    print(json.dumps(result, indent=1))


def draw(rng: np.random.Generator, length: int, alpha: float) -> Any:
    made = np.empty((0, length))
    while len(made) < SAMPLES:  # with a tiny α all of a sample may underflow to zero
        more = rng.dirichlet(np.full(length, alpha), SAMPLES)
        made = np.concatenate([made, more[np.abs(more.sum(axis=1) - 1) < 1e-9]])
    return made[:SAMPLES]


def pairs(samples: Any) -> tuple[Any, Any]:
    """He, and JS in bits, of all pairs."""
    he, js = [], []
    for row in range(len(samples) - 1):
        others = np.arange(row + 1, len(samples))
        he.append(2 * divergences(HELLINGER_SQUARED, samples[row], samples, others))
        js.append(divergences(JS, samples[row], samples, others) / np.log(2))
    return np.concatenate(he), np.concatenate(js)


def plot(points: dict[tuple[int, float], tuple[Any, Any]]) -> None:
    with figure(9, 7) as drawing:
        axes = drawing.subplots(2, 2, sharex=True, sharey=True)
        top = np.array([0, 2.0])
        for length, axis in zip(LENGTHS, axes.ravel(), strict=True):
            for alpha, colour in zip(ALPHAS, COLOURS, strict=False):
                he, js = points[length, alpha]
                axis.plot(he, js, ".", ms=2, color=colour, label=f"α = {alpha:g}", rasterized=True)
            axis.plot(top, top / 2, "k-", lw=0.9, label="½ He")
            axis.plot(top, top / (2 * np.log(2)), "k--", lw=0.9, label="He / (2 ln 2), ours")
            axis.plot(top, 2 * np.log(2) * top, "k:", lw=0.9, label="2 ln 2 · He, paper's")
            axis.set_title(f"D = {length}")
            axis.set_ylim(0, 1.15)
            axis.set_xlim(0, 2.05)
        for axis in axes[1]:
            axis.set_xlabel("He = Σ(√p − √q)²")
        for axis in axes[:, 0]:
            axis.set_ylabel("Jensen–Shannon divergence in bits")
        axes[0, 0].legend(fontsize=8, markerscale=4, loc="lower right")
        drawing.suptitle("All pairs lie between the bounds, whatever the length and the sparsity")
        save(drawing, HERE / "results" / "simplex_bounds.png")


if __name__ == "__main__":
    main()
