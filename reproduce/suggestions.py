"""Hare et al., Tables 7 and 8: five suggestions of each method for four sentences.

The paper prints the suggestions and calls those of the baselines repetitive. What can be compared
in numbers: how many of five repeat a content word of the query, and how many distinct content words
they bring. The paper's figures are counted from its print, ours from the college books of up to 15
tokens a sentence. Sentences to read come from the embedded sample.

    python reproduce/suggestions.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from variety import LEVELS, METHODS, T, build

from lexfield import Corpus, Index, Normalisation
from lexfield.sample import TEXTS
from lexfield.text.stopwords import stopwords

HERE = Path(__file__).parent
QUERIES = (
    '"Come along," she said.',
    '"Let me look at you."',
    "People laughed particularly at his passion for psychology.",
    "A real machine; well, I don't mind serving a machine.",
)
# for each query: suggestions that repeat a content word of it, distinct content words, all of them
PAPER = {
    "set cover (paper)": ((0, 15, 15), (3, 18, 20), (3, 23, 23), (2, 23, 23)),
    "mean": ((5, 5, 13), (5, 5, 11), (2, 25, 27), (0, 17, 17)),
    "wmd": ((5, 5, 13), (5, 4, 10), (5, 12, 16), (5, 12, 15)),
    "jaccard": ((5, 5, 13), (5, 3, 9), (5, 2, 6), (5, 8, 12)),
    "edit": ((5, 5, 11), (4, 6, 9), (2, 17, 17), (1, 18, 18)),
}
SHOWN = "She had never seen the sea so quiet."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--vectors", default="glove")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        books = dict(build(options.data, options.vectors, Path(folder), LEVELS[-1:]))[LEVELS[-1]]
        sample = Index.build(Corpus.read(TEXTS), Path(folder) / "sample")
        result = {
            "queries": QUERIES,
            "ours": {m: [counted(q, ask(books, q, spec)) for q in QUERIES]
                     for m, spec in METHODS.items()},
            "paper": PAPER,
            "shown": {"query": SHOWN,
                      "suggestions": {m: ask(sample, SHOWN, s) for m, s in METHODS.items()}},
            "vectors": options.vectors,
            "sentences": len(books.rows()),
            "difference": "As in the paper the baselines repeat the words of the query and of one"
            " another, and set cover does so least. Which sentences are suggested cannot agree: the"
            " books are not quite the same, and the vectors are others.",
        }  # fmt: skip
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (HERE / "results" / "suggestions.json").write_text(text + "\n", "utf-8")
    print(text)


def ask(index: Index, query: str, spec: str) -> list[str]:
    found = index.search(query, spec, T + 5)
    texts = [" ".join(hit.text.split()) for hit in found]
    return [text for text in texts if text.lower() != query.lower()][:T]


def counted(query: str, suggestions: list[str]) -> tuple[int, int, int]:
    asked = content(query)
    words = [content(text) for text in suggestions]
    distinct = set[str]().union(*words)
    return sum(bool(asked & own) for own in words), len(distinct), sum(map(len, words))


def content(text: str) -> set[str]:
    return set(Normalisation().words(text)) - stopwords("en")


def summary(rows: Any) -> tuple[str, str]:
    """Of twenty suggestions how many repeat the query; distinct content words of all."""
    repeated, distinct, total = (sum(column) for column in zip(*rows, strict=True))
    return f"{repeated} of {T * len(rows)}", f"{distinct} of {total} ({distinct / total:.0%})"


if __name__ == "__main__":
    main()
