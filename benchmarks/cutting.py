"""Reading and cutting English books on one core: tokens a second, beside nltk's tokeniser."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

from harness import rounded, seconds

from lexfield.text.corpus import Corpus

BOOKS = 12


def run(data: Path) -> dict[str, Any]:
    from nltk.tokenize import NLTKWordTokenizer

    paths = sorted((data / "books79" / "txt").glob("*.txt"))[:BOOKS]
    if not paths:
        raise FileNotFoundError(2, "no books", str(data / "books79"))
    tokens = len(Corpus.read(paths).tokens)
    ours = seconds(lambda: Corpus.read(paths))
    texts = [path.read_text("utf-8") for path in paths]
    tokenizer = NLTKWordTokenizer()
    theirs_tokens = sum(len(tokenizer.tokenize(text)) for text in texts)
    theirs = seconds(lambda: [tokenizer.tokenize(text) for text in texts], 1)
    tracemalloc.start()
    Corpus.read(paths)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "times_nltk_word_tokenizer": rounded(tokens / ours / (theirs_tokens / theirs)),
        "lexfield_does": "read files, find sentences, cut and normalise words, number them",
        "nltk_does": "cut words of texts already in memory (NLTKWordTokenizer), no sentences",
        "lexfield_million_tokens_per_second": rounded(tokens / ours / 1e6),
        "nltk_million_tokens_per_second": rounded(theirs_tokens / theirs / 1e6),
        "tokens": tokens,
        "peak_bytes_per_token": rounded(peak / tokens),
    }
