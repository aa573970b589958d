"""The page is offline, without inline scripts, checked, and puts no text in as markup."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.serve.app import STATIC, VIEWS
from lexfield.serve.guard import PLOT_STYLE
from tests.serve.live import missing

ROOT = Path(__file__).parents[2]
VENDOR = STATIC / "vendor"
SCATTER = ROOT / "src" / "lexfield" / "plots" / "static" / "scatter.js"  # served beside them
FILES = [path for path in STATIC.rglob("*") if path.is_file() and path.parent != VENDOR]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|dangerously"
)


def test_every_view_has_its_script() -> None:
    main = (STATIC / "main.js").read_text("utf-8")
    for view in VIEWS:
        assert view == "read" or (STATIC / "views" / f"{view}.js").is_file(), view
        assert re.search(rf"\b{view}: \[", main), view


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    found = re.findall(r"https?://[^\s\"'`)<]+|url\((?!#)[^)]*\)", text)
    assert set(found) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_checked_narrow_and_write_no_markup(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not _MARKUP.search(text)
    assert path.name == "theme.js" or text.startswith("// @ts-check\n")
    assert max(map(len, text.splitlines())) < 120
    assert len(text.splitlines()) <= 400


def test_the_document_has_no_inline_script_or_style() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


def test_the_first_load_is_small() -> None:
    first = {path for path in FILES if path.suffix in (".css", ".html")}
    waiting = {STATIC / "theme.js", STATIC / "main.js"}
    while waiting:  # what a script imports, not what it loads when it is needed
        first.add(path := waiting.pop())
        names = re.findall(r'^import .* from "(.+)";$', path.read_text("utf-8"), re.M)
        found = {(path.parent / name).resolve() for name in names}
        waiting |= {SCATTER if one.name == SCATTER.name else one for one in found} - first
    assert {VENDOR / "preact-htm.js", SCATTER, STATIC / "lib" / "reader.js"} <= first
    assert sum(path.stat().st_size for path in first) < 330_000  # and that is not compressed


def test_vendored_files_are_as_their_makers_published_them() -> None:
    listed = json.loads((VENDOR / "manifest.json").read_text("utf-8"))
    assert {one["file"] for one in listed} == {path.name for path in VENDOR.glob("*.js")}
    licences = (VENDOR / "LICENCES.txt").read_text("utf-8")
    for one in listed:
        data = (VENDOR / one["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one["sha256"], one["file"]
        assert one["licence"] and one["version"] in licences, one["file"]


def test_the_policy_allows_the_style_that_plot_writes_and_no_other() -> None:
    plot = (VENDOR / "plot.umd.min.js").read_text("utf-8")
    name = re.search(r"plot-[0-9a-f]{6}", plot)
    style = re.search(r'append\("style"\)\.text\(`(:where\(\.\$\{c\}\) [^`]*)`\)', plot)
    assert name and style
    text = style[1].replace("${c}", name[0]).replace("\\n", "\n")
    assert b64encode(hashlib.sha256(text.encode()).digest()).decode() == PLOT_STYLE


def test_the_types_are_those_of_the_api() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_page_types.py"))
    assert made["TYPES"].read_text("utf-8") == made["write_types"](), (
        "run scripts/make_page_types.py"
    )


@pytest.mark.parametrize("tool", ["tsc", "prettier"])
def test_scripts_pass_the_type_checker_and_the_formatter(tool: str) -> None:
    found = ROOT / "node_modules" / ".bin" / tool
    if not found.exists():
        missing(tool, "npm install --no-save typescript@5 prettier@3")
    options = ["-p", "."] if tool == "tsc" else ["--check", *map(str, SCRIPTS)]
    done = subprocess.run([found, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
