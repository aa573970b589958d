"""The whole server: guard, API and page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from lexfield.engine.threads import cores
from lexfield.serve.api import make_routes
from lexfield.serve.guard import Limits, guarded_app
from lexfield.serve.library import Library
from lexfield.serve.server import Server
from lexfield.vectors.sources import find_home

STATIC = Path(__file__).with_name("static")
VIEWS = ("search", "compare", "zipf", "words", "topics", "bags", "start")


def make_app(
    indexes: Iterable[str | Path] = (),
    *,
    models: Iterable[str | Path] = (),
    folder: str | Path | None = None,
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
    workers: int | None = None,
) -> Starlette:
    """Return a server of indexes; uploads become indexes in ``folder``."""
    limits = limits or Limits()
    library = Library(indexes, models, Path(folder) if folder else find_home() / "serve")
    server = Server(library, limits, workers or min(4, max(2, cores())))

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(server.warm())
        scrubbing = asyncio.create_task(server.scrubber.run())
        try:
            yield
        finally:
            warming.cancel()
            scrubbing.cancel()
            await asyncio.gather(scrubbing, return_exceptions=True)
            await server.jobs.stop()
            await server.pool.stop()
            library.close()

    routes = [*make_routes(server), *_make_pages()]
    app = guarded_app(routes, limits=limits, host=host, token=token, lifespan=life)
    app.state.server = server
    return app


def _make_pages() -> list[BaseRoute]:
    """Return one document for every view, its scripts and styles, all from this package."""

    async def go_home(request: Request) -> Response:
        return RedirectResponse("/search", 307)

    async def show_page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    async def show_icon(request: Request) -> Response:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    return [
        Route("/", go_home),
        Route("/favicon.ico", show_icon),
        *(Route(f"/{view}", show_page) for view in VIEWS),
        Mount("/static", _Files(directory=STATIC, packages=[("lexfield.plots", "static")])),
    ]


class _Files(StaticFiles):
    """Files of which a browser asks each time whether they have changed."""

    def file_response(self, *args: object, **options: object) -> Response:
        response = super().file_response(*args, **options)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response
