from __future__ import annotations

import os

import pytest

from tests.fault.artefacts import Artefact, make_all


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Artefact]:
    before = os.environ.get("LEXFIELD_HOME")
    os.environ["LEXFIELD_HOME"] = str(tmp_path_factory.mktemp("home"))
    made = make_all(tmp_path_factory.mktemp("artefacts"))
    if before is None:
        del os.environ["LEXFIELD_HOME"]
    else:
        os.environ["LEXFIELD_HOME"] = before
    return {one.name: one for one in made}
