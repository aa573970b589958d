"""What stands between a network and a server of ours, whatever it serves.

``guarded_app`` makes an app in which, before any body is parsed,

- the Host is one of ours (a page elsewhere cannot reach us by renaming itself), and so is the
  Origin if there is one; other sites may link to pages and do nothing else; there is no CORS;
- the token is right where one is wanted: ``Authorization: Bearer …``, or the cookie that a first
  visit with ``?token=…`` leaves; guessing it is slow (``access.py``);
- a body is at most so large, and only so many are on their way in: one that is slow gives way;
- only so many requests are in work; one more is answered 503 with Retry-After;
- a request takes at most so long: then it is cancelled (504), as it is when its caller has gone.

Every answer has a Content-Security-Policy without inline scripts. Every error is
``{"error": what, "hint": what next}``.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ExceptionHandler, Lifespan

from lexfield.errors import LexfieldError, check
from lexfield.serve.access import Access, Scope, check_token
from lexfield.serve.bodies import Bodies, GoneError, Message, Receive, RefusedError
from lexfield.serve.problems import log_fault, problem, status_of

Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_RETRY = "2"  # seconds after which a refused caller may try again
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True)
class Limits:
    """Bytes of a body, seconds of a request, requests (and, apart, event streams) at a time, and
    bytes of memory of each process that works on one."""

    body: int = 10_000_000
    seconds: float = 30.0
    concurrent: int = 64
    memory: int = 4_000_000_000

    def __post_init__(self) -> None:
        check(0 < self.body < 2**40, "body", "over 0 bytes", self.body)
        check(0 < self.seconds < math.inf, "seconds", "over 0", self.seconds)
        check(self.concurrent > 0, "concurrent", "at least 1", self.concurrent)
        check(self.memory >= 5e8, "memory", "at least 500,000,000 bytes", self.memory)


class Guard:
    """ASGI middleware; ``streams`` matches paths of event streams, which have no time limit."""

    def __init__(
        self,
        app: App,
        *,
        limits: Limits,
        host: str = "127.0.0.1",
        token: str | None = None,
        names: Iterable[str] = (),
        streams: str = r"/events$",
    ) -> None:
        self._app, self._limits = app, limits
        self._access = Access(host, token, names)
        self._streams = re.compile(streams)
        self._busy = {False: 0, True: 0}  # ordinary requests, streams
        self._bodies = Bodies(limits.body, limits.concurrent)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = {name for name, _ in message.get("headers", [])}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items()]
                message["headers"] = [
                    *message.get("headers", []), *(h for h in more if h[0] not in given)
                ]  # fmt: skip
            await send(message)

        try:
            await self._admit(scope, receive, answer, lambda: started)
        except GoneError:
            return
        except RefusedError as refused:
            if not started:
                response = JSONResponse(refused.body, refused.status, refused.headers)
                await response(scope, receive, answer)
        except Exception:
            log_fault(repr(scope["path"]))
            if not started:
                fault = {"error": "This is a fault in lexfield.", "hint": "Please report it."}
                await JSONResponse(fault, 500)(scope, receive, answer)

    async def _admit(
        self, scope: Scope, receive: Receive, send: Send, started: Callable[[], bool]
    ) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1")
                   for name, value in scope["headers"]}  # fmt: skip
        place = self._access.check(scope, headers)
        if place is not None:  # a visit with the token goes on without it in the address
            set_cookie = {"location": place, "set-cookie": self._access.cookie(scope)}
            return await JSONResponse({}, 303, set_cookie)(scope, receive, send)
        stream = bool(self._streams.search(scope["path"]))
        try:
            async with asyncio.timeout(None if stream else self._limits.seconds):
                body = await self._bodies.read(headers, receive)
                async with self._place(stream, send) as counted:
                    await self._run(scope, body, receive, counted, started)
        except TimeoutError:
            raise RefusedError(
                504, f"This took longer than {self._limits.seconds:g} seconds and was stopped.",
                "Ask for less, or start it as a job.",
            ) from None  # fmt: skip

    @asynccontextmanager
    async def _place(self, stream: bool, send: Send) -> AsyncIterator[Send]:
        """A place among the requests in work, until the answer begins, or a stream ends.

        To send an answer to somebody who reads slowly is no work.
        """
        if self._busy[stream] >= self._limits.concurrent:
            raise RefusedError(
                503, "The server is busy.", f"Try again in {_RETRY} seconds.", retry_after=_RETRY
            )
        self._busy[stream] += 1
        held = True

        def leave() -> None:
            nonlocal held
            self._busy[stream] -= held
            held = False

        async def counted(message: Message) -> None:
            if not stream:  # before it waits for the caller to read what he was sent earlier
                leave()
            await send(message)

        try:
            yield counted
        finally:
            leave()

    async def _run(
        self, scope: Scope, body: bytes, receive: Receive, send: Send, started: Callable[[], bool]
    ) -> None:
        """The app with its body at hand; cancelled if the caller goes before it answers."""
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
            if not work.done() and not started():
                raise GoneError
            await work
        finally:
            for task in (work, watcher):
                task.cancel()
            await asyncio.gather(work, watcher, return_exceptions=True)


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
    handlers = {LexfieldError: show_error or _show_error, HTTPException: _refuse}
    return Starlette(
        routes=routes, middleware=[guard], exception_handlers=handlers, lifespan=lifespan
    )


async def _show_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexfieldError)
    return JSONResponse(problem(error), status_of(error))


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = "There is nothing here." if error.status_code == 404 else str(error.detail)
    hint = "See /openapi.json for what there is." if error.status_code in (404, 405) else ""
    return JSONResponse({"error": what, "hint": hint}, error.status_code, error.headers)
