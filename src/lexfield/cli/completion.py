"""``lexfield completion``"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from lexfield.cli.output import echo


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script that completes lexfield's commands in your shell.

    \b
    lexfield completion bash >> ~/.bashrc
    lexfield completion zsh >> ~/.zshrc
    lexfield completion fish > ~/.config/fish/completions/lexfield.fish
    """
    make = get_completion_class(shell)
    if make is None:
        raise click.UsageError(f"There is no completion for {shell!r}.")
    echo(
        make(
            click.get_current_context().find_root().command, {}, "lexfield", "_LEXFIELD_COMPLETE"
        ).source()
    )
