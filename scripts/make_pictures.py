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
from urllib.parse import quote_plus

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.serve.live import CHROMIUM, served

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
BORROWED = """A storm was coming. He took a house by the sea; he had a mast put up above the
scullery; and on the wall, between a portrait of his late mother and one of Prudence leaning on an
urn, he hung a glass of mercury. He was a man who, having priced the ocean for forty years and never
wet his stockings in the trade, resolved at last to look at what he priced."""
ASK = "/search?index=sample&q=The+fishing+boat+came+home+before+the+storm."
FIRST = "/search?index=sample&q=She+was+frightened."  # the first example of README


def flows(page: Page) -> None:
    mover = page.get_by_role("region", name="Word mover")
    mover.get_by_role("button", name="Numbers").first.click()


def reading(page: Page) -> None:
    page.locator(".hit .text").nth(1).click()
    expect(page.locator(".s.chosen")).to_be_visible()


def similar(page: Page) -> None:
    expect(page.locator(".similar li").first).to_be_visible()


def drawn(page: Page) -> None:
    expect(page.locator("canvas, .plot svg").first).to_be_visible()


def shared(page: Page) -> None:
    passages = page.get_by_role("region", name="Shared passages")
    expect(passages.locator(".pair").first).to_be_visible()
    passages.evaluate("one => scrollTo(0, one.offsetTop - 90)")


Act = Callable[[Page], None] | None
# name → address, what to do there, dark or phone
VIEWS: dict[str, tuple[str, Act, str]] = {
    "overview": ("/overview?index=sample", drawn, ""),
    "search": (FIRST, reading, ""),
    "search-methods": (f"{ASK}&method=ideas&method=wmd&method=mean&k=4", flows, "dark"),
    "search-phone": (FIRST, None, "phone"),
    "read": ("/read?index=sample&doc=voss-sea&s=9&similar=true", similar, ""),
    "compare": ("/compare?index=sample&a_where=author%3Dpell&b_where=author%3Dvoss", None, ""),
    "compare-shared": (
        "/compare?index=sample&a=pell-sea&text_b=" + quote_plus(BORROWED),
        shared,
        "",
    ),
    "map": ("/map?index=sample&by=topic", drawn, ""),
    "trends": ("/trends?index=sample&q=sea&q=garden&q=bread&by=topic", drawn, ""),
    "topics": ("/topics?index=sample&topic=7&by=author", None, "dark"),
    "measure": ("/measure?index=sample", drawn, ""),
    "sums": ("/measure?index=sample&tool=sums&q=3*sea+%2B+2*%22the+boat%22+-+rain", None, ""),
    "words": ("/measure?index=sample&tool=words&word=lighthouse", drawn, ""),
    "import": ("/import", None, ""),
}


def main(names: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    expect.set_options(timeout=180_000)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        index = Index.build(Corpus.read(TEXTS, metadata=METADATA), Path(folder) / "sample.idx")
        index.fit_topics(12)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with served(index.path, "--folder", Path(folder) / "up") as address:
            for name in names or VIEWS:
                path, act, how = VIEWS[name]
                phone = how == "phone"
                page = browser.new_page(
                    viewport={"width": 390 if phone else 1360, "height": 860},
                    device_scale_factor=2 if phone else 1,
                    color_scheme="dark" if how == "dark" else "light",
                )
                page.set_default_timeout(180_000)
                page.goto(address + path)
                page.wait_for_load_state("networkidle")
                expect(page.locator(".working")).to_have_count(0)
                if act:
                    act(page)
                page.evaluate("document.activeElement?.blur()")
                page.wait_for_timeout(500)
                _save(page.screenshot(), name)
                page.close()


def _save(shot: bytes, name: str) -> None:
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    picture = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    picture.save(PICTURES / f"{name}.png", optimize=True)
    print(f"{name}: {(PICTURES / f'{name}.png').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
