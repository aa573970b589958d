"""Arrays whose blocks are checked as they are read: nothing damaged is returned, nor read first."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import CorruptError
from lexfield.store.checked import CheckedArray
from lexfield.store.files import BLOCK, block_sums
from lexfield.store.folder import Store, write

VALUES = np.arange(3 * BLOCK // 4, dtype=np.int32)  # three blocks and a header
BAD = 2 * BLOCK // 4  # a place in the third block


@pytest.fixture
def damaged(tmp_path: Path) -> Store:
    with write(tmp_path / "s", "test") as out:
        out.array("values", VALUES)
    store = Store.open(tmp_path / "s")
    file = tmp_path / "s" / store.generation / "values.npy"
    with open(file, "r+b") as raw:
        raw.seek(-4 * (len(VALUES) - BAD), 2)
        raw.write(b"\xff")
    return Store.open(tmp_path / "s")


def test_blocks_that_are_as_written_are_returned(damaged: Store) -> None:
    values = damaged.checked("values")
    assert values[7] == 7
    assert values[5:9].tolist() == [5, 6, 7, 8]
    assert values[np.array([1, 1000, -len(VALUES)])].tolist() == [1, 1000, 0]
    assert len(values[9:3]) == 0 and len(values[np.array([], int)]) == 0


@pytest.mark.parametrize(
    "key",
    [BAD, BAD - len(VALUES), slice(None), slice(BAD, BAD + 1), slice(None, None, -1), ...,
     np.array([3, BAD]), np.array([BAD - len(VALUES)]), np.zeros(len(VALUES), bool)],
    ids=str,
)  # fmt: skip
def test_damage_is_found_before_it_is_returned(damaged: Store, key: object) -> None:
    values = damaged.checked("values")
    for _ in range(2):  # an error does not count as a check
        with pytest.raises(CorruptError, match=r"values\.npy: block 2 "):
            values[key]


def test_a_slice_is_checked_beyond_a_block_that_was(damaged: Store) -> None:
    values, second = damaged.checked("values"), BLOCK // 4 + 9
    assert values[second] == second
    with pytest.raises(CorruptError, match=r"values\.npy: block 2 "):
        values[second : BAD + 1]


def test_only_blocks_that_are_read_are_checked(damaged: Store) -> None:
    values = damaged.checked("values")
    last = (2 * BLOCK - values._start) // 4 - 1  # of the second block
    assert values[last] == last and values[last - 1 : last + 1][1] == last
    with pytest.raises(CorruptError):
        values[last + 1]


def test_ranges_are_checked_before_they_may_be_read(damaged: Store) -> None:
    values = damaged.checked("values")
    good = np.array([5, 8, BLOCK // 8]), np.array([9, 8, BLOCK // 4])
    assert values.check_ranges(*good)[5:9].tolist() == [5, 6, 7, 8]
    for bad in (BAD - BLOCK // 4, BAD, BAD + 7):
        with pytest.raises(CorruptError, match=r"values\.npy: block 2 "):
            values.check_ranges(np.array([0, bad]), np.array([3, BAD + 8]))


def test_the_whole_is_checked_by_everything_else(damaged: Store) -> None:
    values = damaged.checked("values")
    for use in (np.asarray, np.sum, lambda v: v + 1, lambda v: v == 3, lambda v: v.tolist(),
                lambda v: damaged.array("values")):  # fmt: skip
        with pytest.raises(CorruptError):
            use(values)


def test_numbers_outside_are_errors(damaged: Store) -> None:
    for key in (len(VALUES), -len(VALUES) - 1):
        with pytest.raises(IndexError):
            damaged.checked("values")[key]


def test_a_row_in_two_blocks_is_checked_in_both(tmp_path: Path) -> None:
    with write(tmp_path / "s", "test") as out:
        out.array("values", np.arange(BLOCK, dtype=np.int32).reshape(-1, 4096)[:, :3000])
    store = Store.open(tmp_path / "s")
    file = tmp_path / "s" / store.generation / "values.npy"
    row = (BLOCK - 128) // 12_000  # the first that reaches into the second block
    with open(file, "r+b") as raw:
        raw.seek(BLOCK + 1)
        raw.write(b"\xff")
    for key in (np.array([row]), row, slice(row, row + 1)):
        with pytest.raises(CorruptError, match="block 1 "):
            Store.open(tmp_path / "s").checked("values")[key]
    assert len(Store.open(tmp_path / "s").checked("values")[np.array([row - 1])]) == 1


def test_bytes_after_an_array_are_damage(tmp_path: Path) -> None:
    """However right their checksum is."""
    path = tmp_path / "x.npy"
    np.save(path, VALUES[:10])
    path.write_bytes(path.read_bytes() + b"more")
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with pytest.raises(CorruptError, match="is not an array"):
        CheckedArray.open(mapped, block_sums(path.read_bytes()), path)
