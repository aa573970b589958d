"""The long runs: ``python -m tests.fault.run [PART…]``; results go to tests/fault/results.

Each part is a function that gives a dictionary. The ordinary suite runs a small sample of each.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lexfield

RESULTS = Path(__file__).parent / "results"


def rot(folder: Path) -> dict[str, Any]:
    """1,000 flips and 1,000 truncations of each of our artefacts."""
    from tests.fault.artefacts import make_all
    from tests.fault.rot import rot as damage

    return {"lexfield": {one.name: damage(one, 1000) for one in make_all(folder)}}


def peers(folder: Path) -> dict[str, Any]:
    """1,000 flips of what each peer saves, each in a process of its own; our index last."""
    from tests.fault.artefacts import Artefact, make_index, use_index
    from tests.fault.peers import PEERS
    from tests.fault.rot import rot as damage

    found: dict[str, Any] = {}
    for name in PEERS:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fault.peers", name, str(folder / name), "1000"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = done.stdout.strip().splitlines()
        if done.returncode or not lines:
            found[name] = {"not run": (done.stderr.strip().splitlines() or ["it ended"])[-1][:200]}
        else:
            found[name] = json.loads(lines[-1])
        print(name, found[name], file=sys.stderr, flush=True)
    index = folder / "x.idx"
    make_index(index)
    ours = damage(Artefact("index", index, use_index), 1000)["flips"]
    unseen = ours["trials"] - ours["verify"]["found"]
    found["lexfield"] = {
        "flips": ours["trials"], **ours["use"], "unseen": unseen / ours["trials"],
    }  # fmt: skip
    return found


PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {"rot": rot, "peers": peers}
_MODULES = "crash concurrency fuzz scale bytes attack places mixed model faults soak mutants clicks"
for _name in _MODULES.split():
    PARTS[_name] = lambda folder, name=_name: importlib.import_module(  # type: ignore[misc]
        f"tests.fault.{name}"
    ).long(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), choices=[*PARTS, []])
    parts = parser.parse_args().parts
    own = Path(__file__).parents[2] / "src"
    assert Path(lexfield.__file__).is_relative_to(own), f"set PYTHONPATH={own}"
    for name in parts:
        print(f"== {name}", file=sys.stderr, flush=True)
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["LEXFIELD_HOME"] = str(Path(folder) / "home")
            result = PARTS[name](Path(folder))
        result["minutes"] = round((time.monotonic() - started) / 60, 1)
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps(result, indent=1, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
        print(text)


if __name__ == "__main__":
    main()
