"""Answers survive everything but a damaged disk, and a damaged file is refused."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from lexfield.errors import (
    CorruptError,
    InputError,
    NotAStoreError,
    StoreError,
    VersionError,
)
from lexfield.study.database import Study, verify
from tests.study.conftest import METHODS, make


def test_join_answer_quit_resume(choose3: Study) -> None:
    one = choose3.join({"field": 2, "writing": 0})
    question = choose3.question(one)
    assert question is not None and (question.place, question.total) == (0, 12)
    assert len(question.offers) == 5 and question.query.startswith("Query number")
    assert choose3.answer(one, 0, [0, 2, 4])
    choose3.close()
    again = Study(choose3.path)
    same = again.resume(f" {one.code.upper().replace('-', ' ')} ")
    assert same == one
    following = again.question(same)
    assert following is not None and following.place == 1 and following != question
    (kept,) = again.answers()
    assert kept.chosen == (0, 2, 4) and sorted(kept.methods) == sorted(METHODS)
    for place, offer in enumerate(question.offers):  # what was shown is what was recorded
        assert offer[0].startswith(f"{kept.methods[place]} says")
    with pytest.raises(InputError, match="No participant has this code"):
        again.resume("abcd-efgh-jkmn")


def test_all_questions_answered(head2head: Study) -> None:
    one, two = head2head.join(), head2head.join()
    assert [one.group, two.group] == ["helpful", "varied"]
    while (question := head2head.question(one)) is not None:
        assert [len(offer) for offer in question.offers] == [5, 5]
        assert head2head.answer(one, question.place, [1])
    assert head2head.count_answers(one) == 12 and head2head.count_answers(two) == 0
    assert {answer.query for answer in head2head.answers()} == set(range(1, 13))


def test_an_answer_is_given_once_and_in_order(choose3: Study) -> None:
    one = choose3.join()
    assert not choose3.answer(one, 1, [0, 1, 2])  # not asked yet
    assert choose3.answer(one, 0, [0, 1, 2])
    assert not choose3.answer(one, 0, [2, 3, 4])  # a form sent twice
    assert [answer.chosen for answer in choose3.answers()] == [(0, 1, 2)]
    for wrong in ([0, 1], [0, 1, 1], [0, 1, 5], [-1, 0, 1], [0, 1, 2, 3]):
        with pytest.raises(InputError, match="chosen must be 3 of the offers"):
            choose3.answer(one, 1, wrong)
    assert choose3.count_answers(one) == 1


def test_bad_background_and_mixing(choose3: Study) -> None:
    with pytest.raises(InputError, match="background must be"):
        choose3.join({"shoe size": 1})
    with pytest.raises(InputError, match="field must be from 0 to 4"):
        choose3.join({"field": 5})
    assert choose3.participants() == []
    choose3.join()
    with pytest.raises(InputError, match="cannot have both people and simulated"):
        choose3.join(simulated=True)


def test_orders_differ_and_are_recorded(tmp_path: Path) -> None:
    orders = []
    for name in ("a.db", "b.db"):
        study = make(tmp_path / name)
        for _ in range(2):
            study.join()
        with sqlite3.connect(study.path) as raw:
            orders.append(raw.execute("SELECT * FROM question").fetchall())
        assert len({person.seed for person in study.participants()}) == 2
    assert orders[0] == orders[1]  # the same seed, the same orders; codes are random
    first, second = ([row[2] for row in orders[0] if row[0] == who] for who in (1, 2))
    assert sorted(first) == sorted(second) and first != second


CHILD = """
import sys
from lexfield.study.database import Study
study = Study(sys.argv[1])
one = study.join()
while (question := study.question(one)) is not None:
    study.answer(one, question.place, [0, 1, 2])
    print(one.code, question.place, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("after", [1, 7, 40])
def test_a_killed_process_loses_no_answer(tmp_path: Path, after: int) -> None:
    make(tmp_path / "s.db", queries=400).close()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path / "s.db")], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    for _ in range(after):
        line = child.stdout.readline()
    time.sleep(0.003 * after)
    child.send_signal(signal.SIGKILL)
    child.wait()
    told = line + child.stdout.read()
    code, place = told[: told.rindex("\n")].splitlines()[-1].split()  # it may die within a line
    study = Study(tmp_path / "s.db")
    kept = study.count_answers(study.resume(code))
    # all it told of, and at most the one that was written when it was killed
    assert after <= int(place) + 1 <= kept <= int(place) + 2
    assert len(study.answers()) == kept


def test_many_at_once(choose3: Study) -> None:
    def take_part() -> None:
        study = Study(choose3.path)
        one = study.join()
        for place in range(12):
            assert study.answer(one, place, [0, 1, 2])
        study.close()

    threads = [threading.Thread(target=take_part) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(choose3.answers()) == 48 and len(choose3.participants()) == 4


def everything(study: Study) -> tuple[object, ...]:
    (one,) = study.participants()
    return study.suggestions, study.queries, study.about, study.answers(), one, study.question(one)


def test_damage_is_refused_or_harmless(choose3: Study, tmp_path: Path) -> None:
    """Every 97th byte changed in turn: the file is refused, or tells the same."""
    one = choose3.join({"field": 1})
    for place in range(6):
        choose3.answer(one, place, [0, 1, place % 3 + 2])
    truth = everything(choose3)
    data = choose3.path.read_bytes()
    refused = 0
    for position in range(0, len(data), 97):
        broken = tmp_path / "broken.db"
        broken.write_bytes(data[:position] + bytes([data[position] ^ 0x15]) + data[position + 1 :])
        try:
            with Study(broken) as study:
                assert everything(study) == truth
        except StoreError as error:
            refused += 1
            assert str(broken) in str(error)
    assert refused > 50


def test_other_files_are_refused(choose3: Study, tmp_path: Path) -> None:
    data = choose3.path.read_bytes()
    cut = tmp_path / "cut.db"
    cut.write_bytes(data[: len(data) // 2])
    with pytest.raises(CorruptError, match=r"cut.db is damaged"):
        Study(cut)
    (tmp_path / "text.db").write_text("hello")
    with pytest.raises(NotAStoreError, match="not an SQLite file"):
        Study(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(NotAStoreError, match="some other program"):
        Study(tmp_path / "other.db")
    with pytest.raises(InputError, match="There is no study at"):
        Study(tmp_path / "nothing.db")
    for change, kind in (
        ("PRAGMA user_version = 9", VersionError),
        ("CREATE TRIGGER t AFTER INSERT ON answer BEGIN DELETE FROM answer; END", CorruptError),
        ("UPDATE suggestion SET text = 'x' WHERE id = 3", CorruptError),
        ("INSERT INTO study VALUES ('more', '1')", CorruptError),
    ):
        copy = tmp_path / "copy.db"
        shutil.copy(choose3.path, copy)
        with sqlite3.connect(copy) as raw:
            raw.execute(change)
        raw.close()
        with pytest.raises(kind):
            Study(copy)


def test_a_changed_answer_is_noticed(choose3: Study) -> None:
    one = choose3.join()
    choose3.answer(one, 0, [0, 1, 2])
    with sqlite3.connect(choose3.path) as raw:
        raw.execute("UPDATE answer SET chosen = '[0, 1, 3]'")
    with pytest.raises(CorruptError, match="answer 0 of participant 1 has changed"):
        choose3.answers()
    with sqlite3.connect(choose3.path) as raw:
        raw.execute("UPDATE participant SET grp = 'varied'")
    with pytest.raises(CorruptError, match="participant 1 has changed"):
        choose3.participants()


def test_nothing_is_overwritten_and_read_only_is_told(choose3: Study, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="left as it is"):
        make(choose3.path)
    with sqlite3.connect(choose3.path, isolation_level=None) as raw:
        raw.execute("BEGIN EXCLUSIVE")
        choose3._connection.execute("PRAGMA busy_timeout = 50")
        with pytest.raises(StoreError, match="another program"):
            choose3.join()
        raw.execute("ROLLBACK")
    assert choose3.join().id == 1


def test_a_study_of_0_1_opens_and_goes_on(tmp_path: Path) -> None:
    """Version 0.1 kept a checksum of the whole file in its header; what it wrote stays readable."""
    packed = Path(__file__).parent / "data" / "study-0.1.db.gz"
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with Study(path) as study:
        one = study.resume("3h6x-zq87-67nz")
        assert study.about["left_out"] == 0 and one.background == {"field": 2}
        assert [answer.chosen for answer in study.answers()] == [(0, 2, 4)]
        assert study.answer(one, 1, [1, 2, 3])
    with Study(path) as study:
        assert study.count_answers(one) == 2 and study.question(one) is None
    with sqlite3.connect(path) as raw:  # 0.1 would take an outdated checksum for damage
        assert raw.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_owner_can_read_it(choose3: Study) -> None:
    assert choose3.path.stat().st_mode & 0o777 == 0o600


def test_verify_checks_every_row(choose3: Study) -> None:
    choose3.join()
    assert [found.problem for found in verify(choose3.path)] == [""]
    with sqlite3.connect(choose3.path) as raw:
        raw.execute("UPDATE question SET shown = '[[1], [2], [3], [4], [5]]' WHERE place = 11")
    (found,) = verify(choose3.path)
    assert found.problem == "question 11 of participant 1 has changed"


def test_an_answer_costs_the_same_in_a_large_study(tmp_path: Path) -> None:
    """An answer writes a few pages, however many there are."""
    study = make(tmp_path / "s.db", queries=300)
    pages = []
    for _ in range(2):
        for _ in range(20):
            one = study.join()
        study._connection.execute("PRAGMA cache_spill = OFF")
        study.answer(one, 0, [0, 1, 2])
        before = study.path.read_bytes()
        study.answer(one, 1, [0, 1, 2])
        after = study.path.read_bytes()
        chunks = range(0, len(after), 4096)
        pages.append(sum(before[i : i + 4096] != after[i : i + 4096] for i in chunks))
    assert max(pages) <= 6
