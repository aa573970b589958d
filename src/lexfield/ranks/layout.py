"""Words in the plane (Hare et al., Figures 2 and 5): t-SNE, PCA or metric MDS of their vectors.

tsne   neighbours stay neighbours; distances between groups mean nothing (``tsne.py``)
pca    the two directions in which the vectors vary most; fast for any number of words
mds    distances in the plane approximate the real ones (SMACOF); n² work
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import single_thread
from lexfield.errors import InputError, MissingExtraError, check
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import CorpusVectors, Source, Texts, make_corpus
from lexfield.ranks.tsne import place_points
from lexfield.results import Frames, html_table
from lexfield.text.speech import choose_tagger, tag_words
from lexfield.text.taggers import CLASSES, Tagger

# method → the default and the largest number of words
METHODS = {"tsne": (5_000, 200_000), "pca": (50_000, 1_000_000), "mds": (1_000, 5_000)}
_FEWEST = 10
_AXES = 50  # principal axes given to t-SNE, as usual
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

    def to_dicts(self) -> list[dict[str, object]]:
        """Return one record per word."""
        columns = (self.words, self.places.tolist(), self.classes.tolist(), self.counts.tolist())
        return [
            {"word": word, "x": place[0], "y": place[1], "speech": CLASSES[kind], "count": count}
            for word, place, kind, count in zip(*columns, strict=True)
        ]

    def _repr_html_(self) -> str:
        return html_table(self.to_dicts(), f"{self.name}: words by {self.method}", self.notes)

    def __repr__(self) -> str:
        return f"<LayoutResult {self.name!r}: {len(self.words):,} words by {self.method}>"


def layout(
    texts: Texts,
    method: str = "tsne",
    *,
    vectors: Source = "default",
    words: int | None = None,
    tagger: Tagger | None = None,
    seed: int = 0,
    name: str = "text",
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> LayoutResult:
    """Lay the most frequent ``words`` of texts out in the plane.

    ``progress`` is called with the seconds that have passed.
    """
    corpus = make_corpus(texts)
    default, most = METHODS[method]
    limit = default if words is None else words
    check(_FEWEST <= limit <= most, "words", f"{_FEWEST} to {most:,} for {method}", words)
    embedded = CorpusVectors.of(corpus, vectors, progress, allow_unknown)
    notes = list(embedded.notes)
    known = np.flatnonzero(embedded.words.known)
    if len(known) < _FEWEST:
        raise InputError(
            f"Only {len(known)} words of this text have a vector: too few to lay out.",
            f"Take a longer text: at least {_FEWEST} are needed.",
        )
    kept = known[:limit]  # word ids go by falling count
    names = [corpus.vocabulary.words[int(row)] for row in kept]
    if len(kept) < len(known):
        notes.append(
            f"the {len(kept):,} most frequent of {len(known):,} words are shown; --words for more"
        )
    classes = np.full(len(names), CLASSES.index("other"), np.uint8)
    try:
        classes = tag_words(names, tagger or choose_tagger(corpus.count_languages()))
    except MissingExtraError as error:
        notes.append(f"words are not coloured: parts of speech need a package. {error.hint}")
    except InputError as error:
        if tagger is not None:
            raise
        notes.append(f"words are not coloured. {error.message}")
    with _report_seconds(progress):
        places = place_rows(embedded.words.vectors[: len(kept)], method, seed)
    return LayoutResult(
        name,
        method,
        names,
        places,
        classes,
        corpus.vocabulary.counts[kept],
        embedded.source,
        notes,
    )


@contextmanager
def _report_seconds(progress: Progress) -> Iterator[None]:
    """Report the seconds that have passed; the layouts themselves report no progress."""
    is_done = Event()

    def tick() -> None:
        seconds = 0
        while not is_done.wait(1):
            seconds += 1
            progress(seconds, None)

    ticker = Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        is_done.set()
        ticker.join()


def place_rows(matrix: NDArray[np.float32], method: str, seed: int = 0) -> NDArray[np.float32]:
    """Return two coordinates per row, computed from rows of unit length.

    Axes are mirrored so that the farthest point on each is on the positive side.
    """
    layouts = {"tsne": _tsne, "pca": lambda unit, _: _principal_axes(unit, 2), "mds": _mds}
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = np.asarray(matrix / np.where(lengths > 0, lengths, 1), np.float32)
    places = np.asarray(layouts[method](unit, seed), np.float32)
    farthest = places[np.abs(places).argmax(axis=0), np.arange(places.shape[1])]
    return places * np.where(farthest < 0, -1, 1).astype(np.float32)


def _principal_axes(unit: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return coordinates on the first principal axes, by the covariance: d² memory for any n."""
    with single_thread():
        centred = unit - unit.mean(axis=0, dtype=np.float64).astype(np.float32)
        values, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        best = axes[:, np.argsort(-values)[: min(count, centred.shape[1])]]
        return np.asarray(centred @ best.astype(np.float32))


def _tsne(unit: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    del seed  # nothing is drawn
    axes = _principal_axes(unit, _AXES)
    places = place_points(axes, axes[:, :2], min(_PERPLEXITY, (len(unit) - 1) / 3))
    return places.astype(np.float32)


def _mds(unit: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    import warnings

    from sklearn.manifold import MDS

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about defaults that are set here
        model = MDS(n_components=2, n_init=1, max_iter=200, random_state=seed, n_jobs=1)
        return np.asarray(model.fit_transform(unit.astype(np.float64)), np.float32)
