"""The guard refuses what it should, and nothing else."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from lexfield.errors import InputError, LexfieldError, MissingExtraError, StoreError
from lexfield.serve.access import is_loopback
from lexfield.serve.guard import HEADERS, Guard, Limits, guarded_app
from lexfield.serve.problems import InvalidError, status_of

HERE = "http://127.0.0.1:8000"
COOKIE = "lexfield_token_8000"
LONG = "a-secret-of-16-or-more"


class Toy:
    """An app with something to wait for."""

    def __init__(self, **options: Any) -> None:
        routes = [
            Route("/hello", self.hello),
            Route("/size", self.size, methods=["POST"]),
            Route("/wait", self.wait),
            Route("/fault", self.fault),
            Route("/fault/{what}", self.fault),
            Route("/mistake", self.mistake),
            Route("/invalid", self.invalid),
            Route("/events", self.events),
        ]
        self.app = guarded_app(routes, **options)
        self.cancelled = 0
        self.parsed = 0
        self.go = asyncio.Event()

    async def hello(self, request: Request) -> Response:
        return JSONResponse({"hello": "you"})

    async def size(self, request: Request) -> Response:
        self.parsed += 1
        return JSONResponse(len(await request.body()))

    async def wait(self, request: Request) -> Response:
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return JSONResponse("done")

    async def fault(self, request: Request) -> Response:
        raise RuntimeError(request.path_params.get("what", "secret detail"))

    async def mistake(self, request: Request) -> Response:
        raise InputError("That is wrong.", "Do it right.")

    async def invalid(self, request: Request) -> Response:
        raise InvalidError("n must be a whole number.")

    async def events(self, request: Request) -> Response:
        async def lines() -> Any:
            await asyncio.sleep(0.3)
            yield "data: 1\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    def client(self, **headers: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app), base_url=HERE, headers=headers
        )


def get(toy: Toy, path: str, **headers: str) -> httpx.Response:
    async def go() -> httpx.Response:
        async with toy.client() as client:
            return await client.get(path, headers=headers)

    return asyncio.run(go())


def test_an_answer_has_the_headers_of_a_strict_page() -> None:
    answer = get(Toy(), "/hello")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe-inline" not in policy
    assert all(answer.headers[name] == value for name, value in HEADERS.items())
    assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "localhost:99", "[::1]:8000"])
def test_our_own_names_are_served(host: str) -> None:
    assert get(Toy(), "/hello", host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "10.0.0.1",
        "",
        "localhost.evil.example",
        "[::",
        "127.0.0.1:80, evil.example",
        "localhost:x",
        "localhost:80:80",
        "me@localhost",
        "localhost/",
        "localhost ",
        "[localhost]",
    ],
)
def test_other_hosts_are_refused(host: str) -> None:
    answer = get(Toy(), "/hello", host=host)
    assert answer.status_code == 421
    assert set(answer.json()) == {"error", "hint"}


def test_beyond_loopback_numbers_are_served_and_foreign_names_refused() -> None:
    toy = Toy(host="0.0.0.0", token=LONG)
    allowed = f"Bearer {LONG}"
    assert get(toy, "/hello", host="10.0.0.1", authorization=allowed).status_code == 200
    assert get(toy, "/hello", host="evil.example", authorization=allowed).status_code == 421


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (HERE, 200),
        ("http://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1:9", 403),
        ("https://127.0.0.1:8000", 403),
        (HERE + "/x", 403),
    ],
)
def test_only_our_own_origin_may_ask(origin: str, status: int) -> None:
    assert get(Toy(), "/hello", origin=origin).status_code == status


def test_a_body_over_the_limit_is_never_parsed() -> None:
    toy = Toy(limits=Limits(body=1000))

    async def chunks() -> Any:
        for _ in range(5):
            yield b"x" * 300

    async def go() -> list[httpx.Response]:
        async with toy.client() as client:
            return [
                await client.post("/size", content=b"x" * 1000),
                await client.post("/size", content=b"x" * 1001),
                await client.post("/size", content=chunks()),  # without a length
                await client.post("/size", content=b"", headers={"content-length": "-1"}),
            ]

    fits, *others = asyncio.run(go())
    assert fits.json() == 1000
    assert [answer.status_code for answer in others] == [413, 413, 413]
    assert toy.parsed == 1


def test_slow_work_is_cancelled_and_says_so() -> None:
    toy = Toy(limits=Limits(seconds=0.05))
    answer = get(toy, "/wait")
    assert answer.status_code == 504 and "0.05 seconds" in answer.json()["error"]
    assert toy.cancelled == 1


def test_a_stream_has_no_time_limit() -> None:
    assert get(Toy(limits=Limits(seconds=0.05)), "/events").text == "data: 1\n\n"


def test_one_request_too_many_is_asked_to_come_again() -> None:
    toy = Toy(limits=Limits(concurrent=2))

    async def go() -> tuple[list[httpx.Response], httpx.Response, httpx.Response]:
        async with toy.client() as client:
            waiting = [asyncio.create_task(client.get("/wait")) for _ in range(2)]
            await asyncio.sleep(0.05)
            refused = await client.get("/hello")
            toy.go.set()
            return await asyncio.gather(*waiting), refused, await client.get("/hello")

    served, refused, after = asyncio.run(go())
    assert [answer.status_code for answer in served] == [200, 200]
    assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
    assert after.status_code == 200


def test_work_is_cancelled_when_its_caller_goes() -> None:
    toy = Toy()
    sent: list[Any] = []

    async def go() -> None:
        scope = {
            "type": "http", "method": "GET", "path": "/wait", "raw_path": b"/wait", "root_path": "",
            "query_string": b"", "headers": [(b"host", b"localhost")], "http_version": "1.1",
            "scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9),
        }  # fmt: skip

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await asyncio.wait_for(toy.app(scope, receive, send), 5)

    asyncio.run(go())
    assert toy.cancelled == 1 and not sent


def test_a_token_is_wanted_by_header_or_cookie() -> None:
    toy = Toy(token="s3cret")
    refused = get(toy, "/hello")
    assert refused.status_code == 401 and refused.headers["www-authenticate"] == "Bearer"
    assert get(toy, "/hello", authorization="Bearer wrong").status_code == 401
    assert get(toy, "/hello", authorization="Basic s3cret").status_code == 401
    assert get(toy, "/hello", authorization="Bearer s3cret").status_code == 200
    assert get(toy, "/hello", cookie=f"{COOKIE}=s3cret").status_code == 200
    assert get(toy, "/hello", cookie=f"{COOKIE}=other; x").status_code == 401
    assert get(toy, "/hello?token=wrong").status_code == 401


def test_a_visit_with_the_token_leaves_a_cookie_and_hides_it() -> None:
    answer = get(Toy(token="s3cret"), "/hello?token=s3cret&q=a+b")
    assert answer.status_code == 303 and answer.headers["location"] == "/hello?q=a+b"
    cookie = answer.headers["set-cookie"]
    assert f"{COOKIE}=s3cret" in cookie and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    sly = get(Toy(token="t"), "/%2Fevil.example%0d%0ax?token=t")
    assert sly.headers["location"] == "/evil.example%0D%0Ax"


def test_beyond_loopback_there_is_no_server_without_a_token() -> None:
    async def nothing(*_: Any) -> None: ...

    with pytest.raises(InputError, match="token"):
        Guard(nothing, limits=Limits(), host="0.0.0.0")
    with pytest.raises(InputError, match="token"):
        Guard(nothing, limits=Limits(), token="with space; Path=/")
    assert is_loopback("127.0.0.2") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")


def test_errors_say_what_and_what_next() -> None:
    toy = Toy()
    assert get(toy, "/mistake").json() == {"error": "That is wrong.", "hint": "Do it right."}
    fault = get(toy, "/fault")
    assert fault.status_code == 500 and "secret" not in fault.text
    assert get(toy, "/nowhere").status_code == 404
    assert set(get(toy, "/nowhere").json()) == {"error", "hint"}
    assert get(toy, "/invalid").status_code == 422


def test_what_is_logged_of_a_fault_does_not_steer_a_terminal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert get(Toy(), "/fault/%1b[2J%0d%c2%9b%e2%80%ae").status_code == 500
    (record,) = caplog.records
    said = logging.Formatter().format(record)
    assert r"'/fault/\x1b[2J\r\x9b\u202e' failed" in said.partition("\n")[0]
    assert r"RuntimeError: \x1b[2J\r\x9b\u202e" in said
    assert all(char.isprintable() or char == "\n" for char in said)


def test_statuses() -> None:
    kinds = (InputError, MissingExtraError, StoreError, LexfieldError)
    assert [status_of(kind("x")) for kind in kinds] == [400, 501, 409, 400]


@pytest.mark.parametrize(
    "wrong",
    [{"body": 0}, {"seconds": 0}, {"seconds": math.inf}, {"seconds": math.nan}, {"concurrent": 0},
     {"memory": 1000}],
)  # fmt: skip
def test_limits_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Limits(**wrong)


def test_an_app_keeps_headers_that_it_sets_itself() -> None:
    async def own(request: Request) -> Response:
        return PlainTextResponse("x", headers={"referrer-policy": "no-referrer"})

    app = guarded_app([Route("/own", own)])

    async def go() -> Iterator[str]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) as client:
            return iter((await client.get("/own")).headers.get_list("referrer-policy"))

    assert list(asyncio.run(go())) == ["no-referrer"]


def test_a_server_that_stops_says_so() -> None:
    """uvicorn cancels what is still in work, and would answer 500."""

    async def go() -> None:
        toy = Toy()
        async with toy.client() as client:
            calls: list[asyncio.Task[None]] = []
            app = toy.app

            async def cancellable(scope: Any, receive: Any, send: Any) -> None:
                calls.append(asyncio.ensure_future(app(scope, receive, send)))
                await calls[0]

            client._transport = httpx.ASGITransport(cancellable)
            asked = asyncio.ensure_future(client.get(f"{HERE}/wait"))
            while not calls:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            calls[0].cancel()
            answer = await asked
            assert answer.status_code == 503 and answer.headers["retry-after"]
            assert "stopping" in answer.json()["error"] and toy.cancelled == 1

    asyncio.run(go())
