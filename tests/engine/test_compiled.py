from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import pytest

from lexfield.engine import compiled


def twice(x: float) -> float:
    return 2 * x


def test_kernels_compute() -> None:
    assert compiled.kernel(twice)(3.0) == compiled.reordered_kernel(twice)(3.0) == 6.0


def test_without_a_place_to_keep_code(monkeypatch: pytest.MonkeyPatch) -> None:
    njit = numba.njit

    def unable(cache: bool = False, **options: Any) -> Callable[..., Any]:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        made: Callable[..., Any] = njit(**options)
        return made

    monkeypatch.setattr(numba, "njit", unable)
    assert compiled.kernel(twice)(4.0) == 8.0
