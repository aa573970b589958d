"""A sample of what ``make fault`` does at length: no question gets the answer to another."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from tests.fault.mixed import mix


def test_every_answer_is_that_of_a_fresh_process(tmp_path: Path) -> None:
    found = mix(tmp_path, asked=150, clients=10, distinct=12, poisons=15, seed=1)
    assert found.wrong == []
    assert sum(found.answers.values()) == 150 and len(found.answers) == 2
    assert len(found.poisons) >= 4
