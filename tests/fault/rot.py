"""Bit rot: flip bits and cut files short, everywhere; see what is noticed, and what is served.

    detected   opening or using it raised an error of ours that speaks of the store
    same       nothing noticed, and every answer as before: the damaged bytes were not used
    wrong      nothing noticed, and another answer
    fault      an error that is not ours
    crash      the process died

``lexfield verify`` is run on the same damage: ``missed`` where it says that all is well, or does
not name the file.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexfield.cli.main import main
from lexfield.errors import StoreError
from tests.fault.artefacts import Artefact
from tests.fault.trials import run_trials, tally

LEAST = 12  # trials a file, however small it is


@dataclass(frozen=True)
class Damage:
    """A flipped bit of a file, or (``bit`` None) its end before byte ``at``."""

    file: Path
    at: int
    bit: int | None

    def __str__(self) -> str:
        return f"{self.file.name} {self.at}" + ("" if self.bit is None else f".{self.bit}")


def sample(
    files: Sequence[Path], count: int, flips: bool, seed: int, least: int = LEAST
) -> list[Damage]:
    """At least ``count`` places, by the size of the files; small files get more than their share.

    A file with fewer bytes (bits) than places is damaged at each once.
    """
    rng = np.random.default_rng(seed)
    total = sum(path.stat().st_size for path in files)
    found = []
    for path in files:
        size = path.stat().st_size
        wanted = max(least, -(-count * size // total))
        places = size * 8 if flips else size
        drawn = rng.choice(places, min(wanted, places), replace=False)
        for place in sorted(int(one) for one in drawn):
            found.append(Damage(path, place // 8 if flips else place, place % 8 if flips else None))
    return found


@contextlib.contextmanager
def damaged(damage: Damage) -> Any:
    """The file with its damage, and whole again."""
    whole = damage.file.read_bytes()
    if damage.bit is None:
        os.truncate(damage.file, damage.at)
    else:
        flipped = bytearray(whole)
        flipped[damage.at] ^= 1 << damage.bit
        damage.file.write_bytes(flipped)
    try:
        yield
    finally:
        damage.file.write_bytes(whole)


def outcome(use: Callable[[Path], str], root: Path, before: str) -> str:
    try:
        return "same" if use(root) == before else "wrong"
    except StoreError:
        return "detected"
    except Exception as error:
        return f"fault {error!r}"[:300]


def verified(root: Path, file: Path) -> str:
    """Whether ``lexfield verify`` ends with 2 and names the file, and no traceback."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(["verify", str(root)])
        except SystemExit as ended:
            code = ended.code
    said = out.getvalue() + err.getvalue()
    return "found" if code == 2 and file.name in said and "fault in" not in said else "missed"


def trial(artefact: Artefact, before: str) -> Callable[[Damage], str]:
    def one(damage: Damage) -> str:
        with damaged(damage):
            word = outcome(artefact.use, artefact.root, before)
            seen = verified(artefact.root, damage.file)
        return f"{word} | {seen} | {damage}"

    return one


def rot(artefact: Artefact, count: int, seed: int = 0, least: int = LEAST) -> dict[str, Any]:
    """``count`` flips and as many truncations of an artefact."""
    before = artefact.use(artefact.root)
    files = artefact.files()
    assert verified(artefact.root, files[0]) == "missed", "it must be whole to begin with"
    copies = {path: path.read_bytes() for path in files}

    def repair() -> None:
        for path, data in copies.items():
            path.write_bytes(data)

    result: dict[str, Any] = {"files": len(files), "bytes": sum(map(len, copies.values()))}
    for name, flips in (("flips", True), ("truncations", False)):
        trials = sample(files, count, flips, seed, least)
        words = run_trials(trials, trial(artefact, before), repair=repair)
        verdicts = [word.split(" | ")[1] if " | " in word else "missed" for word in words]
        good = ("detected | found", "same | found", *["same | missed"] * artefact.has_unused_bytes)
        bad = [word for word in words if not word.startswith(good)]
        result[name] = {
            "trials": len(trials),
            "use": tally(words),
            "verify": tally(verdicts),
            "faults": bad[:10],
        }
    assert artefact.use(artefact.root) == before
    return result
