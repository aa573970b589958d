"""The server's HTTP API and its page.

Every verb is at ``/v1/NAME`` and answers as ``--json`` prints it; beside them are indexes and jobs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from lexfield import __version__
from lexfield.engine.threads import cores
from lexfield.errors import InputError, list_names
from lexfield.results import JsonObject
from lexfield.sample import pack_sample
from lexfield.serve.access import is_loopback
from lexfield.serve.bodies import read_body, read_form, read_query, respond, send_answer
from lexfield.serve.guard import Limits, guarded_app, refuse
from lexfield.serve.inputs import (
    Call,
    VerbRequest,
    make_parameter,
    offer,
    read_request,
    read_values,
)
from lexfield.serve.jobs import Job
from lexfield.serve.library import Library
from lexfield.serve.openapi import AnyAnswer, Operation, answer_type, describe_api
from lexfield.serve.pastes import LONGEST, Paste
from lexfield.serve.problems import ServedError
from lexfield.serve.server import Holdings, Preview, Server, find_verb, list_served
from lexfield.serve.snippets import Snippets, write_snippets
from lexfield.serve.uploads import Sent
from lexfield.store.manifest import REBUILD
from lexfield.text.stopwords import stopwords
from lexfield.vectors.sources import find_home
from lexfield.verbs.declare import REQUIRED, Verb

STATIC = Path(__file__).with_name("static")
VIEWS = "overview search compare map trends topics measure import read".split()
# Views with a JSON twin: /read.json is /v1/text.
_TWINS = {
    "/v1/overview": "overview", "/v1/search": "search", "/v1/compare": "compare", "/v1/map": "map",
    "/v1/trend": "trends", "/v1/topics": "topics", "/v1/text": "read",
}  # fmt: skip
_FOLLOWER = make_parameter(
    "follower",
    Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{8,40}$")],
    "A random name: the job ends when all who named themselves have left, or have not asked how far"
    " it is for 90 seconds. Without one it runs to its end.",
)
_BUILD = {
    "text": make_parameter("text", Annotated[str, Meta(max_length=1_000_000)], "Or a text.", ""),
    "sample": make_parameter("sample", bool, "Or the sample that ships with lexfield.", False),
    "name": make_parameter("name", Annotated[str, Meta(max_length=80)], default=""),
    "text_field": make_parameter(
        "text_field", Annotated[list[str], Meta(max_length=10)], "Fields with the text.", []
    ),
    "title_field": make_parameter(
        "title_field",
        Annotated[str, Meta(max_length=1000)],
        "Field with the title, which begins the text; found automatically by default, or none.",
        "",
    ),
    "id_field": make_parameter("id_field", Annotated[str, Meta(max_length=1000)], default=""),
    "language": make_parameter("language", Annotated[str, Meta(max_length=20)], default=""),
    "follower": _FOLLOWER,
}


_PASTE = {
    "text": make_parameter("text", Annotated[str, Meta(max_length=LONGEST)], default=REQUIRED)
}


class Health(msgspec.Struct):
    """Is the server up, and are its indexes warm?"""

    status: Literal["ok"]
    version: str
    indexes: int
    ready: bool


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
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        background = server.warm(), server.scrubber.run(), library.follow()
        running = [asyncio.create_task(work) for work in background]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await server.jobs.stop()
            await server.pool.stop()
            library.close()

    routes = [*_make_routes(server, host), *_make_pages()]
    app = guarded_app(routes, limits=limits, host=host, token=token, lifespan=lifespan)
    app.add_exception_handler(404, _show_missing)
    app.state.server = server
    return app


async def _show_missing(request: Request, error: Exception) -> Response:
    """Serve the page, which reports the unknown path itself, to a browser."""
    is_data = request.url.path.startswith(("/v1/", "/static/")) or "." in request.url.path
    if is_data or request.method != "GET" or "text/html" not in request.headers.get("accept", ""):
        return await refuse(request, error)
    return FileResponse(STATIC / "index.html", 404)


def _make_pages() -> list[BaseRoute]:
    """Return one document for every view, its scripts and styles, all from this package."""

    async def go_home(request: Request) -> Response:
        return RedirectResponse("/overview", 307)

    async def show_page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def show_icon(request: Request) -> Response:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    return [
        Route("/", go_home),
        Route("/favicon.ico", show_icon),
        *(Route(f"/{view}", show_page) for view in VIEWS),
        Mount("/static", StaticFiles(directory=STATIC, packages=[("lexfield.plots", "static")])),
    ]


def _make_routes(server: Server, host: str) -> list[Route]:
    """Return the routes of the API, with its description and the twins of the views."""
    api = Api(server, local=is_loopback(host))
    operations = list(api.operations())
    routes = [Route(one.path, one.handler, methods=[one.method]) for one in operations]
    routes += [
        Route(f"/{_TWINS[one.path]}.json", one.handler)
        for one in operations
        if one.path in _TWINS and one.method == "GET"
    ]
    description = msgspec.json.encode(describe_api(operations))

    async def describe(request: Request) -> Response:
        return Response(description, media_type="application/json")

    other = Route("/v1/{name}", api.explain, methods=["GET", "POST"])
    return [*routes, Route("/openapi.json", describe), other]


class Api:
    """The handlers; each reads a request, asks the server, and answers in JSON."""

    def __init__(self, server: Server, *, local: bool) -> None:
        """``local``: is it used on this machine alone?"""
        self._server, self._local = server, local
        names = {"enum": [verb.name for verb in list_served()]}
        verb = Annotated[str, Meta(max_length=40, extra_json_schema=names)]
        self._asked = {
            "verb": make_parameter("verb", verb, default=REQUIRED),
            "options": make_parameter("options", JsonObject, "Its parameters.", {}),
        }

    def operations(self) -> Iterator[Operation]:
        for verb in list_served():
            yield from self._offer(verb) if verb.served == "yes" else self._offer_job(verb)
        follower = {"follower": _FOLLOWER}
        index, job = "/v1/indexes/{id}", "/v1/jobs/{id}"
        any_answer: JsonObject = {"answer": AnyAnswer, "media": ("text/csv",)}
        started: JsonObject = {"answer": Job, "status": 202}
        yield Operation("health", "GET", "/healthz", self.health, answer=Health)
        yield Operation("indexes", "GET", "/v1/indexes", self.list_holdings, answer=Holdings)
        yield Operation("index", "GET", index, self.describe_index, answer=AnyAnswer)
        yield Operation(
            "build", "POST", "/v1/indexes", self.build, body=_BUILD, files="files", **started
        )
        yield Operation(
            "preview", "POST", "/v1/preview", self.preview, body={}, files="files", answer=Preview
        )
        yield Operation("paste", "POST", "/v1/pastes", self.paste, body=_PASTE, answer=Paste)
        yield Operation("pasted", "GET", "/v1/pastes/{id}", self.show_paste, answer=Paste)
        yield Operation("forget", "DELETE", index, self.forget, status=204)
        yield Operation(
            "snippets",
            "POST",
            "/v1/snippets",
            self.write_snippets,
            body=self._asked,
            answer=Snippets,
        )
        body = {**self._asked, **follower}
        yield Operation("start_job", "POST", "/v1/jobs", self.start, body=body, **started)
        yield Operation("jobs", "GET", "/v1/jobs", self.list_jobs, answer=list[Job])
        yield Operation("job", "GET", job, self.follow, query=follower, answer=Job)
        yield Operation("cancel_job", "DELETE", job, self.cancel, query=follower, answer=Job)
        yield Operation("job_result", "GET", f"{job}/result", self.answer_job, **any_answer)
        events = ("text/event-stream",)
        yield Operation("job_events", "GET", f"{job}/events", self.stream, media=events)

    def _offer(self, verb: Verb) -> Iterator[Operation]:
        async def ask(request: Request) -> Response:
            return await self._answer(read_request(verb, read_query(request), lax=True))

        async def post(request: Request) -> Response:
            return await self._answer(read_request(verb, await read_body(request)))

        path, summary = f"/v1/{verb.name}", f"{verb.summary} As `lexfield {verb.command} --json`."
        shared: JsonObject = {"answer": answer_type(verb), "media": ("text/csv",)}
        yield Operation(verb.name, "GET", path, ask, summary, query=offer(verb), **shared)
        name = f"{verb.name}_posted"
        yield Operation(name, "POST", path, post, summary, body=offer(verb), **shared)

    def _offer_job(self, verb: Verb) -> Iterator[Operation]:
        async def start(request: Request) -> Response:
            given = dict(await read_body(request))
            follower = read_values("A job", {"follower": _FOLLOWER}, _split(given, "follower"))
            started = self._server.start(read_request(verb, given), follower.get("follower"))
            return respond(started, 202)

        summary = f"{verb.summary} As `lexfield {verb.command}`; follow the job that is returned."
        body = {**offer(verb), "follower": _FOLLOWER}
        path = f"/v1/{verb.name}"
        yield Operation(verb.name, "POST", path, start, summary, body=body, answer=Job, status=202)

    async def _answer(self, asked: VerbRequest) -> Response:
        begin = time.perf_counter()
        found = await self._server.answer(asked)
        taken = 1000 * (time.perf_counter() - begin)
        timing = f"{asked.verb.name};dur={taken:.1f}"
        return send_answer(found, {"server-timing": timing, "cache-control": "no-store"})

    async def explain(self, request: Request) -> Response:
        """Say how to start a verb that is asked for an answer, but runs only as a job."""
        name = find_verb(request.path_params["name"]).name
        hint = f"Start it with POST /v1/{name}, and follow the job that is returned."
        raise ServedError(f"{name} runs only as a job.", hint, 405, {"allow": "POST"})

    async def health(self, request: Request) -> Response:
        """Say whether the server is up, its indexes are warm, and their files are as written."""
        if damaged := self._server.scrubber.list_damage():
            names = list_names(f"{id} ({problem})" for id, problem in damaged.items())
            raise ServedError(f"Damaged: {names}.", REBUILD, 503)
        count = len(self._server.library.indexes)
        return respond(Health("ok", __version__, count, self._server.ready))

    async def list_holdings(self, request: Request) -> Response:
        """List everything that this server holds, and its limits."""
        return respond(await self._server.describe())

    async def describe_index(self, request: Request) -> Response:
        """Describe an index as `lexfield info IDX --json` does."""
        self._server.library.find_index(request.path_params["id"])
        found = await self._server.answer_info(request.path_params["id"])
        return Response(found, media_type="application/json")

    async def build(self, request: Request) -> Response:
        """Build an index of files or of a text; follow the job that is returned."""
        sent, fields = await read_form(request)
        values = read_values("build", _BUILD, fields, lax=True)
        name, text = values.get("name", ""), values.get("text", "")
        if text.strip():
            sent.append(Sent(f"{name or 'text'}.txt", text.encode("utf-8", "replace")))
        if values.get("sample"):
            sent, values["title_field"] = [Sent("sample.jsonl", pack_sample())], "none"
        if not sent:
            raise InputError("Nothing was sent.", "Send files, or a text.")
        language = values.get("language") or None  # detected by default
        stopwords(language)  # an unknown one is an error before any work
        first = sent[0].name.replace("\\", "/").rpartition("/")[2]
        job = self._server.build(
            name or first.partition(".")[0],
            sent,
            {
                "text_field": values.get("text_field", []),
                "title_field": values.get("title_field", "") or None,
                "id_field": values.get("id_field", "") or None,
                "language": language,
            },
            values.get("follower"),
        )
        return respond(job, 202)

    async def preview(self, request: Request) -> Response:
        """Return the columns of a table, what each would be used for, and its first rows."""
        sent, _ = await read_form(request)
        return Response(await self._server.preview(sent), media_type="application/json")

    async def paste(self, request: Request) -> Response:
        """Keep a text under a short id; wherever a text can be sent, `paste:ID` stands for it."""
        values = read_values("A paste", _PASTE, await read_body(request))
        return respond(self._server.pastes.keep(values["text"]))

    async def show_paste(self, request: Request) -> Response:
        """Return a text that was pasted."""
        return respond(self._server.pastes.read(request.path_params["id"]))

    async def forget(self, request: Request) -> Response:
        """Delete an index that was built here."""
        self._server.library.delete_index(request.path_params["id"])
        return Response(status_code=204)

    async def start(self, request: Request) -> Response:
        """Run a verb as a job: without a time limit, with progress, until it is cancelled.

        Whoever asks the same while it is there gets the same job.
        """
        offered = {**self._asked, "follower": _FOLLOWER}
        values = read_values("A job", offered, await read_body(request))
        asked = read_request(find_verb(values["verb"]), values.get("options", {}))
        return respond(self._server.start(asked, values.get("follower")), 202)

    async def write_snippets(self, request: Request) -> Response:
        """Return a question as a command, as Python, and as a request of curl."""
        values = read_values("A question", self._asked, await read_body(request))
        asked = read_request(find_verb(values["verb"]), values.get("options", {}), lax=True)
        call = Call(self._server.pastes.expand(asked), self._server.library)
        return respond(write_snippets(request, asked, call.arguments, local=self._local))

    async def list_jobs(self, request: Request) -> Response:
        """List the latest jobs, newest first."""
        return respond(self._server.jobs.all())

    async def follow(self, request: Request) -> Response:
        """Report the progress of a job; a follower who asks for it keeps following it."""
        return respond(self._server.jobs.get(request.path_params["id"], _read_follower(request)))

    async def cancel(self, request: Request) -> Response:
        """Stop a job; one that is over stays as it is.

        A follower leaves it, which stops it unless somebody else waits for it.
        """
        id = request.path_params["id"]
        return respond(await self._server.jobs.cancel(id, _read_follower(request)))

    async def answer_job(self, request: Request) -> Response:
        """Return the answer of a job, the same as that of the verb's own address."""
        return send_answer(self._server.jobs.answer(request.path_params["id"]))

    async def stream(self, request: Request) -> Response:
        """Send the job whenever it changes, as server-sent events, until it is over."""
        self._server.jobs.get(request.path_params["id"])
        events = self._server.jobs.stream(request.path_params["id"])
        headers = {"cache-control": "no-store"}
        return StreamingResponse(events, headers=headers, media_type="text/event-stream")


def _split(values: JsonObject, name: str) -> JsonObject:
    """Take a value out of others, if it is there."""
    return {name: values.pop(name)} if name in values else {}


def _read_follower(request: Request) -> str | None:
    found = read_values("A job", {"follower": _FOLLOWER}, read_query(request))
    return found.get("follower")
