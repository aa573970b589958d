"""``lexfield completion``"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import click
from click.shell_completion import get_completion_class

from lexfield.cli.output import echo
from lexfield.errors import InputError
from lexfield.store.files import replace_file
from lexfield.verbs.declare import Help, verb

Shell = Literal["bash", "zsh", "fish"]
_START = {"bash": ".bashrc", "zsh": ".zshrc"}  # what a shell reads when it starts


@verb(command="completion", served="no")
def complete(
    shell: Shell | None = None,
    *,
    install: Annotated[
        bool, Help("Set it up for new shells, instead of printing the script.")
    ] = False,
) -> None:
    """Set up the completion of lexfield's commands in your shell.

    Works in bash, zsh and fish, for commands and their options.

    lexfield completion --install
    lexfield completion zsh --install
    lexfield completion bash
    """
    chosen = shell or Path(os.environ.get("SHELL", "")).name
    make = get_completion_class(chosen)
    if make is None:
        raise InputError(
            f"There is no completion for the shell {chosen!r}.", "Name bash, zsh or fish."
        )
    script = make(click.get_current_context().find_root().command, {}, "lexfield", _VARIABLE)
    source = script.source()
    if not install:
        echo(source)
        return
    for path in _install(chosen, source):
        echo(f"wrote {path}")
    echo("It works in new shells.")


def _install(shell: str, source: str) -> list[Path]:
    """Write the script, and one line to the file that the shell reads when it starts."""
    home = Path.home()
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    script = folder / "lexfield" / f"complete.{shell}"
    if shell == "fish":
        script = folder / "fish" / "completions" / "lexfield.fish"
    script.parent.mkdir(parents=True, exist_ok=True)
    replace_file(script, source.encode())
    if shell == "fish":
        return [script]
    start = home / _START[shell]
    before = start.read_text("utf-8") if start.is_file() else ""
    line = f'[ -f "{script}" ] && . "{script}"'
    if shell == "zsh" and "compinit" not in before:
        line = f"autoload -Uz compinit && compinit\n{line}"
    if f'"{script}"' in before:
        return [script]
    with start.open("a", encoding="utf-8") as file:
        file.write(f"\n# completion of lexfield\n{line}\n")
    return [script, start]


_VARIABLE = "_LEXFIELD_COMPLETE"
