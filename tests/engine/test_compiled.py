from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lexfield.arrays import Array
from lexfield.engine import compiled, machine_code


def twice(x: float) -> float:
    return 2 * x


def scale(values: Array, factor: float) -> Array:
    return values * factor


def test_kernels_compute() -> None:
    assert compiled.kernel(twice)(3.0) == compiled.reordered_kernel(twice)(3.0) == 6.0


def test_each_type_and_layout_has_code_of_its_own() -> None:
    kernel = compiled.kernel(scale)
    whole = np.arange(12, dtype=np.float32).reshape(3, 4)
    for values in (whole, whole.T, whole[:, ::2], whole.astype(np.int64), whole[0]):
        np.testing.assert_array_equal(kernel(values, 2.0), values * 2.0)
    np.testing.assert_array_equal(kernel(whole, 2), whole * 2)


def add_all(parts: tuple[Array, ...]) -> float:
    total = 0.0
    for values in parts:
        total += values.sum()
    return total


def test_tuples_of_arrays() -> None:
    kernel = compiled.kernel(add_all)
    assert kernel((np.ones(2), np.ones(3))) == 5
    assert kernel((np.ones((2, 2), np.float32),)) == 4


def test_without_a_place_to_keep_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LEXFIELD_KERNELS", str(tmp_path / "file"))
    assert compiled.kernel(twice)(4.0) == 8.0


KERNELS = """
from lexfield.engine.compiled import kernel
import numpy as np

STEP = 1

@kernel
def add(values, more):
    if more < 0:
        raise ValueError("less than nothing")
    return values + more

@kernel
def twice(values, more):
    return 2 * add(values, more) + STEP
"""
PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import kernels, numpy as np
assert kernels.twice(np.arange(2), 1).tolist() == [2 + kernels.STEP, 4 + kernels.STEP]
print("numba" in sys.modules)
"""


def compiles(folder: Path, kernels: str = KERNELS, then: str = "") -> bool:
    """Does a new process that calls the kernels import Numba?"""
    (folder / "kernels.py").write_text(kernels)
    environment = {**os.environ, "LEXFIELD_KERNELS": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM.format(folder=str(folder)) + then]
    answer = subprocess.run(command, capture_output=True, check=True, env=environment, text=True)
    return answer.stdout.split()[-1] == "True"


def test_code_is_kept_until_it_changes_or_is_damaged(tmp_path: Path) -> None:
    assert compiles(tmp_path)
    assert not compiles(tmp_path)
    (path,) = tmp_path.rglob("*.kernel")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 16
    path.write_bytes(data)
    assert compiles(tmp_path)
    assert not compiles(tmp_path)
    assert compiles(tmp_path, KERNELS.replace("values + more", "more + values"))
    assert compiles(tmp_path, KERNELS.replace("STEP = 1", "STEP = 2"))


RAISE = """
try:
    kernels.twice(np.arange(3), -1)
except ValueError as error:
    print(error.args == ("less than nothing",))
"""
AGAIN = """
assert kernels.twice(np.ones(3), 1).tolist() == [5, 5, 5]
print("numba" in sys.modules)
"""


def test_kept_code_raises_errors_and_works_beside_numba(tmp_path: Path) -> None:
    compiles(tmp_path)
    assert compiles(tmp_path, then=RAISE)
    assert compiles(tmp_path, then=AGAIN)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has other permissions")
def test_code_that_others_can_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXFIELD_KERNELS", str(tmp_path))
    for mode in (0o777, 0o770):
        tmp_path.chmod(mode)
        assert not machine_code._is_private(tmp_path)
    tmp_path.chmod(0o755)
    mask = os.umask(0)  # what is kept is private whatever the user's files are
    try:
        compiled.kernel(twice)(3)
    finally:
        os.umask(mask)
    (path,) = tmp_path.glob("*.kernel")
    kernel = compiled.kernel(twice)
    name = f"{kernel._meaning!r} {['int']!r}"  # type: ignore[attr-defined]
    assert machine_code.load(name)
    path.chmod(0o664)
    assert not machine_code.load(name)
