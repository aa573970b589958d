"""The pages of a questionnaire: plain HTML forms that do not reveal the methods."""

from __future__ import annotations

from html import escape

from lexfield.study.database import Question
from lexfield.study.design import BACKGROUND, TASKS, Design
from lexfield.study.terminal import introduce


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


def render_question(design: Design, question: Question, code: str, problem: str = "") -> str:
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
