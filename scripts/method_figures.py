"""Tables of single methods, from benchmarks/results and reproduce/results; see insert_figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_SUGGESTED = {
    "set cover": "set cover (paper)", "ideas": "set cover (default)", "mean": "mean", "wmd": "wmd",
    "jaccard": "jaccard", "edit": "edit", "random": "random",
}  # fmt: skip
_VARIETY = {
    "unique to the method, %": ("unique_per_cent", 1),
    "list Jaccard, with stopwords": ("list_jaccard_with_stopwords", 3),
    "list Jaccard, without": ("list_jaccard_without_stopwords", 4),
    "relevance": ("relevance", 3),
}
_NEIGHBOURS = {
    "LSH R = 0.4": "He LSH R=0.4", "LSH R = 0.6": "He LSH R=0.6", "LSH R = 0.8": "He LSH R=0.8",
    "k-d tree": "He k-d trees", "certified": "certified JS (ours)",
}  # fmt: skip
_COLLECTIONS = {
    "cranfield": "Cranfield (tuned here)", "med": "MED", "cisi": "CISI", "cacm": "CACM",
    "time": "TIME", "scifact-dev": "SciFact", "adi": "ADI",
}  # fmt: skip
_TRANSLATIONS = {  # columns, by the beginning of a method's name
    "lm": "lm", "bm25": "bm25", "bm25, extended": "bm25, extended counts",
    "translation, proposed": "translation, proposed", "tuned on Cranfield": "translation, tuned",
    "best": "translation, best threshold", "top 10": "translation, top 10",
}  # fmt: skip


def _read(path: str) -> Any:
    return json.loads((ROOT / path).read_text("utf-8"))


def make_variety() -> str:
    """Return Tables 3 and 4 of Hare et al., with the paper's figures in brackets."""
    results = _read("reproduce/results/variety.json")
    lines = [f"| | queries | {' | '.join(_SUGGESTED)} |", f"|---{'|---' * 8}|"]
    for title, (key, digits) in _VARIETY.items():
        for queries in ("100", "5000"):
            printed = results["paper"].get(key, {}).get(queries, {})
            cells = []
            for method in _SUGGESTED.values():
                value = results[queries][method][key]
                cell = "" if value is None else f"{value:.{digits}f}"
                paper = f" ({printed[method]:.{digits}f})" if method in printed else ""
                cells.append(cell + paper)
            lines.append(f"| {title} | {int(queries):,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def make_suggestions() -> str:
    """Return the short table of suggestions to writers."""
    found = _read("reproduce/results/variety.json")["5000"]
    heads = "method | relevance | similarity of two suggestions | suggested by no other method"
    lines = [f"| {heads} |", "|---|---|---|---|"]
    for name in ("ideas", "mean", "wmd", "jaccard"):
        one = found[_SUGGESTED[name]]
        lines.append(
            f"| {name} | {one['relevance']:.3f} | {one['list_jaccard_without_stopwords']:.3f}"
            f" | {one['unique_per_cent']:.0f}% |"
        )
    return "\n".join(lines)


def make_strangers() -> str:
    """Return how often texts with a probability of being by an author at all are by that author."""
    lines = ["| probability that it is theirs at all | texts | mean | right |", "|---|---|---|---|"]
    for one in _read("benchmarks/results/style.json")["strangers"]["bins"]:
        low, high = f"{one['low']:.0%}", f"{one['high']:.0%}"
        name = f"under {high}" if low == "0%" else f"{low} to {high}"
        name = f"{low} and more" if high == "100%" else name
        lines.append(
            f"| {name} | {one['texts']} | {one['mean_probability']:.0%} | {one['right']:.0%} |"
        )
    return "\n".join(lines)


def make_neighbours() -> str:
    """Return Table 1 of Krstovski et al. on neighbours of topic mixtures."""
    results = _read("reproduce/results/simplex_neighbours.json")
    rows, printed = results["table_1"]["rows"], results["paper_table_1"]
    lines = ["| | MAP | P@5 | R@5 | × the loop | paper: MAP | × |", f"|---{'|---' * 6}|"]
    for name, key in _NEIGHBOURS.items():
        one, paper = rows[key], printed.get(key)
        theirs = f"{paper['map']:.2f} | {paper['speed-up']:,.0f}" if paper else " | "
        lines.append(
            f"| {name} | {one['map']:.2f} | {one['p@5']:.2f} | {one['r@5']:.2f}"
            f" | {one['speed-up']:,.0f} | {theirs} |"
        )
    return "\n".join(lines)


def make_translation() -> str:
    """Return the MAP of translation models and others, and the mean gain over ``lm``."""
    results = _read("reproduce/results/translation.json")
    lines = [f"| | {' | '.join(_TRANSLATIONS)} |", f"|---{'|---' * len(_TRANSLATIONS)}|"]
    for key, name in _COLLECTIONS.items():
        rows = {
            row["method"].split(" threshold 0")[0]: row for row in results["sets"][key]["table"]
        }
        cells = []
        for column, method in _TRANSLATIONS.items():
            row = rows[method.removesuffix(" threshold")]
            value, star = row["map"].rstrip("*"), "*" if row["map"].endswith("*") else ""
            at = f" at {results['sets'][key]['best']:g}" if column == "best" else ""
            cells.append(f"{float(value):.3f}{star}{at}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    gains = results["summary"]["mean_gain_percent_without_tuning_set"]
    cells = [
        f"{gains[method]:+.1f}%" if method in gains else "" for method in _TRANSLATIONS.values()
    ]
    return "\n".join([*lines, f"| mean gain of the other six | {' | '.join(cells)} |"])


TABLES: dict[str, Callable[[], str]] = {
    "neighbours": make_neighbours,
    "strangers": make_strangers,
    "suggestions": make_suggestions,
    "translation": make_translation,
    "variety": make_variety,
}
