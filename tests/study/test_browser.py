"""A whole study in Debian's chromium: join, keys, too few, quit, resume, the last question."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexfield.study.database import Study
from tests.study.conftest import make

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: no browser tests"
)
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def served(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[str, Path]]:
    """Address and file of a study that a process of its own serves."""
    path = tmp_path / "s.db"
    make(path, request.param, queries=4).close()
    command = ["study", "serve", str(path), "--port", "0", "--no-browser", "--no-token"]
    server = subprocess.Popen(
        [sys.executable, "-m", "lexfield", *command], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    yield server.stdout.readline().strip(), path
    server.kill()
    server.wait()


def watched(browser: Any, **options: Any) -> tuple[Any, list[str]]:
    """A page, and what its console complains of or asks elsewhere."""
    page = browser.new_context(**options).new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda asked: None if "//127.0.0.1:" in asked.url or asked.url == "data:," else
        wrong.append(asked.url),
    )  # fmt: skip
    return page, wrong


@pytest.mark.parametrize("served", ["choose3"], indirect=True)
def test_choose3_with_keys_quit_and_resume(browser: Any, served: tuple[str, Path]) -> None:
    address, path = served
    page, wrong = watched(browser)
    page.goto(address)
    page.get_by_label("Humanities").check()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/question")
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.keyboard.press("Enter")  # two are too few
    assert page.get_by_role("status").inner_text() == "Choose 1 more."
    assert "Question 1 of 4" in page.inner_text("main")
    page.keyboard.press("5")
    page.keyboard.press("2")
    assert page.get_by_role("status").inner_text() == "That is too many: take back 1."
    page.keyboard.press("2")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "Question 2 of 4" in page.inner_text("main")
    offers = page.locator(".offer")
    for number in (0, 1, 2):
        offers.nth(number).click()
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_text("Question 3 of 4").wait_for()
    page.go_back()
    page.goto(f"{address}question")
    third = page.inner_text("blockquote")
    page.get_by_role("button", name="Stop for now").click()
    page.get_by_role("heading", name="Thank you!").wait_for()
    code = page.inner_text(".code")
    assert "2 answers are saved" in page.inner_text("main")

    other, also_wrong = watched(browser)  # another browser, with the code
    other.goto(address)
    other.get_by_label("Your code").fill("wrong")
    other.get_by_role("button", name="Continue").click()
    assert "No participant has this code" in other.get_by_role("alert").inner_text()
    other.get_by_label("Your code").fill(code)
    other.get_by_role("button", name="Continue").click()
    other.get_by_text("Question 3 of 4").wait_for()
    assert other.inner_text("blockquote") == third
    for _ in range(2):
        place = other.inner_text(".progress")
        for key in "123":
            other.keyboard.press(key)
        with other.expect_navigation():
            other.keyboard.press("Enter")
        assert other.inner_text("main") != place
    assert "That was the last question" in other.inner_text("main")
    with Study(path) as study:
        (one,) = study.participants()
        assert one.background == {"field": 0} and study.count_answers(one) == 4
        assert study.answers()[0].chosen == (0, 3, 4)
    assert wrong == [] and [w for w in also_wrong if "400" not in w] == []


@pytest.mark.parametrize("served", ["head2head"], indirect=True)
def test_head2head_on_a_phone_in_the_dark(browser: Any, served: tuple[str, Path]) -> None:
    address, path = served
    page, wrong = watched(
        browser, viewport={"width": 360, "height": 740}, color_scheme="dark", has_touch=True
    )
    page.goto(address)
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) == 360
    page.get_by_role("button", name="Begin").tap()
    page.wait_for_url("**/question")
    assert page.evaluate(wide) == 360
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", background))) < 150
    page.get_by_role("button", name="Save and continue").tap()
    assert page.get_by_role("status").inner_text() == "Choose one of the lists."
    page.locator(".lists li").nth(7).tap()  # anywhere on the second list
    assert page.get_by_label("List 2").is_checked()
    page.get_by_role("button", name="Save and continue").tap()
    page.get_by_text("Question 2 of 4").wait_for()
    page.get_by_role("button", name="Stop for now").tap()
    page.get_by_role("heading", name="Thank you!").wait_for()
    with Study(path) as study:
        assert [answer.chosen for answer in study.answers()] == [(1,)]
    assert wrong == []


@pytest.mark.parametrize("served", ["choose3", "head2head"], indirect=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_contrast(browser: Any, served: tuple[str, Path], scheme: str) -> None:
    """WCAG AA, on every element that holds text: at least 4.5 : 1."""
    address, _ = served
    page, _ = watched(browser, color_scheme=scheme)
    page.goto(address)
    assert page.evaluate(CONTRAST) == []
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/question")
    page.keyboard.press("1")
    assert page.evaluate(CONTRAST) == []
    page.locator(".offer").first.hover()
    assert page.evaluate(CONTRAST) == []
    unlabelled = "[...document.querySelectorAll('input:not([type=hidden])')]"
    assert page.evaluate(f"{unlabelled}.filter(i => !i.labels.length).length") == 0
    page.get_by_role("button", name="Stop for now").click()
    page.get_by_role("heading", name="Thank you!").wait_for()
    assert page.evaluate(CONTRAST) == []


AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not here (npm install axe-core)")
@pytest.mark.parametrize("served", ["choose3", "head2head"], indirect=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, served: tuple[str, Path], scheme: str) -> None:
    address, _ = served
    # axe is put into the page, which its policy would forbid
    page, _ = watched(browser, color_scheme=scheme, bypass_csp=True)

    def violations() -> list[str]:
        page.evaluate(AXE.read_text("utf-8"))
        return [found["id"] for found in page.evaluate("axe.run()")["violations"]]

    page.goto(address)
    assert violations() == []
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/question")
    page.keyboard.press("1")
    assert violations() == []
    page.get_by_role("button", name="Stop for now").click()
    page.get_by_role("heading", name="Thank you!").wait_for()
    assert violations() == []


CONTRAST = """() => {
  const part = (c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (rgb) => rgb.slice(0, 3).map((v) => part(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const colour = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const found = colour(getComputedStyle(e).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own) continue;
    const [a, b] = [light(colour(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName} ${element.textContent.slice(0, 30)} ${ratio}`);
  }
  return low;
}"""
