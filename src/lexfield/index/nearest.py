"""The rows of a unit whose vectors are nearest to one, exact, without measuring all of them.

A scan of the first part of the sketches bounds every distance from below. Measuring the most
promising rows yields a limit. Rows with a lower bound are compared by the second part of their
sketches, and those still under the limit by all axes. ``axes.py`` says why the bounds hold.

A row may have a credit, which is subtracted from its squared distance and from its bounds: so the
best rows by the sum of two scores are found in the same way, if one of them is known.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import find_lowest
from lexfield.index.axes import FAR, NEAR, far_bounds, near_bounds
from lexfield.index.units import Unit

_PART = 1 << 17  # rows scanned at a time, so that their bounds stay in the cache
_BLOCK = 1 << 14  # rows measured at a time
_NORM = 1e-6  # more than the rounding of a norm changes a squared distance of unit vectors
_PROMISING = 32  # rows measured to find a limit, besides as many as are wanted
_FEW = 4  # times as many are few
# No limit, but below the infinity of rows that cannot be returned.
_LARGEST = float(np.finfo(np.float32).max)
_SQUARE = 2.0  # squared distance of unit vectors with nothing in common: that of a row without one
Credits = NDArray[np.float64] | None
Among = NDArray[np.bool_] | None


def find_nearest(
    unit: Unit, vector: NDArray[np.float32], k: int, among: Among, credits: Credits = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return rows that include the ``k`` best, with their squared distances.

    Without credits, rows that have no vector are left out; with them, those that have no credit.
    """
    # Single precision: what that changes is far less than what the limit allows for.
    turned = ((vector - unit.center) @ unit.rotation).astype(np.float64)
    head = np.zeros(FAR)
    head[: len(turned)] = turned[:FAR]
    weights = (2 * head * unit.steps).astype(np.float32)
    own, sizes = float(turned @ turned), [head[:NEAR] @ head[:NEAR], head[NEAR:] @ head[NEAR:]]
    rest = turned[FAR:] @ turned[FAR:]
    tails = np.array([2 * math.sqrt(sizes[1] + rest), 2 * math.sqrt(rest)], np.float32)
    # Twice the length of the query in each part, times the largest error of the sketches there.
    rooms = [2 * error * math.sqrt(size) for error, size in zip(unit.errors, sizes, strict=True)]
    measured = _Measured(unit, vector, own, credits)

    def scan(first: int) -> Array:
        part = slice(first, min(first + _PART, unit.rows))
        bounds: Array = near_bounds(
            unit.near, weights[:NEAR], unit.rests[0], tails[0], unit.squares, part.start, part.stop
        )
        if credits is not None:
            subtract_credits(bounds, unit.squares[part], credits[part], _SQUARE - own)
        if among is not None:
            bounds[~among[part]] = np.inf
        return bounds

    parts: list[tuple[Array, Array]] = []
    firsts = range(0, max(1, unit.rows), _PART)
    for first, bounds in zip(firsts, map_blocks(scan, firsts), strict=True):
        if len(parts) & (len(parts) + 1) == 0:  # 0, 1, 3, 7, …: the limit falls ever more slowly
            measured.lower_limit(k, bounds, rooms[0], first)
        parts.append(measured.select(bounds, rooms[0], first))
    rows, bounds = (np.concatenate(each) for each in zip(*parts, strict=True))
    measured.lower_limit(k, bounds, rooms[0], rows)
    rows, bounds = measured.select(bounds, rooms[0], rows)
    if not measured.has(rows):
        bounds = far_bounds(unit.far, weights[NEAR:], unit.rests, tails, rows, bounds)
        measured.lower_limit(k, bounds, sum(rooms), rows)
        rows, _ = measured.select(bounds, sum(rooms), rows)
    return rows, measured.find(rows)


class _Measured:
    """The rows of a unit that were measured for a query, each once."""

    def __init__(
        self, unit: Unit, vector: NDArray[np.float32], own: float, credits: Credits
    ) -> None:
        """``own`` is the squared length of the vector about the centre."""
        self._unit, self._vector, self._own, self._credits = unit, vector, own, credits
        self._rows, self._values = np.empty(0, np.int64), np.empty(0)  # by row
        self._limit = np.inf
        self._largest = 0.0 if credits is None else float(np.abs(credits).max(initial=0))

    def has(self, rows: NDArray[np.int64]) -> bool:
        """Were all of these rows measured?"""
        return not len(self._find_new(rows))

    def _find_new(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some different rows that were not measured."""
        if not len(self._rows):
            return rows
        places = np.minimum(np.searchsorted(self._rows, rows), len(self._rows) - 1)
        new: NDArray[np.int64] = rows[self._rows[places] != rows]
        return new

    def find(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return squared distances of rows."""
        new = self._find_new(rows)
        if len(new):
            found = measure(self._unit, self._vector, new)
            if self._credits is not None:
                found[np.isinf(self._unit.squares[new])] = _SQUARE
            every, values = np.append(self._rows, new), np.append(self._values, found)
            order = np.argsort(every)
            self._rows, self._values = every[order], values[order]
        return self._values[np.searchsorted(self._rows, rows)]

    def select(
        self, bounds: NDArray[np.float32], room: float, rows: NDArray[np.int64] | int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows whose bounds do not exceed the limit, and these bounds.

        ``rows`` are those of the bounds, or the first of consecutive ones.
        """
        places = np.flatnonzero(bounds <= self._find_highest(room))
        return places + rows if isinstance(rows, int) else rows[places], bounds[places]

    def lower_limit(
        self, k: int, bounds: NDArray[np.float32], room: float, rows: NDArray[np.int64] | int
    ) -> None:
        """Measure the most promising rows, unless few bounds are left that do not exceed the limit:
        this is then at most the ``k``-th of all values."""
        promising = k + _PROMISING
        if np.count_nonzero(bounds <= self._find_highest(room)) <= _FEW * promising:
            return
        best = find_lowest(bounds, promising)
        self.find(best + rows if isinstance(rows, int) else rows[best])
        if len(self._rows) >= k:
            credits = 0 if self._credits is None else self._credits[self._rows]
            self._limit = float(np.partition(self._values - credits, k - 1)[k - 1])

    def _find_highest(self, room: float) -> np.float32:
        """Return the highest bound that a row under the limit may have."""
        # The last terms allow for sums and norms in float32; with both the answer is exact.
        limit = self._limit
        highest = limit - self._own + room + 4e-5 * (abs(limit) + self._own + self._largest)
        if not self._unit.is_old:
            highest += _NORM * (1 + float(self._vector @ self._vector))
        return np.float32(min(highest, _LARGEST))


@kernel
def subtract_credits(bounds: Array, squares: Array, credits: Array, square: float) -> None:
    """Subtract credits from bounds; a row without a vector that has one is as far as ``square``."""
    for row in range(len(bounds)):
        if credits[row] != 0:
            if np.isinf(squares[row]):
                bounds[row] = square
            bounds[row] -= np.float32(credits[row])


def _turn(unit: Unit, vector: Array) -> NDArray[np.float64]:
    """Return a vector about the centre of a unit, on its axes."""
    centred = (vector - unit.center).astype(np.float64)
    turned: NDArray[np.float64] = centred @ unit.rotation.astype(np.float64)
    return turned


def measure(
    unit: Unit, vector: NDArray[np.float32], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return squared distances of rows."""
    if unit.is_old:
        return _measure_axes(unit.axes, rows, _turn(unit, vector))
    own, squares = float(vector.astype(np.float64) @ vector), np.empty(len(rows))
    for first in range(0, len(rows), _BLOCK):
        part = slice(first, first + _BLOCK)
        products, lengths = unit.multiply(vector, rows[part])
        squares[part] = own + lengths**2 - 2 * products
    return squares


@kernel
def _measure_axes(axes: Array, rows: Array, turned: Array) -> NDArray[np.float64]:
    """Return squared distances of some rows; four sums at a time keep the processor busy."""
    squares = np.empty(len(rows))
    whole = len(turned) // 4 * 4
    for place in range(len(rows)):
        row = axes[rows[place]]
        a = b = c = d = 0.0
        for i in range(0, whole, 4):
            a += (row[i] - turned[i]) ** 2
            b += (row[i + 1] - turned[i + 1]) ** 2
            c += (row[i + 2] - turned[i + 2]) ** 2
            d += (row[i + 3] - turned[i + 3]) ** 2
        for i in range(whole, len(turned)):
            a += (row[i] - turned[i]) ** 2
        squares[place] = (a + b) + (c + d)
    return squares
