"""Nothing that a text, an id, a field or a file name holds steers the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import lexfield.cli
from lexfield.cli import output
from tests.cli.conftest import Run

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\x9d8;;x\x9c\x08\rdone\x7f"
_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def index(run: Run, tmp_path: Path) -> Path:
    records = [
        {"id": f"a{EVIL}", "text": f"A ship {EVIL} sails home over the sea.", "who": f"me{EVIL}"},
        {"id": "b", "text": f"A ship {EVIL} sails home over the sea {EVIL}.", "who": "you"},
    ]
    source = tmp_path / f"evil{EVIL.replace('/', '')}.jsonl"
    source.write_text("\n".join(json.dumps(record) for record in records))
    target = tmp_path / "evil.idx"
    done = run("index", source, "-o", target)
    assert done.code == 0 and not _STEERS.search(done.out + done.err)
    return target


@pytest.mark.parametrize(
    "command",
    [
        ("search", "IDX", "ship home", "--explain"),
        ("search", "IDX", "ship home", "--where", f"who={EVIL}"),
        ("search", "IDX", "--like", f"a{EVIL}", "--method", "bm25"),
        ("search", "IDX", "--like", f"no{EVIL}"),
        ("info", "IDX"),
        ("kwic", "IDX", "ship"),
        ("bag", "IDX"),
        ("duplicates", "IDX"),
        ("inspire", "IDX", f"A ship {EVIL}."),
        ("delete", "IDX", f"no{EVIL}"),
        ("pairs", "IDX"),
        ("index", f"no{EVIL}", "-o", "x.idx"),
        (f"no{EVIL}",),
        ("search", "IDX", "--queries", f"no{EVIL}"),
    ],
)
def test_nothing_steers_the_terminal(run: Run, index: Path, command: tuple[str, ...]) -> None:
    shown = run(*(index if part == "IDX" else part for part in command))
    assert shown.out or shown.err
    assert not _STEERS.search(shown.out + shown.err)


def test_programs_get_what_is_there(run: Run, index: Path) -> None:
    found = run("search", index, "ship home", "--json")
    assert not _STEERS.search(found.out)
    assert EVIL in found.json["results"][0]["text"]
    assert not _STEERS.search(run("search", index, "ship home", "--jsonl").out)


def test_our_own_colours_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    painted = output.paint("\x1b[31mred", "green", Terminal())
    assert output.visible(painted) == "\x1b[32m␛[31mred\x1b[0m"
    assert output.visible("tab\tand\r\nlines\n") == "tab\tand\r\nlines\n"
    assert output.visible("\x9b\x7f\r") == "<U+009B>␡␍"


def test_no_text_turns_a_line_around(capsys: pytest.CaptureFixture[str]) -> None:
    turning = "".join(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
    output.echo(turning)
    assert capsys.readouterr().out == "".join(f"<U+{ord(c):04X}>" for c in turning) + "\n"
    output.echo_json(f'"{turning}"')
    told = capsys.readouterr().out
    assert told.isascii() and json.loads(told) == turning
    assert output.visible("שלום\u200f a\u200db") == "שלום\u200f a\u200db"  # part of writing


def test_there_is_one_way_out() -> None:
    """Who prints by another way would have to think of this again."""
    folder = Path(lexfield.cli.__file__).parent
    for path in folder.glob("*.py"):
        if path.name != "output.py":
            assert "click.echo" not in path.read_text(), path.name
            assert "print(" not in re.sub(r"\w+_print\(|fingerprint\(", "", path.read_text())


def test_the_traceback_of_debug_is_shown_without_control_characters(
    run: Run, tmp_path: Path
) -> None:
    shown = run("search", tmp_path / f"no{EVIL.replace('/', '')}.idx", "x", "--debug")
    assert shown.code == 2 and "Traceback" in shown.err
    assert not _STEERS.search(shown.err.replace("\n", ""))
