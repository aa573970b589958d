"""Shared fixtures: every test has a home of its own, and real data only where it is at hand."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from lexfield.compare.measures import MEASURES
from lexfield.registry import Registry
from lexfield.sample import METADATA, TEXTS
from lexfield.search.registry import METHODS
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import TOKENIZERS
from lexfield.text.readers import READERS

SHARED = Path(__file__).parents[2] / "shared" / "data"
REPRODUCE = Path(__file__).parents[1] / "reproduce"
# The first example compiles kernels, and machines are busy: time is what benchmarks measure.
settings.register_profile("lexfield", deadline=None)
settings.load_profile("lexfield")
_HOMES = itertools.count()


def import_reproduce(name: str) -> ModuleType:
    """Import a module of ``reproduce``, which is a folder of scripts and not a package."""
    sys.path.insert(0, str(REPRODUCE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(REPRODUCE))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Do not wait for the disk: to flush an index takes longer than to build a small one.

    The tests of the store wait; those of faults check that it is asked to flush.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "store" not in item.path.parts:
            patch.setattr(os, "fsync", lambda handle: None)
        return (yield)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing a test does touches the user's vectors."""
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_HOMES))  # mktemp lists all others
    home.mkdir(parents=True)
    monkeypatch.setenv("LEXFIELD_HOME", str(home))
    monkeypatch.setenv("NO_COLOR", "1")
    return home


@pytest.fixture(autouse=True)
def own_extensions() -> Iterator[None]:
    """What a test registers is gone after it."""
    tables: list[Registry[Any]] = [METHODS, MEASURES, READERS, TOKENIZERS]
    before = [dict(table._things) for table in tables]
    yield
    for table, things in zip(tables, before, strict=True):
        table._things = things


@pytest.fixture(scope="session")
def sample() -> Corpus:
    return Corpus.read(TEXTS, metadata=METADATA)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the real corpora (../shared/data) are not here")
    return SHARED
