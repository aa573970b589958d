"""The figures of ``zipf.py`` as Markdown tables, the paper's in brackets beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Result = dict[str, Any]


def markdown(result: Result) -> str:
    parts = [_sizes, _speech, _neighbours, _slopes, _languages]
    lines = ["# Zipf's law on the corpora of Hare et al.", ""]
    lines.append("Written by `python reproduce/zipf.py`. In brackets: the paper.")
    for part in parts:
        lines += ["", *part(result)]
    return "\n".join([*lines, "", "## Differences", "", *(f"- {d}" for d in result["differences"])])


def _table(title: str, heads: list[str], rows: Iterator[list[str]]) -> list[str]:
    lines = [["", *heads], ["---"] * (len(heads) + 1), *rows]
    return [f"## {title}", "", *("| " + " | ".join(cells) + " |" for cells in lines)]


def _vectors(own: Result) -> list[str]:
    """Those that a corpus was measured with."""
    return [name for name in ("glove", "default") if f"clusters_{name}" in own]


def _sizes(result: Result) -> list[str]:
    def rows() -> Iterator[list[str]]:
        for name, own in result["corpora"].items():
            ours = [own["figures"][key] for key in ("tokens", "types", "unembedded", "sentences")]
            theirs = own["paper"]["tokens_types_unembedded_sentences"]
            yield [name, *(f"{a:,} ({b:,})" for a, b in zip(ours, theirs, strict=True))]

    heads = ["tokens", "types", "without a vector (GloVe)", "distinct sentences"]
    return _table("Table 5: size", heads, rows())


def _speech(result: Result) -> list[str]:
    def rows() -> Iterator[list[str]]:
        for name, own in result["corpora"].items():
            for what in ("token", "type"):
                ours = [row[f"{what}_per_cent"] for row in own["speech"]]
                theirs = own["paper"][f"{what}_per_cent"]
                cells = (f"{a:.1f} ({b:.1f})" for a, b in zip(ours, theirs, strict=True))
                yield [f"{name}, {what}s", *cells]

    heads = [row["speech"] for row in next(iter(result["corpora"].values()))["speech"]]
    return _table("Table 6: parts of speech, per cent", heads, rows())


def _neighbours(result: Result) -> list[str]:
    def rows() -> Iterator[list[str]]:
        for name, own in result["corpora"].items():
            theirs = own["paper"]["neighbours_per_cent"]
            for vectors in _vectors(own):
                ours = own[f"neighbours_{vectors}"]
                beside = vectors == "glove"
                cells = [
                    f"{row['per_cent']:.1f}" + (f" ({theirs[str(row['k'])]:.1f})" if beside else "")
                    for row in ours
                ]
                above = f"{ours[0]['above_chance']:.2f} to {ours[-1]['above_chance']:.2f}"
                yield [f"{name}, {vectors}", *cells, f"{ours[0]['by_chance']:.1f}", above]

    heads = ["k = 3", "5", "10", "20", "50", "by chance", "above chance"]
    return _table("Table 2: per cent of the k nearest words in a word's own class", heads, rows())


def _slopes(result: Result) -> list[str]:
    def rows() -> Iterator[list[str]]:
        for name, own in result["corpora"].items():
            words = own["words"]
            ends = [
                row[end] for row in own["clusters_glove"]["robustness"] for end in ("low", "high")
            ]
            for vectors in _vectors(own):
                found = own[f"clusters_{vectors}"]
                yield [
                    f"{name}, {vectors}",
                    f"{words['slope']:.2f} ({words['r2']:.2f})",
                    str(own["paper"]["clusters"]),
                    f"{found['slope']:.2f} ({found['r2']:.2f})",
                    f"{min(ends):.2f} to {max(ends):.2f}" if vectors == "glove" else "",
                    *_nulls(found),
                ]

    heads = ["words", "k", "clusters", "for k ± 20", "shuffled", "text less shuffled", "Gaussian"]
    title = "Figures 3, 4 and 6: slopes (R²), differences with 95% intervals (5 seeds, books 2)"
    return _table(title, [*heads, "text less Gaussian"], rows())


def _nulls(found: Result) -> Iterator[str]:
    for null in found["nulls"]:
        yield f"{null['slope']:.2f}"
        yield f"{null['difference']:+.2f} [{null['low']:+.2f}, {null['high']:+.2f}]"


def _languages(result: Result) -> list[str]:
    def rows() -> Iterator[list[str]]:
        for name, own in result["languages"].items():
            words, found = own["words"], own["clusters"]
            shown = [f"{one['slope']:.2f} ({one['r2']:.2f})" for one in (words, found)]
            yield [name, *shown, *_nulls(found)]

    heads = ["words", "clusters", "shuffled", "text less shuffled", "Gaussian"]
    title = "Languages: 2,009 parallel sentences each, own vectors, k = 35, five seeds"
    return _table(title, [*heads, "text less Gaussian"], rows())
