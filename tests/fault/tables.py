"""Put the results into docs/reliability.md: ``python -m tests.fault.tables``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: made by tests/fault/tables.py -->\n", "<!-- end of figures -->\n"


def result(name: str) -> Any:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _rot(found: Any) -> str:
    rows = []
    for name, one in found["lexfield"].items():
        for kind in ("flips", "truncations"):
            use, trials = one[kind]["use"], one[kind]["trials"]
            bad = sum(count for word, count in use.items() if word not in ("detected", "same"))
            rows.append(
                (name, kind, trials, use.get("detected", 0), use.get("same", 0), bad,
                 f"{one[kind]['verify'].get('found', 0):,} of {trials:,}")
            )  # fmt: skip
    head = ("what", "damage", "trials", "refused when used", "not used, same answers",
            "wrong, fault or crash", "named by `verify`")  # fmt: skip
    return "### Bit rot\n\n" + table(head, rows)


def _peers(found: Any) -> str:
    rows = [
        (name, one["flips"], one.get("detected", 0), one.get("same", 0), one.get("wrong", 0),
         one.get("crash", 0) + one.get("hang", 0), f"{one['unseen']:.1%}")
        for name, one in found.items() if isinstance(one, dict) and "flips" in one
    ]  # fmt: skip
    head = ("saved by", "flipped bits", "error", "same answer", "another answer", "crash", "unseen")
    return "### The same to others\n\n" + table(head, rows)


def _crash(found: Any) -> str:
    rows = [
        (name, one["steps"], one["trials"],
         sum(n for word, n in one["outcomes"].items() if word.endswith("old")),
         sum(n for word, n in one["outcomes"].items() if word.endswith("new")), one["faults"])
        for name, one in found["steps"].items()
    ]  # fmt: skip
    head = ("operation", "steps", "faults injected", "old state whole", "new state whole", "lost")
    kills = found["random"]
    said = (
        f"\nKilled at random times: {kills['kills']:,} times in {kills['changes']:,} changes"
        f" ({', '.join(f'{n} in {kind}' for kind, n in kills['killed in'].items())});"
        f" {kills['faults']} faults, {len(kills['leftovers'])} leftovers.\n"
    )
    return "### Crashes\n\n" + table(head, rows) + said


def _concurrency(found: Any) -> str:
    changes = ", ".join(f"{count} × {kind}" for kind, count in found["changes"].items())
    return (
        f"### Readers and a writer\n\n{found['readers']} readers for {found['seconds']:g} s while a"
        f" writer made {found['generations']} generations ({changes}): {found['answers']:,} answers"
        f" of {found['generations seen']} generations, {found['wrong']} wrong.\n"
    )


def _fuzz(found: Any) -> str:
    rows = [
        (name, one["inputs"], one["at first"], one["covered"], "yes" if one["failed"] else "none")
        for name, one in found["targets"].items()
    ]
    head = ("reader", "inputs", "edges covered at first", "in the end", "failures")
    return f"### Fuzzing: {found['inputs']:,} inputs\n\n" + table(head, rows)


def _scale(found: Any) -> str:
    sizes = ("1 MB", "10 MB", "100 MB")
    rows = [
        (name, *(one.get(size, "") for size in sizes), one["worse"])
        for name, one in found["tokenising"].items()
    ]
    head = ("text of nothing but", *(f"s a MB at {size}" for size in sizes), "ratio")
    readers = [
        (name, one["seconds a 100 kB"], max(0.0, one["memory over size"]))
        for name, one in found["readers"].items()
    ]
    return (
        "### Text that grows\n\n" + table(head, rows) + "\n"
        + table(("reader, large input", "s a 100 kB", "memory over input, beyond 8 MB"), readers)
    )  # fmt: skip


def _attack(found: Any) -> str:
    rows = [
        (name, one["connections or requests"],
         ", ".join(f"{end}: {n}" for end, n in one["ended"].items()), one["others answered"],
         one["others refused"], one["slowest answer, s"], one["memory grew, MB"])
        for name, one in found["attacks"].items()
    ]  # fmt: skip
    head = ("attack", "size", "how they ended", "others answered", "others refused",
            "slowest answer, s", "memory grew, MB")  # fmt: skip
    return "### A server under attack\n\n" + table(head, rows)


def _bytes(found: Any) -> str:
    return (
        f"### Same bytes\n\n{found['digests']} digests of stores and answers, in"
        f" {len(found['runs'])} runs ({', '.join(found['runs'])}): {len(found['differ'])} differ.\n"
    )


def _places(found: Any) -> str:
    rows = [
        (name, one["trials"], ", ".join(f"{word}: {n:,}" for word, n in one["outcomes"].items()),
         len(one["faults"]))
        for name, one in found.items() if isinstance(one, dict)
    ]  # fmt: skip
    head = ("attacked", "trials", "how they ended", "faults")
    return "### Output folders, parts and remote stores\n\n" + table(head, rows)


def _mixed(found: Any) -> str:
    asked, poisoned = (sum(found[name].values()) for name in ("answers", "poisoned requests"))
    return (
        f"### Answers and their questions\n\n{asked:,} questions from 20 clients with"
        f" {poisoned:,} poisoned requests among them: {found['wrong']:,} wrong answers.\n"
    )


def _model(found: Any) -> str:
    return (
        f"### A reference model\n\n{found['operations']:,} operations and questions:"
        f" {', '.join(f'{n:,} × {name}' for name, n in found['of each'].items())};"
        f" {found['faults']} faults.\n"
    )


def _faults(found: Any) -> str:
    rows = [
        (part, name, one["trials"], ", ".join(f"{word} {n}" for word, n in one["outcomes"].items()))
        for part, several in found.items() if isinstance(several, dict)
        for name, one in several.items()
    ]  # fmt: skip
    head = ("what failed", "operation or artefact", "trials", "how they ended")
    return "### Every failure once\n\n" + table(head, rows)


def _soak(found: Any) -> str:
    shown = {name: value for name, value in found.items() if not isinstance(value, dict | list)}
    said = ", ".join(f"{name}: {n:,}" for name, n in found["statuses"].items())
    memory = found["since the last restart"]
    flat = "; ".join(
        f"{name} {memory['at first'][name]:,} at first, {memory['at last'][name]:,} at last"
        for name in ("kB", "descriptors", "threads")
    )
    return (
        "### A server in use\n\n" + table(list(shown), [list(shown.values())])
        + f"\nAnswers by status: {said}. The server itself: {flat}.\n"
    )  # fmt: skip


_PROCESSES = {"page": "page", "front": "server", "workers": "its workers", "jobs": "its jobs"}


def _clicks(found: Any) -> str:
    return (
        f"### A page in use\n\n{found['clicks']:,} clicks in"
        f" {found['minutes_of_clicking']:g} minutes on {found['index']}, with pauses of"
        f" {found['pause_seconds']:g} s: {len(found['faults'])} faults;"
        " memory from the second fifth of the time to the last: "
        + ", ".join(
            f"{what} {found[name]['early_mb']} to {found[name]['late_mb']} MB"
            for name, what in _PROCESSES.items()
        )
        + ".\n"
    )


def _mutants(found: Any) -> str:
    rows = [
        (name, one["modules"].replace(" ", ", "), one["mutants"], one["killed"],
         f"{one['killed'] / max(1, one['mutants']):.0%}", one["date"])
        for name, one in found.items() if isinstance(one, dict)
    ]  # fmt: skip
    head = ("package", "modules", "mutants", "killed", "score", "date")
    return "### Mutants\n\n" + table(head, rows)


PARTS = {"rot": _rot, "peers": _peers, "crash": _crash, "concurrency": _concurrency,
         "fuzz": _fuzz, "scale": _scale, "attack": _attack, "bytes": _bytes,
         "places": _places, "mixed": _mixed, "model": _model, "faults": _faults, "soak": _soak,
         "clicks": _clicks, "mutants": _mutants}  # fmt: skip


def figures() -> str:
    return "\n".join(
        render(found) for name, render in PARTS.items() if (found := result(name)) is not None
    )


def main() -> None:
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + figures() + "\n" + END + rest.split(END)[1], "utf-8")


if __name__ == "__main__":
    main()
