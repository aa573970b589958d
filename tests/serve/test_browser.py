"""Every view as people use it: in Debian's chromium, with the mouse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Route, expect

from tests.serve.live import ASK, QUERY, Open, text_file

expect.set_options(timeout=30_000)


def test_search_shows_hits_their_reasons_and_what_is_covered(visit: Open) -> None:
    page = visit("/search?index=sample&method=ideas")
    page.get_by_label("Your text").fill(QUERY)
    page.keyboard.press("Enter")
    expect(page.locator(".hit")).to_have_count(5)
    assert "q=The+fishing+boat" in page.url
    expect(page.locator("mark.strong").first).to_be_visible()
    panel = page.get_by_role("complementary", name="What your words reach")
    expect(panel.get_by_text("covered by 1").first).to_be_visible()
    page.locator(".hit details summary").first.click()
    expect(page.get_by_role("columnheader", name="answered by").first).to_be_visible()


def test_reasons_come_in_words_and_differences_are_named(visit: Open) -> None:
    text = "The+tide+never+comes+back+under+the+ship."
    page = visit(f"/search?index=sample&q={text}&method=jaccard&k=1")
    expect(page.locator(".hit .why").first).to_contain_text("tide = tide")
    expect(page.locator(".hit .differs")).to_have_text(
        'differs: "never" only in the query; ship → boat'
    )


def test_a_word_is_marked_in_the_colour_of_the_word_it_answers(visit: Open) -> None:
    page = visit(ASK)
    mark = page.locator(".hit mark", has_text=re.compile("^boat$")).first
    word = page.locator("aside .word", has_text=re.compile("^boat$"))
    colour = "element => getComputedStyle(element).borderBottomColor"
    assert mark.evaluate(colour) == word.evaluate(colour)


def test_methods_stand_side_by_side_and_flows_are_drawn(visit: Open) -> None:
    page = visit(f"{ASK}&method=ideas&method=wmd&k=3")
    expect(page.locator("section.card .hit")).to_have_count(6)
    mover = page.get_by_role("region", name="Word mover")
    mover.locator("summary").first.click()
    expect(mover.locator("svg path").first).to_be_visible()
    assert mover.locator("svg path").count() >= 3


def test_inspire_me_goes_on_with_the_cover(visit: Open) -> None:
    page = visit(ASK)
    expect(page.get_by_role("region", name="Best")).to_be_visible()
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(10)
    page.get_by_role("button", name="Inspire me").click()
    expect(page.get_by_role("region", name="Ideas")).to_be_visible()
    expect(page.locator(".hit")).to_have_count(5)
    first = page.locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    page.get_by_role("button", name="Inspire me").click()
    expect(page.locator(".hit")).to_have_count(10)
    more = page.locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    assert more[:5] == first and len(set(more)) == 10


def test_filters_and_more_like_this(visit: Open) -> None:
    page = visit(f"{ASK}&where=author%3Dpell")
    expect(page.locator(".hit")).to_have_count(5)
    ids = page.locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    assert all(one.startswith("pell-") for one in ids)
    page.get_by_role("button", name="More like this").first.click()
    expect(page.get_by_text("More like pell-")).to_be_visible()
    assert "like=pell-" in page.url


def test_a_permalink_its_twin_and_going_back(visit: Open, address: str) -> None:
    page = visit(ASK + "&k=3")
    expect(page.locator(".hit")).to_have_count(3)
    shown = page.locator(".hit").evaluate_all("all => all.map(one => one.dataset.id)")
    twin = page.get_by_role("link", name="JSON").get_attribute("href")
    assert twin and twin.startswith("/search.json?")
    body = page.request.get(address + twin).json()
    assert [hit["id"] for hit in body["results"]] == shown
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", name="Bring your texts")).to_be_visible()
    page.go_back()
    expect(page.locator(".hit")).to_have_count(3)


def test_data_and_figures_can_be_taken_away(visit: Open) -> None:
    page = visit("/words?word=boat")
    with page.expect_download() as csv:
        page.get_by_role("link", name="CSV").first.click()
    assert Path(csv.value.path()).read_text().startswith("word,similarity,distance\n")
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as picture:
            page.get_by_role("button", name=f"Download neighbours as {kind}").click()
        data = Path(picture.value.path()).read_bytes()
        assert data.startswith(start) and b"var(--" not in data


def test_two_texts_are_compared_and_words_shown_in_context(visit: Open) -> None:
    page = visit("/compare?index=sample")
    page.get_by_label("Text A: document").fill("pell-sea")
    page.get_by_label("Text B: document").fill("carter-sea")
    page.get_by_text("with a 95% interval").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    result = page.get_by_role("region", name="How different")
    expect(result.locator(".value")).to_have_text("0.3119")
    expect(result.get_by_text("95% interval 0.")).to_be_visible()
    bar = result.locator("svg g[role=button]").nth(1)
    bar.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="in pell-sea").first).to_be_visible()
    assert page.locator(".kwic tbody tr").count() > 3


def test_pasted_texts_are_compared(visit: Open) -> None:
    page = visit("/compare?index=sample")
    for side in "AB":
        page.get_by_role("radiogroup", name=f"text {side}").get_by_text("Paste").click()
    page.get_by_label("Text A: your own").fill("The cat sat on the mat; the cat was <b>fat</b>.")
    page.get_by_label("Text B: your own").fill("A dog lay on the rug.")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".value")).to_be_visible()
    page.locator("svg g[role=button]", has_text=re.compile("^cat: .*")).click()
    expect(page.get_by_role("region", name="in text A").first).to_contain_text("<b>fat")


def test_a_collection_has_a_map_and_a_matrix(visit: Open) -> None:
    page = visit("/compare?index=sample")
    page.get_by_role("button", name="Compare all").click()
    expect(page.locator(".map canvas")).to_be_visible()
    expect(page.locator(".heat svg image")).to_be_visible()
    page.locator(".heat svg").hover(position={"x": 300, "y": 200})
    expect(page.locator(".heat [role=status]")).to_contain_text(" from ")


def test_a_pasted_text_is_labelled(visit: Open, sample_index: Path) -> None:
    from lexfield.sample import TEXTS

    page = visit("/compare?index=sample")
    box = page.get_by_role("region", name="Whose text is it")
    box.get_by_label("Your text").fill((TEXTS / "pell-sea.txt").read_text())
    box.get_by_role("button", name="Guess").click()
    expect(box.locator("#guess")).to_have_text("pell")
    expect(box.get_by_text("Nearest documents", exact=True)).to_be_visible()


def test_ranks_of_words_and_clusters_with_a_slider(visit: Open) -> None:
    page = visit("/zipf?index=sample")
    expect(page.get_by_role("heading", name=re.compile("Slope -1.0"))).to_be_visible()
    assert page.locator("figure svg circle").count() > 100
    page.get_by_text("Clusters of sentences").click()
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible()
    slider.fill("30")
    slider.dispatch_event("change")
    expect(page.get_by_role("heading", name="30 clusters")).to_be_visible()
    assert "k=30" in page.url
    page.locator("#cluster-2 summary").click()
    expect(page.locator("#cluster-2 li").first).to_be_visible()


def test_the_word_map_zooms_hovers_and_stays_smooth_with_50000_points(visit: Open) -> None:
    page = visit("/zipf?index=sample")
    page.get_by_role("button", name="Draw the map").click()
    canvas = page.locator(".map canvas")
    expect(canvas).to_be_visible()
    before = canvas.evaluate("c => c.toDataURL()")
    canvas.hover()
    page.mouse.wheel(0, -600)
    page.wait_for_timeout(200)
    zoomed = canvas.evaluate("c => c.toDataURL()")
    assert zoomed != before
    page.get_by_label("Find on the map").fill("boat")
    page.wait_for_timeout(200)
    assert canvas.evaluate("c => c.toDataURL()") != zoomed
    frames = page.evaluate(
        """async () => {
          const { PointMap } = await import("/static/pointmap.js");
          const points = Array.from({length: 50000}, (_, i) => ({
            x: Math.sin(i) * i, y: Math.cos(i * 1.3) * i, name: "w" + i, group: "g" + i % 6 }));
          const map = new PointMap(points, { label: "test", name: "test" });
          document.getElementById("main").replaceChildren(map.element());
          await new Promise(requestAnimationFrame);
          const begin = performance.now();
          for (let i = 0; i < 10; i++) { map.scale(1.1, 3, 3); map.paint(); }
          const box = map.canvas.getBoundingClientRect(), seen = performance.now();
          for (let i = 0; i < 20; i++) map.hover({ clientX: box.x + 20 * i, clientY: box.y + 200 });
          return [(seen - begin) / 10, (performance.now() - seen) / 20];
        }"""
    )
    assert frames[0] < 150 and frames[1] < 50  # milliseconds; a tenth of that on an idle machine


def test_near_words_and_the_threshold_curve(visit: Open) -> None:
    page = visit("/words")
    page.get_by_label("Word", exact=True).fill("lighthouse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Near “lighthouse”")).to_be_visible()
    page.locator("svg g[role=button]", has_text="beacon: 0.7").first.click()
    expect(page.get_by_role("heading", name="Near “beacon”")).to_be_visible()
    page.get_by_role("button", name="Draw the curve").click()
    expect(page.get_by_role("img", name=re.compile("the threshold is 0.8"))).to_be_visible()


def test_models_give_error_bars(visit: Open) -> None:
    pytest.importorskip("gensim", reason="the extra 'train' is not installed")
    page = visit("/words?word=sea")
    page.get_by_role("button", name="Train five models").click()
    expect(page.locator("svg g[role=button]", has_text=" ± ").first).to_be_visible(timeout=90_000)
    assert "models=sample" in page.url


def test_topics_and_the_certificate(visit: Open) -> None:
    page = visit("/topics?index=sample")
    expect(page.get_by_role("heading", name="12 topics")).to_be_visible()
    page.get_by_label("Document", exact=True).fill("weiss-stars")
    page.get_by_role("button", name="Find near ones").click()
    expect(page.locator("#certificate")).to_contain_text("no other row is under")
    page.get_by_role("textbox", name="Your text").fill("The ship and the harbour.")
    page.get_by_role("button", name="What is it about?").click()
    expect(page.get_by_role("img", name="Topics of your text")).to_be_visible()


def test_documents_that_arrive_late_leave_what_is_typed_alone(visit: Open) -> None:
    page = visit("/search?index=sample")
    held: list[Route] = []
    page.route("**/documents?*", lambda route: held.append(route))
    with page.expect_request("**/documents?*"):
        page.get_by_role("link", name="Topics").click()
    pick = page.get_by_label("Document", exact=True)
    pick.focus()
    held[0].continue_()
    expect(page.locator("#near-documents option").first).to_be_attached()
    expect(pick).to_have_value("")


def test_bags_add_up(visit: Open) -> None:
    page = visit("/bags?index=sample")
    page.get_by_label("Sum of words").fill("3*sea + 2*boat")
    page.get_by_role("button", name="Add up").click()
    expect(page.locator(".sum").first).to_be_visible()
    terms = page.locator(".sum .terms").first.inner_text()
    parts, total = terms.rsplit("=", 1)
    numbers = [float(one) for one in re.findall(r"(?:^|[+−]) *([\d.]+) \(", parts)]
    assert sum(numbers) == pytest.approx(float(total.replace(",", "")))


def test_a_wrong_sum_says_where(visit: Open) -> None:
    page = visit("/bags?index=sample&q=3*&method=count", quiet=True)
    expect(page.get_by_role("alert")).to_be_visible()


def test_files_are_dropped_in_and_searched(visit: Open) -> None:
    page = visit("/start")
    page.locator("#files").set_input_files(
        text_file(
            "ship.txt", b"The grey ship sailed over the cold sea. It never came back to us again."
        )
    )
    page.get_by_role("button", name="Build the index").click()
    expect(page.get_by_text("ship is ready:")).to_be_visible()
    page.get_by_role("link", name="Search it").click()
    page.get_by_label("Your text").fill("a boat on the ocean")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit").first).to_contain_text("grey ship")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Delete it for good?").click()
    expect(page.get_by_role("link", name="ship")).to_have_count(0)


def test_files_can_be_dropped_with_the_mouse(visit: Open) -> None:
    page = visit("/start")
    expect(page.get_by_text("Drop files here")).to_be_visible()
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["The old tower fell. Nobody saw it."], "tower.txt"));
          const zone = document.querySelector(".drop");
          zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
          zone.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }"""
    )
    expect(page.get_by_text("1 file, 0.0 MB: tower.txt")).to_be_visible()
    page.get_by_role("button", name="Build the index").click()
    expect(page.get_by_text("tower is ready:")).to_be_visible()


def test_a_build_can_be_cancelled(visit: Open) -> None:
    page = visit("/start")
    words = " ".join(f"word{i} and word{i * 7 % 999} met at dawn." for i in range(120_000))
    page.locator("#files").set_input_files(text_file("long.txt", words.encode()))
    page.get_by_role("button", name="Build the index").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Nothing was kept.")).to_be_visible()
    expect(page.get_by_role("link", name="long")).to_have_count(0)


def test_an_answer_can_be_copied_as_a_command_as_python_and_as_curl(visit: Open) -> None:
    page = visit(ASK, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_text("Copy as…").click()
    shown = {
        "Command": f"lexfield search sample.idx '{QUERY}'",
        "Python": f"lx.search('sample.idx', '{QUERY}'",
        "curl": "/v1/search?index=sample&query=The+fishing",
    }
    for name, text in shown.items():
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator(".snippet", has_text=text).get_by_text("Copied")).to_be_visible()
        assert text in page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    expect(page.locator(".snippet").first).to_be_hidden()
