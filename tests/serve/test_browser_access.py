"""The page for anybody: faults that are told, keyboard, dark and light, phones, axe, a token."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Browser, expect

from tests.serve.live import ASK, AXE, Open, missing, served, text_file

expect.set_options(timeout=30_000)


def test_errors_are_shown_with_what_to_do(visit: Open) -> None:
    page = visit("/start", quiet=True)
    page.get_by_role("button", name="Build the index").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing to build from")
    page.locator("#files").set_input_files(text_file("a.txt", b"%PDF-1.7 x"))
    page.get_by_role("button", name="Build the index").click()
    expect(page.get_by_role("alert")).to_contain_text("a.txt is a PDF")
    page.goto(page.url.replace("/start", "/search?index=nowhere"))
    expect(page.get_by_role("alert")).to_contain_text("no index nowhere")
    page.goto(page.url.replace("index=nowhere", "index=sample&q=boat&method=nope"))
    expect(page.get_by_role("alert")).to_contain_text("There is no search method named 'nope'")


def test_a_server_that_has_gone_is_told(visit: Open) -> None:
    page = visit("/search?index=sample", quiet=True)
    expect(page.get_by_label("Your text")).to_be_visible()
    page.route("**/v1/**", lambda route: route.abort())
    page.get_by_label("Your text").fill("boat")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")


def test_what_people_write_is_never_markup(visit: Open) -> None:
    page = visit("/search?index=sample")
    page.evaluate("window.hacked = 0")
    sly = "<img src=x onerror='window.hacked=1'> boat <script>hacked=1</script>"
    page.get_by_label("Your text").fill(sly)
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    assert page.evaluate("window.hacked") == 0 and page.locator("img[src=x]").count() == 0


def test_all_can_be_done_by_keyboard(visit: Open) -> None:
    page = visit("/search?index=sample")
    expect(page.get_by_label("Your text")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Your text")).to_be_focused()
    page.keyboard.type("a storm")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # ideas
    page.get_by_label("Your text").press("Enter")
    expect(page.get_by_role("region", name="Ideas")).to_be_visible()
    assert "method=best&method=ideas" in page.url


def test_dark_and_light_follow_the_system_and_the_button(visit: Open) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    page = visit("/start", color_scheme="dark")
    dark = page.evaluate(background)
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    light = page.evaluate(background)
    assert dark != light
    page.get_by_role("button", name="Colours").click()
    page.get_by_role("button", name="Colours").click()
    assert page.evaluate(background) == dark
    page.reload()
    assert page.evaluate(background) == dark  # it is remembered


@pytest.mark.parametrize(
    "path", [ASK, "/compare?index=sample&a=pell-sea&b=voss-sea", "/zipf?index=sample",
             "/words?word=boat", "/topics?index=sample", "/bags?index=sample", "/start"],
)  # fmt: skip
def test_a_phone_needs_no_sideways_scrolling(visit: Open, path: str) -> None:
    page = visit(path, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(visit: Open, scheme: str) -> None:
    if not AXE.is_file():
        missing("axe-core", "npm install --no-save axe-core@4")
    page = visit("/start", color_scheme=scheme)
    source = AXE.read_text("utf-8")
    for path in (
        f"{ASK}&method=ideas&method=wmd&k=3", "/compare?index=sample&a=pell-sea&b=voss-sea",
        "/zipf?index=sample", "/words?word=boat", "/topics?index=sample#document=pell-sea",
        "/bags?index=sample", "/start",
    ):  # fmt: skip
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + path)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(300)  # cards have come to rest
        page.evaluate(source)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], f"{path}: {json.dumps(serious, indent=1)}"


def test_a_token_opens_the_page(browser: Browser, sample_index: Path, tmp_path: Path) -> None:
    with served(sample_index, "--folder", tmp_path, "--token", "s3cret-token") as at:
        assert at.endswith("?token=s3cret-token")
        page = browser.new_page()
        page.goto(at.replace("?token=s3cret-token", ""))
        assert "requires a token" in page.inner_text("body")
        page.goto(at)
        expect(page.get_by_label("Your text")).to_be_visible()
        assert "token" not in page.url
        page.close()
