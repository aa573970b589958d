"""Where the hand changes along a text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def find_changes(p: Matrix, cost: float = 3.0) -> list[int]:
    """Return the author of each window of a text: the sequence of greatest probability in which
    every change costs ``cost`` nats (Viterbi 1967), so that one doubtful window is no other hand.
    """
    logs = np.log(np.maximum(p, 1e-12))
    best, back = logs[0], []
    for row in logs[1:]:
        change = int(best.argmax())
        stays = best >= best[change] - cost
        back.append(np.where(stays, np.arange(len(best)), change))
        best = np.where(stays, best, best[change] - cost) + row
    path = [int(best.argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1]
