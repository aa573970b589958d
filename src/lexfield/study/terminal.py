"""The questionnaire in a terminal; the caller provides functions that read and write lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from lexfield.study.database import Participant, Study, StudyQuestion
from lexfield.study.design import BACKGROUND, TASKS, Design

Read = Callable[[str], str | None]  # prompt → a line, None at the end of the input
Write = Callable[[str], None]
_WIDTH = 78
_QUIT = ("q", "quit")


class _QuitError(Exception):
    """The participant quits."""


def take_part(study: Study, read: Read, write: Write, code: str | None = None) -> Participant:
    """Ask until all questions are answered or the participant quits."""
    if code is None:
        write(introduce(study.design))
        participant = study.join(_ask_background(read, write))
        write(f"\nYour code is {participant.code}. You can use it to continue later.")
    else:
        participant = study.resume(code)
        write(f"Welcome back. Answers saved so far: {study.count_answers(participant)}")
    try:
        while (question := study.question(participant)) is not None:
            write("\n" + "\n".join(format_question(question)))
            chosen = _ask_choice(study.design, read, write)
            study.answer(participant, question.place, chosen)
        write("\nThat was the last question. Thank you!")
    except _QuitError:
        write(f"\nThank you! Answers saved: {study.count_answers(participant)}")
        write(f"To continue later: lexfield study run {study.path} --code {participant.code}")
    return participant


def introduce(design: Design) -> str:
    """Return the introduction for participants, in the terminal and on the page."""
    task = (
        "You will see a sentence, and sentences that a program suggests for it. Choose the three"
        " that would help you most if you were writing, and think of variety too."
        if design.kind == "choose3"
        else "You will see a sentence, and two lists of sentences that programs suggest for it."
        " Choose one list; the question says how to decide."
    )
    return textwrap.fill(
        f"{task} There are no wrong answers. Answer as many questions as you like: every answer is"
        " saved at once, and you can stop at any time and come back.",
        _WIDTH,
    )


def format_question(question: StudyQuestion) -> list[str]:
    """Return the lines of a question: the sentence, the offers, the task."""
    lines = [f"Question {question.place + 1} of {question.total}", ""]
    lines += textwrap.wrap(question.query, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines.append("")
    for number, offer in enumerate(question.offers, 1):
        single = len(offer) == 1
        if not single:
            lines.append(f"List {number}")
        for text in offer:
            head = f"  {number}  " if single else "  •  "
            lines += textwrap.wrap(text, _WIDTH, initial_indent=head, subsequent_indent="     ")
        if not single:
            lines.append("")
    return [*lines, *([""] if lines[-1] else []), *textwrap.wrap(TASKS[question.group], _WIDTH)]


def _ask_background(read: Read, write: Write) -> dict[str, int]:
    """Ask the background questions; Enter skips one."""
    write("\nFirst, a few questions about you. Press Enter to skip one.")
    given = {}
    for name, (text, options) in BACKGROUND.items():
        write(f"\n{text}")
        for number, option in enumerate(options, 1):
            write(f"  {number}  {option}")
        while True:
            line = read(f"1 to {len(options)}: ")
            if line is None or not line.strip():
                break
            if line.strip() in {str(number) for number in range(1, len(options) + 1)}:
                given[name] = int(line) - 1
                break
            write(f"Type a number from 1 to {len(options)}, or press Enter.")
    return given


def _ask_choice(design: Design, read: Read, write: Write) -> list[int]:
    wanted = "three numbers, as in 1 3 4" if design.choose > 1 else "1 or 2"
    while True:
        line = read(f"Type {wanted}; q to stop: ")
        if line is None or line.strip().lower() in _QUIT:
            raise _QuitError
        numbers = line.replace(",", " ").split()
        if len(numbers) == 1 < design.choose and len(line.strip()) == design.choose:
            numbers = list(line.strip())  # 134 for 1 3 4
        places = {int(n) - 1 for n in numbers if n.isdecimal() and len(n) < 3}
        if len(places) == len(numbers) == design.choose and places <= set(range(design.size)):
            return sorted(places)
        write(f"That is not {wanted}: numbers go from 1 to {design.size}.")
