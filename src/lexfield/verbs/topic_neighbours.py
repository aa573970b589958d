"""The documents of an index whose topics are nearest to those of a text.

lexfield topics neighbours my.idx "A new text."
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from lexfield.errors import InputError
from lexfield.index.fit_topics import infer_texts, mixtures_of_documents
from lexfield.index.topics import Topics
from lexfield.search.index import Index
from lexfield.topics.approximate import Search
from lexfield.topics.simplex import Certificate
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import Hits
from lexfield.verbs.results import Result


@dataclass(kw_only=True)
class TopicNeighbour:
    """A document and the distance of its mixture of topics."""

    rank: int
    document: str
    distance: float


@dataclass(repr=False)
class TopicNeighbours(Result[TopicNeighbour]):
    """The documents with the nearest mixtures, and how they were found."""

    measure: str
    neighbours: str
    rows: int
    candidates: int
    exact: bool


@verb(command="topics neighbours")
def find_topic_neighbours(
    index: IndexInput,
    text: Annotated[
        str,
        Meta(max_length=10_000_000),
        Flags(metavar="TEXT|ID"),
        Help("A text, or a document's id."),
    ],
    *,
    k: Hits = 10,
    measure: Annotated[
        Literal["js", "hellinger", "he", "triangle", "capacitory", "kl"],
        Help("Distance between mixtures of topics."),
    ] = "js",
    neighbours: Annotated[
        Literal["certified", "scan", "kdtree", "lsh", "ivf", "hnsw"],
        Help(
            "How to search: exactly with a proof, row by row, or approximately; ivf "
            "and hnsw need faiss."
        ),
    ] = "certified",
    eps: Annotated[
        float, Meta(ge=0, le=1000), Help("k-d tree: neighbours may be 1 + eps times as far.")
    ] = 0.0,
    radius: Annotated[
        float, Meta(gt=0, le=2), Help("LSH: R, the largest Euclidean distance of square roots.")
    ] = 0.8,
    delta: Annotated[
        float, Meta(gt=0, lt=1), Help("LSH: largest probability of missing a document within R.")
    ] = 0.1,
) -> TopicNeighbours:
    """Find the documents whose mixtures of topics are nearest.

    Approximate searches find neighbours by Hellinger distance and then order them by the measure;
    they cannot be used with kl. The result says how many documents were compared.

        lexfield topics neighbours my.idx "The harbour froze that winter."
        lexfield topics neighbours my.idx emma --measure triangle
        lexfield topics neighbours my.idx emma --neighbours lsh --radius 0.6 --delta 0.05
        lexfield topics neighbours my.idx emma --neighbours kdtree --eps 1 --json
    """
    search = Search(neighbours=neighbours, eps=eps, radius=radius, delta=delta)
    rows, proof = _rank_documents(open_index(index), text, k, measure, search)
    return TopicNeighbours(
        rows,
        measure=measure,
        neighbours=neighbours,
        rows=proof.rows,
        candidates=proof.candidates,
        exact=proof.exact,
        notes=[
            f"{'exact' if proof.exact else 'approximate'}: {proof.candidates:,} of"
            f" {proof.rows:,} documents compared"
        ],
    )


def _rank_documents(
    index: Index, text: str, k: int, measure: str, search: Search
) -> tuple[list[TopicNeighbour], Certificate]:
    """Return the documents nearest to a text or document, and how they were found."""
    kept = Topics.open(index.path)
    mixtures, known = mixtures_of_documents(index, kept)
    names = list(index.documents)
    if text in names:
        mixture, is_known = mixtures[names.index(text)], known[names.index(text)]
    else:
        found, knows = infer_texts(index, kept, [text])
        mixture, is_known = found[0], knows[0]
    if not is_known:
        raise InputError("No word of the text is known to the topic model.", "Give a longer text.")
    rows = np.flatnonzero(known)
    nearest = search.build(mixtures[rows]).query(mixture, k, measure)
    near = zip(nearest.rows.tolist(), nearest.distances.tolist(), strict=True)
    documents = [
        TopicNeighbour(rank=rank, document=names[int(rows[row])], distance=far)
        for rank, (row, far) in enumerate(near, 1)
    ]
    return documents, nearest.certificate
