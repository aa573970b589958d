"""The type of an array whose element type does not matter; others are written ``NDArray[...]``."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
