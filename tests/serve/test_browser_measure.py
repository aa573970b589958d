"""Measure, Topics and the numbers of Compare as people use them: in Debian's chromium."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (extra 'dev')")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from playwright.sync_api import Route, expect

from lexfield.sample import TEXTS
from tests.serve.live import ASK, Open

expect.set_options(timeout=30_000)


def test_frequencies_clusters_and_their_examples(visit: Open) -> None:
    page = visit("/measure?index=sample")
    expect(page.locator(".verdict")).to_contain_text("as Zipf’s law says")
    expect(page.locator(".plot svg circle").nth(100)).to_be_attached()
    plot = page.locator(".plot")
    plot.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="“the” in context")).to_be_visible()
    page.get_by_text("Clusters of sentences").click()
    page.get_by_role("slider", name="Number of clusters").fill("30")
    expect(page.get_by_role("heading", name="30 clusters")).to_be_visible()
    expect(page.locator("figcaption")).to_have_text(
        re.compile(r"^[\d,]+ sentences in 30 clusters$")
    )
    page.locator("#cluster-2 summary").click()
    expect(page.locator("#cluster-2 li").first).to_be_visible()
    models = page.get_by_role("region", name="Beside texts without meaning")
    page.get_by_text("Numbers", exact=True).click()
    expect(models).to_have_count(0)
    page.get_by_label("Compare with shuffled texts").check()
    expect(models).to_be_visible()


def test_the_word_map_stays_smooth_with_50000_points(visit: Open) -> None:
    page = visit("/measure?index=sample&what=map")
    expect(page.locator(".map canvas")).to_be_visible()
    page.get_by_label("Find on the map").fill("boat")
    frames = page.evaluate(
        """async () => {
          const { Scatter } = await import("/static/scatter.js");
          const n = 50000, at = (f) => Float32Array.from({ length: n }, (_, i) => .5 + .4 * f(i));
          const theme = () => ({ ink: "#000", paper: "#fff", edge: "#999", grid: "#999",
            colours: ["#00f"] });
          const map = new Scatter({ x: at(Math.sin), y: at((i) => Math.cos(1.3 * i)),
            names: Array.from({ length: n }, (_, i) => "w" + i), group: new Uint8Array(n),
            detail: () => "", theme, square: true });
          const canvas = document.createElement("canvas");
          canvas.style.cssText = "width: 800px; height: 600px";
          document.getElementById("main").append(canvas);
          map.attach(canvas);
          await new Promise(requestAnimationFrame);
          const begin = performance.now();
          for (let i = 0; i < 10; i++) { map.scale(1.1, 3, 3); map.paint(); }
          return (performance.now() - begin) / 10;
        }"""
    )
    assert frames < 150  # milliseconds; a tenth of that on an idle machine


def test_topics_lead_to_words_and_documents(visit: Open) -> None:
    page = visit("/topics?index=sample")
    expect(page.get_by_role("heading", name="12 topics")).to_be_visible()
    page.locator("button.topic").first.click()
    page.locator(".topic-more button.tag").first.click()
    expect(page.locator(".kwic li").first).to_be_visible()
    page.get_by_text("What is your own text about?").click()
    page.get_by_label("Your text").fill("The fish and the boats in the water, salt and bread.")
    page.get_by_role("button", name="Find its topics").click()
    topics = page.get_by_role("list", name="Topics of your text")
    expect(topics).to_be_visible()
    near = page.get_by_role("list", name="Documents with the most similar mixture")
    expect(near.get_by_role("listitem")).to_have_count(8)
    for label, option in (("Measured by", "triangle"), ("Searched", "lsh")):
        with page.expect_response(re.compile(f"/v1/find_topic_neighbours.*={option}")) as told:
            page.get_by_label(label).select_option(option)
        assert told.value.json()["results"]
    expect(near.get_by_role("listitem").first).to_be_visible()
    page.reload()  # the address holds the text
    expect(topics).to_be_visible()
    page.go_back()
    expect(topics).to_have_count(0)


def test_topics_that_hardly_occur_are_shown_on_request(visit: Open) -> None:
    page = visit("/import")

    def shrink(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        for one in body["results"][-2:]:
            one["share"] = 1e-5
        route.fulfill(response=answer, json=body)

    page.route("**/v1/topics?*", shrink)
    page.goto(page.url.replace("/import", "/topics?index=sample"))
    expect(page.locator("button.topic")).to_have_count(10)
    page.get_by_role("button", name="Show 2 topics that hardly occur").click()
    expect(page.locator("button.topic")).to_have_count(12)
    expect(page.locator("button.topic").last).to_contain_text("<0.1%")


def test_dates_are_coloured_by_their_order(visit: Open) -> None:
    page = visit("/import")
    group = """async (values) => {
        const { groupPoints } = await import("/static/lib/groups.js");
        const { kind, bounds, of } = groupPoints(values.map((value) => ({ value })));
        return [kind, bounds[0], bounds.at(-1), of];
    }"""
    days = [f"{day:02}/May/22 10:21" for day in range(1, 13)]
    kind, first, last, of = page.evaluate(group, [*days, ""])
    assert (kind, first, last) == ("gradient", "2022-05-01", "2022-05-12")
    assert of[:-1] == sorted(of[:-1]) and len(set(of)) > 8
    assert page.evaluate(group, [f"2022-05-{day + 10}" for day in range(12)])[1] == "2022-05-10"
    assert page.evaluate(group, [f"Volume {n}" for n in range(12)])[0] == "values"


def test_documents_are_called_by_their_titles(visit: Open) -> None:
    page = visit("/import")
    name = """async ([id, metadata]) =>
        (await import("/static/lib/text.js")).titleOf(id, metadata)"""
    told = {
        "1": ({"Summary": "It fails", "Title": "Broken"}, "Broken"),
        "2": ({"Summary": "It fails"}, "It fails"),
        "3-men_in_a_boat.txt": ({"summary": 300 * "long "}, "3 Men in a Boat"),
    }
    for id, (metadata, title) in told.items():
        assert page.evaluate(name, [id, metadata]) == title


def test_sums_add_up_and_a_wrong_one_says_where(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=sums", quiet=True)
    page.get_by_label("Sum of words").fill("3*sea + 2*boat")
    expect(page.locator(".sum").first).to_be_visible()
    parts, total = page.locator(".sum .terms").first.inner_text().rsplit("=", 1)
    numbers = [float(one) for one in re.findall(r"(?:^|[+−]) *([\d.]+) \(", parts)]
    assert sum(numbers) == pytest.approx(float(total.replace(",", "")))
    page.get_by_label("Sum of words").fill("sea - boat")  # texts with as many of both add up to 0
    expect(page.locator(".sum .terms").first).to_contain_text("sea")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_label("Sum of words").fill('3*sea + 2*"boat')
    told = page.get_by_role("alert").inner_text().splitlines()
    assert "^" in [line.strip() for line in told]
    page.get_by_label("Sum of words").fill("3*")
    expect(page.get_by_role("alert")).to_be_visible()


def test_a_pasted_text_is_attributed(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=author")
    page.get_by_label("Your text").fill((TEXTS / "pell-sea.txt").read_text())
    page.get_by_role("button", name="Guess").click()
    expect(page.locator("#guess")).to_have_text("pell")
    page.get_by_label("Your text").fill(
        "Der Hund lief durch den Wald, und die Kinder suchten ihn. " * 9
    )
    page.get_by_role("button", name="Guess").click()
    expect(page.locator("#guess")).to_have_text("Undecided")
    expect(page.locator(".verdict")).to_contain_text("of known texts of this length")
    assert "null" not in page.locator(".verdict").inner_text()


def test_a_word_has_its_own_curve_of_neighbours(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=words&word=sea")
    expect(page.get_by_role("heading", name="Near “sea”")).to_be_visible()
    page.get_by_text("From which similarity on are words related?").click()
    told = page.locator("details", has_text="From which similarity").locator("p").first
    expect(told).to_contain_text(re.compile(r"Of “sea”, as many lie above 0\.\d+"))
    expect(page.locator(".legend")).to_contain_text("sea")
    ticks = page.locator("[aria-label], svg", has_text="neighbours of a word").locator("text")
    assert "0.1" in ticks.all_text_contents()


def test_trained_models_say_how_sure_they_are(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=words&word=sea")
    page.get_by_text("How sure is it?").click()
    page.get_by_role("button", name="Train five models").click()
    expect(page).to_have_url(re.compile("models="), timeout=120_000)
    page.get_by_text("How sure is it?").click()
    drawn = page.get_by_role("img", name=re.compile(r"Mean differences: 0\.\d+ at"))
    expect(drawn).to_be_visible(timeout=60_000)
    page.get_by_text("From which similarity on are words related?").click()
    expect(page.get_by_text("synonyms on average")).to_be_visible(timeout=60_000)


def test_groups_that_were_held_back_say_whether_a_metric_helps(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=metric&by=author")
    page.get_by_text("Would it help?").click()
    verdict = page.locator("details", has_text="Would it help?").locator("strong")
    expect(verdict).to_contain_text(re.compile("MAP [+−-]"), timeout=60_000)
    rows = page.locator("details", has_text="Would it help?").locator("tbody tr")
    expect(rows).to_have_count(4)
    page.get_by_label("By angle").check()
    expect(rows).to_have_count(4)


def test_two_texts_are_measured_in_other_ways_and_their_counts_joined(visit: Open) -> None:
    page = visit("/compare?index=sample&a=pell-sea&b=voss-sea")
    page.get_by_text("Numbers", exact=True).click()
    page.get_by_text("Other measures").click()
    measured = page.locator("details.fold", has_text="Other measures")
    expect(measured).to_contain_text(re.compile(r"nats, with 95% confidence 0\.\d+ to [\d.]+"))
    page.get_by_label("Measured by").select_option("clouds")
    expect(measured).to_contain_text("Entropies: -", timeout=60_000)  # of clouds: below 0
    with page.expect_response(re.compile("/v1/jobs")) as sent:
        page.get_by_label("Measured by").select_option("limit")
    assert "renyi(1)" in (sent.value.request.post_data or "")
    tokens: dict[str, int] = {}
    for operation in ("intersection", "sum", "union"):
        with page.expect_response(re.compile(f"/v1/bag.*operation={operation}")) as told:
            if not tokens:
                page.get_by_text("Their counts of words, joined").click()
            else:
                page.get_by_label("Joined as").select_option(operation)
        tokens[operation] = told.value.json()["tokens"]
    joined = page.locator("details.fold", has_text="Their counts of words")
    expect(joined.locator("tbody tr")).to_have_count(20)
    expect(joined).to_contain_text("A is not contained in B")
    assert tokens["sum"] == tokens["union"] + tokens["intersection"]
    with page.expect_response(re.compile("/v1/bag.*keep_case=true")) as capitals:
        page.get_by_label("With capitals").check()
    expect(joined.locator("tbody")).to_contain_text("The")
    with page.expect_response(re.compile("/v1/bag.*phrases=of")) as told:
        page.get_by_label("A phrase that is one word").fill("of the")
    assert told.value.json()["tokens"] < capitals.value.json()["tokens"]


def test_a_link_shows_the_guess_with_its_text_and_its_filter(visit: Open) -> None:
    page = visit("/measure?index=sample&tool=author")
    text = (TEXTS / "pell-sea.txt").read_text()
    page.get_by_label("Your text").fill(text)
    page.get_by_role("button", name="Guess").click()
    expect(page.locator("#guess")).to_have_text("pell")
    page.get_by_role("navigation").get_by_role("link", name="Search", exact=True).click()
    page.go_back()
    expect(page.locator("#guess")).to_have_text("pell")
    assert page.get_by_label("Your text").input_value() == text
    filtered = f"{page.url}&where=author!=pell".removeprefix(page.evaluate("location.origin"))
    other = visit(filtered)
    expect(other.locator("#guess")).not_to_have_text("pell")
    assert other.get_by_label("Your text").input_value() == text
    expect(other.locator(".shares .name").filter(has_text="pell")).to_have_count(0)


def test_groups_with_most_of_a_topic_come_first(visit: Open) -> None:
    page = visit("/topics?index=sample&topic=0&by=author")
    shares = page.get_by_role("list", name="Share by author").locator(".small")
    expect(shares.nth(1)).to_be_visible()
    told = [float(one.strip("<%")) for one in shares.all_inner_texts()]
    assert told == sorted(told, reverse=True)


def test_the_methods_of_a_search_stay_on_the_screen(visit: Open) -> None:
    for width in (1440, 1024, 768, 390):
        page = visit(ASK, viewport={"width": width, "height": 900})
        expect(page.locator(".hit").first).to_be_visible()
        page.get_by_text("Method: Best").click()
        box = page.locator(".methods .menu-list").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, width
