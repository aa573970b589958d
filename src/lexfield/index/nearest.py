"""The rows of a unit whose vectors are nearest to one, exact, without measuring all of them.

A scan of the first part of the sketches bounds every distance from below. Measuring the most
promising rows yields a limit. Rows with a lower bound are compared by the second part of their
sketches, and those still under the limit by all axes. ``axes.py`` says why the bounds hold.

A row may have a credit, which is subtracted from its squared distance and from its bounds: so the
best rows by the sum of two scores are found in the same way, if one of them is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import find_lowest
from lexfield.index.axes import FAR, NEAR, far_bounds, near_bounds
from lexfield.index.units import Unit

_BLOCK = 1 << 14  # rows measured at a time
_NORM = 1e-6  # more than the rounding of a norm changes a squared distance of unit vectors
_PROMISING = 32  # rows measured to find a limit, or
_TIMES = 2  # times as many as are wanted
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
    turned = _turn(unit, vector)
    head = np.zeros(FAR)
    head[: len(turned)] = turned[:FAR]
    weights = (2 * head * unit.steps).astype(np.float32)
    tails = np.array([2 * np.linalg.norm(turned[n:]) for n in (NEAR, FAR)], np.float32)
    # Twice the length of the query in each part, times the largest error of the sketches there.
    rooms = 2 * unit.errors * [np.linalg.norm(head[:NEAR]), np.linalg.norm(head[NEAR:])]
    bounds = near_bounds(unit.near, weights[:NEAR], unit.rests[0], tails[0], unit.squares)
    if credits is not None:
        without = np.isinf(unit.squares) & (credits != 0)
        bounds[without] = _SQUARE - turned @ turned
        bounds -= credits.astype(np.float32)
    if among is not None:
        bounds[~among] = np.inf
    own, measured = float(turned @ turned), _Measured(unit, vector, credits)
    rows = _select_under_limit(measured, own, k, bounds, rooms[0])
    bounds = far_bounds(unit.far, weights[NEAR:], unit.rests, tails, rows, bounds)
    rows = rows[_select_under_limit(measured, own, k, bounds, rooms.sum(), rows)]
    return rows, measured.find(rows)


class _Measured:
    """The rows of a unit that were measured for a query, each once."""

    def __init__(self, unit: Unit, vector: NDArray[np.float32], credits: Credits) -> None:
        self.unit, self.vector, self.credits = unit, vector, credits
        self._rows, self._values = np.empty(0, np.int64), np.empty(0)

    def find(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return squared distances of rows."""
        places = np.searchsorted(self._rows, rows)
        is_known = np.append(self._rows, -1)[places] == rows
        if is_known.all():
            return self._values[places]
        values = np.empty(len(rows))
        values[is_known] = self._values[places[is_known]]
        new = rows[~is_known]
        values[~is_known] = measure(self.unit, self.vector, new)
        if self.credits is not None:
            values[np.isinf(self.unit.squares[rows])] = _SQUARE
        every = np.concatenate([self._rows, new])
        order = np.argsort(every)
        self._rows = every[order]
        self._values = np.concatenate([self._values, values[~is_known]])[order]
        return values


def _turn(unit: Unit, vector: Array) -> NDArray[np.float64]:
    """Return a vector about the centre of a unit, on its axes."""
    centred = (vector - unit.center).astype(np.float64)
    turned: NDArray[np.float64] = centred @ unit.rotation.astype(np.float64)
    return turned


def _select_under_limit(
    measured: _Measured,
    own: float,
    k: int,
    bounds: NDArray[np.float32],
    room: float,
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the places of bounds that do not exceed the ``k``-th value of the most promising
    rows. ``own`` is the squared length of the vector about the centre."""
    places = find_lowest(bounds, min(max(_TIMES * k, _PROMISING), len(bounds)))
    limit, credits = np.inf, measured.credits
    if len(places) >= k:
        own_rows = places if rows is None else rows[places]
        values = measured.find(own_rows)
        if credits is not None:
            values = values - credits[own_rows]
        limit = float(np.partition(values, k - 1)[k - 1])
    largest = 0.0 if credits is None else float(np.abs(credits).max(initial=0))
    # The last terms allow for sums and norms in float32; with both the answer is exact.
    under = limit - own + room + 4e-5 * (abs(limit) + own + largest)
    under += 0 if measured.unit.is_old else _NORM * (1 + float(measured.vector @ measured.vector))
    return np.flatnonzero(bounds <= np.float32(min(under, _LARGEST)))


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
