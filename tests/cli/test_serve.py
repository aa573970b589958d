"""``lexfield serve`` says what is wrong before it listens."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")


def test_an_index_that_is_none(run: Run, tmp_path: Path) -> None:
    ran = run("serve", tmp_path, "--no-browser")
    assert ran.code == 2 and "error:" in ran.err and "Traceback" not in ran.err


def test_beyond_this_machine_a_token_is_needed(run: Run, tmp_path: Path) -> None:
    beyond = ("serve", "--host", "0.0.0.0", "--no-browser", "--folder", tmp_path)
    ran = run(*beyond, "--no-token")
    assert ran.code == 2 and "a token is needed" in ran.err and "--token" in ran.err
    short = run(*beyond, "--token", "short")
    assert short.code == 2 and "can be guessed" in short.err
    both = run(*beyond, "--token", "x" * 20, "--no-token")
    assert both.code == 2 and "either --token or --no-token" in both.err


def test_a_port_that_is_taken(run: Run, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = run("serve", "--port", port, "--no-browser", "--folder", tmp_path)
    assert ran.code == 2 and f"127.0.0.1:{port}" in ran.err and "--port" in ran.err


@pytest.mark.parametrize(
    "wrong",
    [("--max-body", 0), ("--max-body", "nan"), ("--max-body", "inf"), ("--timeout", -1),
     ("--timeout", "nan"), ("--memory", "nan"), ("--memory", 0), ("--port", 70000)],
)  # fmt: skip
def test_wrong_numbers(run: Run, tmp_path: Path, wrong: tuple[str, object]) -> None:
    ran = run("serve", *wrong, "--no-browser", "--folder", tmp_path)
    assert ran.code == 2 and "Traceback" not in ran.err and "fault" not in ran.err


@pytest.mark.parametrize("command", [["serve"], ["study", "serve", "x.db"]])
def test_a_missing_package_is_reported_in_one_place(command: list[str]) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; from lexfield.cli.main import main;"
        f" main({command!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 2 and "'uvicorn', which is not installed" in ran.stderr
    assert "pip install 'lexfield[serve]'" in ran.stderr and "Traceback" not in ran.stderr
