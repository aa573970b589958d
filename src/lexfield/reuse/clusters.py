"""Clusters of reuse: passages that overlap in a document, directly or through others.

Three or more texts with the same passage may all have it from one source, which may be one of them
or none. Only dates tell which text had it first; without dates no direction is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lexfield.reuse.find import Shared

Place = tuple[int, int, int]  # a document and the first and last word of a span
_OVERLAP = 0.5  # of the longer of two spans
_SOME = 4  # texts


@dataclass(frozen=True)
class Member:
    """Part of a document that others share; ``date`` is what its metadata say."""

    document: str
    start: int
    end: int
    date: str | None = None


@dataclass(frozen=True)
class Cluster:
    """Three or more documents with a passage in common; ``earliest`` is None without dates."""

    cluster: int
    members: list[Member]
    earliest: str | None = None

    @property
    def documents(self) -> int:
        return len({member.document for member in self.members})

    def is_common(self, documents: int) -> bool:
        """Does more than half of a collection of some size share it, as boilerplate?"""
        return documents >= _SOME and 2 * self.documents > documents


def number_clusters(shared: Shared) -> list[int]:
    """Return the number of the cluster of each passage, from 1, in the order of the passages."""
    labels = list(range(len(shared.passages)))

    def find_root(k: int) -> int:
        while labels[k] != k:
            labels[k] = labels[labels[k]]
            k = labels[k]
        return k

    places = sorted(
        (place, k)
        for k, one in enumerate(shared.passages)
        for place in ((one.a, *one.box[:2]), (one.b, *one.box[2:]))
    )
    active: list[tuple[Place, int]] = []
    for place, k in places:
        active = [one for one in active if one[0][0] == place[0] and one[0][2] >= place[1]]
        for other, j in active:
            longer = max(place[2] - place[1], other[2] - other[1]) + 1
            if min(place[2], other[2]) - place[1] + 1 >= _OVERLAP * longer:
                x, y = sorted((find_root(j), find_root(k)))
                labels[y] = x
        active.append((place, k))
    numbers: dict[int, int] = {}
    return [numbers.setdefault(find_root(k), len(numbers) + 1) for k in range(len(labels))]


def _order_date(date: str) -> tuple[int, str]:
    """Return a date so that it can be compared: by its year, which may have any length."""
    year = re.match(r"\s*(-?\d+)", date)
    return (int(year[1]) if year else 10**9, date)


def list_clusters(
    spans: Sequence[tuple[int, str, int, int]], dates: Mapping[str, str]
) -> list[Cluster]:
    """Return clusters of at least three documents, largest first.

    ``spans`` are the number of the cluster, the document, start and end of both sides of every
    passage. Spans that overlap are one member.
    """
    members: dict[int, dict[str, list[tuple[int, int]]]] = {}
    for cluster, document, start, end in sorted(spans):
        own = members.setdefault(cluster, {}).setdefault(document, [])
        if own and start <= own[-1][1]:
            own[-1] = (own[-1][0], max(end, own[-1][1]))
        else:
            own.append((start, end))
    found = []
    for cluster, documents in members.items():
        if len(documents) < 3:
            continue
        known = sorted((_order_date(dates[id]), id) for id in documents if dates.get(id))
        is_clear = len(known) == len(documents) and known[0][0] != known[1][0]
        every = [
            Member(id, start, end, dates.get(id))
            for id, own in documents.items()
            for start, end in own
        ]
        found.append(Cluster(cluster, every, known[0][1] if is_clear else None))
    return sorted(found, key=lambda one: (-len(one.members), one.cluster))
