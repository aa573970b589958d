"""One filter holds in all views, also with more documents than an address can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Route, expect

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.serve.live import Open, served

expect.set_options(timeout=30_000)
MANY = 300  # documents
ALL = "lasso=-50,-50+-50,1050+1050,1050+1050,-50"
TRADES = ["baker", "smith", "weaver", "miller"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve documents whose names are too long for a condition of 20,000 characters."""
    folder = tmp_path_factory.mktemp("filter")
    texts = [
        Document(
            f"report-{number:03}-{'of-the-parish-' * 6}",
            f"The {TRADES[number % 4]} mends the {TRADES[number // 4 % 4]}'s roof in winter.",
            metadata={"trade": TRADES[number % 4], "year": str(1850 + number % 10)},
        )
        for number in range(MANY)
    ]
    Index.build(Corpus.of(texts), folder / "parish.idx")
    with served(folder / "parish.idx", "--folder", folder / "uploads") as at:
        yield at


def test_a_lasso_around_hundreds_of_documents_filters_every_view(visit: Open) -> None:
    page = visit(f"/map?index=parish&kind=words&{ALL}")
    page.get_by_role("button", name="Filter all views to these").click()
    chosen = page.get_by_role("group", name="Filter", exact=True)
    expect(chosen).to_contain_text(f"{MANY} documents")
    assert len(page.url) < 2000
    for view in ("Overview", "Search", "Compare", "Trends"):
        page.get_by_role("navigation").get_by_role("link", name=view, exact=True).click()
        expect(page.locator("aside.side .documents summary")).to_contain_text(str(MANY))
        expect(page.get_by_role("alert")).to_have_count(0)
    page.reload()  # a link shows the same
    expect(chosen).to_contain_text(f"{MANY} documents")


def test_groups_are_compared_inside_a_filter_on_the_same_field(visit: Open) -> None:
    filtered = "where=trade=baker&where=trade=smith"
    page = visit(f"/compare?index=parish&{filtered}&a_where=trade=baker&b_where=trade=smith")
    expect(page.locator("main")).to_contain_text("baker says baker; smith says smith.")


def test_the_places_behind_a_point_pass_the_filter(visit: Open) -> None:
    filtered = "where=trade=baker&where=year=1850..1853"
    page = visit(f"/trends?index=parish&q=roof&by=year&{filtered}&at=roof,+1852")
    counted = MANY // 20  # every fourth is a baker's, every fifth of these is of 1852
    heading = page.get_by_role("region", name="“roof” in context").get_by_role("heading")
    expect(heading).to_contain_text(f"{counted} times, in {counted} documents")


def test_the_axis_names_every_year_once(visit: Open) -> None:
    page = visit("/trends?index=parish&q=roof&by=year&where=year=1850..1852")
    ticks = page.locator("main svg text").filter(has_text=re.compile(r"^\d{4}$"))
    expect(ticks.last).to_have_text("1852")
    assert ticks.all_text_contents() == ["1850", "1851", "1852"]


def test_documents_that_the_page_does_not_hold_are_counted(visit: Open) -> None:
    def shorten(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "total": 2503})

    page = visit("/overview?index=parish")
    page.route("**/v1/documents*", shorten)
    page.reload()
    count = page.locator("aside.side .documents summary .count")
    expect(count).to_have_text("2,503")
    page.get_by_role("searchbox", name="Find a document").fill("report-001 parish")
    expect(count).to_have_text("1 or more")


def test_every_document_can_be_chosen_by_its_name(visit: Open) -> None:
    page = visit("/compare?index=parish")
    last = f"report-{MANY - 1}-{'of-the-parish-' * 6}"
    page.get_by_label("Find Text A").fill(last)
    choice = page.locator(".side-a select")
    expect(choice.locator("option").first).to_have_text("Choose one of 1")
    choice.select_option(last)
    expect(page).to_have_url(re.compile(f"a={last}"))
    page.get_by_label("Find Text A").fill("nothing is called so")
    expect(choice.locator("option").first).to_have_text("No text is called this")
    expect(choice).to_have_value(last)


def test_a_bound_that_is_emptied_filters_no_more(visit: Open) -> None:
    page = visit("/overview?index=parish&where=year=1852..1855")
    low, high = page.get_by_label("year from", exact=True), page.get_by_label("year to", exact=True)
    low.fill("")
    low.press("Tab")
    expect(page).to_have_url(re.compile(r"year%3D\.\.1855"))
    expect(low).to_have_value("1850")
    high.fill("")
    high.press("Tab")
    expect(page).not_to_have_url(re.compile("where"))


def test_bounds_in_the_wrong_order_are_kept_and_named(visit: Open) -> None:
    page = visit("/overview?index=parish&where=year=1852..1855")
    low, high = page.get_by_label("year from", exact=True), page.get_by_label("year to", exact=True)
    low.fill("1858")
    told = page.get_by_role("alert").filter(has_text="“From” is above “to”")
    expect(told).to_be_visible()
    expect(low).to_have_value("1858")
    assert "1852..1855" in page.url
    high.fill("1859")  # both are as they were typed
    expect(page).to_have_url(re.compile(r"year%3D1858\.\.(1859)?$"))
    expect(told).to_have_count(0)
