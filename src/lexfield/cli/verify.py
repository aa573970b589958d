"""``lexfield verify``"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexfield.cli.output import emit, output_options
from lexfield.errors import CorruptError

if TYPE_CHECKING:
    from lexfield.store.folder import FileCheck


@click.command()
@click.argument("path", metavar="PATH")
@output_options
def verify(path: str, output: str | None) -> None:
    """Check every byte of an index or a vector set, and every row of a study.

    The topics, metrics and shards of an index are checked with it. Ends with 0 when all is as
    written, with 2 and the names of the damaged files and blocks when not.

    \b
    lexfield verify my.idx
    lexfield verify my.idx/metrics/same
    lexfield verify study.db
    """
    checks = _check(Path(path))
    damaged = [found for found in checks if found.problem]
    size = sum(found.bytes for found in checks)

    def table() -> list[str]:
        lines = [f"damaged: {found.file}: {found.problem}" for found in damaged]
        if not damaged:
            unit = "row" if Path(path).is_file() else "block"
            lines = [f"ok: {len(checks)} files, {size / 1e6:,.1f} MB, every {unit} as written"]
        return lines

    emit("verify", [asdict(found) for found in checks], output, table=table)
    if damaged:
        raise CorruptError(
            f"{len(damaged)} of {len(checks)} files in {path} are damaged.",
            "Restore it from a backup or build it again from its source.",
        )


def _check(path: Path) -> list[FileCheck]:
    """Every file of what is there, and of the stores in it."""
    from lexfield.store.folder import FileCheck, verify

    if path.is_file():
        from lexfield.study.database import verify as verify_study

        return verify_study(path)
    checks = verify(path)
    inner = [
        found
        for pattern in ("topics/CURRENT", "metrics/*/CURRENT", "shards/*/CURRENT")
        for found in sorted(path.glob(pattern))
    ]
    for store in (current.parent for current in inner):
        name = store.relative_to(path).as_posix()
        try:
            found = verify(store)
        except CorruptError as error:  # the rest is checked all the same
            found = [FileCheck("CURRENT", 0, error.message)]
        checks += [replace(one, file=f"{name}/{one.file}") for one in found]
    return checks
