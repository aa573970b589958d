"""The page on a collection of realistic size: every view, by mouse and keyboard, at three widths.

It has the 73 books where they are present, and 300,000 made-up sentences elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Browser, Page, expect

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.vectors.wordvectors import WordVectors
from tests.conftest import SHARED
from tests.serve.live import served

expect.set_options(timeout=60_000)
SENTENCES, DOCUMENTS, LENGTH = 300_000, 60, 6
VIEWS = ("Overview", "Search", "Compare", "Map", "Trends", "Topics", "Measure")
LONG_TASK = 200  # milliseconds for which the page may not answer, on an idle machine
# How much slower than an idle machine this one is now: the work takes 10 ms there.
SLOWNESS = """() => {
  const begin = performance.now();
  let sum = 0;
  for (let i = 0; i < 6e6; i++) sum += Math.sqrt(i) % 3;
  return Math.max(1, (performance.now() - begin) / 20);
}"""
WATCH = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
  }).observe({ type: "longtask", buffered: true });
}"""


def make_books() -> Iterator[Document]:
    """Return documents of random words, as long as novels, with authors and years."""
    words = [word for word in WordVectors.load("default").words[100:4000] if word.isalpha()]
    chosen = np.random.default_rng(0).integers(0, len(words), (SENTENCES, LENGTH))
    sentences = [" ".join(words[one] for one in row).capitalize() for row in chosen.tolist()]
    each = SENTENCES // DOCUMENTS
    for number in range(DOCUMENTS):
        text = ". ".join(sentences[number * each : (number + 1) * each])
        about = {"author": f"writer {number % 7}", "year": str(1800 + number)}
        yield Document(f"book-{number:02}", f"{text}.", metadata=about)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("large")
    texts = SHARED / "books79" / "txt"
    corpus = Corpus.read(texts) if texts.is_dir() else Corpus.of(make_books())
    Index.build(corpus, folder / "books.idx")
    with served(folder / "books.idx", "--folder", folder / "up") as at:
        yield at


@pytest.fixture
def look(browser: Browser, large: str) -> Iterator[Callable[..., Page]]:
    """``look("/map", 390, "dark")`` opens a view; no page may log an error."""
    faults: list[str] = []
    pages: list[Page] = []

    def open_page(path: str, width: int, scheme: str = "light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
        page.goto(large + path)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert faults == []


def settle(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    expect(page.locator(".working, [aria-busy]")).to_have_count(0)


def act(page: Page, view: str) -> None:
    """Do with the mouse what a view is for."""
    main = page.locator("main")
    if view == "Search":
        page.get_by_label("Your text").fill("a word about money")
        expect(page.locator(".hit").first).to_be_visible()
        page.locator(".hit .text").first.click()
        expect(page.locator(".s.chosen")).to_be_visible()
        page.get_by_role("button", name="Close the reader").click()
    elif view == "Compare":
        for side in ("A", "B"):
            options = page.get_by_label(f"Text {side}").locator("option")
            page.get_by_label(f"Text {side}").select_option(index=1 if side == "A" else 2)
            assert options.count() > DOCUMENTS
        expect(page.locator(".verdict")).to_be_visible()
        page.locator(".tinted button").first.click()
        expect(page.locator(".kwic li").first).to_be_visible()
    elif view == "Map":
        main.get_by_text("As a list").click()
        main.locator(".columns .doc").first.click()
        expect(page.get_by_role("complementary", name="Reader")).to_be_visible()
        page.get_by_role("button", name="Close the reader").click()
    elif view == "Trends":
        page.get_by_label("Words or phrases").fill("money")
        main.get_by_role("combobox", name="Over").select_option("(one text)")
        expect(page.locator(".plot svg")).to_be_visible()
        page.get_by_text("As a table").click()
        page.get_by_role("button", name="Show money").nth(1).click()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (768, "dark"), (390, "light")])
def test_every_view_by_mouse(look: Callable[..., Page], width: int, scheme: str) -> None:
    page = look("/overview", width, scheme)
    settle(page)
    slowness = page.evaluate(SLOWNESS)
    page.evaluate(WATCH)
    for view in VIEWS:
        page.get_by_role("navigation", name="Views").get_by_role("link", name=view).click()
        act(page, view)
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
    longest = page.evaluate("window.longest")
    assert longest < LONG_TASK * max(slowness, page.evaluate(SLOWNESS)), longest


@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (390, "light")])
def test_every_view_by_keyboard(look: Callable[..., Page], width: int, scheme: str) -> None:
    page = look("/overview", width, scheme)
    keys, reader = page.keyboard, page.get_by_role("complementary", name="Reader")
    expect(page.locator("h1")).to_be_visible()

    def go_to(view: str) -> None:  # nothing waits for the palette: no letter may be lost
        keys.press("Control+k")
        keys.type(f"go to {view}")
        keys.press("Enter")
        expect(page.locator("h1")).to_have_text(view)

    go_to("Search")
    keys.press("/")
    keys.type("a word about money")
    keys.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator(".hit .doc").first.focus()
    keys.press("Enter")
    expect(reader).to_be_visible()
    keys.press("Escape")
    expect(reader).to_have_count(0)
    go_to("Map")
    expect(page.locator(".map canvas")).to_be_visible()
    page.get_by_text("As a list").press("Enter")
    name = page.locator(".columns .doc").first.text_content() or ""
    keys.press("/")
    keys.type(name)
    keys.press("Enter")
    expect(reader).to_be_visible()
    keys.press("Escape")
    keys.press("Control+k")
    keys.type(name)
    keys.press("Enter")
    expect(reader).to_contain_text(name)
    keys.press("Escape")
    go_to("Trends")
    keys.press("/")
    keys.type("money")
    keys.press("Enter")
    page.locator(".plot svg").wait_for()
    page.locator(".plot").focus()
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(page.locator(".kwic").first).to_be_visible()
    page.go_back()
    expect(page.locator(".kwic")).to_have_count(0)
    for view in ("Compare", "Topics", "Measure"):
        go_to(view)


def test_thirty_megabytes_are_pasted_and_refused_where_they_are_too_much(
    browser: Browser, large: str
) -> None:
    page = browser.new_page()
    page.goto(f"{large}/compare")
    page.locator(".side-a").get_by_text("Paste").click()
    paste = """box => {
      const data = new DataTransfer();
      data.setData("text/plain", "The lamp burned in the window. ".repeat(1_000_000));
      const event = { clipboardData: data, bubbles: true, cancelable: true };
      box.dispatchEvent(new ClipboardEvent("paste", event));
    }"""
    page.get_by_label("Your text A").evaluate(paste)
    expect(page.locator(".side-a").get_by_role("alert")).to_contain_text("Add texts")
    assert len(page.url) < 300
    page.goto(f"{large}/import")
    page.get_by_label("Or paste a text").evaluate(paste)
    expect(page.get_by_text("1 file, 31 MB: pasted.txt")).to_be_visible()
    page.get_by_label("Name of the collection").fill("lamps")
    page.get_by_role("button", name="Add these texts").click()
    expect(page.locator("progress")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Nothing was kept.")).to_be_visible()
    page.close()


def test_another_tab_may_delete_what_this_one_shows(browser: Browser, large: str) -> None:
    context = browser.new_context()
    page, other = context.new_page(), context.new_page()
    page.goto(f"{large}/import")
    page.get_by_label("Or paste a text").fill("The grey ship sailed over the cold sea. It sank.")
    page.get_by_label("Name of the collection").fill("ship")
    page.get_by_role("button", name="Add these texts").click()
    expect(page.get_by_role("heading", name="ship")).to_be_visible()
    other.goto(f"{large}/search?index=ship&q=a+boat")
    expect(other.locator(".hit").first).to_be_visible()
    assert page.request.delete(f"{large}/v1/indexes/ship").ok
    other.get_by_label("Your text").fill("the ocean")
    expect(other.locator("main").get_by_role("alert")).to_contain_text("There is no index 'ship'")
    context.close()
