from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from lexfield.errors import InputError, ReadError
from lexfield.topics.mixtures import check_mixture, check_mixtures, read_mixtures

ROWS = np.array([[0.5, 0.5], [0.25, 0.75]])


def test_good_rows_are_left_alone() -> None:
    matrix, notes = check_mixtures(ROWS)
    assert matrix is ROWS or np.shares_memory(matrix, ROWS)
    assert not notes
    assert check_mixtures(ROWS.astype(np.float32))[0].dtype == np.float32
    assert check_mixtures([[1, 0], [0, 1]])[0].dtype == np.float64


def test_nearly_one_is_scaled_with_a_note() -> None:
    nearly = ROWS * [[1 + 5e-7], [1.0]]
    matrix, notes = check_mixtures(nearly)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-15)
    assert notes == ["1 rows of the mixtures summed to one only within 1e-6 and were rescaled"]
    assert nearly[0].sum() > 1  # what was given is not touched


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ROWS * 1.00001,
            "Row 0 of the mixtures is not a probability distribution: it sums to 1.00001",
        ),
        ([[0.5, 0.5], [1.5, -0.5]], "Row 1 .* negative value"),
        ([[0.5, 0.5], [np.nan, 1]], "Row 1 .* NaN"),
        ([[0.5, 0.5], [np.inf, 0]], "Row 1 .* infinite"),
        ([[0.5, 0.5], [0.0, 0.0]], "all zeros: a document without words"),
        ([[0.5, 0.5], [1.0]], "different lengths"),
        ([0.5, 0.5], "must be a matrix"),
        (np.empty((0, 3)), "must be a matrix"),
    ],
)
def test_what_is_refused(rows: ArrayLike, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_mixtures(rows)


def test_one() -> None:
    with pytest.raises(InputError, match="has 2 topics where 3 are expected"):
        check_mixture([0.5, 0.5], 3)


def test_files(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", ROWS)
    matrix, ids, notes = read_mixtures(tmp_path / "m.npy")
    np.testing.assert_array_equal(matrix, ROWS)
    assert ids is None and not notes
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY nonsense")
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    for name in ("bad.npy", "objects.npy"):
        with pytest.raises(ReadError, match="cannot be read as a NumPy array"):
            read_mixtures(tmp_path / name)
    with pytest.raises(ReadError, match="does not exist"):
        read_mixtures(tmp_path / "none.npy")
    (tmp_path / "m.txt").write_text("x")
    with pytest.raises(ReadError, match=r"neither .npy nor .parquet"):
        read_mixtures(tmp_path / "m.txt")


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"id": ["a", "b"], "t0": ROWS[:, 0], "t1": ROWS[:, 1]})
    parquet.write_table(table, tmp_path / "m.parquet")
    matrix, ids, _ = read_mixtures(tmp_path / "m.parquet")
    np.testing.assert_array_equal(matrix, ROWS)
    assert ids == ["a", "b"]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(ReadError, match="cannot be read as a table"):
        read_mixtures(tmp_path / "bad.parquet")
