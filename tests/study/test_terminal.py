from __future__ import annotations

from collections.abc import Iterable

from lexfield.study.database import Study
from lexfield.study.terminal import take_part
from tests.study.conftest import METHODS


def talk(study: Study, lines: Iterable[str], code: str | None = None) -> str:
    told: list[str] = []
    given = iter(lines)

    def read(prompt: str) -> str | None:
        told.append(prompt)
        return next(given, None)

    take_part(study, read, told.append, code)
    return "\n".join(told)


def test_answers_quit_and_resume(choose3: Study) -> None:
    said = talk(
        choose3, ["2", "", "9", "x", "1", "5", "1 3 4", "521", "1 2", "1,1,2", "7 8 9", "Q"]
    )
    (one,) = choose3.participants()
    assert one.background == {"field": 1, "reading": 0, "adoption": 4}
    assert [answer.chosen for answer in choose3.answers()] == [(0, 2, 3), (0, 1, 4)]
    assert said.count("That is not three numbers") == 3 and "Question 3 of 12" in said
    assert "Answers saved: 2" in said and one.code in said
    again = talk(choose3, ["123"] * 10, one.code)
    assert "Answers saved so far: 2" in again and "That was the last question" in again
    assert choose3.count_answers(one) == 12


def test_nothing_tells_a_method(head2head: Study) -> None:
    said = talk(head2head, ["", "", "", "", "1", "2"])  # then the input ends
    assert "Answers saved: 2" in said and "List 1" in said and "List 2" in said
    blind = said
    for lists in head2head.suggestions.values():
        for entries in lists.values():
            for _, text in entries:
                blind = blind.replace(text, "")
    assert not [method for method in METHODS if method in blind.lower()]
