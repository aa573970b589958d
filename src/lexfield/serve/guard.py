"""Access checks and limits in front of every server of lexfield.

``guarded_app`` makes an app in which, before any body is parsed,

- the Host is one of ours (a page elsewhere cannot reach us by renaming itself), and so is the
  Origin if there is one; other sites may link to pages and do nothing else; there is no CORS;
- the token is right if one is required: ``Authorization: Bearer …``, or the cookie that a first
  visit with ``?token=…`` leaves; guessing it is slow (``access.py``);
- a body has a limited size, and only so many are on their way in: a slow one is dropped;
- the number of concurrent requests is limited; further ones get 503 with Retry-After;
- a request has a limited time: then it is cancelled (504), as it is when its caller has gone.

Every answer has an id (``X-Request-Id``, the caller's own if given) and a
Content-Security-Policy without inline scripts. Every error is
``{"error": what, "hint": what next}``.

Starlette's own middleware would not do: ``TrustedHostMiddleware`` knows neither numeric addresses
nor Origins, and nothing limits bodies, time, or requests at a time.
"""

from __future__ import annotations

import asyncio
import math
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, ExceptionHandler, Lifespan, Message, Receive, Scope, Send

from lexfield.errors import LexfieldError, check
from lexfield.serve.access import Access, check_token
from lexfield.serve.problems import FAULT, ServedError, describe_problem, log_fault, status_of

UPLOADS = ("/v1/indexes", "/v1/preview")  # where files are sent
REQUEST_ID = "x-request-id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_RETRY = "2"  # seconds after which a refused caller may try again
PLOT_STYLE = "jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww="
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self';"
    # The hash is that of the one style that Observable Plot puts into each of its figures.
    f" style-src 'self' 'sha256-{PLOT_STYLE}';"
    " img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",  # a browser asks each time whether a file has changed
}


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    body: bytes of a request; upload: of one that sends files. seconds: time of a request.
    concurrent: requests at a time, and event streams at a time. memory: bytes of each process that
    works on a request.
    """

    body: int = 10_000_000
    seconds: float = 30.0
    concurrent: int = 64
    memory: int = 4_000_000_000
    upload: int = 200_000_000

    def __post_init__(self) -> None:
        check(0 < self.body < 2**40, "body", "over 0 bytes", self.body)
        check(0 < self.upload < 2**40, "upload", "over 0 bytes", self.upload)
        check(0 < self.seconds < math.inf, "seconds", "over 0", self.seconds)
        check(self.concurrent > 0, "concurrent", "at least 1", self.concurrent)
        check(self.memory >= 5e8, "memory", "at least 500,000,000 bytes", self.memory)


class _GoneError(Exception):
    """The caller has closed the connection; nobody waits for an answer."""


class Guard:
    """ASGI middleware; paths of event streams, which have no time limit, end with ``/events``."""

    def __init__(
        self, app: ASGIApp, *, limits: Limits, host: str = "127.0.0.1", token: str | None = None
    ) -> None:
        self._app, self._limits = app, limits
        self._access = Access(host, token)
        # What is in work, requests and streams: each event is set when its answer begins.
        self._busy: dict[bool, set[asyncio.Event]] = {False: set(), True: set()}
        self._arriving: dict[asyncio.Timeout, float] = {}  # bodies, and when a part last came

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        started = asyncio.Event()
        request_id = _name_request(Headers(scope=scope))

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.set()
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._admit(scope, receive, answer, started)
        except _GoneError:
            return
        except ServedError as error:
            if not started.is_set():
                refusal = JSONResponse(describe_problem(error), error.status, error.headers)
                await refusal(scope, receive, answer)
        except asyncio.CancelledError:
            if started.is_set():
                raise
            stopping = {"error": "The server is stopping.", "hint": "Try again when it is back."}
            await JSONResponse(stopping, 503, {"retry-after": _RETRY})(scope, receive, answer)
        except Exception:
            log_fault(f"request {request_id}: {scope['path']!r}")
            if not started.is_set():
                await JSONResponse(FAULT, 500)(scope, receive, answer)

    async def _admit(
        self, scope: Scope, receive: Receive, send: Send, started: asyncio.Event
    ) -> None:
        place = self._access.check(HTTPConnection(scope))
        if place is not None:  # redirect a visit with the token to the address without it
            visit = {"location": place, "set-cookie": self._access.make_cookie(scope)}
            return await JSONResponse({}, 303, visit)(scope, receive, send)
        is_stream = scope["path"].endswith("/events")
        try:
            async with asyncio.timeout(None if is_stream else self._limits.seconds):
                most = self._limits.upload if scope["path"] in UPLOADS else self._limits.body
                body = await self._read_body(Headers(scope=scope), receive, most)
                with self._take_place(is_stream, started):
                    await self._run(scope, body, receive, send, started)
        except TimeoutError:
            message = f"This took longer than {self._limits.seconds:g} seconds and was stopped."
            raise ServedError(message, "Ask for less, or start it as a job.", 504) from None

    async def _read_body(self, headers: Headers, receive: Receive, most: int) -> bytes:
        """Return the whole body; stop reading one as soon as it has more than ``most`` bytes.

        If too many bodies are arriving, the one that has been silent longest is dropped. So a
        caller who trickles bytes to hold a slot does not block others.
        """
        hint = "Send less at a time."
        too_large = ServedError(f"The body is larger than {most / 1e6:,.1f} MB.", hint, 413)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:20]) > most:
            raise too_large
        if "transfer-encoding" in headers and "content-length" in headers:
            # Servers in a row may disagree about where such a body ends.
            raise ServedError("A body has a length or comes in chunks, not both.", "", 400)
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return b""
        body, more, clock = bytearray(), True, asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(None) as place:
                if len(self._arriving) >= self._limits.concurrent:
                    slowest = min(self._arriving, key=self._arriving.__getitem__)
                    del self._arriving[slowest]
                    slowest.reschedule(clock())
                self._arriving[place] = clock()
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _GoneError
                    if place in self._arriving:
                        self._arriving[place] = clock()
                    body += message.get("body", b"")
                    if len(body) > most:
                        raise too_large
                    more = message.get("more_body", False)
        except TimeoutError:
            what = "The body came slowly, and others were waiting."
            raise ServedError(what, "Send it again.", 408) from None
        finally:
            self._arriving.pop(place, None)
        return bytes(body)

    @contextmanager
    def _take_place(self, is_stream: bool, started: asyncio.Event) -> Iterator[None]:
        """Hold a place until an answer begins, or a stream ends.

        Sending an answer to a slow reader does not hold a place.
        """
        taken = self._busy[is_stream]
        if sum(is_stream or not one.is_set() for one in taken) >= self._limits.concurrent:
            hint = f"Try again in {_RETRY} seconds."
            raise ServedError("The server is busy.", hint, 503, {"retry-after": _RETRY})
        taken.add(started)
        try:
            yield
        finally:
            taken.discard(started)

    async def _run(
        self, scope: Scope, body: bytes, receive: Receive, send: Send, started: asyncio.Event
    ) -> None:
        """Run the app on a body that has arrived; cancel it if the caller leaves first."""
        gone = asyncio.Event()
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            if waiting:
                return waiting.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        work = asyncio.ensure_future(self._app(scope, replay, send))
        watcher = asyncio.ensure_future(watch())
        try:
            await asyncio.wait({work, watcher}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done() and not started.is_set():
                raise _GoneError
            await work
        finally:
            for task in (work, watcher):
                task.cancel()
            await asyncio.gather(work, watcher, return_exceptions=True)


def _name_request(headers: Headers) -> str:
    """Return the id that a caller gave a request, if it is a plain word, or a new one."""
    given = headers.get(REQUEST_ID, "")
    return given if _ID.fullmatch(given) else secrets.token_hex(8)


def guarded_app(
    routes: Sequence[BaseRoute],
    *,
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
    lifespan: Lifespan[Starlette] | None = None,
    show_error: ExceptionHandler | None = None,
) -> Starlette:
    """Return an app behind its guard, each of whose errors says what is wrong and what to do."""
    check_token(host, token)  # now, not when the first request comes
    guard = Middleware(Guard, limits=limits or Limits(), host=host, token=token)
    handlers = {LexfieldError: show_error or _show_error, HTTPException: refuse}
    return Starlette(
        routes=routes, middleware=[guard], exception_handlers=handlers, lifespan=lifespan
    )


async def _show_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexfieldError)
    headers = error.headers if isinstance(error, ServedError) else None
    return JSONResponse(describe_problem(error), status_of(error), headers)


async def refuse(request: Request, error: Exception) -> Response:
    """Say in JSON that there is no such path, or no such method."""
    assert isinstance(error, HTTPException)
    what = "There is no such path." if error.status_code == 404 else str(error.detail)
    hint = "See /openapi.json for what there is." if error.status_code in (404, 405) else ""
    return JSONResponse({"error": what, "hint": hint}, error.status_code, error.headers)
