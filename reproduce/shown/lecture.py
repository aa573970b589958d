"""The lecture notes on bags of words."""

from __future__ import annotations

from page import Block, Grid

from shown.common import Result, difference


def examples(result: Result) -> list[Block]:
    rows = [
        [r["what"] + ("" if r["fidelity"] == "corrected" else ", `as_published`"),
         f"`{r['printed']}`", f"`{r['ours']}`", "yes" if r["same"] else "**no**"]
        for r in result["table"]
    ]  # fmt: skip
    return [
        Grid(["", "printed, or by hand", "ours", "same"], rows),
        difference(result["difference"]),
    ]
