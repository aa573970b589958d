"""Write docs/cli.md from the commands' own help: ``python scripts/make_cli_page.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lexfield.cli.main import cli

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """# The command line

Results go to stdout; notes, narration and progress to stderr (the last two on a terminal only).
Every command that prints results takes `--json`, `--jsonl` and `--csv`. `--json` is one object:

```json
{"schema": "lexfield.near/1", "notes": [],
 "results": [{"word": "books", "similarity": 0.8, "distance": 0.6}]}
```

Exit codes: 0 found, 1 nothing found, 2 error. `--debug` with any command shows the traceback of an
error; `NO_COLOR` switches colours off. This page is made by `scripts/make_cli_page.py`.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *_write_sections("lexfield", cli)])


def _write_sections(name: str, command: click.Command, **settings: Any) -> Iterator[str]:
    """Yield the help of a command, and of those below it."""
    yield _section(name, command, **settings)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None
            yield from _write_sections(f"{name} {each}", found, **command.context_settings)


def _section(name: str, command: click.Command, **settings: Any) -> str:
    settings["help_option_names"] = ["-h", "--help"]
    context = click.Context(command, info_name=name, terminal_width=96, **settings)
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
