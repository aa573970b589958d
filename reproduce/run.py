"""Rerun what the papers print, and write the report: ``lexfield reproduce [TABLE…]``.

Results whose code, data and arguments have not changed are kept (cache.py). The report holds every
table and figure, from results that may be older than the present code: it says when and with what
they were made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cache
from catalogue import ITEMS, PAPERS, SCRIPTS, Item, Script, chosen
from page import Block, Chapter, Section, html, markdown

from lexfield.results import format_rows
from lexfield.store.files import replace_file

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "results.md"
REPORT = HERE / "report.html"
TITLE = "The papers' tables and figures, rerun"
LEAD = (
    "Our figures are next to the published ones, which are in brackets unless a table says"
    " otherwise; a sentence explains each difference. `lexfield reproduce` computes them and writes"
    " this page, and the same as one HTML file, `reproduce/report.html`. *As published* means that"
    " an error in print is kept."
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="lexfield reproduce", description=__doc__)
    parser.add_argument("tables", nargs="*", help="Names, or beginnings of names; see --list.")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--list", action="store_true", help="Say what there is and how fresh.")
    parser.add_argument("--report", action="store_true", help="Run nothing, write the report.")
    parser.add_argument("--force", action="store_true", help="Run also what is fresh.")
    options = parser.parse_args()
    items = chosen(options.tables)
    scripts = [SCRIPTS[name] for name in dict.fromkeys(item.script for item in items)]
    if options.list:
        print("\n".join(format_rows(listed(items, options.data), len(items))))
        return
    failed = [] if options.report else [s.name for s in scripts if not run(s, options)]
    if options.report:
        write_report()
    if failed:
        raise SystemExit(f"not run: {', '.join(failed)}")


def listed(items: list[Item], data: Path) -> list[dict[str, Any]]:
    states = {item.script: state(SCRIPTS[item.script], data) for item in items}
    return [
        {
            "name": item.name,
            "what": item.title,
            "script": f"{item.script}.py",
            "minutes": SCRIPTS[item.script].minutes,
            "state": states[item.script],
        }
        for item in items
    ]


def state(script: Script, data: Path) -> str:
    """Whether results are there, and whether they are those of the present code and data."""
    if not all((cache.RESULTS / output).is_file() for output in script.outputs):
        return "not run"
    known = cache.recorded(script.name, script.outputs)
    if known is None:
        return "made without a record"
    if missing(script, data):
        return "no data to compare with"
    if known["data"] != cache.data_hash(data, script.data):
        return "older than the data"
    if older := cache.changed(known["files"]):
        others = f" and {len(older) - 1} more" if older[1:] else ""
        return f"older than {older[0].removeprefix('src/lexfield/')}{others}"
    return "fresh"


def missing(script: Script, data: Path) -> list[str]:
    return [name for name in script.data if not (data / name).is_dir()]


def run(script: Script, options: argparse.Namespace) -> bool:
    """Run a script, unless its results are fresh; False where it cannot be or fails."""
    if lacks := missing(script, options.data):
        say(f"{script.name}: skipped, {', '.join(lacks)} not in {options.data}")
        return False
    if not options.force and state(script, options.data) == "fresh":
        say(f"{script.name}: fresh")
        return True
    say(f"{script.name}: running, about {script.minutes:g} min")
    path = HERE / f"{script.name}.py"
    command = [sys.executable, str(path)]
    if script.data:
        command += ["--data", str(options.data)]
    started = time.time()
    with cache.listing() as (environment, lists):
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        paths = cache.opened(lists) | {path}
    minutes = (time.time() - started) / 60
    if done.returncode:
        say(f"{script.name}: failed after {minutes:.1f} min")
        return False
    if changed := [path.name for path in paths if path.stat().st_mtime > started]:
        say(f"{script.name}: not recorded, {', '.join(sorted(changed))} changed while it ran")
        return False
    cache.record(
        script.name,
        cache.hashes(paths),
        cache.data_hash(options.data, script.data),
        script.outputs,
        command=f"lexfield reproduce {script.name}",
        day=f"{datetime.now(UTC):%Y-%m-%d}",
        minutes=minutes,
    )
    write_report()  # an interrupted run resumes here
    say(f"{script.name}: done in {minutes:.1f} min")
    return True


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def write_report() -> None:
    parts = chapters()
    replace_file(PAGE, markdown(TITLE, lead(), parts, PAGE).encode())
    replace_file(REPORT, html(TITLE, lead(), parts).encode())
    say(f"wrote {PAGE} and {REPORT} ({REPORT.stat().st_size / 1e6:.1f} MB)")


def lead() -> str:
    """What the page is, and how many results have a record of how they were made."""
    records = [cache.recorded(script.name, script.outputs) for script in SCRIPTS.values()]
    commits = {known["commit"] for known in records if known}
    days = sorted(known["made"] for known in records if known)
    return (
        f"{LEAD} {len(days)} of {len(records)} scripts have a record of how their results were made"
        + (f", at {len(commits)} commits from {days[0]} to {days[-1]}" if days else "")
        + ("" if len(days) == len(records) else "; the others' results are older")
        + ". `lexfield reproduce --list` says which results are older than the code."
    )


def chapters() -> list[Chapter]:
    return [
        Chapter(title, [section(item) for item in ITEMS if item.paper == paper])
        for paper, title in PAPERS.items()
    ]


def section(item: Item) -> Section:
    path = cache.RESULTS / item.file
    if not path.is_file():
        told: list[Block] = [f"Not run yet: `lexfield reproduce {item.name}`."]
        return Section(item.name, item.title, told, f"By `{item.script}.py`.")
    result = json.loads(path.read_text("utf-8"))
    return Section(item.name, item.title, item.show(result), provenance(item))


def provenance(item: Item) -> str:
    """By which code, from which data and seeds, with which command, when and how long."""
    known = cache.recorded(item.script, SCRIPTS[item.script].outputs)
    if known is None:
        return f"Made by an earlier version of `{item.script}.py`, without a record."
    seed = known["seed"]
    if isinstance(seed, dict):
        seed = [f"{times} for {name}" for name, times in seed.items()]
    seeds = ", ".join(map(str, seed)) if isinstance(seed, list) else seed
    told = [
        f"Made on {known['made']} by `{known['command']}`",
        f"lexfield {known['version']} at commit {known['commit']}",
        f"data {known['data'][:8]}" if known["data"] else "no data but the sample",
        "no seed" if seed is None else f"seed {seeds}",
        f"{known['minutes']:g} min",
    ]
    scripts = {name: old for name, old in known["files"].items() if not name.startswith("src/")}
    if cache.changed(scripts):
        told.append("**the script has changed since**")
    return "; ".join(told) + "."


if __name__ == "__main__":
    main()
