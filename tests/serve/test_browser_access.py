"""The page for anybody: faults that are told, keyboard, dark and light, phones, axe, a token."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Browser, expect

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.serve.live import ASK, AXE, Open, find_violations, missing, served, text_file

expect.set_options(timeout=30_000)


PATHS = (
    "/overview?index=sample", f"{ASK}&k=5&doc=pell-sea&s=3&similar=true",
    f"{ASK}&method=ideas&method=wmd&k=3",
    "/compare?index=sample&a=pell-sea&b=voss-sea&word=upon", "/map?index=sample",
    "/trends?index=sample&q=sea&document=quill-sea", "/topics?index=sample&topic=7",
    "/measure?index=sample", "/measure?index=sample&tool=words&word=boat",
    "/measure?index=sample&tool=sums&q=3*sea", "/measure?index=sample&tool=author", "/import",
    "/read?index=sample&doc=pell-sea", "/measure?index=sample&tool=metric",
    "/map?index=sample&lasso=100,100+100,900+900,900+900,100",
)  # fmt: skip
TOOLS = [f"/measure?index=sly&tool={name}" for name in ("sums", "words", "author", "metric")]


def test_errors_are_shown_with_what_to_do(visit: Open) -> None:
    page = visit("/import", quiet=True)
    page.get_by_role("button", name="Add these texts").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing to add")
    page.locator("#files").set_input_files(text_file("a.txt", b"\x89PNG\r\n\x1a\n x"))
    page.get_by_role("button", name="Add these texts").click()
    expect(page.get_by_role("alert")).to_contain_text("a.txt is a PNG")
    page.goto(page.url.replace("/import", "/search?index=nowhere"))
    expect(page.get_by_role("alert")).to_contain_text("no collection nowhere")
    page.goto(page.url.replace("index=nowhere", "index=sample&q=boat&method=nope"))
    expect(page.get_by_role("alert")).to_contain_text("There is no search method named 'nope'")
    page.goto(page.url.replace("q=boat&method=nope", "doc=nobody"))
    expect(page.get_by_role("alert")).to_contain_text("There is no text nobody here.")
    expect(page.get_by_role("link", name="Choose another text")).to_be_visible()
    page.goto(page.url.replace("/search?index=sample&doc=nobody", "/compare?index=sample&a=x&b=y"))
    expect(page.get_by_role("alert")).to_contain_text("Choose another text above.")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)  # it would be the same


def test_the_keyboard_goes_on_where_a_pin_was_removed(visit: Open) -> None:
    page = visit(ASK)
    for place in range(2):
        page.locator(".hit").nth(place).get_by_role("button", name="Pin").click()
    page.get_by_role("button", name="Pins 2").click()
    pins = page.get_by_role("complementary", name="Pins")
    removes = pins.get_by_role("button", name="Remove")
    removes.first.press("Enter")
    expect(removes).to_have_count(1)
    expect(removes).to_be_focused()
    removes.press("Enter")
    expect(removes).to_have_count(0)
    expect(pins.get_by_role("heading", name="Pins")).to_be_focused()


def test_an_error_is_shown_once_and_in_words_of_the_page(visit: Open) -> None:
    page = visit("/import", quiet=True)
    page.locator("#files").set_input_files(text_file("bad.jsonl", b'{"text": "A boat."\n{bad\n'))
    expect(page.get_by_role("alert")).to_contain_text("bad.jsonl:1: not JSON")
    page.get_by_role("button", name="Add these texts").click()
    expect(page.locator(".card > .problem").last).to_contain_text("ends in .txt")
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_text("format=")).to_have_count(0)
    page.goto(page.url.replace("/import", "/search?index=sample&q=boat&where=foo=bar"))
    expect(page.locator("main").get_by_role("alert")).to_contain_text("No document has")
    expect(page.locator(".side .problem")).to_be_hidden()
    expect(page.get_by_role("alert")).to_have_count(1)


def test_a_text_that_fills_the_window_is_announced_as_open(visit: Open) -> None:
    page = visit("/search?index=sample&doc=pell-sea")
    expect(page.locator("#said")).to_have_text(re.compile(r" is open beside the view\.$"))
    page.get_by_role("link", name="Enlarge").click()
    expect(page.locator("#said")).to_have_text(re.compile(r" is open\.$"))


def test_what_people_write_is_never_markup(visit: Open) -> None:
    sly = "<img src=x onerror='window.hacked=1'> boat <script>hacked=1</script>"
    page = visit("/import")
    page.locator("#files").set_input_files(
        text_file(
            "<b>sly.csv",
            f'id,"<i>by</i>",text\n{sly},{sly},"{sly} The sea. {sly}"\n2,b,A.\n'.encode(),
        )
    )
    page.get_by_label("Name of the collection").fill("sly")
    page.get_by_role("button", name="Add these texts").click()
    expect(page.get_by_role("heading", name="sly")).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill(sly)
    expect(page.locator(".hit").first).to_be_visible()
    page.locator(".hit .doc").first.click()
    expect(page.locator(".s").first).to_be_visible()
    base = page.url.split("/search")[0]
    for path in (*(f"{path.split('?')[0]}?index=sly" for path in PATHS), *TOOLS):
        page.goto(base + path)
        page.wait_for_load_state("networkidle")
        fields = page.locator("input:is([type=text], [type=search], :not([type])), textarea")
        for field in fields.all():
            if field.is_visible():
                field.fill(sly)
        page.wait_for_timeout(300)
        page.wait_for_load_state("networkidle")
    assert page.evaluate("window.hacked ?? 0") == 0 and page.locator("img[src=x]").count() == 0
    page.request.delete(f"{base}/v1/indexes/sly")


def test_all_can_be_done_by_keyboard(visit: Open) -> None:
    page = visit("/search?index=sample")
    expect(page.get_by_label("Your text")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Your text")).to_be_focused()
    page.keyboard.type("a storm")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("Tab")  # the button
    page.keyboard.press("Tab")  # sentences or documents
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("unit=document"))
    page.locator(".hit .doc").first.press("Enter")
    expect(page.get_by_role("complementary", name="Reader")).to_be_visible()
    page.get_by_role("button", name="Next sentence").press("Enter")
    expect(page.get_by_role("complementary", name="Similar passages")).to_be_visible()
    page.get_by_role("button", name="Next sentence").press("Enter")
    expect(page).to_have_url(re.compile("s=1"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Reader")).to_have_count(0)


def test_dark_and_light_follow_the_system_and_the_button(visit: Open) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    page = visit("/import", color_scheme="dark")
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


def test_axe_finds_no_serious_violation_and_phones_scroll_one_way(visit: Open) -> None:
    if not AXE.is_file():
        missing("axe-core", "npm install --no-save axe-core@4")
    page = visit("/import")
    source, base = AXE.read_text("utf-8"), page.url.replace("/import", "")
    for path in PATHS:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(base + path)
        page.wait_for_load_state("networkidle")
        page.evaluate(source)
        assert find_violations(page, "axe.run(document)") == [], path
        if path == PATHS[1]:  # with everything open that can be
            page.get_by_role("button", name="Pin", exact=True).first.click()
            page.get_by_role("button", name="Pins 1").click()
            page.get_by_role("button", name="Numbers").first.click()
            page.locator(".results-head").get_by_text("Export").click()
            assert find_violations(page, "axe.run(document)") == [], "with pins"
            page.keyboard.press("Control+k")
            page.wait_for_timeout(100)
            assert find_violations(page, "axe.run(document)") == [], "everything open"
            page.keyboard.press("Escape")
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(150)  # figures are drawn again
        assert find_violations(page, "axe.run(document, {runOnly: ['color-contrast']})") == [], path
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        if "/compare" in path:  # its passages stand under each other
            page.emulate_media(color_scheme="light")
            page.wait_for_timeout(150)
            contrast = "axe.run(document, {runOnly: ['color-contrast']})"
            assert find_violations(page, contrast) == [], path


def test_a_token_opens_the_page(browser: Browser, sample_index: Path, tmp_path: Path) -> None:
    with served(sample_index, "--folder", tmp_path, "--token", "s3cret-token") as at:
        assert at.endswith("?token=s3cret-token")
        page = browser.new_page()
        page.goto(at.replace("?token=s3cret-token", ""))
        assert "requires a token" in page.inner_text("body")
        page.goto(at)
        expect(page.get_by_role("heading", name="sample")).to_be_visible()
        assert "token" not in page.url
        page.close()


def test_other_languages_are_not_treated_as_english(browser: Browser, tmp_path: Path) -> None:
    french = {
        "la_mer": "Le bateau de Marie est sur la mer. La mer est bleue et le vent est doux."
        " Elle regarde Marie et la mer. Les vagues sont hautes, et le bateau de Marie danse.",
        "le_jardin": "Le jardin de Paul est dans la ville. La rose est rouge et le lis est blanc."
        " Il donne la rose et le lis à Paul. Les fleurs sont belles, et le jardin de Paul dort.",
    }
    path = tmp_path / "textes.idx"
    Index.build(Corpus.of(french), path, language="fr")
    with served(path, "--folder", tmp_path / "up") as own:
        page = browser.new_page()
        page.goto(f"{own}/compare?index=textes&a=la_mer&b=le_jardin")
        words = page.locator(".tinted .name")
        expect(words.filter(has_text="Marie")).to_be_visible()
        assert not {"le", "la", "de", "est", "et"} & set(words.all_inner_texts())
        expect(page.locator(".verdict")).to_contain_text("La Mer")
        page.close()
