"""``lexfield verify``"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import click

from lexfield.cli.output import emit, output_options
from lexfield.errors import CorruptError


@click.command()
@click.argument("path", metavar="IDX")
@output_options
def verify(path: str, output: str | None) -> None:
    """Check every byte of an index or a vector set against its checksums.

    Ends with 0 when all is as written, with 2 and the names of the damaged files when not.

    \b
    lexfield verify my.idx
    """
    from lexfield.store.folder import verify as check

    checks = check(path)
    inner = [
        found
        for pattern in ("topics/CURRENT", "metrics/*/CURRENT", "shards/*/CURRENT")
        for found in sorted(Path(path).glob(pattern))
    ]
    for store in (current.parent for current in inner):  # stores in an index
        name = store.relative_to(path).as_posix()
        checks += [replace(found, file=f"{name}/{found.file}") for found in check(store)]
    damaged = [found for found in checks if found.problem]
    size = sum(found.bytes for found in checks)

    def table() -> list[str]:
        lines = [f"damaged: {found.file}: {found.problem}" for found in damaged]
        if not damaged:
            lines = [f"ok: {len(checks)} files, {size / 1e6:,.1f} MB, every block as written"]
        return lines

    emit("verify", [asdict(found) for found in checks], output, table=table)
    if damaged:
        raise CorruptError(
            f"{len(damaged)} of {len(checks)} files in {path} are damaged.",
            "Restore it from a backup or build it again from its source.",
        )
