"""Same input, same bytes: with one thread and with two (``make fault`` compares more runs)."""

from __future__ import annotations

from pathlib import Path

from tests.fault.bytes import compared


def test_the_same_bytes_with_one_thread_and_with_two(tmp_path: Path) -> None:
    names = ("index", "topics", "tickets", "metric", "small", "search")
    found = compared(tmp_path, (("one", 1), ("two", 2)), names)
    assert found["digests"] >= 11 and found["differ"] == []
