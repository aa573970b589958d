"""Hare et al., Tables 2, 5 and 6 and Figures 2 to 6: Zipf's law, parts of speech, layouts.

Five corpora, with the paper's figures beside ours. GloVe 50d stands for the paper's fastText 300d
(static vectors, not of unit length); the embedded vectors are a second opinion. Every latent fit
has its null models beside it. Nine languages are run with vectors trained on their own text.

    python reproduce/zipf.py --data ../shared/data

Parts that the present code has made are kept, so that an interrupted run goes on where it was;
--only runs parts again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cache
import numpy as np

from lexfield import Corpus, Document
from lexfield.plots.ranks import draw_layouts, draw_zipf
from lexfield.ranks.clusters import Slope
from lexfield.ranks.fit import Fit
from lexfield.ranks.layout import LayoutResult, layout
from lexfield.ranks.speech import speech
from lexfield.ranks.zipf import ZipfResult, zipf

HERE = Path(__file__).parent
OUT = HERE / "results" / "zipf.json"
VECTORS = ("glove", "default")
CLUSTERS = {"Gatsby": 35, "Reuters": 85, "Brown": 75, "Books": 100, "RACE": 95}
PARTS = ("Gatsby", "RACE", "Brown", "Reuters", "Books", "languages", "figures")
PAPER: dict[str, dict[str, Any]] = {
    "neighbours_per_cent": {
        "Gatsby": {"3": 68.53, "5": 65.81, "10": 61.71, "20": 56.76, "50": 50.60},
        "Reuters": {"3": 83.07, "5": 82.66, "10": 81.82, "20": 80.60, "50": 78.65},
        "Brown": {"3": 75.72, "5": 74.83, "10": 73.32, "20": 71.29, "50": 67.96},
        "Books": {"3": 77.45, "5": 76.67, "10": 75.57, "20": 74.15, "50": 71.87},
        "RACE": {"3": 79.10, "5": 78.09, "10": 76.72, "20": 75.12, "50": 72.78},
    },
    "tokens_types_unembedded_sentences": {
        "Gatsby": (58_339, 6_291, 70, 3_417),
        "Reuters": (1_712_123, 34_712, 5_311, 51_555),
        "Brown": (1_159_118, 49_642, 2_183, 56_416),
        "Books": (7_454_306, 76_466, 23_544, 306_741),
        "RACE": (9_031_066, 89_076, 16_854, 492_921),
    },
    # noun, verb, adjective, adverb, pronoun, other; the paper prints adverbs before adjectives
    "token_per_cent": {
        "Gatsby": (25.16, 12.61, 3.42, 6.08, 10.86, 41.87),
        "Reuters": (38.80, 8.44, 4.17, 2.47, 1.88, 44.24),
        "Brown": (29.59, 11.05, 5.14, 5.12, 5.45, 43.65),
        "Books": (27.49, 11.45, 3.63, 6.07, 9.22, 42.15),
        "RACE": (30.01, 11.55, 5.13, 5.55, 7.07, 40.69),
    },
    "type_per_cent": {
        "Gatsby": (61.33, 19.23, 8.09, 7.39, 0.59, 3.37),
        "Reuters": (76.19, 10.76, 5.13, 2.33, 0.12, 5.47),
        "Brown": (70.84, 13.53, 8.72, 3.76, 0.08, 3.08),
        "Books": (73.97, 13.04, 7.36, 3.67, 0.07, 1.89),
        "RACE": (74.19, 9.43, 8.74, 2.32, 0.06, 5.26),
    },
    "slopes": {"all": "printed in figures only; the text calls them close to -1"},
}
DIFFERENCES = [
    "Tokens: The paper's tokeniser (nltk) counts punctuation marks, ours only words and numbers,"
    " split at hyphens. So there are fewer tokens here, and a smaller share of them is 'other'.",
    "Types: A third of our types of Reuters are numbers, which are 'other'. The paper has 14,000"
    " types fewer and hardly any 'other': it probably left out most numbers, without saying so.",
    "Editions: Only 73 of the 79 books and 1,724 of the RACE passages are available, so the figures"
    " of these two cannot agree.",
    "Vectors: GloVe 6B with 50 dimensions (and the embedded set with 256) takes the place of"
    " fastText with 300, which has more rare words and numbers: more of our types lack a vector,"
    " except in the books, which are fewer here.",
    "Tagger: These are tags of TextBlob's lexicon and rules, one word at a time. nltk's tagger,"
    " which the paper used, takes most unknown words for nouns: we find fewer nouns, and more verbs"
    " and adjectives.",
    "Neighbours: With fewer nouns, two random words are of one class less often, so our shares are"
    " lower. The paper's share by chance follows from its Table 6.",
    "Sentences: Sentences are split by our rules, and those with the same words count once,"
    " whatever their punctuation.",
    "Slopes: The paper shows slopes in figures only and calls them close to -1. Our slopes of words"
    " lie between -1.1 and -1.7, and are steeper for longer texts, because least squares follows"
    " the many rare words. The exponent, with its 95% interval, allows for the words that a text is"
    " too short to hold.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", nargs="*", choices=PARTS, help="Parts to run again.")
    options = parser.parse_args()
    code = cache.digest([*sorted(cache.SOURCE.rglob("*.py")), Path(__file__)], cache.ROOT)
    kept = kept_results().get("made", {})
    for part in options.only or [part for part in PARTS if kept.get(part) != code]:
        started = time.time()
        if part == "figures":
            found = figures(options.data)
        elif part == "languages":
            found = dict(languages(options.data))
        else:
            found = measure(part, Corpus.of(read(options.data, part)))
        keep(part, found, code)
        print(f"{part}: {(time.time() - started) / 60:.1f} min", flush=True)


def kept_results() -> dict[str, Any]:
    return dict(json.loads(OUT.read_text("utf-8"))) if OUT.is_file() else {"corpora": {}}


def keep(part: str, found: dict[str, Any], code: str) -> None:
    """Put a part's figures into the file, beside those of the other parts."""
    result = kept_results()
    if part in CLUSTERS:
        result["corpora"][part] = found
    else:
        result[part] = found
    result.setdefault("made", {})[part] = code
    for name, own in result["corpora"].items():
        own["paper"] = beside(name)
    result["seeds"] = {name: seeds_of(name) for name in CLUSTERS}
    result["differences"] = DIFFERENCES
    OUT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")


def seeds_of(name: str) -> int:
    return 2 if name == "Books" else 5  # 338,693 sentences: a clustering takes half a minute


def vectors_of(name: str) -> tuple[str, ...]:
    return VECTORS[:1] if name == "Books" else VECTORS


def figures(data: Path) -> dict[str, Any]:
    """Draw Figures 2 to 6, clusters as they are in the file; return what the layouts took."""
    folder = HERE / "results" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    kept = kept_results()["corpora"]
    seconds = {}
    words: list[ZipfResult] = []
    clusters: list[ZipfResult] = []
    places: list[LayoutResult] = []
    for name in CLUSTERS:
        corpus = Corpus.of(read(data, name))
        words.append(zipf(corpus, vectors=VECTORS[0], name=name, draws=0))
        own = kept[name][f"clusters_{VECTORS[0]}"]
        clusters.append(
            replace(
                words[-1],
                space="latent",
                unit="cluster",
                counts=np.array(own["sizes"]),
                fits={key: Fit(**fit) for key, fit in own["fits"].items()},
                robustness=[Slope(**row) for row in own["robustness"]],
            )
        )
        started = time.process_time()
        places.append(layout(corpus, name=name, vectors=VECTORS[0], words=200_000))
        seconds[name] = [len(places[-1].words), round(time.process_time() - started, 1)]
    draw_zipf(words).save(folder / "figure-3-words.png")
    draw_zipf(clusters).save(folder / "figures-4-and-6-clusters.png")
    draw_layouts(places).save(folder / "figures-2-and-5-layout.png")
    return {"words_and_processor_seconds": seconds}


def read(data: Path, name: str) -> Iterator[Document]:
    """The documents of a corpus; Brown's sentences are paragraphs, so that they stay sentences."""
    if name == "Gatsby":
        yield from Corpus.read(data / "gatsby" / "gatsby.txt").documents
    elif name == "Books":
        yield from Corpus.read(data / "books79" / "txt").documents
    elif name == "Brown":
        texts: dict[str, list[str]] = {}
        for record in lines(data / "brown" / "sentences.jsonl.gz"):
            text = re.sub(r"(``|'') ?", '"', " ".join(record["tokens"]))
            texts.setdefault(record["doc"], []).append(re.sub(r" ([.,!?;:])", r"\1", text))
        for key, sentences in texts.items():
            yield Document(key, "\n\n".join(sentences))
    else:
        file = "reuters/documents" if name == "Reuters" else "race/passages"
        for record in lines(data / f"{file}.jsonl.gz"):
            yield Document(record["id"], record["text"])


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def measure(name: str, corpus: Corpus) -> dict[str, Any]:
    """All figures of one corpus."""
    print(f"{name}: {corpus}", file=sys.stderr)
    ranks = zipf(corpus, vectors=VECTORS[0], name=name)
    record: dict[str, Any] = {"words": figures_of(ranks), "figures": asdict(ranks.figures)}
    for vectors in vectors_of(name):
        found = zipf(
            corpus,
            space="latent",
            clusters=CLUSTERS[name],
            vectors=vectors,
            seeds=seeds_of(name),
            robustness=vectors == VECTORS[0],
            name=name,
        )
        tagged = speech(corpus, vectors=vectors, name=name)
        record[f"clusters_{vectors}"] = figures_of(found)
        record[f"neighbours_{vectors}"] = [
            {
                "k": row.k,
                "per_cent": round(100 * row.share, 2),
                "by_chance": round(100 * row.by_chance, 2),
                "above_chance": round(row.above, 3),
            }
            for row in tagged.neighbours
        ]
    record["speech"] = [
        {
            "speech": row.speech,
            "tokens": row.tokens,
            "token_per_cent": round(100 * row.token_share, 2),
            "types": row.types,
            "type_per_cent": round(100 * row.type_share, 2),
        }
        for row in tagged.shares
    ]
    return record


def figures_of(found: ZipfResult) -> dict[str, Any]:
    """What is kept of a fit."""
    kept: dict[str, Any] = {"slope": found.slope, "r2": found.r2, "verdict": found.verdict}
    kept["fits"] = {name: asdict(fit) for name, fit in found.fits.items()}
    for key in ("nulls", "robustness"):
        if rows := getattr(found, key):
            kept[key] = [asdict(row) for row in rows]
    if found.slopes:
        kept["slopes"] = found.slopes
    if found.exponent:
        kept["exponent"] = [found.exponent.value, *found.exponent.interval]
    if found.clusters:
        kept["sizes"] = found.counts.tolist()
        kept["largest"] = [{"size": one.size, "words": one.words} for one in found.clusters[:5]]
    return shortened(kept)


def shortened(value: Any) -> Any:
    """Four digits of every number."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    return [shortened(item) for item in value] if isinstance(value, list) else value


def beside(name: str) -> dict[str, Any]:
    """The paper's figures for a corpus."""
    chance = sum((share / 100) ** 2 for share in PAPER["type_per_cent"][name])
    neighbours = PAPER["neighbours_per_cent"][name]
    return {table: rows[name] for table, rows in PAPER.items() if name in rows} | {
        "clusters": CLUSTERS[name],
        "by_chance_from_its_types": round(100 * chance, 1),
        "above_chance": {
            k: round((share / 100 - chance) / (1 - chance), 3) for k, share in neighbours.items()
        },
    }


def languages(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """2,009 sentences in each language, with vectors trained on them."""
    for path in sorted((data / "flores").glob("*.txt")):
        corpus = Corpus.read(path, format="lines")
        words = zipf(corpus, vectors="own", name=path.stem)
        options = {"clusters": 35, "vectors": "own", "seeds": 5, "name": path.stem}
        # words that occur once have no vector of their own: over a third of all in some languages
        clusters = zipf(corpus, space="latent", allow_unknown=True, **options)
        yield (
            path.stem,
            {"words": figures_of(words), "clusters": figures_of(clusters)},
        )


if __name__ == "__main__":
    main()
