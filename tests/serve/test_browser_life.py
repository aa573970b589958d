"""The page over time: long texts, work that is given up, a server that goes and returns, focus."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Browser, Page, expect

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.serve.live import ASK, Open, served

expect.set_options(timeout=30_000)
TOKEN = "a-token-for-these-tests"
SLOW = "/measure?index=sample&what=clusters&nulls=true&k="
LINES = [
    ("the old", "went out"),
    ("he said, “", ", went"),
    ('he said, "', '", she'),
    ("a life--", "--no"),
]
KWIC = {
    "totals": {"pell-sea": len(LINES)},
    "results": [
        {"document": "pell-sea", "sentence": i, "left": left, "match": "boat", "right": right}
        for i, (left, right) in enumerate(LINES)
    ],
    "notes": [],
}
UNDER_WAY = {"waiting", "running"}
VIEWS = ("Overview", "Compare", "Map", "Trends", "Topics", "Measure", "Search")


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


@pytest.mark.parametrize("method", ["best", "ideas", "mean", "wmd", "bow"])
def test_documents_as_long_as_novels_show_passages(
    browser: Browser, books: str, method: str
) -> None:
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(books)
    expect(page.get_by_role("heading", name="books")).to_be_visible()
    go(page, f"/search?index=books&unit=document&method={method}&q=a+fishing+boat+in+a+storm")
    expect(page.locator(".hit")).to_have_count(2)
    first = page.locator(".hit").first
    expect(first.locator("mark", has_text="boat").first).to_be_visible()
    assert len(first.inner_text()) < 3000
    page.close()
    assert faults == []


def test_a_novel_is_read_in_windows(browser: Browser, books: str) -> None:
    page = browser.new_page()
    page.goto(books)
    expect(page.get_by_role("heading", name="books")).to_be_visible()
    go(page, "/read?index=books&doc=first&s=12003")
    expect(page.locator(".s.chosen")).to_be_in_viewport()
    expect(page.locator(".s.chosen")).to_contain_text("fishing boat")
    assert page.locator(".s").count() < 1500  # of 24,000 sentences
    page.locator(".pages").press("End")
    expect(page.locator("[data-s='24089']")).to_be_visible()
    assert page.locator(".s").count() < 1500
    page.locator(".pages").press("Home")
    expect(page.locator(".reader-foot")).to_contain_text("Sentence 1 of 24,090")
    page.close()


def test_the_reader_knows_its_width_at_once_and_names_the_chosen_sentence(
    browser: Browser, books: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(books)
    expect(page.get_by_role("heading", name="books")).to_be_visible()
    go(page, "/read?index=books&doc=first&s=5")
    expect(page.locator(".s.chosen")).to_be_in_viewport()
    heights = "one => [...one.children].map((each) => each.style.height).at(-2)"
    before = page.locator(".pages").evaluate(heights)
    page.locator("[data-s='8']").click()
    expect(page.locator(".s.chosen")).to_have_attribute("data-s", "8")
    expect(page.locator(".reader-foot")).to_contain_text("Sentence 9 of 24,090")
    assert page.locator(".pages").evaluate(heights) == before
    page.close()


def test_the_concordance_counts_each_text_by_itself(browser: Browser, books: str) -> None:
    page = browser.new_page()
    page.goto(books)
    expect(page.get_by_role("heading", name="books")).to_be_visible()
    go(page, "/compare?index=books&a=first&b=second&word=storm")
    contexts = page.locator(".kwic")
    expect(contexts.first).to_contain_text("10 of 90 shown")
    expect(contexts.nth(1).locator("li")).to_have_count(3)
    contexts.first.get_by_role("button", name="Show more").click()
    expect(contexts.first.locator("li")).to_have_count(90)
    page.close()


def test_characters_of_two_units_do_not_shift_the_highlights(visit: Open) -> None:
    page = visit("/import")
    found = page.evaluate(
        """async () => {
          const { pieces } = await import("/static/lib/text.js");
          return pieces({ text: "🌊🚢 boat.", highlights: [{ start: 3, end: 7, query: "boat" }] })
            .map(([piece, mark]) => [piece, mark?.query ?? ""]);
        }"""
    )
    assert found == [["🌊🚢 ", ""], ["boat", "boat"], [".", ""]]


def test_marks_stand_at_their_words_in_a_concordance(visit: Open) -> None:
    page = visit("/import")
    page.route("**/v1/kwic?*", lambda route: route.fulfill(json=KWIC))
    page.goto(f"{page.url.rsplit('/', 1)[0]}/trends?index=sample&q=boat&by=author&at=boat,+pell")
    lines = page.locator(".kwic li")
    expect(lines).to_have_count(len(LINES))
    gap = """line => {
      const [left, match, right] = [...line.children].map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one.querySelector("bdi") ?? one);
        return range.getBoundingClientRect();
      });
      return [match.left - left.right > 3, right.left - match.right > 3];
    }"""
    assert [lines.nth(i).evaluate(gap) for i in range(len(LINES))] == [
        [not left.endswith(("“", ' "', "--")), not right.startswith((",", '",', "--"))]
        for left, right in LINES
    ]


def test_work_whose_stage_is_unknown_shows_the_time_so_far(visit: Open) -> None:
    job = {"id": "x", "verb": "map", "state": "running", "stage": "", "done": 0, "total": None}
    page = visit("/import")
    page.route("**/v1/jobs**", lambda route: route.fulfill(json=job))
    page.route("**/v1/jobs/**", lambda route: route.fulfill(json=job))
    page.goto(f"{page.url.rsplit('/', 1)[0]}/map?index=sample")
    expect(page.locator(".working")).to_contain_text(re.compile(r"Working, [3-9] s so far"))


def test_what_takes_too_long_for_a_request_goes_on_as_a_job(visit: Open) -> None:
    page = visit("/import", quiet=True)
    late = {"error": "This took longer than 30 seconds and was stopped.", "hint": ""}
    page.route("**/v1/search?*", lambda route: route.fulfill(json=late, status=504))
    with page.expect_response("**/v1/jobs"):
        page.goto(f"{page.url.rsplit('/', 1)[0]}{ASK}")
    expect(page.locator(".hit")).to_have_count(10)
    expect(page.locator(".problem")).to_have_count(0)


def test_a_trend_is_not_taken_for_an_empty_form_while_its_fields_are_on_their_way(
    visit: Open,
) -> None:
    page = visit("/import")
    page.route("**/v1/facets?*", lambda route: None)
    page.goto(f"{page.url.rsplit('/', 1)[0]}/trends?index=sample&q=boat&by=author")
    expect(page.get_by_label("Over")).to_have_value("author")
    expect(page.get_by_text("Counting…")).to_be_visible()
    expect(page.get_by_text("See where a word rises")).to_have_count(0)
    page.unroute_all(behavior="ignoreErrors")


def test_many_slow_views_leave_the_page_and_the_server_free(visit: Open, address: str) -> None:
    page = visit(f"{SLOW}20")
    for k in range(21, 33):
        go(page, f"{SLOW}{k}")
        expect(page.get_by_role("slider", name="Number of clusters")).to_have_value(str(k))
    begin = time.monotonic()
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill("a storm at sea")
    expect(page.locator(".hit").first).to_be_visible()
    assert time.monotonic() - begin < 15
    assert "cancelled" in wait_until_over(page, address)


def test_a_job_of_a_closed_page_ends(visit: Open, address: str) -> None:
    watcher, page = visit("/import"), visit(f"{SLOW}140")
    expect(page.locator("progress")).to_be_visible()
    assert UNDER_WAY & set(states(watcher, address))
    page.close()
    assert wait_until_over(watcher, address)[0] == "cancelled"


@pytest.mark.parametrize("width", [390, 768, 1024])
def test_every_view_can_be_reached(visit: Open, width: int) -> None:
    page = visit("/search?index=sample", viewport={"width": width, "height": 900})
    for name in VIEWS:
        link = page.get_by_role("navigation", name="Views").get_by_role("link", name=name)
        box = link.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, name
        link.click()
        expect(link).to_have_attribute("aria-current", "page")


def test_focus_and_what_is_typed_stay(visit: Open) -> None:
    page = visit("/search?index=sample")
    page.get_by_label("Your text").fill("a storm at sea")
    expect(page.locator(".hit").first).to_be_visible()
    before = page.evaluate("history.length")
    page.get_by_label("Your text").press_sequentially(" again")
    expect(page).to_have_url(re.compile("again"))
    expect(page.get_by_label("Your text")).to_be_focused()
    expect(page.get_by_label("Your text")).to_have_value("a storm at sea again")
    assert page.evaluate("history.length") == before  # typing on is one step
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("button", name="Search")).to_be_focused()
    page.get_by_role("radio", name="Documents").check(force=True)
    expect(page.locator(".hit h2").first).to_be_visible()
    page.go_back()
    expect(page.get_by_role("radio", name="Sentences")).to_be_checked()
    expect(page.get_by_label("Your text")).to_have_value("a storm at sea again")


def test_back_returns_to_each_question(visit: Open) -> None:
    page = visit("/search?index=sample")
    box = page.get_by_label("Your text")
    for question in ("whale ship", "lonely old man", "gold coins"):
        box.fill(question)
        expect(page).to_have_url(re.compile(question.replace(" ", r"\+")))  # while it is typed
        box.press("Enter")
    for question in ("lonely old man", "whale ship"):
        page.go_back()
        expect(box).to_have_value(question)


def test_texts_are_copied_where_the_clipboard_may_not_be_written(visit: Open) -> None:
    page = visit(ASK)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate(
        "addEventListener('copy', () => { window.copied = String(document.getSelection()); })"
    )
    page.locator(".hit").first.get_by_role("button", name="Quote").click()
    expect(page.locator("#toast")).to_have_text("Quotation copied.")
    assert page.evaluate("window.copied").startswith("“")
    expect(page.locator(".hit").first.get_by_role("button", name="Quote")).to_be_focused()


def test_ten_quick_clicks_end_with_the_last(visit: Open) -> None:
    page = visit(ASK)
    expect(page.locator(".hit").first).to_be_visible()
    side = page.get_by_role("complementary", name="Collection and filter")
    for _ in range(5):
        side.get_by_label("pell").click()
        side.get_by_label("raman").click()
    side.get_by_label("quill").check()
    expect(page.locator(".hit").first).to_have_attribute(
        "data-id", re.compile("^(quill|pell|raman)")
    )
    expect(page.locator("[aria-busy]")).to_have_count(0)


def test_a_pin_without_room_is_not_called_pinned(visit: Open) -> None:
    page = visit(ASK)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    page.locator(".hit").first.get_by_role("button", name="Pin").click()
    expect(page.locator("#toast")).to_contain_text("no room for more pins")
    expect(page.get_by_role("button", name="Pins", exact=True)).to_be_visible()


def test_a_word_that_is_not_known_is_never_covered(visit: Open) -> None:
    page = visit("/search?index=sample&method=ideas&q=boat+%E8%88%B9%E5%8F%AA")
    unknown = page.locator(".reach li", has_text="船")
    expect(unknown).to_contain_text("not known")
    expect(unknown).not_to_contain_text("covered")


def test_the_page_survives_its_server(browser: Browser, sample_index: Path, tmp_path: Path) -> None:
    options: list[Any] = [sample_index, "--folder", tmp_path, "--token", TOKEN]
    with served(*options) as at:
        port = urlsplit(at).port
        page = browser.new_page()
        page.goto(at)
        expect(page.get_by_role("heading", name="sample")).to_be_visible()
        go(page, ASK)
        expect(page.locator(".hit")).to_have_count(10)
        go(page, f"{SLOW}130")
        expect(page.locator("progress")).to_be_visible()
    gone = page.locator("#gone")
    expect(gone).to_be_visible()
    expect(page.locator("progress")).to_have_count(0)
    expect(page.get_by_role("alert").first).to_contain_text("cannot be reached")
    page.get_by_role("link", name="Topics", exact=True).click()
    expect(gone).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill("a lighthouse by night")
    expect(page.locator("main").get_by_role("alert")).to_contain_text("cannot be reached")
    with served(*options, "--port", str(port)):
        expect(page.locator(".hit")).to_have_count(10)
        expect(gone).to_be_hidden()
        expect(page.get_by_label("Your text")).to_have_value("a lighthouse by night")
        page.close()


def test_a_restart_with_another_token_is_told(
    browser: Browser, sample_index: Path, tmp_path: Path
) -> None:
    options: list[Any] = [sample_index, "--folder", tmp_path]
    with served(*options, "--token", TOKEN) as at:
        port = urlsplit(at).port
        context = browser.new_context()
        page = context.new_page()
        page.clock.install()
        page.goto(at)
        expect(page.get_by_role("heading", name="sample")).to_be_visible()
        page.get_by_role("link", name="Search", exact=True).click()
    page.clock.run_for(10_000)
    expect(page.locator("#gone")).to_be_visible()
    asked: list[str] = []
    with served(*options, "--token", f"another-{TOKEN}", "--port", str(port)) as anew:
        told = page.locator("#renewed")
        page.clock.run_for(5_000)
        expect(told).to_contain_text("Open the address that it printed")
        expect(page.locator("#gone")).to_be_hidden()
        page.on("request", lambda request: asked.append(request.url))
        page.clock.run_for(60_000)
        assert asked == []  # it is not asked again and again
        page.get_by_label("Your text").fill("a storm at sea")
        page.clock.run_for(1_000)
        expect(page.locator("main").get_by_role("alert")).to_contain_text("new token")
        other = context.new_page()
        other.goto(anew)
        expect(other.get_by_role("heading", name="sample")).to_be_visible()
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(told).to_be_hidden()
        expect(page.locator(".hit").first).to_be_visible()
        context.close()
