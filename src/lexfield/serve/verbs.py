"""``/v1/VERB``: every verb of the library over HTTP, answered as ``--json`` prints it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Query, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from lexfield.serve.pages import TWINS
from lexfield.serve.problems import NotFoundError
from lexfield.serve.replies import REPLIES
from lexfield.serve.requests import JOBS, VERBS, Problem, Request
from lexfield.serve.server import Server

# Verbs that take texts too long for an address are asked by POST as well.
_POSTED = ("search", "bags", "compare", "label", "infer", "kwic")
_MEDIA = {"json": "application/json", "csv": "text/csv; charset=utf-8"}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        400: "Wrong input", 404: "Nothing of this id", 409: "Not in this state",
        413: "Too large", 422: "Wrong parameters", 429: "Too many jobs",
        501: "A package is missing", 503: "Busy: see Retry-After", 504: "Took too long",
    }.items()
}  # fmt: skip


def add_verbs(app: FastAPI, server: Server) -> None:
    """``GET /v1/VERB`` for every verb, and ``POST`` for those that take whole texts."""
    router = APIRouter(prefix="/v1", responses=PROBLEMS)
    table = {"text/csv": {"schema": {"type": "string"}}}
    for verb, model in VERBS.items():
        answers: dict[str, Any] = {
            "response_model": REPLIES[verb], "responses": {200: {"content": table}}
        }  # fmt: skip
        asked = _asker(server, verb, model, Annotated[model, Query()])
        router.get(f"/{verb}", name=verb, operation_id=verb, **answers)(asked)
        if verb in _POSTED:
            posted = _asker(server, verb, model, Annotated[model, Body()])
            router.post(f"/{verb}", name=f"{verb}_posted", operation_id=f"{verb}_posted",
                        **answers)(posted)  # fmt: skip
        if view := TWINS.get(verb):
            app.get(f"/{view}.json", include_in_schema=False)(asked)
    app.include_router(router)


def _asker(
    server: Server, verb: str, model: type[Request], kind: Any
) -> Callable[..., Awaitable[Response]]:
    """A handler whose one parameter is the model of the verb."""

    async def ask(request: Request) -> Response:
        begin = time.perf_counter()
        found = await server.answer(verb, request)
        taken = 1000 * (time.perf_counter() - begin)
        headers = {"server-timing": f"{verb};dur={taken:.1f}", "cache-control": "no-store"}
        return Response(found, headers=headers, media_type=_MEDIA[request.format])

    parameter = inspect.Parameter(
        "request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind
    )
    ask.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]
    ask.__doc__ = f"{(model.__doc__ or '').strip()} As ``lexfield {verb} … --json`` prints it."
    return ask


def read_options(verb: str, options: dict[str, Any]) -> Request:
    """The parameters of a job, checked as those of an address are."""
    model = {**VERBS, **JOBS}.get(verb)
    if model is None:
        raise NotFoundError(f"There is no verb {verb!r}.", f"There are: {', '.join(VERBS)}.")
    try:
        return model.model_validate(options)
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("body", "options", *one["loc"])} for one in error.errors()]
        ) from error
