"""Names of groups on the map, lassos drawn in haste, equal titles, cards in a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Page, expect

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.serve.live import Open, served

expect.set_options(timeout=30_000)
SAID = {"baker": "The baker kneads bread and cake in the morning.",
        "smith": "Iron glows on the anvil of the smith at noon."}  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve two groups of texts; two of them have one title, and dates with minutes."""
    folder = tmp_path_factory.mktemp("map")
    texts = [
        Document(f"{trade}-{number}", f"{said} Day {number} was {'cold ' * number}.",
                 metadata={"title": "Notes" if number < 2 else f"{trade} {number}",
                           "trade": trade, "made": f"0{number + 1}/May/22 10:21"})
        for trade, said in SAID.items()
        for number in range(6)
    ]  # fmt: skip
    Index.build(Corpus.of(texts), folder / "trades.idx")
    with served(folder / "trades.idx", "--folder", folder / "uploads") as at:
        yield at


def name_groups(page: Page, points: list[tuple[float, float, str]]) -> list[list[object]]:
    found: list[list[object]] = page.evaluate(
        """async (points) => {
          const { groupPoints, nameGroups } = await import("/static/lib/groups.js");
          const all = points.map(([x, y, value]) => ({ x, y, value }));
          const named = nameGroups(all, groupPoints(all), (point) => [point.x, point.y]);
          return named.map(({ name, x, y }) => [name, Math.round(10 * x), Math.round(10 * y)]);
        }""",
        points,
    )
    return found


def test_a_group_is_named_where_it_is_densest(visit: Open) -> None:
    page = visit("/map?index=trades")
    corner = [(0.1 + n / 100, 0.1 + n / 100, "left") for n in range(20)]
    other = [(0.9 - n / 100, 0.9 - n / 100, "right") for n in range(20)]
    strays = [(n / 20, 0.5, "left") for n in range(5)]
    assert name_groups(page, [*corner, *other, *strays]) == [["left", 2, 2], ["right", 8, 8]]
    mixed = [(n / 40, m / 40, "ab"[(n + m) % 2]) for n in range(40) for m in range(40)]
    assert name_groups(page, mixed) == []  # neither is anywhere denser than the other


def draw(page: Page, corners: list[tuple[float, float]]) -> None:
    """Draw a line so quickly that the browser tells all of its corners in one event."""
    canvas = page.locator(".map canvas")
    box = canvas.bounding_box()
    assert box
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    canvas.evaluate(
        """(canvas, places) => {
          const move = ([clientX, clientY], more = {}) =>
            new PointerEvent("pointermove", { clientX, clientY, pointerId: 1, ...more });
          const coalescedEvents = places.map((place) => move(place));
          canvas.dispatchEvent(move(places.at(-1), { coalescedEvents }));
        }""",
        places[1:],
    )
    page.mouse.up()


def test_lassos_that_are_drawn_in_haste(visit: Open) -> None:
    page = visit("/map?index=trades")
    expect(page.locator(".map canvas")).to_be_visible()
    selection = page.get_by_role("group", name="Selection")
    page.get_by_role("button", name="Lasso").click()
    draw(page, [(0.03, 0.03), (0.04, 0.03), (0.04, 0.04), (0.03, 0.04)])
    expect(page.locator("#toast")).to_have_text("No point is inside. Draw around some.")
    draw(page, [(0.03, 0.03), (0.97, 0.03), (0.97, 0.5), (0.03, 0.5)])  # no need to press it again
    expect(selection).to_contain_text("documents")
    page.get_by_role("button", name="Lasso a second group").click()
    draw(page, [(0.03, 0.5), (0.97, 0.5), (0.97, 0.97), (0.03, 0.97)])
    expect(selection).to_contain_text("Group B")


def test_documents_with_one_title_are_told_apart_by_their_ids(visit: Open) -> None:
    page = visit("/search?index=trades&q=bread+in+the+morning")
    expect(page.locator(".hit .doc", has_text="Notes · baker-0").first).to_be_visible()
    expect(page.locator(".hit .doc", has_text="baker 3").first).to_have_text("baker 3")
    expect(page.locator(".side .doc", has_text="Notes · smith-1")).to_have_count(1)
    expect(page.locator(".hit .tag", has_text="01/May/22").first).to_have_text("01/May/22")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Quote").first.click()
    expect(page.locator("#toast")).to_have_text("Quotation copied.")
    assert page.evaluate("navigator.clipboard.readText()").count("baker") <= 2  # the id comes once


def test_a_folder_gives_a_collection_its_name(visit: Open, tmp_path: Path) -> None:
    for path in ("winter/a/notes.txt", "winter/b/notes.txt", "winter/10.txt", "winter/9.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"Schiffe und Regen im Sturm bei {path}. Wir warten lange.")
    (tmp_path / "winter" / ".hidden").write_text("nothing")
    page = visit("/import")
    page.get_by_label("Folder").set_input_files(tmp_path / "winter")
    expect(page.get_by_label("Name of the collection")).to_have_value("winter")
    expect(page.get_by_text("4 files, ")).to_contain_text("9.txt, 10.txt, notes.txt")
    page.get_by_role("button", name="Add these texts").click()
    expect(page.get_by_role("heading", name="winter")).to_be_visible()
    expect(page.locator(".side .doc", has_text="notes")).to_have_text(["A Notes", "B Notes"])
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill("Schiff und Regen")
    hit = page.locator(".hit").first
    expect(hit.locator(".why")).to_contain_text("for Schiff")  # as it was asked
    expect(hit.locator(".tag")).to_have_count(0)  # all are German


def test_an_exported_overview_has_the_words_of_each_document(visit: Open) -> None:
    page = visit("/overview?index=trades")
    page.locator("summary", has_text="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    lines = saved.value.path().read_text("utf-8").splitlines()
    assert lines[0].split(",")[:2] == ["document", "words"]
    assert any(line.partition(",")[2].strip() for line in lines[1:]), lines


def test_cards_and_controls_stand_in_a_row(visit: Open) -> None:
    page = visit("/overview?index=trades", viewport={"width": 768, "height": 1024})
    cards = page.locator(".questions li")
    expect(cards).to_have_count(3)
    tops = cards.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1, json.dumps(tops)
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("link", name="Add texts").click()
    expect(page.get_by_role("heading", name="Add texts")).to_be_visible()
    expect(page.get_by_role("button", name="Filter", exact=True)).to_have_count(
        0
    )  # nothing to filter
