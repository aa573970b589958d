"""The table of a set cover in two passes over the lists of rows, compiled.

``matches.py`` has the same in NumPy, which gives the same bits, and uses this where it has been
imported: it takes half a second to load, which is worth it for a server but not for one search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel

Array = NDArray[Any]


@kernel
def add_values(
    row: Array, sizes: Array, values: Array, scale: Array, eligible: Array, total: Array
) -> tuple[Array, Array]:
    """Add the value of each list, times the scale of the row, to its rows; gives those that are
    eligible and have got any, in the order they are met, and their totals."""
    touched = np.empty(len(row), np.int64)
    at, count = 0, 0
    for entry in range(len(sizes)):
        end = at + sizes[entry]
        if values[entry] > 0:
            for place in range(at, end):
                one = np.uint32(row[place])  # never counted from the end
                before = total[one]
                after = before + values[entry] * scale[one]
                total[one] = after
                touched[count] = one
                count += (before == 0) & (after > 0)
        at = end
    totals, kept = np.empty(count), 0
    for place in range(count):
        one = np.uint32(touched[place])
        touched[kept], totals[kept] = one, total[one]
        kept += eligible[one]
    return touched[:kept], totals[:kept]


@kernel
def best_values(
    row: Array,
    sizes: Array,
    values: Array,
    scale: Array,
    places: Array,
    candidates: Array,
    total: Array,
    highest: Array,
    matched: Array,
    holds: Array,
) -> None:
    """For each query word and candidate the list of the highest value, of equals the first; and
    for each list the candidates in it.

    ``total`` tells meanwhile which rows are candidates, and is cleared.
    """
    for candidate in range(len(candidates)):
        total[candidates[candidate]] = -1.0 - candidate
    at = 0
    for entry in range(len(sizes)):
        place = places[entry]
        for _ in range(sizes[entry]):
            one = np.uint32(row[at])
            at += 1
            if total[one] < 0:
                candidate = int(-1.0 - total[one])
                holds[entry, candidate] = True
                value = values[entry] * scale[one]
                if matched[place, candidate] < 0 or value > highest[place, candidate]:
                    highest[place, candidate] = value
                    matched[place, candidate] = entry
    for one in row:
        total[one] = 0.0
