"""The network of nearest documents as a file for Gephi and other programs: GEXF or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from lexfield.plots.figure import check_plot_path
from lexfield.plots.groups import Groups
from lexfield.store.files import replace_file

FORMATS = (".gexf", ".csv")
_UNSPEAKABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), " ")


def write_network(
    path: str | Path,
    ids: Sequence[str],
    links: NDArray[np.float64],
    groups: Groups,
    metadata: Sequence[Mapping[str, str]],
) -> list[Path]:
    """Write nodes and weighted, undirected edges; return the files. A CSV file has the edges, and a
    second one beside it, ``NAME-nodes.csv``, the nodes."""
    path = check_plot_path(path, FORMATS, "network")
    ends = np.argwhere(np.triu(links)).tolist()
    edges = [(int(a), int(b), float(links[a, b])) for a, b in ends]
    fields = sorted({name for record in metadata for name in record})
    if path.suffix.lower() == ".gexf":
        replace_file(path, _write_gexf(ids, edges, groups, metadata, fields).encode())
        return [path]
    beside = path.with_name(f"{path.stem}-nodes.csv")
    rows: list[list[object]] = [["Source", "Target", "Weight", "Type"]]
    rows += [[ids[a], ids[b], f"{weight:g}", "Undirected"] for a, b, weight in edges]
    nodes: list[list[object]] = [["Id", "Label", *fields]]
    for id, record in zip(ids, metadata or [{}] * len(ids), strict=True):
        nodes.append([id, id, *(record.get(name, "") for name in fields)])
    for file, table in ((path, rows), (beside, nodes)):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(table)
        replace_file(file, out.getvalue().encode())
    return [path, beside]


def _write_gexf(
    ids: Sequence[str],
    edges: Sequence[tuple[int, int, float]],
    groups: Groups,
    metadata: Sequence[Mapping[str, str]],
    fields: Sequence[str],
) -> str:
    """Return GEXF 1.3, with metadata as attributes and the colours and shapes of the groups."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">',
        '<graph defaultedgetype="undirected" mode="static">',
        '<attributes class="node">',
    ]
    for number, name in enumerate(fields):
        lines.append(f'<attribute id="{number}" title={_quote(name)} type="string"/>')
    lines += ["</attributes>", "<nodes>"]
    for row, id in enumerate(ids):
        group = int(groups.of[row])
        colour, is_square = groups.colour(group), groups.is_second(group)
        red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
        values = "".join(
            f'<attvalue for="{number}" value={_quote(metadata[row][name])}/>'
            for number, name in enumerate(fields)
            if name in metadata[row]
        )
        lines.append(
            f'<node id="{row}" label={_quote(id)}><attvalues>{values}</attvalues>'
            f'<viz:color r="{red}" g="{green}" b="{blue}"/>'
            f'<viz:shape value="{"square" if is_square else "disc"}"/></node>'
        )
    lines += ["</nodes>", "<edges>"]
    for number, (a, b, weight) in enumerate(edges):
        lines.append(f'<edge id="{number}" source="{a}" target="{b}" weight="{weight:g}"/>')
    return "\n".join([*lines, "</edges>", "</graph>", "</gexf>", ""])


def _quote(text: str) -> str:
    """Return an attribute; characters that XML cannot hold become spaces."""
    return quoteattr(text.translate(_UNSPEAKABLE))
