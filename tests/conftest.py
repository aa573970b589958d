"""Shared fixtures: every test has a home of its own, and real data only where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.sample import METADATA, TEXTS
from lexfield.text.corpus import Corpus

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing a test does touches the user's vectors."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("LEXFIELD_HOME", str(home))
    monkeypatch.setenv("NO_COLOR", "1")
    return home


@pytest.fixture(scope="session")
def sample() -> Corpus:
    return Corpus.read(TEXTS, metadata=METADATA)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the real corpora (../shared/data) are not here")
    return SHARED
