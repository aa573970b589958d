"""Bag queries beside bm25s with its numba backend, on 100,000 passages of 60 words of the books.

Building: from texts to scores that can be asked. bm25s tokenises (its own pattern, no stopwords
left out, no stems), then scores every posting. We cut sentences and words and invert the tokens
with their positions, for sentences and for documents. We score a word when it is first asked for;
for the comparison all are scored here too. Beside it stands ``Index.build`` as a whole, which also
looks vectors up, finds the neighbours of every word and writes to disk: bm25s does none of this,
nor does it cut sentences, so the ratio is given without them too.

Asking: the first eight words of random passages, ten hits, one thread, one query after the other as
a service gets them; both begin with a text. Then all at once, on both cores. Scores are compared
with both given the same tokens.

Translation: its time over that of the language model, for words that were asked for before, and for
words that were not (which includes finding their neighbours; the first query of all, which finds
the threshold, is beside).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
from harness import rounded, seconds

from lexfield import Corpus, Index
from lexfield.index.bags import Bags
from lexfield.index.lists import make_lists
from lexfield.index.postings import DocumentPostings, Postings
from lexfield.search.bag_method import BagMethod
from lexfield.search.registry import parse
from lexfield.text.segment import sentence_spans
from lexfield.text.stopwords import stopwords

T = TypeVar("T")
PASSAGES = 100_000
WORDS = 60
QUERIES = 500
K = 10


def run(data: Path) -> dict[str, Any]:
    texts = list(_passages(data))
    if len(texts) < PASSAGES:
        raise FileNotFoundError(2, "not enough books", str(data / "books79"))
    with TemporaryDirectory() as folder:
        build, corpus, peer = _build(texts)
        start = time.perf_counter()
        index = Index.build(corpus, Path(folder) / "i", stemmer="none")  # as its peers
        build["whole_index_seconds_after_cutting"] = rounded(time.perf_counter() - start)
        queries = _queries(texts)
        return {
            **_ask(index, peer, queries),
            **_translation(index, queries),
            "build": build,
            "passages": len(texts),
            "tokens": len(corpus.tokens),
            "words": len(corpus.vocabulary),
        }


def _passages(data: Path) -> Iterator[str]:
    for path in sorted((data / "books79" / "txt").glob("*.txt")):
        words = path.read_text("utf-8", "replace").split()
        for start in range(0, len(words), WORDS):
            yield " ".join(words[start : start + WORDS])


def _queries(texts: list[str]) -> list[str]:
    chosen = np.random.default_rng(3).choice(len(texts), QUERIES, replace=False)
    return [" ".join(texts[row].split()[:8]) for row in chosen.tolist()]


def _build(texts: list[str]) -> tuple[dict[str, Any], Corpus, Any]:
    import bm25s

    _invert(Corpus.of(["Once upon a time."]))  # compiles
    cut, cut_cpu, corpus = _timed(lambda: Corpus.of(texts))
    inverted, inverted_cpu, _ = _timed(lambda: _invert(corpus))
    sentences_cpu = _timed(lambda: [sentence_spans(text) for text in texts])[1]
    theirs_cut, theirs_cut_cpu, tokens = _timed(
        lambda: bm25s.tokenize(texts, stopwords=None, show_progress=False)
    )
    made = bm25s.BM25(method="lucene", backend="numba")
    theirs, theirs_cpu, _ = _timed(lambda: made.index(tokens, show_progress=False))
    offsets = corpus.token_offsets[corpus.sentence_offsets].tolist()
    ids = [corpus.tokens[a:b].tolist() for a, b in pairwise(offsets)]
    vocabulary = {word: number for number, word in enumerate(corpus.vocabulary)}
    peer = bm25s.BM25(method="lucene", backend="numba", k1=1.5, b=0.75)
    peer.index((ids, vocabulary), show_progress=False)
    report = {
        "times_bm25s": rounded((theirs_cut + theirs) / (cut + inverted)),
        "times_bm25s_by_processor_time": rounded(
            (theirs_cut_cpu + theirs_cpu) / (cut_cpu + inverted_cpu)
        ),
        "times_bm25s_by_processor_time_without_sentences": rounded(
            (theirs_cut_cpu + theirs_cpu) / (cut_cpu - sentences_cpu + inverted_cpu)
        ),
        "seconds": rounded(cut + inverted),
        "of_which_cutting": rounded(cut),
        "bm25s_seconds": rounded(theirs_cut + theirs),
        "bm25s_of_which_tokenising": rounded(theirs_cut),
    }
    return report, corpus, peer


def _timed(work: Callable[[], T]) -> tuple[float, float, T]:
    """Seconds by the clock, seconds of the processor (without other work), and the result."""
    start, cpu = time.perf_counter(), time.process_time()
    made = work()
    return time.perf_counter() - start, time.process_time() - cpu, made


def _invert(corpus: Corpus) -> Any:
    """What BM25 gives every posting of a document: bm25s does it when it builds."""
    lists = DocumentPostings(Postings(make_lists(corpus)), corpus, None)
    rows, counts, holding = lists.find_all(np.arange(len(corpus.vocabulary)))
    lengths = np.diff(corpus.token_offsets[corpus.sentence_offsets])
    norms = 1.5 * (0.25 + 0.75 * lengths / lengths.mean())
    idf = np.log1p((len(lengths) - holding + 0.5) / (holding + 0.5))
    return np.repeat(idf, holding) * counts / (counts + norms[rows])


def _ask(index: Index, peer: Any, queries: list[str]) -> dict[str, Any]:
    import bm25s

    excluded = sorted(stopwords("en"))

    def theirs(text: str) -> Any:
        tokens = bm25s.tokenize([text], stopwords=excluded, show_progress=False, return_ids=False)
        if not tokens[0]:
            return None
        return peer.retrieve(tokens, k=K, show_progress=False, n_threads=1)

    def all_theirs() -> Any:
        tokens = bm25s.tokenize(queries, stopwords=excluded, show_progress=False, return_ids=False)
        wanted = [some for some in tokens if some]
        return peer.retrieve(wanted, k=K, show_progress=False, n_threads=2)

    def ours(text: str) -> Any:
        return index.search(text, "bm25", K, unit="document")

    all_theirs()
    for text in queries:
        ours(text), theirs(text)
    gc.collect()
    gc.freeze()  # the texts and tokens that lie about here are no part of a service
    rounds = [(_each(ours, queries, 1), _each(theirs, queries, 1)) for _ in range(7)]  # in turn
    one, other = (min(times) for times in zip(*rounds, strict=True))
    batch = seconds(lambda: list(index.search_many(queries, "bm25", K, unit="document")))
    return {
        "times_bm25s_per_query": rounded(other / one),
        "times_bm25s_all_at_once": rounded(seconds(all_theirs) / batch),
        "largest_difference_of_scores": rounded(_difference(index, peer, queries)),
        "microseconds_a_query": rounded(1e6 * one),
        "bm25s_microseconds_a_query": rounded(1e6 * other),
        "all_at_once_microseconds_a_query": rounded(1e6 * batch / len(queries)),
    }


def _each(ask: Callable[[str], Any], queries: list[str], repeat: int = 3) -> float:
    """Mean seconds a query: the best of several rounds."""
    return seconds(lambda: [ask(text) for text in queries], repeat) / len(queries)


def _difference(index: Index, peer: Any, queries: list[str]) -> float:
    largest, method = 0.0, _method("bm25")
    for text in queries:
        terms = method.read(index, text, False).terms or ()
        words = [gram[0] for weight, gram in terms for _ in range(int(weight))]
        words = [word for word in words if word in index.lexicon.ids]
        if words:
            theirs = peer.retrieve([words], k=K, show_progress=False, n_threads=1).scores[0]
            scores = index.search(text, "bm25", K, unit="document").scores
            gaps = np.abs(theirs[: len(scores)] - scores)
            largest = max(largest, float(gaps.max()))
    return largest


def _translation(index: Index, queries: list[str]) -> dict[str, Any]:
    took: dict[str, list[float]] = {}
    for spec in ("lm", "translation"):
        start = time.perf_counter()
        index.search(queries[0], spec, K, unit="document")
        first = time.perf_counter() - start
        start = time.perf_counter()
        for text in queries:
            index.search(text, spec, K, unit="document")
        cold = (time.perf_counter() - start) / len(queries)
        again = _each(lambda text: index.search(text, spec, K, unit="document"), queries)  # noqa: B023
        took[spec] = [first, cold, again]
    bags = Bags.of(index.rows("document"))
    sizes = {
        spec: sum(len(one.rows) for one in bags.lists(_method(spec)).values()) for spec in took
    }
    return {
        "translation_times_lm_per_query": rounded(took["translation"][2] / took["lm"][2]),
        "translation_times_lm_new_words": rounded(took["translation"][1] / took["lm"][1]),
        "lm_microseconds_a_query": rounded(1e6 * took["lm"][2]),
        "translation_microseconds_a_query": rounded(1e6 * took["translation"][2]),
        "translation_first_query_seconds": rounded(took["translation"][0]),
        "translation_rows_times_lm": rounded(sizes["translation"] / sizes["lm"]),
    }


def _method(spec: str) -> BagMethod:
    method = parse(spec)
    assert isinstance(method, BagMethod)
    return method
