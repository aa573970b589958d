"""The questionnaire in a browser, behind the guard of ``lexfield serve``.

A cookie with the code identifies a participant. No address, form or page reveals which method a
sentence comes from. Forms are bounded, and a form that is sent twice counts once.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lexfield.errors import InputError, LexfieldError
from lexfield.serve.access import Guesses
from lexfield.serve.guard import Limits, guarded_app
from lexfield.serve.problems import ServedError, status_of
from lexfield.study import pages
from lexfield.study.database import Participant, Study
from lexfield.study.design import BACKGROUND

COOKIE = "lexfield_study"
_STATIC = Path(pages.__file__).with_name("static")
_LIMITS = Limits(body=20_000, seconds=30.0, concurrent=64)
_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 20
_JOINS = 100  # participants of one address at a time; a class may share one
Fields = dict[str, list[str]]


def study_app(
    study: Study,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    limits: Limits = _LIMITS,
) -> Starlette:
    """Return the web application of one study."""
    site = _Site(study)
    routes = [
        Route("/", site.show_home),
        Route("/join", site.join, methods=["POST"]),
        Route("/resume", site.resume, methods=["POST"]),
        Route("/quit", site.leave, methods=["POST"]),
        Route("/question", site.show_question),
        Route("/answer", site.answer, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return guarded_app(routes, limits=limits, host=host, token=token, show_error=_show_error)


class _Site:
    """The pages of a study, and the forms on them."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._joins = Guesses(_JOINS, 1.0)

    async def show_home(self, request: Request) -> Response:
        if await _find_participant(self._study, request) is not None:
            return _redirect("/question")
        return _respond(pages.render_start(self._study.design))

    async def join(self, request: Request) -> Response:
        fields = await _read_form(request)
        address = request.client.host if request.client else ""
        self._joins.add(address)
        if self._joins.too_many(address):
            raise ServedError("Too many have joined from here.", "Try again in a minute.", 429)
        background = {name: _parse_int(fields[name]) for name in BACKGROUND if name in fields}
        participant = await run_in_threadpool(self._study.join, background)
        return _redirect("/question", participant.code)

    async def resume(self, request: Request) -> Response:
        code = (await _read_form(request)).get("code", [""])[0]
        try:
            participant = await run_in_threadpool(self._study.resume, code)
        except InputError as error:
            return _respond(pages.render_start(self._study.design, str(error)), 400)
        return _redirect("/question", participant.code)

    async def leave(self, request: Request) -> Response:
        participant = await _find_participant(self._study, request)
        return await _end(self._study, participant) if participant else _redirect("/")

    async def show_question(self, request: Request) -> Response:
        participant = await _find_participant(self._study, request)
        return await _ask(self._study, participant) if participant else _redirect("/")

    async def answer(self, request: Request) -> Response:
        participant = await _find_participant(self._study, request)
        if participant is None:
            return _redirect("/")
        fields = await _read_form(request)
        place = _parse_int(fields.get("place", []))
        chosen = [_parse_int([value]) for value in fields.get("chosen", [])]
        try:
            await run_in_threadpool(self._study.answer, participant, place, chosen)
        except InputError:
            count = self._study.design.choose
            problem = "Choose one of the lists." if count == 1 else f"Choose {count} sentences."
            return await _ask(self._study, participant, problem)
        return _redirect("/question")


async def _ask(study: Study, participant: Participant, problem: str = "") -> Response:
    question = await run_in_threadpool(study.question, participant)
    if question is None:
        return await _end(study, participant, finished=True)
    page = pages.render_question(study.design, question, participant.code, problem)
    return _respond(page, 400 if problem else 200)


async def _end(study: Study, participant: Participant, finished: bool = False) -> Response:
    """Thank the participant and forget the code, so that somebody else can use this browser."""
    answered = await run_in_threadpool(study.count_answers, participant)
    response = _respond(pages.render_end(participant.code, answered, finished))
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


async def _find_participant(study: Study, request: Request) -> Participant | None:
    code = request.cookies.get(COOKIE)
    if not code:
        return None
    try:
        return await run_in_threadpool(study.resume, code)
    except InputError:
        return None


async def _read_form(request: Request) -> Fields:
    """Return the fields of a form, whose size the guard has bounded."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise InputError("This is not a form.", "Use the buttons of the page.")
    try:
        return parse_qs((await request.body()).decode("utf-8"), max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise InputError("The form cannot be read.", "Use the buttons of the page.") from error


def _parse_int(values: list[str]) -> int:
    try:
        return int(values[0][:6])
    except (ValueError, IndexError) as error:
        raise InputError("A field of the form is missing or not a number.") from error


def _respond(page: str, status: int = 200) -> Response:
    return HTMLResponse(page, status, {"cache-control": "no-store"})


def _redirect(path: str, code: str = "") -> Response:
    response = RedirectResponse(path, 303, {"cache-control": "no-store"})
    if code:
        response.set_cookie(COOKIE, code, path="/", httponly=True, samesite="strict")
    return response


async def _show_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexfieldError)
    return _respond(pages.render_error(error.message, error.hint), status_of(error))
