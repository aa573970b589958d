"""The whole server: guard, API and page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from lexfield.engine.threads import cores
from lexfield.serve.guard import Limits, guarded_app
from lexfield.serve.library import Library
from lexfield.serve.pages import add_pages
from lexfield.serve.routes import add_routes
from lexfield.serve.server import Server
from lexfield.serve.verbs import add_verbs
from lexfield.vectors.sources import find_home


def make_app(
    indexes: Iterable[str | Path] = (),
    *,
    models: Iterable[str | Path] = (),
    folder: str | Path | None = None,
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
    workers: int | None = None,
) -> FastAPI:
    """A server of indexes. ``folder`` is where uploads become indexes."""
    limits = limits or Limits()
    library = Library(indexes, models, Path(folder) if folder else find_home() / "serve")
    server = Server(library, limits, workers or min(4, max(2, cores())))

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
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

    app = guarded_app("lexfield", limits=limits, host=host, token=token, lifespan=life)
    app.state.server = server
    add_routes(app, server)
    add_verbs(app, server)
    add_pages(app)
    return app
