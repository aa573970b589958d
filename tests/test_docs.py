"""The documentation: every snippet runs, every verb and every method has its place, it builds."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

import lexfield
from lexfield.cli.main import cli
from lexfield.search.index import Index
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs import list_functions
from tests import snippets

DOCS = snippets.ROOT / "docs"
build_site = importlib.import_module("scripts.build_site")
run_notebooks = importlib.import_module("scripts.run_notebooks")
make_reference = importlib.import_module("scripts.make_reference")
PAGES = list(snippets.pages())
EXECUTED = ("console", "python")
SHOWN = ("text", "json")  # output, and the shape of an answer
SHELL = ("serve.md", "scale.md", "reliability.md")  # calls of the API; a cluster; hours of faults
METHODS = sorted((DOCS / "methods").glob("*.md"))


def name(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.fixture(scope="session")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the tutorial builds, for the pages that go on from there."""
    folder = tmp_path_factory.mktemp("indexes")
    snippets.build_indexes(folder)
    return folder


SNIPPET = re.compile(r"^```(console|python)", re.M)
WITH_SNIPPETS = [page for page in PAGES if SNIPPET.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", WITH_SNIPPETS, ids=name)
def test_snippets_run_as_printed(page: Path, indexes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    shutil.copytree(indexes, folder)
    snippets.prepare(folder)
    text = page.read_text("utf-8")
    snippets.check_commands(text, folder)
    snippets.check_python(text, folder, name(page))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_snippet_is_left_out(page: Path) -> None:
    text = page.read_text("utf-8")
    kinds = set(re.findall(r"^```(\S*)$", text, re.M)) - {""}
    allowed = {*EXECUTED, *SHOWN, *(("sh",) if page.name in SHELL else ())}
    assert kinds <= allowed
    outside = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    assert not re.findall(r"^ {4}(?:\$ |lexfield |lx\.|pip |python )", outside, re.M)


def test_the_calls_of_the_api_run(indexes: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="the extra 'serve' is not installed")
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    from tests.serve.live import served

    shutil.copytree(indexes / "sample.idx", tmp_path / "my.idx")
    Index.open(tmp_path / "my.idx").fit_topics(6, passes=2)
    (tmp_path / "march.txt").write_text("One fine day the cat came home.", "utf-8")
    code = "".join(snippets.blocks((DOCS / "serve.md").read_text("utf-8"), "sh"))
    with served(tmp_path / "my.idx", "--folder", tmp_path / "made") as address:
        script = code.replace("http://127.0.0.1:8000", address).replace("curl", "curl -sSf")
        *calls, last = script.strip().split("\n")  # the last deletes what a job is still making
        assert "DELETE" in last
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(calls)],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_every_verb_is_documented() -> None:
    listed = (DOCS / "cli.md").read_text("utf-8")
    verbs = (DOCS / "reference" / "verbs.md").read_text("utf-8")
    generated = ("cli.md", "verbs.md")
    prose = "".join(page.read_text("utf-8") for page in PAGES if page.name not in generated)
    prose += (snippets.ROOT / "README.md").read_text("utf-8")
    for name in cli.list_commands(click.Context(cli)):
        assert f"## lexfield {name}\n" in listed
        assert f"lexfield {name}" in prose, f"no page explains {name}"
    for name in list_functions():
        assert f"## {name}\n" in verbs


@pytest.mark.parametrize("path", make_reference.PAGES, ids=name)
def test_the_reference_is_up_to_date(path: Path) -> None:
    page = make_reference.PAGES[path]()
    assert path.read_text("utf-8") == page, "run: python scripts/make_reference.py"


@pytest.mark.parametrize("page", METHODS, ids=name)
def test_a_method_has_its_cost_its_use_and_a_picture(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.search(r"^!\[.+\]\(.+\.png\)", text, re.M), "a picture"
    assert re.search(r"\bcosts?\b|Cost", text), "what it costs"
    assert re.search(r"When to use|Which to use|Use it|use when", text), "when to use it"
    assert re.search(r"[Ww]hen not|not for|no finding|Do not|do not use", text), "and when not"


def test_every_public_name_has_its_reference() -> None:
    page = (DOCS / "reference" / "python.md").read_text("utf-8")
    for public, home in lexfield._HOMES.items():
        assert f"::: {home}.{public}\n" in page or public in list_functions(), public


def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="the extra 'docs' is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra 'docs' is not installed")
    build_site.build(tmp_path / "site")
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) >= len(PAGES) + len(run_notebooks.NOTEBOOKS)
    for page in pages:  # nothing is fetched from elsewhere
        text = page.read_text("utf-8")
        assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//', text)
        assert "cannot be found" not in text
        assert "assets/disk.js" in text  # search works on pages opened from the disk
    assert (tmp_path / "site" / "search.js").read_text("utf-8").startswith("var __index = {")


@pytest.mark.parametrize("path", run_notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_show_what_they_did(path: Path) -> None:
    stored = run_notebooks.render(path)
    made = json.loads(path.read_text("utf-8"))
    assert all(cell["outputs"] for cell in made["cells"] if cell["cell_type"] == "code")
    text = run_notebooks.render_cells(run_notebooks.run(path)["cells"], path.name)
    picture = re.compile(r"data:image/png;base64,[^\"]+")
    assert picture.sub("", text) == picture.sub("", stored), "run: scripts/run_notebooks.py"


LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", [*PAGES, snippets.ROOT / "README.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.S)
    for link in LINK.findall(text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    words = (re.sub(r"[^\w\s-]", "", title.lower()).strip() for title in titles)
    return {re.sub(r"[-\s]+", "-", word) for word in words}


CODE = re.compile(r"```.*?```|`[^`\n]*`|<[^>\n]+>|\]\([^)]*\)|https?://\S+|\$[^$\n]+\$", re.S)
RECORDS = (  # written by programs, or full of the names of others
    "cli.md", "verbs.md", "python.md", "licences.md", "results.md", "leaderboard.md", "papers.md",
    "format.md", "reliability.md", "scale.md",
)  # fmt: skip
PROSE = [page for page in PAGES if page.name not in RECORDS and page.parent.name != "decisions"]
DOUBLED = re.compile(r"\b(the|a|an|of|to|in|is|are|and|for|it|on|with|by|be|or) \1\b")
BANNED = (
    "allows to", "informations", "utilize", "leverage", "in order to", "click here", "and/or",
    "please note", "it should be noted", "obviously", "trivially",
)  # fmt: skip

LONGEST = 45  # words of a sentence, or of a part of it up to a colon or semicolon


@pytest.mark.parametrize("page", [*PROSE, snippets.ROOT / "README.md"], ids=lambda page: page.name)
def test_no_sentence_is_too_long(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    text = re.sub(r"^\s*\|.*$|^(?:#+ | {4}|!\[).*$", "", text, flags=re.M)
    for paragraph in re.split(r"\n\s*\n|^\s*- ", text, flags=re.M):
        for sentence in re.split(r"(?<=[.?!:;])\s+", " ".join(paragraph.split())):
            assert len(sentence.split()) <= LONGEST, sentence


def test_spelling_and_prose() -> None:
    """Words are known to the vectors, the sources or docs/words.txt; some phrases are banned."""
    known = set(WordVectors.default().words)
    known |= set((DOCS / "words.txt").read_text("utf-8").split())
    for folder in ("src", "reproduce"):  # terms of art
        for path in (snippets.ROOT / folder).rglob("*.py"):
            known |= set(re.findall(r"[a-z]{3,}", path.read_text("utf-8").lower()))
    unknown: dict[str, str] = {}
    for page in [*PROSE, snippets.ROOT / "README.md"]:
        text = CODE.sub(" ", page.read_text("utf-8"))
        for word in re.findall(r"[A-Za-z][a-z]{2,}(?:'[a-z]+)?", text):
            lower = word.lower().removesuffix("'s")
            if lower not in known:
                unknown[word] = page.name
        assert not DOUBLED.search(text), f"{page.name}: {DOUBLED.findall(text)}"
        found = [phrase for phrase in BANNED if phrase in text.lower()]
        assert not found, f"{page.name}: {found}"
    assert not unknown, f"correct them, or add them to docs/words.txt: {sorted(unknown)}"
