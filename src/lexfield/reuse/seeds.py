"""Where two texts may share a passage: places with the same rare pairs of words, or phrases.

A seed is a pair of informative words that are close together in both texts, in any order, or four
words in a row; words are compared by their stems. All seeds of a collection are sorted once, so the
cost grows with the matches, not with the pairs of texts. Seeds of two texts that lie close together
on nearly the same diagonal form a window, as in BLAST (Altschul et al. 1997); windows whose words
carry little information are dropped. Where a seed occurs more than ``MOST`` times, every place is
compared with a few of the next ones only: passages that many texts share are still linked. Where a
text holds a seed several times, the k-th place is compared with those near the k-th of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.progress import Progress, silent
from lexfield.results import pluralise
from lexfield.reuse.words import CorpusWords, mark_repeated

MOST = 64
_NEAR = 6  # words between the two of a pair
_PAIRS = 3  # pairs that a word begins
_INFORMATIVE = 5.5  # nats of a word in a pair
_PHRASE = 4  # words
_TELLING = 16.0  # nats of a phrase
_REACH = 40  # words between the seeds of a window
_DRIFT = 16  # diagonals between them
_RECENT = 8  # matches with each other document that a match may be linked to
COPIES = 8  # places of a seed in another document that its first one is compared with
_MATCHES = 25_000_000  # of seeds that are not frequent, and as many of those that are


# Places, documents and keys of all seeds, and how often each was in its document before; where each
# key begins among the sorted; their order
Seeds = tuple[Array, Array, Array, Array, Array, Array]
Limits = tuple[int, int, int]  # most places; of a frequent seed, places compared; and texts


@dataclass(frozen=True)
class Windows:
    """Parts of two documents to be aligned: rows of document a, and for each a first column of b.

    The anchors of window w, the places of its seeds in a and in b, are
    ``anchors[offsets[w]:offsets[w + 1]]``.
    """

    documents: NDArray[np.int64]  # (n, 2)
    offsets: NDArray[np.int64]
    anchors: NDArray[np.int64]  # (m, 2)

    def __len__(self) -> int:
        return len(self.documents)

    @classmethod
    def join(cls, parts: Sequence[Windows]) -> Windows:
        sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(one.offsets) for one in parts)])
        return cls(
            np.concatenate([np.empty((0, 2), np.int64), *(one.documents for one in parts)]),
            np.cumsum(sizes),
            np.concatenate([np.empty((0, 2), np.int64), *(one.anchors for one in parts)]),
        )


def find_windows(
    words: CorpusWords, groups: Array | None, least: float, progress: Progress = silent
) -> tuple[Windows, Limits]:
    """Return windows whose seeds carry at least ``least`` nats, and the limits for seeds.

    Documents of the same group are not compared; without groups, all documents are.
    """
    keys, places = _list_seeds(words)
    again = mark_repeated(keys, 2)
    keys, places = keys[again], places[again]
    order = np.argsort(keys, kind="stable")
    is_first = np.append(True, keys[order[1:]] != keys[order[:-1]])
    runs = np.empty(len(keys), np.int32)  # of each seed, in the order of the texts
    runs[order] = np.cumsum(is_first, dtype=np.int32) - 1
    starts = np.append(np.flatnonzero(is_first[: len(keys)]), len(keys))
    group_of = np.arange(len(words)) if groups is None else np.asarray(groups, np.int64)
    first = np.searchsorted(places, words.offsets)  # almost in order within, wholly between texts
    owners = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(first))
    is_first[1:] |= np.diff(owners[order]) != 0
    every = np.arange(len(keys), dtype=np.int32)
    ranks = np.empty(len(keys), np.int32)
    ranks[order] = every - np.maximum.accumulate(np.where(is_first[: len(keys)], every, 0))
    seeds = places, owners, runs, ranks, starts, order
    changes = np.append(np.flatnonzero(np.diff(group_of)) + 1, len(words))
    others = changes[np.searchsorted(changes, np.arange(len(words)), "right")]
    bounds = np.column_stack((first[:-1], first[1:], first[others]))
    texts = np.diff(np.append(0, np.cumsum(is_first))[starts])
    compared = runs[: first[changes[:-1].max(initial=0)]]  # with later texts of other groups
    # Texts of a group that are compared with one query only are not linked by each other.
    cap = MOST if groups is None else max(MOST, len(words))
    limits = _choose_limits(np.diff(starts), texts, compared, cap)
    del keys, is_first
    information = words.information[words.tokens]

    def search(document: int) -> Windows:
        linked = _link(document, bounds, seeds, words.offsets, group_of, limits)
        return _gather(document, linked, words.offsets, information, least)

    found = list(map_blocks(search, range(len(words)), progress=progress))
    return Windows.join(found), limits


def _list_seeds(words: CorpusWords) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    stems = words.stems[words.tokens]
    information = words.information[words.tokens]
    size = len(stems) * (_PAIRS + 1)
    keys, places = np.empty(size, np.uint64), np.empty(size, np.int64)
    count = _fill_seeds(stems, information, words.offsets, keys, places)
    return keys[:count], places[:count]


@kernel
def _mix(a: Any, b: Any) -> Any:
    """Return a 64-bit hash of two numbers."""
    mixed = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(b)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(29))


@kernel
def _fill_seeds(
    stems: Array, information: Array, offsets: Array, keys: Array, places: Array
) -> int:
    """Write the seeds of all documents; return how many there are."""
    count = 0
    for document in range(len(offsets) - 1):
        start, end = offsets[document], offsets[document + 1]
        for i in range(start, end):
            made = 0
            for j in range(i + 1, min(i + 1 + _NEAR, end)):
                if information[i] < _INFORMATIVE or made == _PAIRS:
                    break
                if information[j] < _INFORMATIVE or stems[i] == stems[j]:
                    continue
                made += 1
                low, place = stems[i], i
                if stems[j] < low:
                    low, place = stems[j], j
                keys[count], places[count] = _mix(low, max(stems[i], stems[j])), place
                count += 1
            if i + _PHRASE > end:
                continue
            total = 0.0
            key = np.uint64(_PHRASE)
            for j in range(i, i + _PHRASE):
                total += information[j]
                key = _mix(key, stems[j])
            if total >= _TELLING:
                keys[count], places[count] = key, i
                count += 1
    return count


def _choose_limits(sizes: Array, texts: Array, compared: Array, cap: int) -> Limits:
    """Return how often a seed is not frequent, and with how many others a frequent one is compared.

    Both are so low that there are not too many matches. ``sizes`` and ``texts`` are the places and
    texts of each seed; the third limit is how many texts a frequent one has.
    """
    numbers = np.arange(MOST + 1)
    held = np.bincount(np.minimum(sizes, MOST + 1), minlength=MOST + 2)[: MOST + 1]
    matches = np.cumsum(held * numbers * (numbers - 1) // 2)
    most = int(np.searchsorted(matches, _MATCHES, "right")) - 1
    frequent = sizes > most
    few = _MATCHES // max(1, int(frequent[compared].sum()))
    return most, min(cap, max(1, few)), int(texts[frequent].max(initial=0))


def note_limits(limits: Limits) -> list[str]:
    most, few, texts = limits
    if texts <= few + 1:
        return []
    return [
        f"words and phrases with more than {most} places, in up to {texts:,} texts, were compared"
        f" with the next {pluralise(few, 'place')} only: if so many texts share a passage, not"
        " every pair of them is listed"
    ]


@kernel
def _link(
    document: int, bounds: Array, seeds: Seeds, offsets: Array, groups: Array, limits: Limits
) -> Array:
    """Return the matches of a document with later ones that have another match nearby.

    Each is the other document, the places in both, and a label that linked matches share. The last
    ``_RECENT`` matches with every other document are remembered. ``bounds`` are, per document, its
    first seed, the end of its seeds, and the first one of a later document of another group.
    """
    places, owners, runs, ranks, starts, order = seeds
    recent = np.full((len(offsets) - 1, _RECENT, 3), -_REACH - 1, np.int64)  # places, number
    newest = np.zeros(len(offsets) - 1, np.int64)
    found, labels = np.empty((256, 3), np.int64), np.empty(256, np.int64)
    count = 0
    for seed in range(bounds[document, 0], bounds[document, 1]):
        run = runs[seed]
        i = places[seed] - offsets[document]
        top, end = starts[run], starts[run + 1]
        is_frequent = end - top > limits[0]
        top += np.searchsorted(order[top:end], bounds[document, 2])
        if is_frequent:
            end = min(end, top + limits[1])
        for at in range(top, end):
            other = owners[order[at]]
            if groups[other] == groups[document] or abs(ranks[seed] - ranks[order[at]]) >= COPIES:
                continue
            j = places[order[at]] - offsets[other]
            own, is_new = -1, True
            for one in range(_RECENT):
                x, y = recent[other, one, 0], recent[other, one, 1]
                is_new &= i != x or j != y
                if abs(i - x) > _REACH or abs((i - j) - (x - y)) > _DRIFT or (i == x and j == y):
                    continue
                if count + 2 > len(labels):
                    found = np.concatenate((found, np.empty_like(found)))
                    labels = np.concatenate((labels, np.empty_like(labels)))
                number = recent[other, one, 2]
                if number < 0:
                    number = recent[other, one, 2] = count
                    found[count, 0], found[count, 1], found[count, 2] = other, x, y
                    labels[count] = count
                    count += 1
                if own < 0:
                    own = count
                    found[count, 0], found[count, 1], found[count, 2] = other, i, j
                    labels[count] = count
                    count += 1
                a, b = _find_root(labels, number), _find_root(labels, own)
                labels[max(a, b)] = min(a, b)
            if not is_new:
                continue
            slot = newest[other]
            recent[other, slot, 0], recent[other, slot, 1], recent[other, slot, 2] = i, j, own
            newest[other] = (slot + 1) % _RECENT
    linked = np.empty((count, 4), np.int64)
    linked[:, 1:] = found[:count]
    for one in range(count):
        linked[one, 0] = _find_root(labels, one)
    return linked


@kernel
def _find_root(labels: Array, one: int) -> int:
    while labels[one] != one:
        labels[one] = labels[labels[one]]
        one = labels[one]
    return one


def _gather(
    document: int, linked: Array, offsets: Array, information: Array, least: float
) -> Windows:
    """Return linked matches as windows, without those that carry little information."""
    linked = linked[np.lexsort((linked[:, 3], linked[:, 2], linked[:, 0]))]
    is_first = np.append(True, linked[1:, 0] != linked[:-1, 0])[: len(linked)]
    starts = np.append(np.flatnonzero(is_first), len(linked))
    window = np.cumsum(is_first) - 1
    new_a = is_first | np.append(True, linked[1:, 2] != linked[:-1, 2])[: len(linked)]
    own = np.where(new_a, information[offsets[document] + linked[:, 2]], 0)
    order = np.lexsort((linked[:, 3], window))
    new_b = np.append(True, np.diff(linked[order, 3]) != 0)[: len(linked)] | is_first
    other = np.where(new_b, information[offsets[linked[order, 1]] + linked[order, 3]], 0)
    totals = np.minimum(np.bincount(window, own), np.bincount(window[order], other))
    kept = totals >= least
    documents = linked[starts[:-1][kept], 1]
    return Windows(
        np.column_stack([np.full(len(documents), document), documents]),
        np.append(0, np.cumsum(np.diff(starts)[kept])),
        linked[np.repeat(kept, np.diff(starts)), 2:],
    )
