"""``lexfield info``"""

from __future__ import annotations

from typing import Any

import click

from lexfield.cli.output import emit, output_options


@click.command()
@click.argument("path", metavar="IDX")
@output_options
def info(path: str, output: str | None) -> None:
    """Look inside an index: sizes, metadata, vectors and how many words they know.

    \b
    lexfield info my.idx
    lexfield info my.idx --json
    """
    from lexfield.cluster.sharded_index import open_index

    found = open_index(path).info()
    notes = found.pop("notes")
    emit("info", [found], output, notes=notes, table=lambda: describe(found))


def describe(info: dict[str, Any]) -> list[str]:
    """The sizes, the vectors and the metadata of an index, as lines."""
    coverage = info["vectors"]["coverage"]
    total = sum(kind["tokens"] for kind in coverage.values())
    lines = [
        f"index       {info['path']} ({info['bytes'] / 1e6:,.1f} MB, generation"
        f" {info['generation']})",
        f"documents   {info['documents']:,}",
        f"sentences   {info['sentences']:,}",
        f"tokens      {info['tokens']:,} ({info['words']:,} distinct)",
        f"vectors     {info['vectors']['name']}, {info['vectors']['dims']} dimensions",
    ]
    if (stem := info["normalisation"].get("stem", "none")) != "none":
        lines.append(f"stems       {stem}")
    for how, kind in coverage.items():
        if kind["types"]:
            share = f"{kind['tokens'] / total:.2%} of tokens"
            lines.append(f"  {how:<9} {kind['types']:,} distinct words, {share}")
    for name, values in info["metadata"].items():
        shown = ", ".join(f"{value or '(empty)'} {count:,}" for value, count in values.items())
        lines.append(f"{name:<11} {shown[:160]}{'…' if len(shown) > 160 else ''}")
    return lines
