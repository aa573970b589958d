"""The page: one document for every view, its scripts and styles, all from this package."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

STATIC = Path(__file__).with_name("static")
VIEWS = ("search", "compare", "zipf", "words", "topics", "bags", "start")
# The verb whose answer is the JSON twin of a view: /search.json is /v1/search. That of /start is
# the list of indexes, which is no verb.
TWINS = {
    "search": "search", "compare": "compare", "zipf": "zipf", "near": "words", "topics": "topics",
    "bags": "bags",
}  # fmt: skip


def add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def home() -> RedirectResponse:
        return RedirectResponse("/search", 307)

    async def page() -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    for view in VIEWS:
        app.get(f"/{view}", include_in_schema=False)(page)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    files = _Files(directory=STATIC, packages=[("lexfield.plots", "static")])
    app.mount("/static", files, name="static")


class _Files(StaticFiles):
    """Files that a browser asks for again whether they have changed."""

    def file_response(self, *args: object, **options: object) -> Response:
        response = super().file_response(*args, **options)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response
