"""Every ordered pair of documents and every k, in one pass over the words of the collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.categorical import shared_mass
from lexfield.diverge.clouds import cloud_pairs
from lexfield.diverge.counts import Counts, count
from lexfield.diverge.coverage import coverage_notes
from lexfield.diverge.estimate import UNITS, joined
from lexfield.diverge.options import Options
from lexfield.diverge.parts import Kept, Rows, row_divergences
from lexfield.diverge.possible import impossible_pairs_note, only_possible
from lexfield.diverge.spread import spread
from lexfield.engine import Engine
from lexfield.errors import InputError, check, list_names
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.results import Frames, html_table
from lexfield.text.corpus import Corpus

_SHOWN = 20  # documents in a notebook
_HUB, _FEWEST = 0.3, 10  # share of documents that have one nearest in common; of how many


@dataclass(frozen=True)
class Pairs(Frames, Plottable):
    """``matrix[i, j]`` is the divergence of document ``ids[i]`` from ``ids[j]``.

    matrices: one for each k, smallest k first; the categorical space has one, under 0. NaN where
    the estimate is impossible, as those of clouds can be; see ``lexfield.diverge.possible``.
    estimates: the same as they were estimated, possible or not, in nats: for research only.
    """

    ids: list[str]
    matrices: dict[int, NDArray[np.float64]]
    options: Options
    metadata: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    estimates: dict[int, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The matrix of the smallest k."""
        return next(iter(self.matrices.values()))

    def __getitem__(self, k: int) -> NDArray[np.float64]:
        return self.matrices[k]

    def to_dicts(self) -> list[dict[str, Any]]:
        return [
            {"a": a, "b": b, "k": k or None, "value": _value(matrix[i, j])}
            for k, matrix in self.matrices.items()
            for i, a in enumerate(self.ids)
            for j, b in enumerate(self.ids)
            if i != j
        ]

    def records(self) -> list[dict[str, Any]]:
        return self.to_dicts()

    def _repr_html_(self) -> str:
        rows = [
            {"": id, **dict(zip(self.ids, map(_value, line), strict=True))}
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
    progress: Progress = silent,
    **options: Any,
) -> Pairs:
    """The divergence of every document from every other; ``options`` are those of ``Options``.

    k: one or several (latent). sample: compare as many random tokens of each document.
    memory: gigabytes for what is computed at a time (latent). approximate: look for neighbours in
    the nearest cells of a faiss index only (latent; needs the extra ``faiss``).
    resume: a folder where the run keeps what is finished, and from which it goes on.
    engine: a cluster to run on; it needs ``resume``, a folder that all its machines see.
    """
    if engine is not None and resume is None:
        raise InputError(
            "A cluster needs a folder that all its machines see.", "Name one with --resume FOLDER."
        )
    ks = sorted({k} if isinstance(k, int) else set(k))
    check(bool(ks), "k", "one number or several", k)
    chosen = Options.of({"space": space, "k": ks[0], **options})
    check(memory > 0, "memory", "over 0 GB", memory)
    if isinstance(corpus, Counts):
        counts = corpus
    else:
        counts = count(corpus, n=chosen.n, stopwords=chosen.stopwords, sample=sample, seed=seed)
    counts = _without_empty(counts)
    low = coverage_notes(counts, chosen, each=False)
    if chosen.counted:
        everyone = np.arange(len(counts.ids))
        if engine is None:
            matrix = count_pairs(counts, chosen, everyone, everyone)
        else:
            run = Rows(_spread(counts, chosen).matrix, chosen)
            parts = Kept(Path(resume or ""), run).on(engine, progress)
            matrix = np.concatenate([part["rows"] for part in parts])
        return _result(counts, {0: matrix}, chosen, [*low, *_ignored(counts, chosen)])
    for each in ks:
        chosen.with_k(each)  # checks it
    counts, matrices, notes = cloud_pairs(
        counts,
        ks,
        chosen,
        approximate=approximate,
        memory=memory,
        resume=resume,
        engine=engine,
        progress=progress,
    )
    return _result(counts, matrices, chosen, [*low, *notes])


def count_pairs(
    counts: Counts, chosen: Options, rows: NDArray[Any], columns: NDArray[Any]
) -> NDArray[np.float64]:
    """The divergence of some rows of counts from others, in nats; ``jm`` smooths by the latter."""
    return row_divergences(_spread(counts, chosen).matrix, chosen, rows, columns)


def _spread(counts: Counts, chosen: Options) -> Counts:
    """Counts as they are compared."""
    spreads = chosen.estimator == "spread" and chosen.space == "latent"
    return spread(counts, chosen) if spreads else counts


def _ignored(counts: Counts, chosen: Options) -> list[str]:
    """How much the shared support leaves out."""
    if chosen.smoothing != "shared" or chosen.measure not in ("kl", "renyi"):
        return []
    apart = ~np.eye(len(counts.ids), dtype=bool)
    share = 1 - shared_mass(counts.matrix, counts.matrix)[apart].mean()
    return [f"words that only one text of a pair holds are ignored: {share:.1%} of a text"]


def _without_empty(counts: Counts) -> Counts:
    """Documents without words are left out and named; two must be left."""
    empty = counts.totals == 0
    if empty.any():
        names = list_names(id for id, none in zip(counts.ids, empty, strict=True) if none)
        counts = counts.keep(np.flatnonzero(~empty), [f"left out, without words: {names}"])
    if len(counts.ids) < 2:
        raise InputError(
            f"{len(counts.ids)} documents have words.", "Give at least two to compare."
        )
    return counts


def _result(
    counts: Counts,
    matrices: dict[int, NDArray[np.float64]],
    chosen: Options,
    notes: Sequence[str],
) -> Pairs:
    scale = UNITS[chosen.unit] if chosen.measure != "hellinger" else 1.0
    same = _same(counts)
    estimates = matrices
    if not chosen.counted:
        for matrix in estimates.values():
            np.fill_diagonal(matrix, 0.0)
        matrices = {k: only_possible(raw, chosen.measure) for k, raw in estimates.items()}
    for matrix in matrices.values():
        matrix *= scale
        np.fill_diagonal(matrix, 0.0)
        for i, j in same:
            matrix[i, j] = matrix[j, i] = 0.0
    endless = sum(int(np.isinf(matrix).sum()) for matrix in matrices.values())
    told = f"{endless:,} pairs have no word in common and differ infinitely" if endless else ""
    alike = [f"{counts.ids[i]} and {counts.ids[j]}" for i, j in same]
    copies = f"with the same words as often: {list_names(alike)}" if alike else ""
    impossible = impossible_pairs_note(matrices, chosen.measure)
    hub = _hub_note(counts.ids, next(iter(matrices.values())))
    notes = joined([*counts.notes, *notes, told, copies, impossible, hub])
    return Pairs(counts.ids, matrices, chosen, counts.metadata, notes, estimates)


def _hub_note(ids: Sequence[str], matrix: NDArray[np.float64]) -> str:
    """Say so if one document is the nearest of very many: a hub, by which nothing is told apart."""
    others = np.where(np.eye(len(ids), dtype=bool), np.inf, matrix)
    if len(ids) < _FEWEST or np.isnan(others).any():
        return ""
    times = np.bincount(others.argmin(axis=1), minlength=len(ids))
    if times.max() <= len(ids) * _HUB:
        return ""
    return (
        f"{ids[int(times.argmax())]} is the nearest of {times.max():,} of {len(ids):,} documents,"
        " so do not trust who is nearest. Use the estimator spread or the categorical space."
    )


def _value(value: float) -> float | None:
    """A divergence, or None where there is none."""
    return None if np.isnan(value) else float(value)


def _same(counts: Counts) -> list[tuple[int, int]]:
    """Documents with equal counts, each with the first of its kind."""
    seen: dict[bytes, int] = {}
    found = []
    for row in range(len(counts.ids)):
        own = counts.matrix[row]
        own.sort_indices()
        first = seen.setdefault(own.indices.tobytes() + own.data.tobytes(), row)
        if first != row:
            found.append((first, row))
    return found
