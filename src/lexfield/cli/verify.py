"""``lexfield verify``"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexfield.cli.output import emit, output_options
from lexfield.errors import CorruptError, NotAStoreError, StoreError

if TYPE_CHECKING:
    from lexfield.store.folder import FileCheck, Store


@click.command()
@click.argument("path", metavar="PATH")
@output_options
def verify(path: str, output: str | None) -> None:
    """Check every byte of an index or a vector set, and every row of a study.

    The topics, metrics and shards of an index are checked with it: what is damaged, missing or
    foreign (put there by somebody else) is named. Ends with 0 when all is as written, else with 2.
    The root is one SHA-256 over everything: two indexes with the same root hold the same.

    \b
    lexfield verify my.idx
    lexfield verify my.idx/metrics/same
    lexfield verify study.db
    """
    checks, root, notes = _check(Path(path))
    damaged = [found for found in checks if found.problem]
    size = sum(found.bytes for found in checks)

    def table() -> list[str]:
        lines = [f"damaged: {found.file}: {found.problem}" for found in damaged]
        if not damaged:
            unit = "row" if Path(path).is_file() else "block"
            lines = [f"ok: {len(checks)} files, {size / 1e6:,.1f} MB, every {unit} as written"]
        return [*lines, *([f"root: {root}"] if root else [])]

    records, extra = [asdict(found) for found in checks], {"root": root} if root else {}
    emit("verify", records, output, notes=notes, table=table, extra=extra)
    if damaged:
        raise CorruptError(
            f"{len(damaged)} of {len(checks)} files in {path} are damaged, missing or foreign.",
            "Restore it from a backup or build it again from its source.",
        )


def _check(path: Path) -> tuple[list[FileCheck], str, list[str]]:
    """Every file of what is there and of the stores in it, the root checksum, and notes."""
    from lexfield.store.folder import Store
    from lexfield.store.folder import verify as verify_store
    from lexfield.store.manifest import root_of
    from lexfield.vectors.sources import find_metric

    if path.is_file():
        from lexfield.study.database import verify as verify_study

        return verify_study(path), "", []
    if find_metric(path):
        checks, prefix = verify_store(path.parent.parent), f"/metrics@{path.name}@"
        return [found for found in checks if prefix in found.file], "", []
    checks = verify_store(path)
    try:
        store = Store.open(path)
    except StoreError:  # a file is missing, as the checks say
        return checks + _check_folders(path, None), "", []
    return checks + _check_folders(path, store), root_of(path), _notes(path, store)


def _check_folders(path: Path, store: Store | None) -> list[FileCheck]:
    """The stores in the folder of an index: shards, and what was never part of it."""
    from lexfield.store.folder import FileCheck
    from lexfield.store.manifest import CURRENT

    listed = {f"shards/{shard['name']}": shard for shard in _shards(store)}
    there = {
        found.parent.relative_to(path).as_posix()
        for pattern in (f"topics/{CURRENT}", f"metrics/*/{CURRENT}", f"shards/*/{CURRENT}")
        for found in path.glob(pattern)
    }
    checks: list[FileCheck] = []
    for name in sorted(there | set(listed)):
        if name not in there:
            checks.append(FileCheck(f"{name}/{CURRENT}", 0, "missing: the index lists it"))
        elif store is not None and store.schema > 1 and not name.startswith("shards/"):
            checks.append(FileCheck(f"{name}/{CURRENT}", 0, "foreign: not part of this index"))
        else:
            checks += _check_inner(path, name, listed.get(name))
    return checks


def _check_inner(path: Path, name: str, listed: dict[str, str] | None) -> list[FileCheck]:
    """The files of a store in the folder of another, and whether it is the one that is listed."""
    from lexfield.store.folder import FileCheck, manifest_sum
    from lexfield.store.folder import verify as verify_store
    from lexfield.store.manifest import CURRENT, root_of

    try:
        found = verify_store(path / name)
        if listed and (
            manifest_sum(path / name) != listed["manifest"]
            or listed.get("root") not in (None, root_of(path / name))
        ):
            found.append(FileCheck(CURRENT, 0, "foreign: not the shard that was built"))
    except (CorruptError, NotAStoreError) as error:  # the rest is checked all the same
        found = [FileCheck(CURRENT, 0, error.message)]
    return [replace(one, file=f"{name}/{one.file}") for one in found]


def _shards(store: Store | None) -> list[dict[str, str]]:
    if store is None or store.kind != "index in shards":
        return []
    from lexfield.cluster.shards import check_shards

    check_shards(store)
    shards: list[dict[str, str]] = store.meta["shards"]
    return shards


def _notes(path: Path, store: Store) -> list[str]:
    """What is no damage, but good to know."""
    from lexfield.index.build import KIND
    from lexfield.index.parts import legacy_folders
    from lexfield.index.upkeep import stale_parts
    from lexfield.search.index import Index

    if store.kind != KIND:
        return []
    try:
        stale = stale_parts(store, Index.open(path).segments)
    except CorruptError:  # as the checks say
        return []
    return [
        f"stale: {name} holds nothing of the newest texts, so every search computes it again;"
        f" update it with: lexfield compact {path}"
        for name in stale
    ] + [
        f"{folder.relative_to(path).as_posix()} was written by lexfield 0.1, which did not bind it"
        f" to this index; bind it, if it fits, with: lexfield compact {path}"
        for folder in legacy_folders(store)
    ]
