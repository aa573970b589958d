"""docs/leaderboard.md from the leaderboard's figures."""

from __future__ import annotations

from typing import Any

from leaderboard_peers import MINILM, PEERS

HEAD = """# Leaderboard of methods

How well and how fast lexfield's search methods do six tasks, beside the packages that people use
today. Methods marked *encoded* also use the vectors of a sentence encoder (MiniLM), which
`lexfield encode` stores for each text. **Bold** is the best of a column, whoever that is. Made by
`python benchmarks/run.py leaderboard`; the figures are in
[benchmarks/results/leaderboard.json](../benchmarks/results/leaderboard.json).
"""


def page(result: dict[str, Any]) -> str:
    methods = result["methods"]
    names = list(next(iter(methods.values()))["tasks"])
    lines = [HEAD, "## Quality", "", _row(["", *names]), _row(["---", *["---:"] * len(names)])]
    measures = [next(iter(methods.values()))["tasks"][name]["measure"] for name in names]
    lines.append(_row(["", *(f"*{measure}*" for measure in measures)]))
    lines += _grid(methods, names, "quality", 3)
    lines += _differences(methods, names)
    lines += ["", "## Queries per second, memory, size", ""]
    heads = [*names, "memory, MB", "installed, MB"]
    lines += [_row(["", *heads]), _row(["---", *["---:"] * len(heads)])]
    lines += _grid(methods, names, "queries_a_second", 0, beside=True)
    return "\n".join([*lines, "", *_notes(result), ""])


def _grid(
    methods: dict[str, Any], names: list[str], key: str, digits: int, beside: bool = False
) -> list[str]:
    best = {
        name: max((m["tasks"][name][key] or 0 for m in methods.values()), default=0)
        for name in names
    }
    lines = []
    for method, found in methods.items():
        cells = []
        for name in names:
            value = found["tasks"][name][key]
            text = "–" if value is None else _number(value, digits)
            cells.append(f"**{text}**" if value is not None and value == best[name] else text)
        if beside:
            cells += [f"{found['megabytes']:,}", f"{found['installed']:,}"]
        lines.append(_row([_shown(method), *cells]))
    return lines


def _differences(methods: dict[str, Any], names: list[str]) -> list[str]:
    """How much better or worse than MiniLM, with the interval; bold where that excludes 0."""
    lines = []
    for method, found in methods.items():
        every = [found["tasks"][name].get("against") for name in names]
        if any(every):
            lines.append(_row([_shown(method), *map(_difference, every)]))
    if not lines:
        return []
    head = [_row(["", *names]), _row(["---", *["---:"] * len(names)])]
    about = (
        "How much better each method is than MiniLM; 95% of 2,000 paired bootstrap draws of the"
        " queries lie in the interval. Where it is **bold**, it excludes 0."
    )
    return ["", f"## Against {MINILM}", "", about, "", *head, *lines]


def _difference(against: list[float] | None) -> str:
    if against is None:
        return "–"
    value, low, high = against
    text = f"{value:+.3f} ({low:+.3f} to {high:+.3f})"
    return f"**{text}**" if low > 0 or high < 0 else text


def _missing(result: dict[str, Any]) -> list[str]:
    left = [name for name in result["about"]["methods"] if name not in result["methods"]]
    return [f"Not run yet: {', '.join(map(_shown, left))}.", ""] if left else []


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if digits else (f"{value:,.0f}" if value >= 10 else f"{value:.2g}")


def _shown(method: str) -> str:
    peer = method in PEERS or method[0].isupper()
    return method if peer else f"`{method}`"


def _older(result: dict[str, Any]) -> list[str]:
    older = [_shown(name) for name, one in result["methods"].items() if one.get("speed_is_older")]
    if not older:
        return []
    return ["", f"Speeds and memory of {' and '.join(older)} are older than their quality."]


def _notes(result: dict[str, Any]) -> list[str]:
    about = result["about"]
    return [
        *_missing(result),
        "## What is measured",
        "",
        f"Every text is cut to its first {about['words']} words, for all methods; draws are seeded"
        f" ({about['seed']}). Nothing was tuned on these tasks: methods run with their defaults"
        " or with the parameters that are shown.",
        "",
        "- **Similar sentences**: 2,000 captions of 400 pictures (Flickr8k), five each; 200 of them"
        " are queries for the other four captions of their picture.",
        "- **Duplicates**: 128 Hadoop bug reports with a known duplicate, which is to be found"
        " among 1,000 others.",
        "- **Retrieval**: the first 100 judged queries of Cranfield, and the 30 of MED.",
        "- **Labelling**: 20 Newsgroups, 30 known posts of each group; 200 new posts get the group"
        " that most of their five nearest belong to.",
        "- **Clustering**: the 200 new posts, clustered by average linkage of how they"
        " rank each other.",
        "",
        "Queries are asked one at a time on one thread, from their text; memory is the largest that"
        " a process with this method alone had over all tasks; *installed* is all packages that it"
        " needs, lexfield's with its vectors. Every method had a core of its own; other work used"
        " the other one, so compare speeds by their order. A dash: not all queries were answered"
        f" in {about['limit_seconds']:,} seconds, or not all texts encoded in"
        f" {about['encoding_limit_seconds']:,}. gensim's WMD and `wmd` measure the same distances"
        " ([search.json](../benchmarks/results/search.json)), except where an index knows a vector"
        " for what gensim leaves out, such as long numbers.",
        *_older(result),
        "",
        "## What to use instead",
        "",
        *_instead(result),
    ]


def _instead(result: dict[str, Any]) -> list[str]:
    """Who wins where, said of every task."""
    methods = result["methods"]
    lines = []
    for name in next(iter(methods.values()))["tasks"]:
        ranked = sorted(
            ((m["tasks"][name]["quality"], label) for label, m in methods.items()
             if m["tasks"][name]["quality"] is not None), reverse=True,
        )  # fmt: skip
        ours = next((q, label) for q, label in ranked if _shown(label).startswith("`"))
        peers = next((q, label) for q, label in ranked if not _shown(label).startswith("`"))
        first = f"- **{name[:1].upper()}{name[1:]}**: "
        unknown = [n for n, m in methods.items() if m["tasks"][name]["quality"] is None]
        if MINILM in unknown:
            first += "(without MiniLM, which was not measured) "
        if peers[0] > ours[0]:
            lines.append(
                f"{first}{peers[1]} ({peers[0]:.3f}) is better than anything here; lexfield's"
                f" best is {_shown(ours[1])} ({ours[0]:.3f})."
            )
        else:
            lines.append(
                f"{first}{_shown(ours[1])} ({ours[0]:.3f}); the best peer is {peers[1]}"
                f" ({peers[0]:.3f})."
            )
    return [
        *lines,
        "",
        "An encoder helps most where texts say the same thing in different words. It takes more"
        " time and memory; `lexfield encode` adds one, and every hit keeps its reasons.",
    ]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
