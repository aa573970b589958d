"""Every view as people use it: in Debian's chromium, with the mouse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Page, expect

from tests.serve.live import ASK, QUERY, Open, text_file

expect.set_options(timeout=30_000)


def reader(page: Page, title: str) -> None:
    expect(page.get_by_role("complementary", name="Reader")).to_contain_text(title)


def test_results_come_while_typing_with_reasons_in_words(visit: Open) -> None:
    page = visit("/search?index=sample")
    page.get_by_label("Your text").fill(QUERY)
    expect(page.locator(".hit")).to_have_count(10)
    assert "q=The+fishing+boat" in page.url
    first = page.locator(".hit").first
    expect(first.locator("mark.strong").first).to_be_visible()
    expect(first.locator(".why").first).to_contain_text("for boat")
    first.get_by_role("button", name="Numbers").click()
    expect(first.get_by_role("columnheader", name="answered by")).to_be_visible()
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(20)


def test_a_word_is_marked_in_the_colour_of_the_word_it_answers(visit: Open) -> None:
    page = visit(ASK)
    page.get_by_text("Words it looks for").click()
    mark = page.locator(".hit mark", has_text=re.compile("^boat$")).first
    word = page.locator(".reach .word", has_text=re.compile("^boat$"))
    colour = "element => getComputedStyle(element).borderBottomColor"
    assert mark.evaluate(colour) == word.evaluate(colour)


def test_methods_stand_side_by_side_and_flows_are_drawn(visit: Open) -> None:
    page = visit(f"{ASK}&k=3")
    page.get_by_text("Method: Best").click()
    page.get_by_role("checkbox", name="Word mover").check()
    page.keyboard.press("Escape")
    mover = page.get_by_role("region", name="Word mover")
    expect(mover.locator(".hit")).not_to_have_count(0)
    expect(page.get_by_role("region", name="Best").locator(".hit")).not_to_have_count(0)
    page.wait_for_load_state("networkidle")  # nothing is drawn again after the click
    mover.get_by_role("button", name="Numbers").first.click()
    expect(mover.locator("svg path").nth(2)).to_be_attached()
    page.get_by_label("Combine into one list").check()
    expect(page.locator(".hit")).to_have_count(10)
    assert "combine=true" in page.url


def test_hits_are_grouped_and_more_like_one_are_found(visit: Open) -> None:
    page = visit(ASK)
    page.get_by_label("Group by document").check()
    expect(page.locator("section.group").first).to_be_visible()
    assert "group=true" in page.url
    page.get_by_role("link", name="More like this").first.click()
    expect(page.get_by_text("More like ").first).to_be_visible()
    assert "like=" in page.url


def test_documents_show_their_best_passages(visit: Open) -> None:
    page = visit(f"{ASK}&unit=document")
    expect(page.locator(".hit h2 a").first).to_be_visible()
    assert page.locator(".hit").count() == 5
    page.locator(".hit p").get_by_role("link", name="sentence").first.click()
    expect(page.locator(".s.chosen")).to_be_visible()


def test_a_hit_opens_its_text_and_a_sentence_what_is_similar(visit: Open) -> None:
    page = visit(ASK, permissions=["clipboard-read", "clipboard-write"])
    page.locator(".hit .text").first.click()
    reader(page, "sentences")
    expect(page.locator(".s.chosen.found mark.strong").first).to_be_visible()
    page.locator(".s.chosen").click()
    expect(page.locator(".margin .hit-tick").first).to_be_attached()
    similar = page.get_by_role("complementary", name="Similar passages")
    expect(similar.locator("li").first).to_be_visible()
    mark, own = similar.locator("mark.strong").first, page.locator(".s.chosen mark").first
    expect(mark).to_be_visible()
    expect(own).to_be_visible()
    similar.get_by_role("button", name="Quote").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("“") and re.search(r"; [a-z-]+#\d+\)$", copied)
    page.get_by_role("complementary", name="Reader").get_by_label("Find a word").fill("the")
    expect(page.get_by_role("button", name="Next place")).to_be_visible()
    similar.get_by_text("Other texts").click()
    expect(page).to_have_url(re.compile("similar=others.*find=the"))
    page.reload()  # a link shows the same
    expect(page.get_by_role("button", name="Next place")).to_be_visible()
    expect(similar.get_by_role("radio", name="Other texts")).to_be_checked()
    page.get_by_role("button", name="Close the reader").click()
    expect(page.get_by_role("complementary", name="Reader")).to_have_count(0)
    assert "doc=" not in page.url


def test_similar_passages_stand_next_to_their_sentence(visit: Open) -> None:
    page = visit(f"{ASK}&doc=pell-sea&s=60&similar=true")
    expect(page.locator(".similar li").first).to_be_visible()
    before = page.locator("p:has(.s.chosen) + .similar").bounding_box()
    chosen = page.locator(".s.chosen").bounding_box()
    assert before and chosen and 0 <= before["y"] - (chosen["y"] + chosen["height"]) < 60
    bottom = "scrollY + document.querySelector('main').getBoundingClientRect().bottom"
    tall = page.evaluate(f"document.documentElement.scrollHeight - Math.max(innerHeight, {bottom})")
    assert tall < 100  # nothing that is not seen makes the page longer


def test_one_filter_holds_for_all_views_and_back_undoes_it(visit: Open) -> None:
    page = visit(ASK)
    side = page.get_by_role("complementary", name="Collection and filter")
    side.get_by_label("pell").check()
    expect(page.locator(".hit").first).to_have_attribute("data-id", re.compile("^pell-"))
    ids = page.locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    assert all(one.startswith("pell-") for one in ids)
    expect(side.locator(".documents li")).to_have_count(8)
    page.get_by_role("link", name="Topics").click()
    expect(page).to_have_url(re.compile("where=author%3Dpell"))
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_label("Text A").locator("option")).to_have_count(9)
    with page.expect_response("**/v1/compare?*") as answer:
        for letter, topic in (("A", "sea"), ("B", "kitchen")):
            page.locator(f".side-{letter.lower()}").get_by_text("Group").click()
            page.get_by_label(f"Group {letter}").select_option(f"topic={topic}")
    assert answer.value.url.count("author%3Dpell") == 2
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.get_by_label("Your text")).to_have_value(QUERY)  # as it was left
    side.get_by_role("button", name="author is pell").click()
    expect(side.locator(".documents li")).to_have_count(40)
    page.go_back()
    expect(side.locator(".documents li")).to_have_count(8)


def test_the_same_question_is_asked_once(visit: Open) -> None:
    page = visit("/import")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_text("Open the map")).to_be_visible()
    verbs = [url for url in asked if "/v1/" in url and "/jobs" not in url]
    assert len(verbs) >= 2 and len(set(verbs)) == len(verbs)


def test_a_point_of_a_trend_is_a_step_of_the_history(visit: Open) -> None:
    page = visit("/trends?index=sample&q=sea&by=author")
    page.locator(".plot svg").wait_for()
    page.get_by_text("As a table").click()
    page.get_by_role("button", name="Show sea, pell").click()
    expect(page.locator(".kwic li").first).to_contain_text("sea")
    row = page.locator("tr", has=page.get_by_role("button", name="Show sea, pell"))
    times = row.locator("td").nth(3).inner_text()  # what is counted is what is shown
    expect(page.locator(".kwic h2")).to_contain_text(f"{times} times")
    page.reload()
    expect(page.locator(".kwic li").first).to_contain_text("sea")
    page.go_back()
    expect(page.locator(".kwic")).to_have_count(0)


def test_the_palette_finds_documents_and_commands(visit: Open) -> None:
    page = visit("/search?index=sample")
    expect(page.get_by_label("Your text")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("underwriter")
    expect(page.get_by_role("option", name=re.compile("Read.*Underwriter"))).to_be_visible()
    page.keyboard.press("Enter")
    reader(page, "The Underwriter's Glass")
    page.keyboard.press("Control+k")
    page.keyboard.type("go to map")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/map"))


def test_a_permalink_its_twin_and_an_export(visit: Open, address: str) -> None:
    page = visit(ASK + "&k=3", permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator(".hit")).to_have_count(3)
    shown = page.locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    twin = page.url.replace(address, "").replace("/search?", "/search.json?")
    body = page.request.get(address + twin).json()
    assert [hit["id"] for hit in body["results"]] == shown
    page.locator(".results-head").get_by_text("Export").click()
    expected = {"Command": "sample.idx 'The fishing", "Python": "lx.search(", "curl": "curl "}
    for name, text in expected.items():
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator("#toast")).to_have_text(f"{name} copied.")
        assert text in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as csv:
        page.get_by_role("button", name="CSV").click()
    table = Path(csv.value.path()).read_text()
    assert table.splitlines()[0].startswith("rank,id,score") and "{" not in table
    assert str(Path(__file__).parents[2]) not in table


def test_pins_become_a_report(visit: Open) -> None:
    page = visit(ASK)
    page.locator(".hit").first.get_by_role("button", name="Pin").click()
    page.get_by_role("button", name="Pins").click()
    pins = page.get_by_role("complementary", name="Pins")
    pins.get_by_role("textbox").fill("compare with <b>the others</b>")
    expect(page.locator("#toast")).to_be_visible()
    page.wait_for_timeout(400)
    with page.expect_download() as report:
        pins.get_by_role("button", name="Save as a report").click()
    text = Path(report.value.path()).read_text()
    assert "<blockquote>" in text and "&lt;b&gt;the others&lt;/b&gt;" in text
    assert "<script" not in text and "http" not in text
    page.reload()
    expect(page.get_by_role("button", name="Pins")).to_contain_text("1")


def test_two_texts_are_compared_in_two_columns(visit: Open) -> None:
    page = visit("/compare?index=sample")
    page.get_by_label("Text A").select_option("pell-sea")
    page.get_by_label("Text B").select_option("carter-sea")
    expect(page.locator(".verdict")).to_contain_text("The Underwriter's Glass says")
    page.get_by_role("region", name="Words of The Underwriter's Glass").get_by_role(
        "button", name="glass"
    ).click()
    expect(page.locator(".kwic li").first).to_contain_text("glass")
    assert "word=glass" in page.url
    page.locator(".kwic li a").first.click()
    reader(page, "The Underwriter's Glass")
    pairs = page.get_by_role("region", name="Closest passages")
    expect(pairs.locator(".pair").or_(pairs.get_by_text("No sentences")).first).to_be_visible()


def test_pasted_texts_are_compared(visit: Open) -> None:
    page = visit("/compare?index=sample")
    for side, text in (("a", "The cat sat. <i>Cat</i>, cat!"), ("b", "A dog lay down.")):
        page.locator(f".side-{side}").get_by_text("Paste").click()
        page.get_by_label(f"Your text {side.upper()}").fill(text)
    expect(page.locator(".verdict")).to_contain_text("Your text A says cat")
    page.get_by_role("button", name=re.compile("^cat")).click()
    expect(page.locator(".kwic").first).to_contain_text("<i>")
    long = "The lamp burned in the window. " * 200
    box = page.get_by_role("textbox", name="Your text B")
    box.fill(long)
    expect(page.locator(".verdict")).to_contain_text("your text B says burned")
    assert "text_b=paste%3A" in page.url and len(page.url) < 300
    page.reload()  # the server has kept it
    expect(box).to_have_value(long)
    expect(page.locator(".verdict")).to_contain_text("your text B says burned")


def test_passages_that_two_texts_share_are_joined(visit: Open) -> None:
    copied = "Somebody wrote: He took a house; he soon caused a mast to rise above the scullery."
    page = visit(f"/compare?index=sample&a=pell-sea&text_b={copied.replace(' ', '+')}")
    shared = page.get_by_role("region", name="Shared passages")
    expect(shared.locator(".ribbons path")).to_have_count(1)
    expect(shared.locator(".right mark").first).to_contain_text("He took a house")
    expect(shared.locator(".right .small").last).to_contain_text("13 and 14 words")
    shared.get_by_role("link", name="The Underwriter's Glass").click()
    expect(page.locator(".s.chosen")).to_contain_text("He took a house")


def test_the_map_opens_texts_and_lassos_become_filters(visit: Open) -> None:
    page = visit("/map?index=sample")
    canvas = page.locator(".map canvas")
    expect(canvas).to_be_visible()
    before = canvas.evaluate("c => c.toDataURL()")
    page.get_by_role("combobox", name="Colour", exact=True).select_option("topic")
    expect(page.get_by_role("group", name="Legend")).to_contain_text("kitchen")
    assert "by=topic" in page.url
    page.wait_for_timeout(200)
    assert canvas.evaluate("c => c.toDataURL()") != before
    box = canvas.bounding_box()
    assert box
    page.get_by_role("button", name="Lasso").click()
    corners = [(0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95), (0.05, 0.06)]
    page.mouse.move(box["x"] + 0.05 * box["width"], box["y"] + 0.05 * box["height"])
    page.mouse.down()
    for x, y in corners:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=3)
    page.mouse.up()
    expect(page.get_by_role("group", name="Selection")).to_contain_text("documents")
    assert "lasso=" in page.url
    page.reload()
    expect(page.get_by_role("group", name="Selection")).to_contain_text("documents")
    page.get_by_text("As a list").click()
    page.locator("main .columns .doc").first.click()
    reader(page, "sentences")


def test_groups_are_picked_without_a_mouse(visit: Open) -> None:
    page = visit("/map?index=sample")
    page.get_by_text("As a list").press("Enter")
    for box in ("Group A: The Underwriter's Glass", "Group B: Everyone Here Pays Rent"):
        page.get_by_role("checkbox", name=box).press("Space")
    expect(page.get_by_role("group", name="Selection")).to_contain_text("Group B: 1 document")
    page.reload()  # a link shows the same
    page.get_by_role("button", name="Compare A with B").press("Enter")
    expect(page.locator(".verdict")).to_be_visible()
    page.go_back()
    page.get_by_role("checkbox", name="Group B: Everyone Here Pays Rent").press("Space")
    page.get_by_role("button", name="Filter all views to these").press("Enter")
    expect(page.locator(".side .documents li")).to_have_count(1)


def test_ids_with_commas_can_be_filtered_and_compared(visit: Open) -> None:
    page = visit("/import?index=sample")
    rows = ["id,text", '"Poe, 1845","A raven came at midnight."', '"Poe, 1846","A cask of wine."']
    rows += ["emma,Emma was clever and rich.", '"a ""b"", c",The ship sailed home.']
    page.locator("#files").set_input_files(text_file("commas.csv", "\n".join(rows).encode()))
    page.get_by_role("button", name="Add these texts").click()
    expect(page.locator("dl.facts")).to_be_visible()
    page.get_by_role("link", name="Map", exact=True).click()
    page.get_by_text("As a list").click()
    for box in ("Group A: Poe, 1845", 'Group A: a "b", c', "Group B: emma", "Group B: Poe, 1846"):
        page.get_by_role("checkbox", name=box).check()
    page.get_by_role("button", name="Compare A with B").click()
    expect(page.locator(".verdict")).to_contain_text('Poe, 1845 or a "b", c')
    page.go_back()
    page.get_by_role("button", name="Filter all views to these").first.click()
    expect(page.locator(".side .documents li")).to_have_count(2)
    expect(page.locator(".side .filter")).to_contain_text('Poe, 1845 or a "b", c')
    page.get_by_role("link", name="Add texts").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it for good?").click()
    expect(page.get_by_role("link", name="commas")).to_have_count(0)


def test_figures_can_be_taken_away_with_title_and_source(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=words&word=boat")
    expect(page.locator(".plot svg")).to_be_visible()
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as picture:
            page.get_by_role("button", name=f"Download neighbours as {kind}").click()
        data = Path(picture.value.path()).read_bytes()
        assert data.startswith(start) and b"var(--" not in data
        assert kind == "PNG" or b"sample" in data


def test_files_are_added_searched_and_deleted(visit: Open) -> None:
    page = visit("/import")
    page.locator("#files").set_input_files(
        text_file(
            "ship.txt", b"The grey ship sailed over the cold sea. It never came back to us again."
        )
    )
    page.get_by_role("button", name="Add these texts").click()
    expect(page).to_have_url(re.compile("/overview.index=ship"))
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill("a boat on the ocean")
    expect(page.locator(".hit").first).to_contain_text("grey ship")
    page.get_by_role("link", name="Add texts").click()
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Delete it for good?").click()
    expect(page.get_by_role("link", name="ship")).to_have_count(0)


def test_files_can_be_dropped_and_a_build_cancelled(visit: Open) -> None:
    page = visit("/import")
    expect(page.get_by_text("Drop files or folders here")).to_be_visible()
    page.evaluate(
        """() => {
          const words = Array.from({ length: 120000 }, (_, i) => `w${i} met w${i * 7 % 999}.`);
          const data = new DataTransfer();
          data.items.add(new File([words.join(" ")], "long.txt"));
          const zone = document.querySelector(".drop");
          zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
          zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }"""
    )
    expect(page.get_by_text("1 file, ")).to_contain_text("long.txt")
    page.get_by_role("button", name="Add these texts").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Nothing was kept.")).to_be_visible()
    expect(page.get_by_role("link", name="long")).to_have_count(0)


def test_hits_show_words_and_dates_as_people_write_them(visit: Open) -> None:
    page = visit("/import")
    mail = "Subject: Wetter\nDate: Tue, 03 Feb 2015 10:11:12 +0100\nContent-Language: de\n\n"
    mail += "Der Regen hat die Straße überschwemmt.\n\nWir warten auf den Zug nach Köln."
    page.locator("#files").set_input_files(text_file("wetter.eml", mail.encode()))
    page.get_by_role("button", name="Add these texts").click()
    expect(page.locator("dl.facts")).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Your text").fill("Regen")
    page.get_by_role("button", name="Search", exact=True).click()
    hit = page.locator("article").filter(has_text="überschwemmt")
    expect(hit.locator(".why")).to_contain_text("Has Regen")
    expect(hit.get_by_role("button", name="2015-02-03", exact=True)).to_be_visible()
