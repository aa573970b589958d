"""All documents at once: walk the neighbours of a word outward, and note for each document where
its first, second, … k-th word is met.

The other words of the collection are put into buckets by distance once a word, whatever the number
of documents; a bucket is sorted when the walk comes to it, and the walk ends when every document
has met the largest k. So the cost grows with the vocabulary, not with the pairs of documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lexfield.engine.compiled import kernel

_LEAST = 0.1  # share of all words that are put into buckets at first
_SAMPLE = 512
_CLOSE = 1e-6  # squares under this share of the lengths lose digits as a difference of products


@kernel
def walk_block(
    vectors: Any,
    lengths: Any,
    products: Any,
    first: Any,
    holders: Any,
    held: Any,
    ks: Any,
    out: Any,
    own: Any,
    others: Any,
) -> Any:
    """Distances at which each document meets its k-th word, for a block of words.

    products: inner products of the words of the block, beginning with ``first``, with all words.
    holders, held: the documents of each word (``held[holders[w]:holders[w + 1]]``).
    out: word of the block × document × k. own, others: for every (word, document that holds it) of
    the block × document × k, how many words of its own that document has met when the other meets
    its k-th, and the reverse; of no length where they are not wanted.
    """
    width = products.shape[1]
    order, squares = np.empty(width, np.int32), np.empty(width)
    place, ends = np.empty(width, np.int32), np.empty(width + 1, np.int32)
    share = _LEAST
    for number in range(len(products)):
        word, row = first + number, products[number]
        start, end = holders[word] - holders[first], holders[word + 1] - holders[first]
        mine = held[holders[word] : holders[word + 1]]
        if len(own):
            a, b = own[start:end], others[start:end]
        else:
            a, b = own, others
        _measure(vectors, lengths, row, word)
        while True:
            count = _bucket(row, _cut(row, share), order, squares, place, ends)
            near, far = order[:count], ends[: count + 1]
            if _walk(near, squares, far, holders, held, ks, out[number], mine, a, b):
                break
            share *= 1.5
        share = max(_LEAST, 0.98 * share)


@kernel
def walk_lists(
    offsets: Any,
    rows: Any,
    distances: Any,
    first: Any,
    holders: Any,
    held: Any,
    ks: Any,
    out: Any,
    reached: Any,
) -> Any:
    """The same along given lists of neighbours; ``reached`` says where these were long enough."""
    own, sorted_already = np.empty((0, 0, 0), np.int32), np.empty(0, np.int32)
    for number in range(len(reached)):
        mine = held[holders[first + number] : holders[first + number + 1]]
        near = slice(offsets[number], offsets[number + 1])
        squares = distances[near] ** 2
        reached[number] = _walk(
            rows[near], squares, sorted_already, holders, held, ks, out[number], mine, own, own
        )


@kernel
def union_block(
    vectors: Any,
    lengths: Any,
    products: Any,
    first: Any,
    holders: Any,
    held: Any,
    ks: Any,
    out: Any,
) -> Any:
    """For every (word, document that holds it) of a block × document × k: the distance at which the
    words of both documents together, each counted once, are met for the k-th time."""
    width, documents = products.shape[1], out.shape[1]
    order, squares = np.empty(width, np.int32), np.empty(width)
    place, ends = np.empty(width, np.int32), np.empty(width + 1, np.int32)
    more = np.empty(documents, np.int64)
    for number in range(len(products)):
        word = first + number
        _measure(vectors, lengths, products[number], word)
        _bucket(products[number], np.inf, order, squares, place, ends)
        _sort(order, squares, 0, width - 1)  # nothing leaves its bucket
        for at in range(holders[word], holders[word + 1]):
            mine, target = held[at], out[at - holders[first]]
            more[:] = 0
            own = 0
            for step in range(width - 1):
                near = order[step]
                inside = False
                for i in range(holders[near], holders[near + 1]):
                    inside = inside or held[i] == mine
                if inside:
                    own += 1
                    for document in range(documents):
                        _note(target[document], ks, own + more[document], squares[step])
                    if own == ks[-1]:
                        break
                else:
                    for i in range(holders[near], holders[near + 1]):
                        more[held[i]] += 1
                        _note(target[held[i]], ks, own + more[held[i]], squares[step])


@kernel
def _note(row: Any, ks: Any, count: Any, square: Any) -> Any:
    for i in range(len(ks)):
        if count == ks[i]:
            row[i] = np.sqrt(square)


@kernel
def _walk(
    order: Any,
    squares: Any,
    ends: Any,
    holders: Any,
    held: Any,
    ks: Any,
    out: Any,
    mine: Any,
    own: Any,
    others: Any,
) -> Any:
    """One word. False when some document did not meet its largest k. Buckets end at ``ends``; none
    are given where all is in order."""
    documents = len(out)
    bucket, ready = 0, 0 if len(ends) else len(order)
    met, stage = np.zeros(documents, np.int32), np.zeros(documents, np.int32)
    left = documents
    for step in range(len(order)):
        if step == ready:
            while ends[bucket] == ready:
                bucket += 1
            _sort(order, squares, ready, ends[bucket])
            ready = ends[bucket]
        near = order[step]
        for at in range(holders[near], holders[near + 1]):
            met[held[at]] += 1
        for at in range(holders[near], holders[near + 1]):
            document = held[at]
            now = stage[document]
            if now == len(ks) or met[document] != ks[now]:
                continue
            out[document, now] = np.sqrt(squares[step])
            stage[document] += 1
            left -= stage[document] == len(ks)
            for i in range(len(own)):
                own[i, document, now] = met[mine[i]]
                if mine[i] == document:
                    others[i, :, now] = met
        if left == 0:
            return True
    return False


@kernel
def _measure(vectors: Any, lengths: Any, products: Any, word: Any) -> Any:
    """Turn inner products with a word into squared distances; its own becomes infinite."""
    for other in range(len(products)):
        products[other] = lengths[word] + lengths[other] - 2 * products[other]
    for other in range(len(products)):
        if products[other] < _CLOSE * lengths[other]:
            products[other] = 0.0
            for axis in range(vectors.shape[1]):
                products[other] += (vectors[word, axis] - vectors[other, axis]) ** 2
    products[word] = np.inf


@kernel
def _cut(values: Any, share: Any) -> Any:
    """A value that about ``share`` of all lie under, from a sample."""
    if share >= 1 or len(values) < 2 * _SAMPLE:
        return np.inf
    some = np.sort(values[:: len(values) // _SAMPLE])
    return some[int(share * len(some))]


@kernel
def _bucket(values: Any, cut: Any, order: Any, squares: Any, place: Any, ends: Any) -> Any:
    """The places of all finite values up to ``cut``, in buckets of equal width, by place in each.
    Gives their number. ``ends`` then says where each bucket ends; ``place`` is room to work in."""
    count, low, high = 0, np.inf, 0.0
    for at in range(len(values)):
        value = values[at]
        if value <= cut and value < np.inf:
            place[count] = at
            count += 1
            low, high = min(low, value), max(high, value)
    scale = (count - 1) * (1 - 1e-12) / (high - low) if high > low else 0.0
    ends[: count + 1] = 0
    for i in range(count):
        ends[int((values[place[i]] - low) * scale) + 1] += 1
    for bucket in range(count):
        ends[bucket + 1] += ends[bucket]
    for i in range(count):
        value = values[place[i]]
        bucket = int((value - low) * scale)
        squares[ends[bucket]], order[ends[bucket]] = value, place[i]
        ends[bucket] += 1
    return count


@kernel
def _sort(order: Any, squares: Any, start: Any, end: Any) -> Any:
    """By insertion: a bucket holds few, and equal squares stay in the order of their numbers."""
    for at in range(start + 1, end):
        square, other, to = squares[at], order[at], at
        while to > start and squares[to - 1] > square:
            squares[to], order[to] = squares[to - 1], order[to - 1]
            to -= 1
        squares[to], order[to] = square, other
