"""The files that ``lexfield pairs`` writes beside its result: figures, a network, the matrix."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Annotated, TypedDict

import numpy as np
from msgspec import Meta

from lexfield.arrays import Array
from lexfield.compare.counts import Counts
from lexfield.compare.nearest_pairs import NearestPairs
from lexfield.compare.pairs import Pairs
from lexfield.compare.trees import Consensus, find_consensus
from lexfield.errors import check
from lexfield.plots.divergence import draw_dendrogram, draw_heat, draw_map, title
from lexfield.plots.figure import PAGE_FORMATS, Picture, check_plot_path
from lexfield.plots.groups import Groups, choose_groups
from lexfield.plots.network import FORMATS, write_network
from lexfield.plots.tree import draw_tree
from lexfield.progress import Progress, begin_stage
from lexfield.store.files import replace_file
from lexfield.verbs.declare import Default, Flags, Help
from lexfield.verbs.options import By, Target

_TREES = 100  # behind a network if no number is given


class PairFiles(TypedDict, total=False):
    """Figures of all pairs. A name that ends in .svg, .png, .pdf or .html chooses the format."""

    by: Annotated[By | None, Default(None), Help("Metadata field that colours the figures.")]
    tree: Annotated[
        Target | None, Flags(metavar="FILE"), Default(None), Help("Draw a dendrogram (Ward).")
    ]
    consensus: Annotated[
        int | None,
        Meta(ge=2, le=10_000),
        Default(None),
        Help(
            "Draw the consensus of N trees instead, made from the 100 (or half as many as "
            "--mfw) to the --mfw most frequent words; numbers show the percentage of trees "
            "that contain a group."
        ),
    ]
    map: Annotated[
        Target | None,
        Flags(metavar="FILE"),
        Default(None),
        Help("Draw similar documents near each other."),
    ]
    heat: Annotated[
        Target | None,
        Flags(metavar="FILE"),
        Default(None),
        Help("Draw the matrix with its dendrogram."),
    ]
    network: Annotated[
        Target | None,
        Flags(metavar="FILE"),
        Default(None),
        Help(
            "Write the network of nearest documents over --consensus comparisons, for Gephi: .gexf,"
            " or .csv with the edges and a second file with the nodes."
        ),
    ]
    output: Annotated[
        Target | None,
        Flags(("-o",), "FILE.npz", old="out"),
        Default(None),
        Help("Write the ids and the matrices, or the nearest documents, to this file."),
    ]


def check_files(files: PairFiles, has_all: bool = True) -> None:
    """Raise an error if a file cannot be written, or needs all pairs where not all are kept; called
    before the work begins."""
    for name in ("tree", "consensus", "map", "heat", "network"):
        ok = has_all or not files.get(name)
        check(ok, name, "left out with --nearest: it needs all pairs", str(files.get(name)))
    for path in (files.get("tree"), files.get("map"), files.get("heat")):
        if path:
            check_plot_path(path, PAGE_FORMATS)
    if network := files.get("network"):
        check_plot_path(network, FORMATS, "network")
    wanted = files.get("tree") or files.get("network")
    ok = not files.get("consensus") or wanted is not None
    check(ok, "consensus", "given with --tree or --network", files.get("consensus"))


def needs_consensus(files: PairFiles) -> bool:
    return bool(files.get("network") or files.get("consensus"))


def write_files(
    found: Pairs,
    counts: Counts | None,
    files: PairFiles,
    labels: list[str] | None,
    progress: Progress,
) -> list[str]:
    """Write the requested files; return notes that name additional ones."""
    groups = choose_groups(labels, len(found.ids), files.get("by") or "")
    if output := files.get("output"):
        replace_file(Path(output), pack(found))
    many, notes = None, []
    if counts is not None and needs_consensus(files):
        begin_stage(progress, "comparing by more and more words")
        trees = files.get("consensus") or _TREES
        many = _find_consensus(found, counts, trees, progress)
        if (made := len(many.tree.made_of)) < trees and files.get("consensus"):
            notes.append(f"{made:,} trees instead of {trees:,}: there are too few words for more")
    if tree := files.get("tree"):
        is_consensus = many is not None and files.get("consensus")
        picture = (
            _draw_consensus(found, many, groups)
            if many is not None and is_consensus
            else draw_dendrogram(found, groups)
        )
        picture.save(tree)
    for path, draw in ((files.get("map"), draw_map), (files.get("heat"), draw_heat)):
        if path:
            draw(found, groups).save(path)
    if many is not None and (network := files.get("network")):
        paths = write_network(network, found.ids, many.links, groups, found.metadata)
        notes += [f"the nodes of the network are in {path}" for path in paths[1:]]
    return notes


def _find_consensus(found: Pairs, counts: Counts, trees: int, progress: Progress) -> Consensus:
    check(
        found.options.compares_counts and not found.options.spreads_counts,
        "consensus",
        "left out for clouds and for spread counts",
        trees,
    )
    rows = {id: row for row, id in enumerate(counts.ids)}
    kept = counts.keep(np.array([rows[id] for id in found.ids]))
    return find_consensus(kept, found.options, trees, progress)


def _draw_consensus(found: Pairs, many: Consensus, groups: Groups) -> Picture:
    sizes = many.tree.made_of
    plain = replace(found, options=replace(found.options, mfw=sizes[-1]))
    words = f"{sizes[0]:,} to {sizes[-1]:,} most frequent"
    heading = title(plain).replace(f"{sizes[-1]:,} most frequent", words, 1)
    return draw_tree(many.tree, found.ids, groups, f"Consensus of {len(sizes):,} trees: {heading}")


def pack(found: Pairs | NearestPairs) -> bytes:
    """Return an npz file: the ids, and the matrices as ``k3`` and so on, or as ``counts``; or for
    each id the rows and divergences of its nearest."""
    if isinstance(found, NearestPairs):
        arrays: dict[str, Array] = {"neighbours": found.neighbours, "values": found.values}
    else:
        arrays = {f"k{k}" if k else "counts": matrix for k, matrix in found.matrices.items()}
    data = BytesIO()
    np.savez_compressed(data, ids=np.array(found.ids), **arrays)  # type: ignore[arg-type]
    return data.getvalue()
