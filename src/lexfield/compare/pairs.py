"""Every ordered pair of documents and every k, in one pass over the words of the collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.batches import CountRun, compare_clouds, compute_batches
from lexfield.compare.clouds import check_coverage
from lexfield.compare.counts import Counts, compare_rows, count_corpus, spread_counts
from lexfield.compare.estimate import drop_impossible, note_pairs_without_value
from lexfield.compare.feature_language import use_language
from lexfield.compare.hubs import correct_hubs
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.smoothing import find_shared_mass
from lexfield.compare.style import Feature, StyleCounts, count_features, parse_features
from lexfield.engine import Engine
from lexfield.errors import InputError, check, list_names
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.results import Frames, JsonObject, html_table
from lexfield.text.corpus import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SHOWN = 20  # documents in a notebook
_HUB, _FEWEST = 0.3, 10  # a hub is nearest to more than this share of documents, if not very few


@dataclass(frozen=True)
class Pairs(Frames, Plottable):
    """``matrix[i, j]`` is the divergence of document ``ids[i]`` from ``ids[j]``.

    matrices: one for each k, smallest k first; comparing counts has one, under 0. NaN where the
    estimate is impossible (of clouds), or where a measure that was added returns NaN; see
    ``lexfield.compare.estimate``.
    estimates: the same as estimated, possible or not, in nats: for research only.
    """

    ids: list[str]
    matrices: dict[int, NDArray[np.float64]]
    options: ComparisonOptions
    metadata: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    estimates: dict[int, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The matrix of the smallest k."""
        return next(iter(self.matrices.values()))

    def __getitem__(self, k: int) -> NDArray[np.float64]:
        return self.matrices[k]

    def to_dicts(self) -> list[JsonObject]:
        return [
            {"a": a, "b": b, "k": k or None, "value": _to_value(matrix[i, j])}
            for k, matrix in self.matrices.items()
            for i, a in enumerate(self.ids)
            for j, b in enumerate(self.ids)
            if i != j
        ]

    def _repr_html_(self) -> str:
        rows = [
            {"": id, **dict(zip(self.ids, map(_to_value, line), strict=True))}
            for id, line in zip(self.ids[:_SHOWN], self.matrix[:_SHOWN].tolist(), strict=True)
        ]
        names = ["", *self.ids[:_SHOWN]]
        more = [f"{len(self.ids):,} documents in all"] if len(self.ids) > _SHOWN else []
        return html_table(rows, repr(self), [*more, *self.notes], names)

    def __repr__(self) -> str:
        ks = "" if 0 in self.matrices else f", k = {', '.join(map(str, self.matrices))}"
        what = f"{self.options.measure} in the {self.options.space} space"
        return f"<Pairs: {len(self.ids):,} documents, {what}{ks}>"


def pairs(
    corpus: Corpus | Counts,
    space: str = "categorical",
    k: int | Sequence[int] = 3,
    *,
    sample: int | None = None,
    seed: int = 0,
    approximate: bool = False,
    memory: float = 1.0,
    resume: str | Path | None = None,
    engine: Engine | None = None,
    known: Sequence[str] | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Pairs:
    """Return the divergence of every document from every other. ``options`` are those of
    ``ComparisonOptions``.

    k: one or several (latent). sample: draw that many tokens from each document.
    memory: gigabytes for what is computed at a time (latent). approximate: search neighbours only
    in the nearest cells of a faiss index (latent; needs the extra ``faiss``).
    resume: a folder for finished batches, from which an interrupted run continues.
    engine: a cluster to run on; it needs ``resume``, a folder that all its machines can read.
    known: the ids of documents that decide which types are frequent, how frequencies are
    standardised and how hubs are corrected; by default all. So a new text changes nothing else.
    """
    if engine is not None and resume is None:
        raise InputError(
            "A cluster needs a folder that all its machines see.", "Name one with --resume FOLDER."
        )
    ks = sorted({k} if isinstance(k, int) else set(k))
    chosen = read_options({"space": space, "k": ks[0], **options})
    counts = count_texts(corpus, chosen, sample, seed)
    notes = check_coverage(counts, chosen, each=False)
    standard = _find_rows(counts, known)
    if chosen.compares_counts:
        everyone = np.arange(len(counts.ids))
        if engine is None:
            matrix = compare_count_rows(counts, chosen, everyone, everyone, standard)
        else:
            run = CountRun(spread_counts(counts, chosen).matrix, chosen)
            parts = compute_batches(run, resume, engine, progress)
            matrix = np.concatenate([part["rows"] for part in parts])
        notes += _note_ignored(counts, chosen)
        return _make_pairs(counts, {0: matrix}, chosen, notes, standard)
    how: JsonObject = {"approximate": approximate, "memory": memory, "resume": resume}
    counts, matrices, more = compare_clouds(
        counts, ks, chosen, engine=engine, progress=progress, **how
    )
    return _make_pairs(counts, matrices, chosen, [*notes, *more], _find_rows(counts, known))


def count_texts(
    corpus: Corpus | Counts, options: ComparisonOptions, sample: int | None, seed: int
) -> Counts:
    """Return the counts of documents that have words. Raise InputError if fewer than two have."""
    if isinstance(corpus, Corpus):
        corpus = count_for_comparison(corpus, options, sample, seed)
    return _drop_empty(corpus)


def count_for_comparison(
    corpus: Corpus, options: ComparisonOptions, sample: int | None = None, seed: int = 0
) -> Counts:
    """Count the words of documents, or the features of style that the options name."""
    if options.features is None:
        return count_corpus(
            corpus, n=options.n, stopwords=options.stopwords, sample=sample, seed=seed
        )
    check(sample is None, "sample", "left out beside features", sample)
    features = use_language(options.features, corpus.count_languages())
    return _join_features(count_features(corpus, features), corpus.notes)


def _join_features(found: list[StyleCounts], notes: list[str]) -> Counts:
    """Return the relative frequencies of several features side by side, or the counts of one."""
    from scipy.sparse import hstack

    (first, *others) = found
    if not others:
        return replace(first, notes=notes)
    matrix = hstack([one.shares for one in found], format="csr")
    types = [type for one in found for type in one.types]
    return Counts(matrix, types, first.ids, first.metadata, notes)


def read_options(given: JsonObject) -> ComparisonOptions:
    """Return options in which the feature mfw(2000, culling=20) is a choice among all words, whose
    frequencies are shares of the whole text."""
    options = ComparisonOptions.from_dict(given)
    first, *others = parse_features(options.features) if options.features else [Feature("")]
    if others or first.name != "mfw":
        return options
    return replace(options, features=None, mfw=first.most, culling=first.culling)


def _find_rows(counts: Counts, known: Sequence[str] | None) -> Array:
    """Return the rows of known texts; all if none are named."""
    wanted = counts.ids if known is None else set(known)
    return np.array([row for row, id in enumerate(counts.ids) if id in wanted], np.int64)


def compare_count_rows(
    counts: Counts,
    options: ComparisonOptions,
    rows: Array,
    columns: Array,
    known: Array | None = None,
) -> NDArray[np.float64]:
    """Return the divergence of some texts from others, by their counts, in nats; ``jm`` smooths by
    the latter, a Delta is standardised by the ``known`` ones, by default the latter too."""
    matrix = spread_counts(counts, options).matrix
    kept = (rows, columns, columns if known is None else known)
    left, right, standard = (_take_rows(matrix, one) for one in kept)
    return compare_rows(left, right, options, known=standard)


def _take_rows(matrix: csr_matrix, rows: Array) -> csr_matrix:
    """Return some rows; the matrix itself if they are all, in order."""
    return matrix if np.array_equal(rows, np.arange(matrix.shape[0])) else matrix[rows]


def _drop_empty(counts: Counts) -> Counts:
    """Leave out documents without words, with a note. Raise InputError if fewer than two remain."""
    empty = counts.totals == 0
    if empty.any():
        names = list_names(id for id, none in zip(counts.ids, empty, strict=True) if none)
        counts = counts.keep(np.flatnonzero(~empty), [f"left out, without words: {names}"])
    if len(counts.ids) < 2:
        raise InputError("Fewer than two documents have words.", "Give at least two to compare.")
    return counts


def _make_pairs(
    counts: Counts,
    estimates: dict[int, NDArray[np.float64]],
    options: ComparisonOptions,
    notes: Sequence[str],
    known: Array,
) -> Pairs:
    copies = find_copies(counts)
    if not options.compares_counts:
        for matrix in estimates.values():
            np.fill_diagonal(matrix, 0.0)
    matrices = {k: drop_impossible(raw, options) for k, raw in estimates.items()}
    for matrix in matrices.values():
        matrix *= options.scale
        np.fill_diagonal(matrix, 0.0)
        for i, j in copies:
            matrix[i, j] = matrix[j, i] = 0.0
    notes = [*counts.notes, *notes]
    infinite = sum(int(np.isinf(matrix).sum()) for matrix in matrices.values())
    if infinite:
        notes.append(f"{infinite:,} pairs have no word in common and differ infinitely")
    if copies:
        notes.append(note_copies(counts.ids, copies))
    notes.append(note_pairs_without_value(matrices, options))
    if options.hubs:
        matrices = {k: correct_hubs(matrix, known, options.hubs) for k, matrix in matrices.items()}
        how = "centring" if options.hubs == "centre" else "local scaling"
        is_all = len(known) == len(counts.ids)
        by = f"all {len(known):,}" if is_all else f"the {len(known):,} known"
        kind = "(transductive)" if is_all else "only (inductive)"
        notes.append(f"hubs corrected by {how} over {by} documents {kind}")
    first = next(iter(matrices.values()))
    others = np.where(np.eye(len(first), dtype=bool), np.inf, first)
    if not np.isnan(others).any():
        notes.append(note_hub(counts.ids, others.argmin(axis=1), options))
    unique = list(dict.fromkeys(note for note in notes if note))
    return Pairs(counts.ids, matrices, options, counts.metadata, unique, estimates)


def _note_ignored(counts: Counts, options: ComparisonOptions) -> list[str]:
    """Say how much is ignored if only shared words are compared."""
    if not options.ignores_unshared:
        return []
    others = ~np.eye(len(counts.ids), dtype=bool)
    share = 1 - find_shared_mass(counts.matrix, counts.matrix)[others].mean()
    return [f"words that only one text of a pair holds are ignored: {share:.1%} of a text"]


def note_copies(ids: Sequence[str], copies: list[tuple[int, int]]) -> str:
    names = list_names(f"{ids[i]} and {ids[j]}" for i, j in copies)
    return f"documents that use the same words equally often: {names}"


def note_hub(ids: Sequence[str], nearest: Array, options: ComparisonOptions) -> str:
    """Say so if one document, a hub, is the nearest of very many, so that being nearest means
    little; ``nearest`` is that of each document."""
    if len(ids) < _FEWEST:
        return ""
    times = np.bincount(nearest, minlength=len(ids))
    if times.max() <= len(ids) * _HUB:
        return ""
    advice = "Try another measure." if options.hubs else "Correct for it with --hubs centre."
    if not options.compares_counts:
        advice += " Or use the estimator spread or the categorical space."
    return (
        f"{ids[int(times.argmax())]} is the nearest of {times.max():,} of {len(ids):,} documents,"
        f" so nearest neighbours are not reliable here. {advice}"
    )


def find_copies(counts: Counts) -> list[tuple[int, int]]:
    """Return documents with equal counts, each with the first like it."""
    seen: dict[bytes, int] = {}
    copies = []
    matrix = counts.matrix.sorted_indices()
    for row, (start, end) in enumerate(pairwise(matrix.indptr.tolist())):
        own = matrix.indices[start:end].tobytes() + matrix.data[start:end].tobytes()
        first = seen.setdefault(own, row)
        if first != row:
            copies.append((first, row))
    return copies


def _to_value(value: float) -> float | None:
    """Return a divergence, or None where there is none."""
    return None if np.isnan(value) else float(value)
