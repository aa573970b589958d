"""Write docs/cli.md from the commands' own help: ``python scripts/make_cli_page.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexfield.cli.main import VERBS, cli

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
    """The whole page."""
    sections = [HEAD, _section("lexfield", cli)]
    for verb in sorted(VERBS):
        command = cli.get_command(click.Context(cli), verb)
        assert command is not None
        sections.append(_section(f"lexfield {verb}", command))
        if isinstance(command, click.Group):
            sections += [
                _section(f"lexfield {verb} {name}", sub, **command.context_settings)
                for name, sub in sorted(command.commands.items())
            ]
    return "\n".join(sections)


def _section(name: str, command: click.Command, **settings: Any) -> str:
    context = click.Context(
        command, info_name=name, terminal_width=96, help_option_names=["-h", "--help"], **settings
    )
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
