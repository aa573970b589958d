"""``lexfield pairs``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Unpack

import numpy as np
from msgspec import Meta

from lexfield.compare.counts import Counts
from lexfield.compare.nearest_pairs import NearestPairs, find_nearest_pairs
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import Pairs, count_for_comparison
from lexfield.compare.pairs import pairs as compare_all
from lexfield.errors import InputError, check, list_fields
from lexfield.plots.divergence import draw_map, title
from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.plots.groups import choose_groups
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows
from lexfield.store.files import replace_file
from lexfield.text.corpus import Corpus, View
from lexfield.verbs.compare import Comparing, choose_options
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import TextsInput, read_texts
from lexfield.verbs.options import (
    ClusterAddress,
    Resume,
    SampleSize,
    Seed,
    choose_parts_folder,
    use_engine,
)
from lexfield.verbs.pair_figures import (
    PairFiles,
    check_files,
    needs_consensus,
    pack,
    write_files,
)
from lexfield.verbs.results import ReadThrough, hidden, save_picture


class ComparingPairs(Comparing, PairFiles, total=False):
    """How texts are compared and read, and which files are written."""


Neighbours = Annotated[
    Sequence[Annotated[int, Meta(ge=1, le=10_000)]],
    Meta(min_length=1),
    Flags(metavar="3,5,10", old="k"),
    Help("In clouds of vectors, use the distances to the neighbours of these ranks."),
]
Nearest = Annotated[
    int | None,
    Meta(ge=1, le=10_000),
    Help("Keep only the N nearest of each document, found exactly."),
]
Memory = Annotated[
    float, Meta(gt=0, le=100_000), Help("Gigabytes of memory to use, for clouds of vectors.")
]
Approximate = Annotated[bool, Help("Find neighbours in clouds approximately, with faiss.")]
_NAMED = 3  # neighbours of a document in the table
_EXTREMES = ("nearest", "divergence", "farthest", "its divergence")


@dataclass(kw_only=True)
class PairDivergence:
    """The divergence of one document from another; ``k`` is None for counts of words."""

    a: str
    b: str
    k: int | None
    value: float | None


@dataclass(repr=False)
class PairDivergences(ReadThrough[PairDivergence, Pairs | NearestPairs]):
    """Every document compared with every other: ``matrix``, ``ids`` and ``matrices`` (by k); or, of
    the nearest only, ``ids``, ``neighbours`` and ``values``."""

    labels: list[str] | None = hidden(default=None)  # colours of figures
    by: str = hidden(default="")
    plot_formats = PAGE_FORMATS

    def to_dicts(self) -> list[JsonObject]:
        return self.details[0].to_dicts()

    def lines(self) -> Iterator[str]:
        """Return the nearest and the farthest of each document, or some of the nearest."""
        (found,) = self.details
        if isinstance(found, NearestPairs):
            yield f"The nearest documents. {title(found)}"
            yield from format_rows(_name_nearest(found), shown=len(found.ids))
            return
        rows = [_name_extremes(found, row) for row in range(len(found.ids))]
        yield title(found)
        yield from format_rows(rows, shown=len(rows))

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the documents as a map: png, svg, pdf or html."""
        (found,) = self.details
        if isinstance(found, NearestPairs):
            raise InputError("A map needs all pairs.", "Leave out --nearest.")
        groups = choose_groups(self.labels, len(found.ids), self.by)
        return save_picture(draw_map(found, groups), path)

    def _repr_html_(self) -> str:
        return self.details[0]._repr_html_()


def _name_extremes(found: Pairs, row: int) -> dict[str, object]:
    values = found.matrix[row]
    order = [other for other in values.argsort(kind="stable").tolist() if other != row]
    if np.isnan(values).any():  # an impossible estimate could be the nearest
        return {"document": found.ids[row], **dict.fromkeys(_EXTREMES, "–")}
    ends = [(found.ids[other], float(values[other])) for other in (order[0], order[-1])]
    return {"document": found.ids[row], **dict(zip(_EXTREMES, [*ends[0], *ends[1]], strict=True))}


def _name_nearest(found: NearestPairs) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for id, near, values in zip(found.ids, found.neighbours, found.values, strict=True):
        ends = zip(near[:_NAMED].tolist(), values[:_NAMED].tolist(), strict=True)
        names = [f"{found.ids[other]} ({value:.4g})" for other, value in ends if other >= 0]
        rows.append({"document": id, "nearest": ", ".join(names) or "–"})
    return rows


def compute_pairs(
    source: Corpus | Counts,
    comparing: Comparing,
    *,
    cluster: str | None = None,
    resume: str | Path | None = None,
    progress: Progress,
    **options: Any,
) -> Pairs:
    """Return the divergence of every document from every other, computed here or on a cluster.

    A cluster keeps finished parts in the folder ``resume``, by default one that all its machines
    see; a note names it.
    """
    chosen = {**options, **choose_options(comparing)}
    with use_engine(cluster) as engine:
        key = repr([source.ids, sorted(chosen.items())])
        resume, notes = choose_parts_folder(engine, resume, key, progress)
        begin_stage(progress, "comparing")
        found = compare_all(source, engine=engine, resume=resume, progress=progress, **chosen)
    return replace(found, notes=[*found.notes, *notes])


@verb
def pairs(
    texts: TextsInput,
    *,
    neighbour: Neighbours = (3,),
    nearest: Nearest = None,
    sample: SampleSize = None,
    seed: Seed = 0,
    memory: Memory = 1.0,
    resume: Resume = None,
    approximate: Approximate = False,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
    **comparing: Unpack[ComparingPairs],
) -> PairDivergences:
    """Compare every document with every other, and draw the result.

    The table shows the nearest and the farthest of each document; --json and --csv have all pairs.
    With --nearest N only the N nearest of each are kept: memory does not grow with the number of
    pairs.

        lexfield pairs books/ --measure cosine-delta --mfw 2000 --tree tree.svg
        lexfield pairs books/ --measure delta --consensus 100 --tree tree.html
        lexfield pairs books/ --measure delta --name-pattern '{author}_{title}' --by author
        lexfield pairs books/ --measure cosine-delta --hubs centre --map map.html --heat heat.png
        lexfield pairs books/ --measure cosine-delta --network net.gexf --chunk 5000
        lexfield pairs books.idx --measure hellinger --plot map.png --by author
        lexfield pairs books/ --space latent --neighbour 3,5,10 -o matrix.npz
        lexfield pairs books/ --sample 3000 --stopwords en --heat heat.svg --csv
        lexfield pairs tickets.jsonl --measure js --nearest 20 --csv
        lexfield pairs books/ --space latent --resume /shared/run --cluster tcp://10.0.0.5:8786
    """
    check_files(comparing, has_all=nearest is None)
    by = comparing.get("by")
    corpus = read_texts(texts, comparing, progress, by=by)
    if nearest is not None:
        _refuse_beside_nearest(cluster=cluster, resume=resume, approximate=approximate or None)
        return _find_nearest(corpus, nearest, comparing, sample, seed, progress)
    counts = None
    if needs_consensus(comparing):
        chosen = ComparisonOptions.from_dict(choose_options(comparing))
        counts = count_for_comparison(corpus, chosen, sample, seed)
    found = compute_pairs(
        corpus if counts is None else counts,
        comparing,
        k=list(neighbour),
        sample=sample,
        seed=seed,
        memory=memory,
        resume=resume,
        approximate=approximate,
        cluster=cluster,
        progress=progress,
    )
    labels = _read_labels(found, by) if by else None
    notes = [*found.notes, *write_files(found, counts, comparing, labels, progress)]
    rows = _list_pairs(found)
    return PairDivergences(rows, details=[found], labels=labels, by=by or "", notes=notes)


def _refuse_beside_nearest(**given: object) -> None:
    """Raise InputError for options that need all pairs."""
    for name, value in given.items():
        check(value is None, name, "left out with --nearest", value)


def _find_nearest(
    corpus: Corpus,
    nearest: int,
    comparing: ComparingPairs,
    sample: int | None,
    seed: int,
    progress: Progress,
) -> PairDivergences:
    begin_stage(progress, "comparing")
    options = choose_options(comparing)
    found = find_nearest_pairs(
        corpus, nearest, sample=sample, seed=seed, progress=progress, **options
    )
    if output := comparing.get("output"):
        replace_file(Path(output), pack(found))
    rows = [PairDivergence(**one) for one in found.to_dicts()]
    return PairDivergences(rows, details=[found], notes=found.notes)


def _list_pairs(found: Pairs) -> Sequence[PairDivergence]:
    """Return all pairs; each row is made when it is read, for there can be millions."""
    count = len(found.ids)
    blocks = list(found.matrices.items())

    def make(place: int) -> PairDivergence:
        block, rest = divmod(place, count * (count - 1))
        row, column = divmod(rest, count - 1)
        column += column >= row  # skip the document itself
        k, matrix = blocks[block]
        value = float(matrix[row, column])
        return PairDivergence(
            a=found.ids[row],
            b=found.ids[column],
            k=k or None,
            value=None if np.isnan(value) else value,
        )

    return View(len(blocks) * count * (count - 1), make)


def _read_labels(found: Pairs, by: str) -> list[str]:
    labels = [record.get(by, "") for record in found.metadata]
    if not any(labels):
        known = list_fields({name for record in found.metadata for name in record})
        raise InputError(f"No document has the field {by!r}.", known)
    return labels
