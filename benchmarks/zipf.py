"""Zipf's law on Brown and the books, beside nltk and scikit-learn; near words beside kd_tree.

Both pipelines read Brown's 500 files, cut and embed them (vectors are in memory beforehand),
cluster sentence means into 75, fit the same laws and draw. scikit-learn stops after 100 steps too.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from harness import rounded, seconds
from numpy.typing import NDArray
from search import _brown

from lexfield import Corpus, WordVectors
from lexfield.ranks.speech import compare_neighbours
from lexfield.ranks.zipf import zipf
from lexfield.text.speech import tag_words

CLUSTERS = 75
STEPS = 100
WORDS = 76_000
ASKED = 200


def run(data: Path) -> dict[str, Any]:
    return {"brown": _end_to_end(data), "books": _books(data), "speech": _speech()}


def _end_to_end(data: Path) -> dict[str, Any]:
    vectors = WordVectors.default()
    vectors.row("the")  # its dictionary is made when it is first asked
    with TemporaryDirectory() as folder:
        files = Path(folder) / "brown"
        files.mkdir()
        for document in _brown(data):
            (files / f"{document.id}.txt").write_text(document.text, "utf-8")
        figure = Path(folder) / "figure.png"
        _warm(figure)
        kept: dict[str, Any] = {}

        def ours() -> None:
            found = zipf(
                Corpus.read(files),
                space="latent",
                clusters=CLUSTERS,
                vectors=vectors,
                seeds=1,
                nulls=False,
                draws=0,
            )
            found.plot(figure)
            kept["ours"] = found.slope

        def theirs() -> None:
            kept["theirs"], kept["steps"] = _reference(files, vectors, figure)

        mine, peer = seconds(ours, 2), seconds(theirs, 1)
    return {
        "times_nltk_and_scikit_learn": rounded(peer / mine),
        "seconds": rounded(mine),
        "nltk_and_scikit_learn_seconds": rounded(peer),
        "slope": rounded(kept["ours"]),
        "their_slope": rounded(kept["theirs"]),
        "their_steps": kept["steps"],
    }


def _warm(figure: Path) -> None:
    """Imports of both, which are no part of either's work."""
    import nltk.tokenize  # noqa: F401
    import powerlaw  # noqa: F401
    import sklearn.cluster  # noqa: F401

    words = " ".join("abcdefghijklmnop"[: i % 17] for i in range(400))
    zipf(Corpus.of([words])).plot(figure)


def _reference(files: Path, vectors: WordVectors, figure: Path) -> tuple[float, int]:
    """The paper's pipeline as one would write it with nltk, scikit-learn, powerlaw, matplotlib."""
    import warnings

    import powerlaw
    from matplotlib.figure import Figure
    from nltk.tokenize import word_tokenize
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from sklearn.cluster import KMeans

    splitter = PunktSentenceTokenizer()
    seen: set[tuple[str, ...]] = set()
    means: list[NDArray[np.float32]] = []
    for path in sorted(files.iterdir()):
        for sentence in splitter.tokenize(path.read_text("utf-8")):
            words = tuple(word.lower() for word in word_tokenize(sentence, preserve_line=True))
            if words in seen:
                continue
            seen.add(words)
            rows = [row for word in words if (row := vectors.row(word)) >= 0]
            if rows:
                means.append(vectors.matrix[rows].mean(axis=0))
    model = KMeans(CLUSTERS, n_init=1, max_iter=STEPS, random_state=0).fit(np.array(means))
    sizes = np.sort(np.bincount(model.labels_))[::-1]
    ranks = np.arange(1, len(sizes) + 1)
    slope, intercept = np.polyfit(np.log(ranks), np.log(sizes), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = powerlaw.Fit(sizes, discrete=True, verbose=False)
        for name in ("lognormal", "exponential", "truncated_power_law"):
            fit.distribution_compare("power_law", name, normalized_ratio=True)
    drawing = Figure(figsize=(5.5, 4.2), dpi=150)
    axes = drawing.add_subplot()
    axes.loglog(ranks, sizes, ".")
    axes.loglog(ranks, np.exp(intercept + slope * np.log(ranks)))
    drawing.savefig(figure)
    return float(slope), int(model.n_iter_)


def _books(data: Path) -> dict[str, Any]:
    """Time and memory of the books with both null models, in a process of its own."""
    code = (
        "import sys, time\n"
        "from lexfield import Corpus\nfrom lexfield.ranks.zipf import zipf\n"
        "start = time.perf_counter()\n"
        "corpus = Corpus.read(sys.argv[1])\n"
        "found = zipf(corpus, space='latent', clusters=100, seeds=1)\n"
        "status = open('/proc/self/status').read()\n"
        "print(time.perf_counter() - start, int(status.split('VmHWM:')[1].split()[0]) / 1024,"
        " found.figures.sentences, found.slope)\n"
    )
    folder = data / "books79" / "txt"
    if not folder.is_dir():
        raise FileNotFoundError(2, "not here", str(folder))
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    took, memory, sentences, slope = map(float, done.stdout.split())
    return {
        "megabytes_at_most": round(memory),
        "seconds_with_both_null_models": rounded(took),
        "sentences": int(sentences),
        "slope": rounded(slope),
    }


def _speech() -> dict[str, Any]:
    """Shares of same-class neighbours of 76,000 words; the peer's time is that of some, scaled."""
    from sklearn.neighbors import NearestNeighbors

    vectors = WordVectors.default()
    matrix = np.ascontiguousarray(vectors.unit[:WORDS])
    start = time.perf_counter()
    classes = tag_words(vectors.words[:WORDS])
    tagging = time.perf_counter() - start
    start = time.perf_counter()
    shares = [row.share for row in compare_neighbours(matrix, classes)[0]]
    mine = time.perf_counter() - start
    start = time.perf_counter()
    tree = NearestNeighbors(n_neighbors=51, algorithm="kd_tree", n_jobs=-1).fit(matrix)
    fitting = time.perf_counter() - start
    asked = np.random.default_rng(0).choice(WORDS, ASKED, replace=False)
    start = time.perf_counter()
    found = tree.kneighbors(matrix[asked], return_distance=False)
    peer = fitting + (time.perf_counter() - start) * WORDS / ASKED
    share = float((classes[found[:, 1:]] == classes[asked][:, None]).mean())
    return {
        "times_scikit_learn_kd_tree": rounded(peer / mine),
        "seconds": rounded(mine),
        "kd_tree_seconds_scaled_up": rounded(peer),
        "kd_tree_asked": ASKED,
        "words": WORDS,
        "dimensions": matrix.shape[1],
        "share_at_50": rounded(shares[-1]),
        "kd_tree_share_at_50_of_those_asked": rounded(share),
        "tagging_seconds": rounded(tagging),
    }
