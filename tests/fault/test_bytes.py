"""Same input, same bytes: with one thread and with two (``make fault`` compares more runs)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fault.bytes import ask, ask_with, compared


def test_the_same_bytes_with_one_thread_and_with_two(tmp_path: Path) -> None:
    names = ("index", "topics", "tickets", "metric", "small", "search")
    found = compared(tmp_path, (("one", 1), ("two", 2)), names)
    assert found["digests"] >= 11 and found["differ"] == []


def test_answers_on_another_processor_differ_by_rounding_only() -> None:
    """The tolerance of docs/reliability.md."""
    for here, there in zip(ask(), ask_with("BLAS for Prescott"), strict=True):
        assert [id for id, _ in here] == [id for id, _ in there]
        assert [score for _, score in here] == pytest.approx([s for _, s in there], abs=1e-6)
