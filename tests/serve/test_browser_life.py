"""The page over time: long texts, work that is given up, a server that goes and returns, focus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Browser, Page, Route, expect

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.serve.live import ASK, Open, served

expect.set_options(timeout=30_000)
TOKEN = "a-token-for-these-tests"
SLOW = "/zipf?index=sample&latent=true&seeds=20&k="
UNDER_WAY = {"waiting", "running"}
VIEWS = ("Compare", "Zipf", "Words", "Topics", "Bags", "Start", "Search")


def go(page: Page, path: str) -> None:
    """To another state of the page without loading it anew."""
    page.evaluate(
        "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')) }",
        path,
    )


def states(page: Page, address: str) -> list[str]:
    return [job["state"] for job in page.request.get(f"{address}/v1/jobs").json()]


def wait_until_over(page: Page, address: str) -> list[str]:
    end = time.monotonic() + 30
    while UNDER_WAY & set(found := states(page, address)):
        assert time.monotonic() < end, found
        page.wait_for_timeout(100)
    return found


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of texts as long as novels."""
    folder = tmp_path_factory.mktemp("books")
    line = "The captain said nothing of it, and <b>they</b> went on & on as before. "
    told = "At dawn the fishing boat ran before the storm into the harbour. "
    texts = [
        Document(name, line * 12_000 + told * times + line * 12_000)
        for name, times in {"first": 90, "second": 3}.items()
    ]
    Index.build(Corpus.of(texts), folder / "books.idx")
    with served(folder / "books.idx", "--folder", folder / "up", "--token", TOKEN) as at:
        yield at


@pytest.mark.parametrize("method", ["ideas", "mean", "wmd", "bow", "bm25"])
def test_documents_as_long_as_novels_show_passages(
    browser: Browser, books: str, method: str
) -> None:
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(books)
    expect(page.get_by_label("Your text")).to_be_visible()
    go(page, f"/search?index=books&unit=document&method={method}&q=a+fishing+boat+in+a+storm")
    expect(page.locator(".hit")).to_have_count(2)
    first = page.locator(".hit").first
    expect(first.locator("mark", has_text="boat").first).to_be_visible()
    assert len(first.inner_text()) < 3000
    page.close()
    assert faults == []


def test_any_number_of_children_can_be_drawn(visit: Open) -> None:
    page = visit("/start")
    count = page.evaluate(
        """async () => {
          const { h } = await import("/static/dom.js");
          return h("p", {}, Array.from({ length: 400000 }, (_, i) => `${i} `)).childNodes.length;
        }"""
    )
    assert count == 400_000


def test_characters_of_two_units_do_not_shift_the_highlights(visit: Open) -> None:
    page = visit("/start")
    found = page.evaluate(
        """async () => {
          const { pieces } = await import("/static/dom.js");
          return pieces({ text: "🌊🚢 boat.", highlights: [{ start: 3, end: 7, query: "boat" }] })
            .map(([piece, mark]) => [piece, mark?.query ?? ""]);
        }"""
    )
    assert found == [["🌊🚢 ", ""], ["boat", "boat"], [".", ""]]


def test_the_concordance_counts_each_text_by_itself(browser: Browser, books: str) -> None:
    page = browser.new_page()
    page.goto(books)
    expect(page.get_by_label("Your text")).to_be_visible()
    go(page, "/compare?index=books&a=first&b=second")
    page.locator("svg g[role=button]", has_text="storm").first.click()
    first, second = (page.get_by_role("region", name=f"in {one}") for one in ("first", "second"))
    expect(first.get_by_text("The first 40 of 90 places")).to_be_visible()
    expect(second.get_by_text("3 places")).to_be_visible()
    expect(page.locator("#context .note")).to_contain_text("first: the first 40 of 90 places")
    first.get_by_role("button", name="Show up to 200").click()
    expect(first.get_by_text("90 places")).to_be_visible()
    page.close()


def test_many_slow_views_leave_the_page_and_the_server_free(visit: Open, address: str) -> None:
    page = visit(f"{SLOW}20")
    for k in range(21, 33):
        go(page, f"{SLOW}{k}")
        expect(page.get_by_role("slider")).to_have_value(str(k))
    begin = time.monotonic()
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", name="Bring your texts")).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill("a storm at sea")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    assert time.monotonic() - begin < 15
    assert "cancelled" in wait_until_over(page, address)


def test_a_job_of_a_closed_page_ends(visit: Open, address: str) -> None:
    watcher, page = visit("/start"), visit(f"{SLOW}40")
    expect(page.locator("progress")).to_be_visible()
    assert UNDER_WAY & set(states(watcher, address))
    page.close()
    assert wait_until_over(watcher, address)[0] == "cancelled"


def test_two_pages_share_a_job_and_one_may_leave(visit: Open, address: str) -> None:
    path = "/zipf?index=sample&latent=true&nulls=false&seeds=8&k=41"
    one = visit(path)
    before = len(states(one, address))
    expect(one.locator("progress").or_(one.locator("#cluster-1"))).to_be_visible()
    two = visit(path)
    expect(two.locator("progress").or_(two.locator("#cluster-1"))).to_be_visible()
    one.get_by_role("link", name="Start").click()
    expect(two.get_by_role("heading", name="41 clusters")).to_be_visible(timeout=90_000)
    assert len(states(two, address)) <= before + 1


@pytest.mark.parametrize("width", [390, 768, 1024])
def test_every_view_can_be_reached(visit: Open, width: int) -> None:
    page = visit("/search?index=sample", viewport={"width": width, "height": 900})
    for name in VIEWS:
        link = page.get_by_role("navigation", name="Views").get_by_role("link", name=name)
        box = link.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, name
        link.click()
        expect(link).to_have_attribute("aria-current", "page")


def test_focus_stays_where_it_was(visit: Open) -> None:
    page = visit("/search?index=sample")
    page.get_by_label("Your text").fill("a storm at sea")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.get_by_label("Your text")).to_be_focused()
    page.keyboard.type(" again")  # at the end of what is there
    expect(page.get_by_label("Your text")).to_have_value("a storm at sea again")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit").first).to_be_visible()
    expect(page.get_by_role("button", name="Search")).to_be_focused()
    go(page, "/zipf?index=sample&latent=true&k=20&nulls=false")
    expect(page.get_by_role("heading", name="20 clusters")).to_be_visible()
    page.get_by_role("slider").focus()
    before = page.evaluate("history.length")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="23 clusters")).to_be_visible()
    expect(page.get_by_role("slider")).to_be_focused()
    assert page.evaluate("history.length") == before + 1  # three quick steps are one


def test_text_is_text_unless_algebra_is_chosen(visit: Open) -> None:
    page = visit("/search?index=sample&method=bm25")
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(json={"schema": "lexfield.search/1", "results": [], "notes": []})

    page.route("**/v1/search?**", answer)
    page.get_by_label("Your text").fill("crash - startup *")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("main").get_by_text("0 found")).to_be_visible()
    assert "algebra" not in asked[-1]
    page.get_by_text("My text is a sum of words").click()
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**algebra=true**")
    expect(page.locator("main").get_by_text("0 found")).to_be_visible()
    assert "algebra=true" in asked[-1]
    assert visit("/search?index=sample").get_by_text("My text is a sum of words").count() == 0


def test_a_word_without_a_vector_is_never_covered(visit: Open) -> None:
    page = visit("/search?index=sample&q=boat+%E8%88%B9%E5%8F%AA")
    panel = page.get_by_role("complementary", name="What your words reach")
    unknown = panel.locator(".ball", has_text="船")
    expect(unknown).to_contain_text("no vector")
    expect(unknown).not_to_contain_text("covered")
    expect(panel).to_contain_text("Without a vector: 船, 只.")
    expect(panel).not_to_contain_text("Every word is covered")


def test_the_page_survives_its_server(browser: Browser, sample_index: Path, tmp_path: Path) -> None:
    options: list[Any] = [sample_index, "--folder", tmp_path, "--token", TOKEN]
    with served(*options) as at:
        port = urlsplit(at).port
        page = browser.new_page()
        page.goto(at)
        expect(page.get_by_label("Your text")).to_be_visible()
        go(page, ASK)
        expect(page.locator(".hit")).to_have_count(5)
        go(page, f"{SLOW}30")
        expect(page.locator("progress")).to_be_visible()
    gone = page.locator("#gone")
    expect(gone).to_be_visible()
    expect(page.locator("progress")).to_have_count(0)
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    for name in VIEWS:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute(
            "aria-current", "page"
        )
        expect(gone).to_be_visible()
    page.get_by_label("Your text").fill("a storm at sea")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    with served(*options, "--port", str(port)):
        expect(page.locator(".hit")).to_have_count(5)
        expect(gone).to_be_hidden()
        expect(page.get_by_label("Your text")).to_have_value("a storm at sea")
        page.close()


def test_a_server_that_goes_while_nothing_is_asked_is_noticed(
    browser: Browser, sample_index: Path, tmp_path: Path
) -> None:
    with served(sample_index, "--folder", tmp_path, "--token", TOKEN) as at:
        page = browser.new_page()
        page.goto(at)
        expect(page.get_by_label("Your text")).to_be_visible()
    expect(page.locator("#gone")).to_be_visible()
    page.close()


def test_a_restart_with_another_token_is_told_in_every_view(
    browser: Browser, sample_index: Path, tmp_path: Path
) -> None:
    options: list[Any] = [sample_index, "--folder", tmp_path]
    with served(*options, "--token", TOKEN) as at:
        port = urlsplit(at).port
        context = browser.new_context()
        page = context.new_page()
        page.clock.install()
        page.goto(at)
        expect(page.get_by_label("Your text")).to_be_visible()
    expect(page.locator("#gone")).to_be_visible()
    asked: list[str] = []
    with served(*options, "--token", f"another-{TOKEN}", "--port", str(port)) as anew:
        told = page.locator("#renewed")
        expect(told).to_contain_text("Open the address that it printed")
        expect(page.locator("#gone")).to_be_hidden()
        page.on("request", lambda request: asked.append(request.url))
        page.clock.run_for(60_000)
        assert asked == []  # it is not asked again and again
        for name in VIEWS:
            page.get_by_role("link", name=name, exact=True).click()
            expect(told).to_be_visible()
        page.get_by_label("Your text").fill("a storm at sea")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("restarted with a new token")
        other = context.new_page()
        other.goto(anew)
        expect(other.get_by_label("Your text")).to_be_visible()
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(told).to_be_hidden()
        expect(page.locator(".hit")).to_have_count(5)
        context.close()
