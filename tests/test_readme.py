"""README's quickstart runs as it is printed, and its commands print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_quickstart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README", "exec"), {})  # noqa: S102
    shown = capsys.readouterr().out
    assert "books" in shown
    assert "It slept. 0" in shown
    assert "8 4 5" in shown
    assert "0#1" in shown


def test_commands(tmp_path: Path) -> None:
    (tmp_path / "src").symlink_to(ROOT / "src")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    pairs = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.MULTILINE)
    assert len(pairs) > 8
    for command, expected in pairs:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            shell=True,  # a README's commands are typed into a shell
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if expected:
            assert done.stdout.rstrip() == expected.rstrip(), command
