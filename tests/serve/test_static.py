"""The page is offline, without inline scripts, small, and puts no text in as markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.serve.app import STATIC, VIEWS

FILES = [path for path in STATIC.rglob("*") if path.is_file()]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
_MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function")


def test_every_view_has_its_script() -> None:
    assert {path.stem for path in (STATIC / "views").glob("*.js")} == set(VIEWS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    found = re.findall(r"https?://[^\s\"'`)<]+|url\((?!#)[^)]*\)", text)
    assert set(found) <= {"http://www.w3.org/2000/svg", "url(#${clip})"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_texts_stay_texts(path: Path) -> None:
    assert not _MARKUP.search(path.read_text("utf-8"))


def test_the_document_has_no_inline_script_or_style() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


def test_the_first_load_is_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < 300_000  # and that is not compressed
