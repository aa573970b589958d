"""The questionnaire in a browser: plain HTML forms, behind the guard of ``lexfield serve``.

A cookie with the code identifies a participant. No address, form or page reveals which method a
sentence comes from. Forms are bounded, and a form that is sent twice counts once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import lexfield.study
from lexfield.errors import InputError, LexfieldError
from lexfield.serve.access import Guesses
from lexfield.serve.guard import Limits, guarded_app
from lexfield.serve.problems import ServedError, status_of
from lexfield.serve.run import run
from lexfield.study.database import Participant, Study, StudyQuestion
from lexfield.study.design import BACKGROUND, TASKS, Design
from lexfield.study.terminal import introduce

COOKIE = "lexfield_study"
_STATIC = Path(lexfield.study.__path__[0]) / "static"
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
        Route("/join", _read_form(site.join), methods=["POST"]),
        Route("/resume", _read_form(site.resume), methods=["POST"]),
        Route("/quit", site.leave, methods=["POST"]),
        Route("/question", site.show_question),
        Route("/answer", _read_form(site.answer), methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return guarded_app(routes, limits=limits, host=host, token=token, show_error=_show_error)


def serve_study(
    study: Study,
    *,
    host: str,
    port: int,
    browser: bool,
    token: str | None,
    say: Callable[..., None],
) -> None:
    """Serve a study until interrupted."""
    app = study_app(study, host=host, token=token)
    run(app, host=host, port=port, browser=browser, token=token, say=say)


class _Site:
    """The pages of a study, and the forms on them; Starlette calls these methods in threads."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._joins = Guesses(_JOINS, 1.0)

    def show_home(self, request: Request) -> Response:
        if self._find_participant(request) is not None:
            return _redirect("/question")
        return _respond(render_start(self._study.design))

    def join(self, request: Request, fields: Fields) -> Response:
        address = request.client.host if request.client else ""
        self._joins.add(address)
        if self._joins.too_many(address):
            raise ServedError(
                "Too many participants have joined from this address.",
                "Try again in a minute.",
                429,
            )
        background = {name: _parse_int(fields[name]) for name in BACKGROUND if name in fields}
        return _redirect("/question", self._study.join(background).code)

    def resume(self, request: Request, fields: Fields) -> Response:
        try:
            participant = self._study.resume(fields.get("code", [""])[0])
        except InputError as error:
            return _respond(render_start(self._study.design, str(error)), 400)
        return _redirect("/question", participant.code)

    def leave(self, request: Request) -> Response:
        participant = self._find_participant(request)
        return self._end(participant) if participant else _redirect("/")

    def show_question(self, request: Request) -> Response:
        participant = self._find_participant(request)
        return self._ask(participant) if participant else _redirect("/")

    def answer(self, request: Request, fields: Fields) -> Response:
        participant = self._find_participant(request)
        if participant is None:
            return _redirect("/")
        place = _parse_int(fields.get("place", []))
        chosen = [_parse_int([value]) for value in fields.get("chosen", [])]
        try:
            self._study.answer(participant, place, chosen)
        except InputError:
            count = self._study.design.choose
            problem = "Choose one of the lists." if count == 1 else f"Choose {count} sentences."
            return self._ask(participant, problem)
        return _redirect("/question")

    def _ask(self, participant: Participant, problem: str = "") -> Response:
        question = self._study.question(participant)
        if question is None:
            return self._end(participant, finished=True)
        page = render_question(self._study.design, question, participant.code, problem)
        return _respond(page, 400 if problem else 200)

    def _end(self, participant: Participant, finished: bool = False) -> Response:
        """Thank the participant and forget the code, so that somebody else can use this browser."""
        answered = self._study.count_answers(participant)
        response = _respond(render_end(participant.code, answered, finished))
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response

    def _find_participant(self, request: Request) -> Participant | None:
        try:
            return self._study.resume(request.cookies.get(COOKIE, ""))
        except InputError:
            return None


def _read_form(
    handle: Callable[[Request, Fields], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that reads the fields of a form, whose size the guard has bounded."""

    async def read(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            raise InputError("This is not a form.", "Use the buttons of the page.")
        try:
            fields = parse_qs((await request.body()).decode("utf-8"), max_num_fields=_MOST_FIELDS)
        except ValueError as error:
            raise InputError("The form cannot be read.", "Use the buttons of the page.") from error
        return await run_in_threadpool(handle, request, fields)

    return read


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
    return _respond(render_error(error.message, error.hint), status_of(error))


def _render_page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>"
        '<link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="/static/study.css">'
        '<script src="/static/study.js" defer></script></head>'
        f"<body><main>{body}</main></body></html>\n"
    )


def render_start(design: Design, problem: str = "") -> str:
    """Return the first page: introduction, background questions, and the form for coming back."""
    fields = "".join(
        f"<fieldset><legend>{escape(text)}</legend>"
        f'<div class="choices">{_render_options(name, options)}</div></fieldset>'
        for name, (text, options) in BACKGROUND.items()
    )
    return _render_page(
        "A questionnaire",
        f"<h1>Which sentences help?</h1>{_render_problem(problem)}"
        f"<p>{escape(' '.join(introduce(design).split()))}</p>"
        '<form class="card" method="post" action="/join"><h2>First, about you</h2>'
        '<p class="hint">Skip any question that you do not want to answer.</p>'
        f'{fields}<button class="main">Begin</button></form>'
        '<form class="card" method="post" action="/resume"><h2>Have you been here before?</h2>'
        '<div class="row"><label for="code">Your code</label>'
        '<input type="text" id="code" name="code" maxlength="40" autocomplete="off"'
        ' autocapitalize="off" spellcheck="false" required>'
        "<button>Continue</button></div></form>",
    )


def _render_options(name: str, options: tuple[str, ...]) -> str:
    return "".join(
        f'<label><input type="radio" name="{escape(name)}" value="{number}">'
        f" {escape(option)}</label>"
        for number, option in enumerate(options)
    )


def render_question(design: Design, question: StudyQuestion, code: str, problem: str = "") -> str:
    """Return the page of one question, with a way to stop and the code for coming back."""
    single = design.kind == "choose3"
    offers = "".join(
        _render_sentence(number, offer[0]) if single else _render_list(number, offer)
        for number, offer in enumerate(question.offers)
    )
    keys = f"<kbd>1</kbd> {'to' if single else 'or'} <kbd>{len(question.offers)}</kbd>"
    return _render_page(
        f"Question {question.place + 1}",
        f'<div class="progress"><label for="done">Question {question.place + 1} of'
        f' {question.total}</label><progress id="done" max="{question.total}"'
        f' value="{question.place}"></progress></div>'
        f'{_render_problem(problem)}<h1 class="hint">For this sentence</h1>'
        f"<blockquote>{escape(question.query)}</blockquote>"
        f'<form method="post" action="/answer" data-choose="{design.choose}">'
        f'<input type="hidden" name="place" value="{question.place}">'
        f"<fieldset><legend>{escape(TASKS[question.group])}</legend>"
        f'<div class="{"sentences" if single else "lists"}">{offers}</div></fieldset>'
        '<div class="row"><button class="main">Save and continue</button>'
        '<span id="said" role="status"></span>'
        f'<span class="hint keys">Keys: {keys} to choose, <kbd>Enter</kbd> to save.</span>'
        '</div></form><form class="stop row" method="post" action="/quit">'
        '<button>Stop for now</button><span class="hint">Your answers so far are saved. To come'
        f' back, use your code <span class="code">{escape(code)}</span></span></form>',
    )


def _render_sentence(number: int, text: str) -> str:
    return (
        f'<label class="offer"><input type="checkbox" name="chosen" value="{number}">'
        f'<span class="body">{escape(text)}</span>'
        f'<kbd aria-hidden="true">{number + 1}</kbd></label>'
    )


def _render_list(number: int, texts: tuple[str, ...]) -> str:
    rows = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return (
        f'<div class="offer"><input type="radio" id="list{number}" name="chosen" value="{number}"'
        f' aria-describedby="texts{number}"><div class="body">'
        f'<label for="list{number}">List {number + 1}</label>'
        f'<ul id="texts{number}">{rows}</ul></div><kbd aria-hidden="true">{number + 1}</kbd></div>'
    )


def render_end(code: str, answered: int, finished: bool) -> str:
    """Return the last page: thanks, and the code for coming back."""
    count = {0: "No answer is", 1: "One answer is"}.get(answered, f"{answered} answers are")
    more = (
        "<p>That was the last question.</p>"
        if finished
        else "<p>To continue later, here or on another machine, use your code:</p>"
        f'<p class="code">{escape(code)}</p>'
    )
    return _render_page(
        "Thank you",
        f'<h1>Thank you!</h1><div class="card"><p>{count} saved.</p>{more}</div>'
        '<p><a href="/">To the first page</a></p>',
    )


def render_error(message: str, hint: str) -> str:
    """Return the page for an error that the participant cannot repair."""
    return _render_page(
        "Something is wrong",
        f"<h1>Something is wrong</h1>{_render_problem(message)}<p>{escape(hint)}</p>"
        '<p>Your answers so far are saved. <a href="/">Try again</a></p>',
    )


def _render_problem(text: str) -> str:
    return f'<p class="problem" role="alert">{escape(text)}</p>' if text else ""
