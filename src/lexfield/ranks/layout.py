"""Words in the plane (Hare et al., Figures 2 and 5): t-SNE, PCA or metric MDS of their vectors.

tsne   neighbours stay neighbours; distances between far groups mean nothing (Barnes–Hut)
pca    the two directions in which the vectors differ most; quick for any number of words
mds    distances in the plane as near as possible to the real ones (SMACOF); n² work
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import cores
from lexfield.errors import InputError, check
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Source, none_known, open_vectors, unit_rows
from lexfield.ranks.speech import CLASSES, Tagger, classes_of
from lexfield.results import Frames, html_table
from lexfield.text.corpus import Corpus

# method → how many words by default, how many at most
METHODS = {"tsne": (5_000, 200_000), "pca": (50_000, 1_000_000), "mds": (1_000, 5_000)}
_FEWEST = 10
_AXES = 50  # principal axes that t-SNE sees, as is usual
_PERPLEXITY = 30.0


@dataclass(frozen=True)
class LayoutResult(Frames, Plottable):
    """Words with their places, classes (by number in ``CLASSES``) and counts, frequent first."""

    name: str
    method: str
    words: list[str]
    places: NDArray[np.float32]
    classes: NDArray[np.uint8]
    counts: NDArray[np.int64]
    vectors: str
    notes: list[str] = field(default_factory=list)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A record a word."""
        columns = (self.words, self.places.tolist(), self.classes.tolist(), self.counts.tolist())
        return [
            {"word": word, "x": place[0], "y": place[1], "speech": CLASSES[kind], "count": count}
            for word, place, kind, count in zip(*columns, strict=True)
        ]

    def records(self) -> list[dict[str, Any]]:
        return self.to_dicts()

    def _repr_html_(self) -> str:
        return html_table(self.to_dicts(), f"{self.name}: words by {self.method}", self.notes)

    def __repr__(self) -> str:
        return f"<LayoutResult {self.name!r}: {len(self.words):,} words by {self.method}>"


def layout(
    corpus: Corpus,
    method: str = "tsne",
    *,
    vectors: Source = "default",
    words: int | None = None,
    tagger: Tagger | None = None,
    seed: int = 0,
    name: str = "text",
    progress: Progress = silent,
) -> LayoutResult:
    """Lay the most frequent ``words`` of a corpus out in the plane.

    ``progress`` is told the seconds that a layout has taken so far.
    """
    check(isinstance(corpus, Corpus), "corpus", "a Corpus, as Corpus.read gives", corpus)
    check(method in METHODS, "method", f"one of {', '.join(METHODS)}", method)
    usual, most = METHODS[method]
    limit = usual if words is None else words
    check(_FEWEST <= limit <= most, "words", f"{_FEWEST} to {most:,} for {method}", words)
    opened = open_vectors(corpus, vectors, progress)
    embedded = opened.embed(corpus.vocabulary)
    known = np.flatnonzero(embedded.how > 0)
    if not len(known):
        raise none_known(opened.name)
    if len(known) < _FEWEST:
        raise InputError(
            f"Only {len(known)} words of this text have a vector: too few to lay out.",
            f"Take a longer text: at least {_FEWEST} are needed.",
        )
    kept = known[:limit]  # ids go by falling count
    names = [corpus.vocabulary.words[int(row)] for row in kept]
    notes = []
    if len(kept) < len(known):
        notes.append(
            f"the {len(kept):,} most frequent of {len(known):,} words are shown; --words for more"
        )
    with _ticking(progress):
        places = place(embedded.matrix[kept], method, seed)
    return LayoutResult(
        name,
        method,
        names,
        places,
        classes_of(names, tagger),
        corpus.vocabulary.counts[kept],
        opened.name,
        notes,
    )


@contextmanager
def _ticking(progress: Progress) -> Iterator[None]:
    """Tell the seconds that have passed: the layouts themselves do not say how far they are."""
    over = Event()

    def tick() -> None:
        seconds = 0
        while not over.wait(1):
            seconds += 1
            progress(seconds, None)

    ticker = Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        over.set()
        ticker.join()


def place(matrix: NDArray[np.float32], method: str, seed: int = 0) -> NDArray[np.float32]:
    """Two coordinates for every row of unit length; a mirrored layout is turned to one sign."""
    unit = unit_rows(matrix)
    if method == "pca":
        found = _axes(unit, 2)
    elif method == "mds":
        found = _mds(unit, seed)
    else:
        found = _tsne(unit, seed)
    found = np.asarray(found, np.float32)
    return found * _signs(found)


def _signs(found: NDArray[np.float32]) -> NDArray[np.float32]:
    """So that the point farthest out on each axis is on the positive side."""
    far = np.abs(found).argmax(axis=0)
    return np.where(found[far, np.arange(found.shape[1])] < 0, -1, 1).astype(np.float32)


def _axes(unit: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Coordinates on the first principal axes, by the covariance: d² memory, whatever n is."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        centred = unit - unit.mean(axis=0, dtype=np.float64).astype(np.float32)
        values, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        best = axes[:, np.argsort(-values)[: min(count, centred.shape[1])]]
        return np.asarray(centred @ best.astype(np.float32))


def _tsne(unit: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    from sklearn.manifold import TSNE

    start = _axes(unit, _AXES)
    model = TSNE(
        perplexity=min(_PERPLEXITY, (len(unit) - 1) / 3),
        init="pca",
        learning_rate="auto",
        random_state=seed,
        n_jobs=cores(),
    )
    return np.asarray(model.fit_transform(start), np.float32)


def _mds(unit: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    import warnings

    from sklearn.manifold import MDS

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # on defaults that are set here
        model = MDS(n_components=2, n_init=1, max_iter=200, random_state=seed, n_jobs=1)
        return np.asarray(model.fit_transform(unit.astype(np.float64)), np.float32)
