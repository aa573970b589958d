"""What is not a verb: indexes, uploads, jobs, and whether all is well."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, File, Form, Query, Response, UploadFile
from fastapi.responses import StreamingResponse

from lexfield import __version__
from lexfield.errors import InputError, list_names
from lexfield.search.registry import METHODS
from lexfield.serve.problems import ServedError
from lexfield.serve.replies import AnyAnswer
from lexfield.serve.requests import (
    Follower,
    Health,
    IndexBody,
    Info,
    JobBody,
    Lists,
    ModelsBody,
    Start,
)
from lexfield.serve.server import Server
from lexfield.serve.uploads import Sent
from lexfield.serve.verbs import PROBLEMS, read_options
from lexfield.store.manifest import REBUILD
from lexfield.text.stopwords import stopwords
from lexfield.vectors.sources import list_sets

_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


def add_routes(app: FastAPI, server: Server) -> None:
    @app.get("/healthz", operation_id="health", responses={503: PROBLEMS[503]})
    async def health() -> Health:
        """Whether the server is up, its indexes are warm, and their files are as written."""
        if damaged := server.scrubber.damaged():
            told = list_names(f"{id} ({problem})" for id, problem in damaged.items())
            raise ServedError(f"Damaged: {told}.", REBUILD, 503)
        return Health(
            status="ok", version=__version__, indexes=len(server.library.indexes),
            ready=server.ready,
        )  # fmt: skip

    router = APIRouter(prefix="/v1", responses=PROBLEMS)
    _add_indexes(router, server)
    _add_jobs(router, server)
    app.include_router(router)

    @app.get("/start.json", include_in_schema=False)
    async def start() -> Lists:
        return await _lists(server)


async def _lists(server: Server) -> Lists:
    indexes, damaged_indexes = await server.about_indexes()
    models, damaged_models = server.about_models()
    return Lists(
        indexes=[IndexBody(**one) for one in indexes],
        models=[ModelsBody(**one) for one in models],
        vectors=[entry.name for entry in list_sets() if entry.words is not None],
        methods=[name for name in METHODS.names() if name != "fuse"],
        limits=asdict(server.limits),
        damaged=damaged_indexes | damaged_models,
    )


def _add_indexes(router: APIRouter, server: Server) -> None:
    @router.get("/indexes", operation_id="indexes")
    async def indexes() -> Lists:
        """Everything that this server holds, and its limits."""
        return await _lists(server)

    @router.get("/indexes/{id}", operation_id="index", response_model=AnyAnswer)
    async def index(id: str) -> Response:
        """As ``lexfield info IDX --json`` prints it."""
        server.library.index(id)
        body = await server.answer("info", Info(index=id))
        return Response(body, media_type="application/json")

    @router.post("/indexes", operation_id="build", status_code=202)
    async def build(
        files: Annotated[list[UploadFile], File(description="Texts, tables or zip archives")] = [],  # noqa: B006
        text: Annotated[str, Form(max_length=1_000_000, description="Or a text itself")] = "",
        name: Annotated[str, Form(max_length=80)] = "",
        text_field: Annotated[list[str], Form(max_length=10)] = [],  # noqa: B006
        language: Annotated[str, Form(max_length=20)] = "en",
        follower: Annotated[Follower | None, Form()] = None,
    ) -> JobBody:
        """Build an index of files or of a text; follow the job that is given back."""
        sent = [Sent(file.filename or "text", await file.read()) for file in files]
        if text.strip():
            sent.append(Sent(f"{name or 'text'}.txt", text.encode("utf-8", "replace")))
        if not sent:
            raise InputError("Nothing was sent.", "Send files, or a text.")
        stopwords(language)  # an unknown one is an error before any work
        first = sent[0].name.replace("\\", "/").rpartition("/")[2]
        job = server.build(name or first.partition(".")[0], sent, text_field, language, follower)
        return JobBody.model_validate(asdict(job))

    @router.delete("/indexes/{id}", operation_id="forget", status_code=204)
    async def forget(id: str) -> None:
        """Delete an index that was built here."""
        server.library.forget(id)


def _add_jobs(router: APIRouter, server: Server) -> None:
    @router.post("/jobs", operation_id="start_job", status_code=202)
    async def start(wanted: Start) -> JobBody:
        """Run a verb as a job: without a time limit, with progress, until it is cancelled.

        Who asks the same while it is there gets the same job.
        """
        request = read_options(wanted.verb, dict(wanted.options))
        job = server.start(wanted.verb, request, wanted.follower)
        return JobBody.model_validate(asdict(job))

    @router.get("/jobs", operation_id="jobs")
    async def jobs() -> list[JobBody]:
        """The latest jobs, newest first."""
        return [JobBody.model_validate(job) for job in server.jobs.all()]

    @router.get("/jobs/{id}", operation_id="job")
    async def job(id: str, follower: Annotated[Follower | None, Query()] = None) -> JobBody:
        """How far a job is; a follower who asks goes on following it."""
        return JobBody.model_validate(asdict(server.jobs.get(id, follower)))

    @router.delete("/jobs/{id}", operation_id="cancel_job")
    async def cancel(id: str, follower: Annotated[Follower | None, Query()] = None) -> JobBody:
        """Stop a job; one that is over stays as it is. A follower leaves it, which stops it unless
        somebody else waits for it."""
        return JobBody.model_validate(asdict(await server.jobs.cancel(id, follower)))

    @router.get("/jobs/{id}/result", operation_id="job_result", response_model=AnyAnswer)
    async def result(id: str) -> Response:
        """The answer, the same as that of the verb's own address."""
        answer = server.jobs.answer(id)
        csv = not answer.startswith(b"{")
        return Response(answer, media_type="text/csv" if csv else "application/json")

    @router.get(
        "/jobs/{id}/events", operation_id="job_events", responses=_EVENTS,
        response_class=StreamingResponse,
    )  # fmt: skip
    async def events(id: str) -> StreamingResponse:
        """Server-sent events: the job whenever it changes, until it is over."""
        server.jobs.get(id)
        return StreamingResponse(
            server.jobs.events(id), media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )  # fmt: skip
