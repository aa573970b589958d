"""The base installation stays light, and the page that lists it is true."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "make_weight_page.py"


@pytest.fixture(scope="module")
def script() -> dict[str, object]:
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def sizes(script: dict[str, object]) -> dict[str, float]:
    packages = script["list_packages"]()  # type: ignore[operator]
    return {name: script["measure_package"](name) for name in packages}  # type: ignore[operator]


def test_the_base_installation_stays_light(
    script: dict[str, object], sizes: dict[str, float]
) -> None:
    assert len(sizes) <= script["MOST_PACKAGES"]  # type: ignore[operator]
    assert sum(sizes.values()) <= script["MOST_MEGABYTES"]  # type: ignore[operator]


def test_the_page_lists_every_package_with_its_size(sizes: dict[str, float]) -> None:
    page = (SCRIPT.parents[1] / "docs" / "weight.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", page, re.M))
    assert listed.keys() == sizes.keys(), "run scripts/make_weight_page.py"
    for name, size in listed.items():
        assert float(size) == pytest.approx(sizes[name], rel=0.25, abs=3), name
