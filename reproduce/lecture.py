"""The lecture notes on bags of words: Examples 1 to 8 and the exercises that have one answer.

Every multiset is counted by lexfield; beside it stands what the notes print, or for exercises the
answer by hand. Their slips are kept behind ``fidelity="as_published"``: Example 5 prints .5 as the
frequency of a word that is one of eight, Example 8 names w4 third where its figures have w2.

    python reproduce/lecture.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lexfield import Bag

HERE = Path(__file__).parent
JOHN = "Only John could like John"
POLICE = "If police police police police police, then police police police police police"
SITES = {
    "w1": {"aristotle": 9, "ethics": 3, "metaphysics": 0, "plato": 6, "sokrates": 0},
    "w2": {"aristotle": 1, "ethics": 0, "metaphysics": 9, "plato": 5, "sokrates": 0},
    "w3": {"aristotle": 4, "ethics": 9, "metaphysics": 5, "plato": 8, "sokrates": 2},
    "w4": {"aristotle": 0, "ethics": 7, "metaphysics": 3, "plato": 9, "sokrates": 0},
}
Counts = Mapping[Any, float]


def main() -> None:
    shown = [*counting(), *frequencies(), *frequencies("as_published"), *queries(),
             *queries("as_published")]  # fmt: skip
    rows = list({(row["what"], row["fidelity"]): row for row in shown}.values())
    corrected = [row for row in rows if row["fidelity"] == "corrected"]
    result = {
        "table": rows,
        "as_printed": sum(row["same"] for row in corrected),
        "rows": len(corrected),
        "difference": "All multisets, sums and multiples are those of the notes. Two printed"
        " figures do not follow from them and are slips: a frequency in Example 5 and the third"
        " place in Example 8.",
    }
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (HERE / "results" / "lecture.json").write_text(text + "\n", "utf-8")
    print(text)


def counting() -> list[dict[str, Any]]:
    """Sets, multisets, types and tokens: Examples 1 to 3, Exercises 1 and 3."""
    shaved, himself = Bag.of("John shaved."), Bag.of("John shaved John.")
    bigrams = Bag.of(POLICE, 2)
    trigrams = Bag.of(POLICE.removesuffix(" police"), 3)  # the exercise has one fewer
    return [
        row("Example 1, set of the first sentence", sorted(Bag.of(JOHN).set()),
            ["could", "john", "like", "only"]),
        row("Example 1, multiset of the first sentence", Bag.of(JOHN),
            {"only": 1, "john": 2, "could": 1, "like": 1}),
        row("Example 1, set of the second sentence", sorted(Bag.of(POLICE).set()),
            ["if", "police", "then"]),
        row("Example 1, multiset of the second sentence", Bag.of(POLICE),
            {"if": 1, "police": 10, "then": 1}),
        row("Exercise 1, same sets?", shaved.set() == himself.set(), True),
        row("Exercise 1, same multisets?", shaved == himself, False),
        row("Example 2, bigrams", bigrams,
            {"if police": 1, "police police": 8, "police then": 1, "then police": 1}),
        row("Exercise 3, trigrams", trigrams,
            {"if police police": 1, "police police police": 5, "police police then": 1,
             "police then police": 1, "then police police": 1}),
        row("Example 3, types and tokens", [bigrams.types, bigrams.tokens], [4, 11]),
    ]  # fmt: skip


def frequencies(fidelity: str = "corrected") -> list[dict[str, Any]]:
    """Frequencies as relevance: Examples 4 and 5, Exercise 5."""
    bigrams = Bag.of(POLICE, 2)
    thinks = Bag.of("Only John thinks John thinks John likes John")
    he = Bag.of("Only John thinks he thinks he thinks he likes himself")
    likes = 0.125 if fidelity == "corrected" else 0.5
    printed = {"only": 0.125, "john": 0.5, "thinks": 0.25, "likes": likes}
    return [
        row("Example 4, frequencies", bigrams.frequencies(),
            {"if police": 1 / 11, "police police": 8 / 11, "police then": 1 / 11,
             "then police": 1 / 11}),
        row("Example 5, multiset", thinks, {"only": 1, "john": 4, "thinks": 2, "likes": 1}),
        row("Example 5, frequencies", thinks.frequencies(), printed, fidelity),
        row("Example 5, score of john", score(thinks, "john"), 0.5),
        row("Example 5, score of only john", score(thinks, "only john"), 0.625),
        row("Exercise 5, score of john", score(he, "john"), 0.1),
    ]  # fmt: skip


def queries(fidelity: str = "corrected") -> list[dict[str, Any]]:
    """Sums and scalar multiples: Examples 6 to 8, Exercises 6 and 7."""
    aristotle, metaphysics, ethics, plato = (
        Bag({site: counts[word] for site, counts in SITES.items()})
        for word in ("aristotle", "metaphysics", "ethics", "plato")
    )
    weighted = 3 * aristotle + 2 * metaphysics
    order = [site for site, _ in weighted.most_common()]
    third = ["w2", "w4"] if fidelity == "corrected" else ["w4", "w2"]
    return [
        row("Example 6, Aristotle", aristotle, {"w1": 9, "w2": 1, "w3": 4, "w4": 0}),
        row("Example 6, metaphysics", metaphysics, {"w1": 0, "w2": 9, "w3": 5, "w4": 3}),
        row("Exercise 6, ethics", ethics, {"w1": 3, "w2": 0, "w3": 9, "w4": 7}),
        row("Exercise 6, Plato", plato, {"w1": 6, "w2": 5, "w3": 8, "w4": 9}),
        row("Example 7, sum", aristotle + metaphysics, {"w1": 9, "w2": 10, "w3": 9, "w4": 3}),
        row("Exercise 7, sum", ethics + plato, {"w1": 9, "w2": 5, "w3": 17, "w4": 16}),
        row("Example 8, 3 Aristotle", 3 * aristotle, {"w1": 27, "w2": 3, "w3": 12, "w4": 0}),
        row("Example 8, 2 metaphysics", 2 * metaphysics, {"w1": 0, "w2": 18, "w3": 10, "w4": 6}),
        row("Example 8, their sum", weighted, {"w1": 27, "w2": 21, "w3": 22, "w4": 6}),
        row("Example 8, order of the sites", order, ["w1", "w3", *third], fidelity),
    ]  # fmt: skip


def score(bag: Bag, query: str) -> float:
    """The frequencies of the query's words added up."""
    found = bag.frequencies()
    return sum(found.get(word, 0.0) for word in query.split())


def row(what: str, ours: Any, printed: Any, fidelity: str = "corrected") -> dict[str, Any]:
    same = ours == printed
    return {"what": what, "fidelity": fidelity, "printed": text(printed),
            "ours": text(ours), "same": bool(same)}  # fmt: skip


def text(value: Any) -> str:
    """As the notes write it."""
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda pair: str(pair[0]))
        return "{" + ", ".join(f"{k}: {v:.4g}" for k, v in pairs) + "}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else f"{value:.4g}"


if __name__ == "__main__":
    main()
