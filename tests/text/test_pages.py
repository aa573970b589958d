"""Web pages and Markdown: their text, encoding and front matter."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.text.test_formats import write

from lexfield.text.formats.html import to_text
from lexfield.text.formats.markdown import split_front_matter
from lexfield.text.read import Reader


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a<br>b", "a\nb"),
        ("<nav>menu<p>never closed", "menu\n\nnever closed"),
        ("<main><header>T</header>" + "long " * 9 + "</main><p>x", "T\n\n" + ("long " * 9).strip()),
        ("1 < 2 &amp; 3 &lt;b&gt;", "1 < 2 & 3 <b>"),
        ("<script>x", ""),
        ("a<!-- b", "a"),
        ("<p>a <a href=x>b</a>", "a b"),
        ('<p title="a<b">c', 'c'),
        ('<p>a<div hidden>b<div>c</div>d</div>e', "a\n\ne"),
        ('<p>a<div style="color: red; display: none">b</div>c', "a\n\nc"),
        ('<p>a<div class="hidden" aria-hidden="true">b</div>c', "a\n\nb\n\nc"),
        ('<p hidden>a<p>b', "a\n\nb"),
    ],
)  # fmt: skip
def test_pages(tmp_path: Path, page: str, text: str) -> None:
    (found,) = Reader(write(tmp_path / "a.html", page.encode()))
    assert found.text == text


@pytest.mark.parametrize(
    ("start", "is_page"),
    [
        ("\ufeff<!DOCTYPE html>\n", True), ('<?xml version="1.0"?><!-- a --><HTML id="a">', True),
        ("html> is a mark.", False), ("<htmlx>", False), ("A <html> page.", False),
    ],
)  # fmt: skip
def test_a_page_is_known_by_its_beginning(tmp_path: Path, start: str, is_page: bool) -> None:
    (found,) = Reader(write(tmp_path / "a.txt", f"{start}<p>Some text".encode()))
    assert (found.text == "Some text") == is_page


def test_a_page_declares_its_encoding(tmp_path: Path) -> None:
    page = '<meta charset="windows-1251"><p>Привет, мир'.encode("cp1251")
    (found,) = Reader(write(tmp_path / "a.html", page))
    assert found.text == "Привет, мир"


@pytest.mark.parametrize(
    "unit", ["<a ", "<!--", "<a '\"", "<script>", "</p", "<p>x", "&amp", "<a href='", "<![CDATA["]
)
def test_long_lines_take_linear_time(unit: str) -> None:
    started = time.process_time()
    to_text(unit * (400_000 // len(unit)))
    assert time.process_time() - started < 3


def test_front_matter_in_toml() -> None:
    text = """+++
title = "A: b"
authors = ["B", "C"]
date = 2021-03-04
draft = false
[extra]
x = 1
+++

Body.
"""
    fields = {"title": "A: b", "author": "B, C", "date": "2021-03-04", "draft": "false"}
    assert split_front_matter(text) == (fields, "Body.\n")
    for plain in ("+++\nA line.\n+++\nB.", "+++\nx = 1\nB.", "+++\n" + "x=[" * 6000 + "\n+++\n"):
        assert split_front_matter(plain) == ({}, plain)


def test_front_matter_of_several_lines() -> None:
    text = "---\nabout: >-\n  One line,\n  and: another.\ntitle: A\n---\nBody."
    assert split_front_matter(text) == ({"about": "One line, and: another.", "title": "A"}, "Body.")


def test_front_matter() -> None:
    text = "---\ntitle: A\nauthors:\n  - B\n  - 'C'\nempty:\n---\n\nBody.\n"
    assert split_front_matter(text) == ({"title": "A", "author": "B, C"}, "Body.\n")
    for plain in ("---\nA rule.\n---\nMore.", "--- a: b", "---\na: b\n", "", "a: b\n---\n"):
        assert split_front_matter(plain) == ({}, plain)
