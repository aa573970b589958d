"""Commands and code shown in Markdown, run as they are printed.

``console`` blocks hold commands after ``$ `` and, where shown, exactly what they print. A command
whose output begins with ``error:`` must fail with this message. ``python`` blocks of a page are one
program.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

from lexfield.sample import METADATA, TEXTS, TICKETS, list_files
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus

ROOT = Path(__file__).parents[1]
_OPERATORS = ("|", "||", "&&", ";", ">", ">>", "<", "&")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[tuple[str, str]]:
    """Every command of a page with what it is said to print."""
    joined = "".join(blocks(text, "console"))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", joined, re.MULTILINE)


def prepare(folder: Path) -> None:
    """Write what pages begin with into the folder that commands are typed in: the sample."""
    for name, data in list_files():
        path = folder / "demo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def build_indexes(folder: Path) -> None:
    """Build the indexes that pages go on with: sample.idx and tickets.idx."""
    Index.build(Corpus.read(TEXTS, metadata=METADATA), folder / "sample.idx")
    tickets = Corpus.read(TICKETS, text_fields=("title", "text"))
    Index.build(tickets, folder / "tickets.idx")


def run(command: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, output and errors of a command typed in a folder.

    ``lexfield …`` runs in this process, which saves its start; so does the beginning of
    ``lexfield … | rest`` and of ``lexfield … > file``. All else goes to a shell.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    end = next((i for i, word in enumerate(words) if word in _OPERATORS), len(words))
    then = words[end : end + 1]
    simple = words[0] == "lexfield" and "$" not in command and "`" not in command
    if not simple or then not in ([], ["|"], [">"]):
        return _shell(command, folder)
    code, out, err = _here(words[1:end], folder)
    if then == [">"]:
        (folder / words[end + 1]).write_text(out, "utf-8")
        return code, "", err
    if then == ["|"]:
        rest = " ".join(w if w in _OPERATORS else shlex.quote(w) for w in words[end + 1 :])
        return _shell(rest, folder, out)
    return code, out, err


def _shell(command: str, folder: Path, given: str = "") -> tuple[int, str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        shell=True,  # what is printed is typed into a shell
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _here(arguments: list[str], folder: Path) -> tuple[int, str, str]:
    from lexfield.cli.start import main

    kept = BytesIO(), BytesIO()
    out, err = (TextIOWrapper(stream, "utf-8", write_through=True) for stream in kept)
    code: object = 0
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code
    shown, told = (stream.getvalue().decode() for stream in kept)
    return code if isinstance(code, int) else 0, shown, told


def check_commands(text: str, folder: Path) -> int:
    """Run a page's commands; each must print what is shown. Return their number."""
    found = commands(text)
    for command, expected in found:
        printed = run_shown(command, expected, folder)
        if expected:
            assert printed.rstrip() == expected.rstrip(), command
    return len(found)


def run_shown(command: str, expected: str, folder: Path) -> str:
    """Return what a command prints: its error if a page shows one. Check that it fails or not."""
    fails = expected.startswith("error:")
    code, out, err = run(command, folder)
    assert (code != 0) == fails, f"{command}: exit code {code}\n{err}"
    return err if fails else out


def check_python(text: str, folder: Path, name: str) -> None:
    """Run a page's Python, all blocks in one namespace."""
    namespace: dict[str, object] = {}
    with chdir(folder):
        for number, code in enumerate(blocks(text, "python"), 1):
            exec(compile(code, f"{name}, block {number}", "exec"), namespace)  # noqa: S102


def pages() -> Iterator[Path]:
    """Every page of the documentation."""
    yield from sorted((ROOT / "docs").rglob("*.md"))
