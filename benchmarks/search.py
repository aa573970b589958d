"""Searching Brown and the books: every method's time, beside the plain algorithms and peers.

Peers, all in this run: the paper's set cover as it is written (a loop over all sentences in each
round, and over all words for a ball); gensim's ``wmdistance`` over all sentences; rapidfuzz's scan;
nltk's tokenisers with dictionaries.

A build is the best of several, and so is nltk's time. Before the first, the default vectors are
loaded and the compiled kernels fetched, which happens once in a process: ``once_seconds``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from harness import jsonl, rounded, seconds

from lexfield import Corpus, Document, Index
from lexfield.index import segment
from lexfield.search.setcover import SetCover
from lexfield.text.segment import sentence_spans, split_words
from lexfield.text.stopwords import stopwords

METHODS = (
    "ideas",
    "setcover",
    "mean",
    "wmd",
    "jaccard",
    "bow",
    "edit",
    "edit(by=word)",
)
QUERIES = 60
LARGE = 500_000  # sentences of the index that is only opened


def run(data: Path) -> dict[str, Any]:
    result: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        small = Corpus.of(["A small text. It is read once."])
        warm = seconds(lambda: Index.build(small, Path(folder) / "small"), 1)
        result["once_seconds"] = rounded(warm)
        sets = {"brown": list(_brown(data)), "books": list(_books(data))}
        for name, documents in sets.items():
            path = Path(folder) / name
            result[name] = {"build": _build(documents, path, runs=3 if name == "brown" else 2)}
            print(json.dumps(result[name], indent=1), file=sys.stderr)
            index = Index.open(path)
            result[name].update(_times(index))
            result[name]["opening"] = _opening(path)
            print(json.dumps(result[name], indent=1), file=sys.stderr)
            if name == "brown":
                result[name]["peers"] = _peers(index)
                result[name]["batch"] = _batch(index)
        corpus = Corpus.of(_many([*sets["books"], *sets["brown"]], data))
        Index.build(corpus, Path(folder) / "large")
        result["large"] = {
            "sentences": len(corpus.sentences),
            "opening": _opening(Path(folder) / "large"),
        }
    return result


def _brown(data: Path) -> Iterator[Document]:
    """Brown's files as running text, each sentence a paragraph, so that it stays one sentence."""
    texts: dict[str, list[str]] = {}
    for record in jsonl(data / "brown" / "sentences.jsonl.gz"):
        text = re.sub(r"(``|'') ?", '"', " ".join(record["tokens"]))
        texts.setdefault(record["doc"], []).append(re.sub(r" ([.,!?;:])", r"\1", text))
    for name, sentences in texts.items():
        yield Document(name, "\n\n".join(sentences))


def _books(data: Path) -> Iterator[Document]:
    yield from Corpus.read(data / "books79" / "txt").documents


def _many(documents: list[Document], data: Path) -> Iterator[Document]:
    """Documents, then news and posts until there are ``LARGE`` sentences."""
    left = LARGE
    more = (
        Document(f"{name}/{record['id']}", record["text"])
        for name in ("reuters", "newsgroups20")
        for record in jsonl(data / name / "documents.jsonl.gz")
    )
    for document in chain(documents, more):
        if left <= 0:
            return
        left -= len(sentence_spans(document.text))
        yield document


def _build(documents: list[Document], path: Path, runs: int) -> dict[str, Any]:
    find_balls, balls = segment.find_balls, 0.0
    took: list[tuple[float, float, float]] = []  # everything, cutting, balls

    def timed(*arguments: Any) -> Any:
        nonlocal balls
        begin = time.perf_counter()
        found = find_balls(*arguments)
        balls = time.perf_counter() - begin
        return found

    for _ in range(runs):
        start = time.perf_counter()
        corpus = Corpus.of(documents)
        cut = time.perf_counter() - start
        with patch.object(segment, "find_balls", timed):
            Index.build(corpus, path, replace=True)
        took.append((time.perf_counter() - start, cut, balls))
    whole, cut, balls = min(took)
    nltk = seconds(lambda: _nltk_index(documents), runs)
    return {
        "times_nltk_tokenise_and_index": rounded(nltk / (whole - balls)),
        "times_nltk_with_neighbour_balls": rounded(nltk / whole),
        "seconds": rounded(whole),
        "of_which_cutting": rounded(cut),
        "of_which_balls": rounded(balls),
        "nltk_seconds": rounded(nltk),
        "sentences": len(corpus.sentences),
        "words": len(corpus.vocabulary),
        "tokens": len(corpus.tokens),
    }


def _nltk_index(documents: list[Document]) -> dict[str, list[int]]:
    """The reference pipeline: punkt without its data, word_tokenize, dictionaries."""
    from nltk.tokenize import word_tokenize
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    splitter = PunktSentenceTokenizer()
    ids: dict[str, int] = {}
    sentences: list[list[int]] = []
    postings: dict[str, list[int]] = {}
    for document in documents:
        for sentence in splitter.tokenize(document.text):
            words = [word.lower() for word in word_tokenize(sentence, preserve_line=True)]
            for word in set(words):
                postings.setdefault(word, []).append(len(sentences))
            sentences.append([ids.setdefault(word, len(ids)) for word in words])
    return postings


def _queries(index: Index, count: int = QUERIES) -> list[str]:
    rows = index.rows()
    rng = np.random.default_rng(3)
    fitting = np.flatnonzero((rows.lengths >= 6) & (rows.lengths <= 25))
    return [rows.text(row) for row in rng.choice(fitting, count, replace=False).tolist()]


def _times(index: Index) -> dict[str, Any]:
    """Median and 95th percentile of single queries, everything included, on one thread."""
    from threadpoolctl import threadpool_limits

    queries = _queries(index)
    times: dict[str, Any] = {}
    solved: list[int] = []
    with threadpool_limits(1):
        for method in METHODS:
            index.search(queries[0], method)
            took = []
            for query in queries:
                start = time.perf_counter()
                ranking = index.search(query, method)
                took.append(time.perf_counter() - start)
                if method == "wmd":
                    solved.append(int(ranking.notes[-1].split()[2].replace(",", "")))
            times[method] = {
                "median_ms": rounded(1e3 * median(took)),
                "p95_ms": rounded(1e3 * float(np.quantile(took, 0.95))),
            }
    return {
        "milliseconds": times,
        "wmd_rows_solved_median": median(solved),
    }


def _opening(path: Path) -> dict[str, Any]:
    """Opening, the first answer and memory, in a process of its own."""
    code = (
        "import time, sys\n"
        "from lexfield.search.index import Index\n"
        "import lexfield.search.setcover, scipy.sparse\n"
        "query = 'The old captain walked slowly home through the rain.'\n"
        "t = time.perf_counter(); index = Index.open(sys.argv[1]); index.segments\n"
        "print(time.perf_counter() - t)\n"
        "t = time.perf_counter(); index.search(query, sys.argv[2])\n"
        "print(time.perf_counter() - t)\n"
        "for m in sys.argv[3:]:\n"
        "    index.search(query, m)\n"
        "status = open('/proc/self/status').read()\n"
        "print(int(status.split('VmHWM:')[1].split()[0]) / 1024)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(path), *METHODS],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return {
        "open_seconds": rounded(float(out[0])),
        "first_query_seconds": rounded(float(out[1])),
        "resident_megabytes_after_all_methods": round(float(out[2])),
    }


class SetCoverWithCopies(SetCover):
    """Algorithm 1 returns rows that repeat the query, and so must we to compare."""

    copies = 0


def _peers(index: Index) -> dict[str, Any]:
    queries = _queries(index, 12)
    texts = [index.rows().text(row) for row in range(len(index.rows()))]
    plain = Plain(index, texts)
    ours = median([seconds(lambda q=q: index.search(q, "setcover")) for q in queries])  # type: ignore[misc]
    theirs = median([seconds(lambda q=q: plain.search(q), 1) for q in queries[:3]])  # type: ignore[misc]
    for query in queries[:3]:
        assert plain.search(query) == index.search(query, SetCoverWithCopies()).rows
    return {
        "setcover_times_plain_algorithm": rounded(theirs / ours),
        **_rapidfuzz(index, texts),
        **_gensim(index, texts, queries[:2]),
        "plain_algorithm_ms": rounded(theirs * 1e3),
        "setcover_ms": rounded(ours * 1e3),
    }


def _rapidfuzz(index: Index, texts: list[str]) -> dict[str, Any]:
    """All queries together, each in the best of three runs: short ones are quick for both."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    scan = edit = 0.0
    for query in _queries(index, QUERIES):
        scan += seconds(
            lambda q=query: process.extract(q, texts, scorer=Levenshtein.distance, limit=5)  # type: ignore[misc]
        )
        edit += seconds(lambda q=query: index.search(q, "edit"))  # type: ignore[misc]
    return {
        "edit_times_rapidfuzz_scan": rounded(scan / edit),
        "rapidfuzz_scan_ms": rounded(scan / QUERIES * 1e3),
        "edit_ms": rounded(edit / QUERIES * 1e3),
    }


class Plain:
    """Algorithm 1 as it is written, over sets and dictionaries that are made beforehand."""

    def __init__(self, index: Index, texts: list[str]) -> None:
        self._excluded = stopwords("en")
        tokens = [split_words(index.normalisation(text)) for text in texts]
        self._sentences = {i: set(words) for i, words in enumerate(tokens) if len(words) >= 5}
        lexicon = index.lexicon
        known = np.flatnonzero(lexicon.known).tolist()
        self._vectors = {lexicon.words[i]: lexicon.vectors[i] for i in known}
        self._words = set(lexicon.words)

    def search(self, query: str, t: int = 5, r: int = 10, penalty: float = 0.5) -> list[int]:
        uncovered: set[str] = set()
        for word in split_words(query.lower()):
            if word in self._excluded:
                continue
            if word in self._words:
                uncovered.add(word)
            if word in self._vectors:
                own = self._vectors[word]
                near = sorted(
                    (float(np.linalg.norm(own - vector)), other)
                    for other, vector in self._vectors.items()
                    if other != word
                )
                uncovered |= {other for _, other in near[:r]}
        uncovered -= self._excluded
        left, picks = dict(self._sentences), []
        for _ in range(t):
            best = max(left, key=lambda i: (len(uncovered & left[i]) / len(left[i]) ** penalty, -i))
            uncovered -= left.pop(best)
            picks.append(best)
        return picks


def _gensim(index: Index, texts: list[str], queries: list[str]) -> dict[str, Any]:
    """gensim's distance from a query to every sentence, beside our top five."""
    from gensim.models import KeyedVectors

    lexicon = index.lexicon
    known = np.flatnonzero(lexicon.known)
    keyed = KeyedVectors(lexicon.vectors.shape[1])
    keyed.add_vectors([lexicon.words[i] for i in known], lexicon.vectors[known])
    excluded = stopwords("en")
    cut = [[w for w in split_words(index.normalisation(t)) if w not in excluded] for t in texts]
    theirs, ours, same = [], [], True
    for query in queries:
        mine = [w for w in split_words(index.normalisation(query)) if w not in excluded]
        start = time.perf_counter()
        distances = np.array([keyed.wmdistance(mine, words, norm=False) for words in cut])
        theirs.append(time.perf_counter() - start)
        ours.append(seconds(lambda q=query: index.search(q, "wmd")))  # type: ignore[misc]
        found = index.search(query, "wmd")
        expected = np.sort(distances)[:5]
        same &= bool(np.allclose(-np.array(found.scores), expected, atol=1e-4))
        same &= bool(np.allclose(distances[found.rows], expected, atol=1e-4))
    return {
        "wmd_times_gensim_over_all_sentences": rounded(median(theirs) / median(ours)),
        "wmd_same_ranking_as_gensim": same,
        "gensim_seconds": rounded(median(theirs)),
        "wmd_ms": rounded(median(ours) * 1e3),
    }


def _batch(index: Index) -> dict[str, Any]:
    """5,000 queries at once: wall time on both cores against one."""
    queries = _queries(index, 5000)
    both = seconds(lambda: list(index.search_many(queries, "ideas")), 1)
    one = seconds(lambda: [index.search(query, "ideas") for query in queries], 1)
    return {
        "times_one_core": rounded(one / both),
        "seconds": rounded(both),
        "queries": len(queries),
    }
