"""The tables that users can extend."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from lexfield.errors import InputError
from lexfield.registry import Registry


def test_a_registered_thing_is_found_by_name() -> None:
    table = Registry("measure", "lexfield.measures", {"js": 1})
    table.register("mine", 2)
    assert table.get("mine") == 2
    assert table.names() == ["js", "mine"]


def test_an_unknown_name_is_an_error_with_the_nearest_name() -> None:
    table = Registry("measure", "lexfield.measures", {"hellinger": 1})
    with pytest.raises(InputError, match="no measure named 'helinger'") as caught:
        table.get("helinger")
    assert "'hellinger'" in caught.value.hint


def test_lexfields_own_things_cannot_be_replaced() -> None:
    table = Registry("measure", "lexfield.measures", {"js": 1})
    with pytest.raises(InputError, match="'js' is a built-in measure"):
        table.register("js", 2)


def test_an_installed_package_adds_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "extra_measures.py").write_text("half = 0.5\n", "utf-8")
    info = tmp_path / "extra-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: extra\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[lexfield.measures]\nhalf = extra_measures:half\n", "utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    table = Registry("measure", "lexfield.measures", {"js": 1.0})
    assert table.get("half") == 0.5
    assert table.names() == ["half", "js"]


def test_a_class_stands_for_an_object_where_the_table_holds_objects() -> None:
    class Reader:
        pass

    class Needy:
        def __init__(self, path: str) -> None: ...

    table: Registry[object] = Registry("reader", "lexfield.none", {}, instantiate=True)
    table.register("mine", Reader)
    assert isinstance(table.get("mine"), Reader)
    with pytest.raises(InputError, match="The class Needy needs arguments"):
        table.register("needy", Needy)
