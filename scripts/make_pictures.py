"""Take the pictures of docs/serve.md: every view of the page on the embedded sample.

    python scripts/make_pictures.py [NAME…]

Needs chromium and playwright; pictures are reduced to 256 colours.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import FloatRect, Page, expect, sync_playwright

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.serve.live import CHROMIUM, served

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
ASK = "/search?index=sample&q=The+fishing+boat+came+home+before+the+storm."


def flows(page: Page) -> None:
    page.get_by_role("region", name="Word mover").locator("summary").first.click()


def context(page: Page) -> None:
    page.locator("svg g[role=button]").nth(1).click()
    expect(page.locator(".kwic").first).to_be_visible()


def collection(page: Page) -> None:
    page.get_by_role("button", name="Compare all").click()
    expect(page.locator(".heat svg image")).to_be_visible()


def clusters(page: Page) -> None:
    page.locator("#cluster-5 summary").click()


def words(page: Page) -> None:
    page.get_by_role("button", name="Draw the map").click()
    expect(page.locator(".map canvas")).to_be_visible()
    page.get_by_role("region", name="Word map").scroll_into_view_if_needed()


def curve(page: Page) -> None:
    page.get_by_role("button", name="Draw the curve").click()
    expect(page.locator("section[aria-label=Threshold] svg")).to_be_visible()


def trained(page: Page) -> None:
    page.get_by_role("button", name="Train five models").click()
    expect(page.locator("svg g[role=button]", has_text=" ± ").first).to_be_visible()


def topics(page: Page) -> None:
    expect(page.locator("#certificate")).to_be_visible()


Act = Callable[[Page], None] | None
# name → address, what to do there, the part that is taken (the whole page if none), dark or phone
VIEWS: dict[str, tuple[str, Act, str | None, str]] = {
    "search": (ASK, None, None, ""),
    "search-methods": (f"{ASK}&method=ideas&method=wmd&method=mean&k=3", flows, None, "dark"),
    "search-phone": (ASK, None, None, "phone"),
    "compare": ("/compare?index=sample&a=pell-sea&b=carter-sea&interval=0.95", context, None, ""),
    "compare-collection": (
        "/compare?index=sample", collection, "section[aria-label='The whole collection']", "",
    ),
    "zipf": ("/zipf?index=sample", None, None, ""),
    "zipf-clusters": (
        "/zipf?index=sample&latent=true&k=40&seeds=1&nulls=false", clusters, None, "dark",
    ),
    "zipf-map": ("/zipf?index=sample", words, "section[aria-label='Word map']", ""),
    "words": ("/words?word=lighthouse", curve, None, ""),
    "words-models": ("/words?word=sea", trained, None, ""),
    "topics": ("/topics?index=sample#document=weiss-stars", topics, None, ""),
    "bags": ("/bags?index=sample&q=3*sea+%2B+2*%22the+boat%22+-+rain&k=5", None, None, ""),
    "start": ("/start", None, None, ""),
}  # fmt: skip


def main(names: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    expect.set_options(timeout=60_000)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        index = Index.build(Corpus.read(TEXTS, metadata=METADATA), Path(folder) / "sample.idx")
        index.fit_topics(12)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with served(index.path, "--folder", Path(folder) / "up") as address:
            for name in names or VIEWS:
                path, act, part, how = VIEWS[name]
                phone = how == "phone"
                page = browser.new_page(
                    viewport={"width": 390 if phone else 1180, "height": 780},
                    device_scale_factor=2 if phone else 1,
                    color_scheme="dark" if how == "dark" else "light",
                )
                page.goto(address + path)
                page.wait_for_load_state("networkidle")
                expect(page.locator(".working")).to_have_count(0)
                if act:
                    act(page)
                page.evaluate(
                    "document.activeElement?.blur(); scrollTo({top: 0, behavior: 'instant'})"
                )
                page.evaluate("document.querySelector('.top').style.position = 'static'")
                page.wait_for_timeout(500)
                shot = (
                    page.locator(part).screenshot()
                    if part
                    else page.screenshot(
                        full_page=True, clip=_clip(page, 1500 if not phone else 1100)
                    )
                )
                _save(shot, name)
                page.close()


def _clip(page: Page, most: int) -> FloatRect:
    """The page down to a height that can be taken in."""
    width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    return {"x": 0, "y": 0, "width": width, "height": min(height, most)}


def _save(shot: bytes, name: str) -> None:
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    picture = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    picture.save(PICTURES / f"{name}.png", optimize=True)
    print(f"{name}: {(PICTURES / f'{name}.png').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
