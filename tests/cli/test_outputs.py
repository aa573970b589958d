"""Nothing is written over what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import lexfield as lx
from lexfield.errors import InputError
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("command", "target"),
    [
        (("zipf", "a.html", "--plot"), "a.html"),
        (("pairs", ".", "--network"), "b.csv"),
    ],
)
def test_a_text_is_not_overwritten(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    target: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {}
    for name in ("a.txt", "b.txt", "c.txt", "a.html", "b.csv"):
        texts[name] = f"id,text\n{name},The boats of {name} came home before the storm.\n"
        (tmp_path / name).write_text(texts[name], "utf-8")
    done = run(*command, target)
    assert done.code == 2 and "would be overwritten" in done.err
    assert (tmp_path / target).read_text("utf-8") == texts[target]


def test_a_text_is_not_overwritten_in_python(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("The boats came home before the storm.", "utf-8")
    with pytest.raises(InputError, match="would be overwritten"):
        lx.reuse(tmp_path / "a.txt", tmp_path / "b.txt", html=tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text("utf-8").startswith("The boats")


def test_other_files_of_the_folder_are_written_again(run: Run, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        text = f"The boats of {name} came home before the storm. A lamp burned in the window."
        (tmp_path / name).write_text(text, "utf-8")
    for _ in range(2):
        assert run("pairs", tmp_path, "--measure", "js", "--tree", tmp_path / "t.svg").code == 0
