"""``lexfield reproduce``"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from lexfield.errors import InputError


@click.command()
@click.argument("tables", nargs=-1, metavar="[TABLE]…")
@click.option("--data", type=click.Path(file_okay=False), help="Folder of the corpora.")
@click.option(
    "--list", "listing", is_flag=True, help="List the tables and whether each is up to date."
)
@click.option("--report", is_flag=True, help="Run nothing, only write the report.")
@click.option("--force", is_flag=True, help="Rerun tables that are up to date, too.")
def reproduce(
    tables: tuple[str, ...], data: str | None, listing: bool, report: bool, force: bool
) -> None:
    """Rerun the tables and figures of the papers, ours beside the published ones.

    Works in a copy of lexfield's sources, which has the folder reproduce. Results are kept until
    code, data or arguments change. Writes docs/results.md and reproduce/report.html.

    \b
    lexfield reproduce --list
    lexfield reproduce hare-table-3 lecture
    lexfield reproduce krstovski --data ../shared/data
    lexfield reproduce --report
    """
    if data and not Path(data).is_dir():
        raise InputError(f"There is no folder {data!r}.", "Name the folder with the data sets.")
    command = [sys.executable, str(_folder() / "run.py"), *tables]
    command += ["--data", os.path.realpath(data)] if data else []
    flags = (("--list", listing), ("--report", report), ("--force", force))
    command += [flag for flag, given in flags if given]
    raise SystemExit(2 if subprocess.run(command, check=False).returncode else 0)


def _folder() -> Path:
    """The folder ``reproduce`` of the sources that one stands in, or that lexfield runs from."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).parents[3]):
        if (folder / "reproduce" / "run.py").is_file():
            return folder / "reproduce"
    raise InputError(
        "There is no folder 'reproduce' here.",
        "It comes with lexfield's sources, not with the package: run this inside a copy of them.",
    )
