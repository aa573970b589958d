"""The questionnaire in a browser, behind the guards of ``lexfield serve``.

A participant is known by a cookie with the code; nothing in an address, a form or a page says which
method a sentence is from. Forms are bounded, and one that is sent twice counts once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from lexfield.errors import InputError, LexfieldError
from lexfield.serve.access import Guesses
from lexfield.serve.guard import Guard, Limits, guarded_app
from lexfield.serve.problems import ServedError, status_of
from lexfield.study import pages
from lexfield.study.design import BACKGROUND
from lexfield.study.store import Participant, Study

T = TypeVar("T")
COOKIE = "lexfield_study"
_STATIC = Path(__file__).with_name("static")
_LIMITS = Limits(body=20_000, seconds=30.0, concurrent=64)
_FORM = "application/x-www-form-urlencoded"
_FIELDS = 20
_JOINS = 100  # participants of one address at a time; a class may share one
Fields = dict[str, list[str]]


def study_app(
    study: Study,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    limits: Limits = _LIMITS,
) -> FastAPI:
    """The app of one study."""
    app = guarded_app("lexfield study", limits=limits, host=host, token=token, openapi_url=None)
    Guard(app, limits=limits, host=host, token=token)  # refuses a missing token now, not when asked
    app.add_exception_handler(LexfieldError, _told)
    _add_entry(app, study)
    _add_questions(app, study)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    return app


def _add_entry(app: FastAPI, study: Study) -> None:
    joins = Guesses(_JOINS, 1.0)

    @app.get("/")
    async def home(request: Request) -> Response:
        if await _known(study, request) is not None:
            return _go("/question")
        return _page(pages.start(study.design))

    @app.post("/join")
    async def join(request: Request) -> Response:
        fields = await _fields(request)
        address = request.client.host if request.client else ""
        joins.add(address)
        if joins.too_many(address):
            raise ServedError("Too many have joined from here.", "Try again in a minute.", 429)
        given = {name: _whole(fields[name]) for name in BACKGROUND if name in fields}
        participant = await run_in_threadpool(study.join, given)
        return _go("/question", participant.code)

    @app.post("/resume")
    async def resume(request: Request) -> Response:
        code = (await _fields(request)).get("code", [""])[0]
        try:
            participant = await run_in_threadpool(study.resume, code)
        except InputError as error:
            return _page(pages.start(study.design, str(error)), 400)
        return _go("/question", participant.code)

    @app.post("/quit")
    async def leave(request: Request) -> Response:
        return await _leave(study, request)


def _add_questions(app: FastAPI, study: Study) -> None:
    @app.get("/question")
    async def question(request: Request) -> Response:
        return await _ask(study, request)

    @app.post("/answer")
    async def answer(request: Request) -> Response:
        participant = await _known(study, request)
        if participant is None:
            return _go("/")
        fields = await _fields(request)
        place = _whole(fields.get("place", []))
        chosen = [_whole([value]) for value in fields.get("chosen", [])]
        try:
            await run_in_threadpool(study.answer, participant, place, chosen)
        except InputError:
            many = study.design.choose
            what = "Choose one of the lists." if many == 1 else f"Choose {many} sentences."
            return await _ask(study, request, what)
        return _go("/question")


async def _ask(study: Study, request: Request, problem: str = "") -> Response:
    participant = await _known(study, request)
    if participant is None:
        return _go("/")
    question = await run_in_threadpool(study.question, participant)
    if question is None:
        return await _leave(study, request, finished=True)
    return _page(
        pages.ask(study.design, question, participant.code, problem), 400 if problem else 200
    )


async def _leave(study: Study, request: Request, finished: bool = False) -> Response:
    """Thanks; the next person at this machine begins anew."""
    participant = await _known(study, request)
    if participant is None:
        return _go("/")
    answered = await run_in_threadpool(study.answered, participant)
    response = _page(pages.left(participant.code, answered, finished))
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


async def _known(study: Study, request: Request) -> Participant | None:
    """Who asks, by the cookie."""
    code = request.cookies.get(COOKIE)
    if not code:
        return None
    try:
        return await run_in_threadpool(study.resume, code)
    except InputError:
        return None


async def _fields(request: Request) -> Fields:
    """The fields of a form; the guard has bounded its size."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise InputError("This is not a form.", "Use the buttons of the page.")
    body = await request.body()
    return _read(lambda: parse_qs(body.decode("utf-8"), max_num_fields=_FIELDS))


def _whole(values: list[str]) -> int:
    return _read(lambda: int(values[0][:6]))


def _read(work: Callable[[], T]) -> T:
    try:
        return work()
    except (ValueError, IndexError) as error:
        raise InputError("The form holds something else than it should.") from error


def _page(text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, {"cache-control": "no-store"})


def _go(path: str, code: str = "") -> Response:
    response = RedirectResponse(path, 303, {"cache-control": "no-store"})
    if code:
        response.set_cookie(COOKIE, code, path="/", httponly=True, samesite="strict")
    return response


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexfieldError)
    return _page(pages.wrong(error.message, error.hint), status_of(error))
