from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from lexfield.engine import compiled
from lexfield.engine.code_cache import is_private


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


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import kernels
assert kernels.twice(3.0) == 6.0
print(sum(kernels.twice.compiled.stats.cache_hits.values()))
"""
KERNELS = """
from lexfield.engine.compiled import kernel

@kernel
def twice(x: float) -> float:
    return 2 * x
"""


def test_damaged_code_is_compiled_again(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)

    def hits() -> int:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        program = PROGRAM.format(folder=str(tmp_path))
        command = [sys.executable, "-c", program]
        return int(subprocess.run(command, capture_output=True, check=True, env=environment).stdout)

    assert (hits(), hits()) == (0, 1)
    for pattern in ("*.nbi", "*.nbc"):
        (path,) = tmp_path.rglob(pattern)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 16
        path.write_bytes(data)
        assert (hits(), hits()) == (0, 1)


def test_a_folder_that_everybody_can_write_is_not_used(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert is_private(str(tmp_path))
    tmp_path.chmod(0o777)
    assert not is_private(str(tmp_path))
