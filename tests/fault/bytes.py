"""The same input, seed and version give the same bytes, with one thread and with two.

    python -m tests.fault.bytes FOLDER [COMMAND…]

makes one of everything that is kept, and answers to write down, and prints a digest of each.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lexfield.cli.main import main as command
from lexfield.sample import METADATA, TEXTS, TICKETS

COMMANDS: dict[str, list[str]] = {
    "index": ["index", str(TEXTS), "--metadata", str(METADATA), "-o", "x.idx"],
    "tickets": ["index", str(TICKETS), "--text-field", "text", "-o", "t.idx"],
    "topics": ["topics", "fit", "x.idx", "-t", "6", "--passes", "2"],
    "metric": ["metric", "learn", "t.idx", "--by", "duplicate_of", "--name", "same"],
    "deleted": ["delete", "x.idx", "pell-sea", "voss-sea"],
    "added": ["add", "x.idx", str(TEXTS / "pell-sea.txt")],
    "search": ["search", "x.idx", "a boat before the storm", "-k", "9", "--explain", "--json"],
    "wmd": ["search", "x.idx", "a boat before the storm", "--method", "wmd", "--json"],
    "topic": ["search", "x.idx", "--like", "weiss-stars", "--method", "topic", "--json"],
    "pairs": ["pairs", "t.idx", "--json"],
    "latent pairs": ["pairs", "x.idx", "--space", "latent", "--neighbour", "3", "--json"],
    "clusters": ["zipf", str(TEXTS), "--latent", "--clusters", "20", "--seeds", "2", "--json"],
    "duplicates": ["duplicates", "t.idx", "--unit", "sentence", "--json"],
    "small": ["index", str(TEXTS / "pell-sea.txt"), "-o", "s.idx"],
    "other": ["index", str(TEXTS), "-o", "y.idx"],
    "compacted": ["compact", "y.idx"],
}
KEPT = ("s.idx", "x.idx", "y.idx", "t.idx")


def make(names: Sequence[str]) -> dict[str, str]:
    """A digest of what each command printed, and of all files that are there in the end."""
    found = {}
    for name in names:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as told:
            try:
                command(COMMANDS[name])
            except SystemExit as ended:
                assert not ended.code, (name, told.getvalue())
        found[name] = _digest(out.getvalue().encode())
    for place in (*KEPT, "home"):
        files = [p for p in sorted(Path(place).rglob("*")) if p.is_file() and p.name != ".lock"]
        found[place] = _digest(b"".join(f"{p}\0".encode() + p.read_bytes() for p in files))
    return found


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


SETTINGS: dict[str, dict[str, str]] = {
    "NumPy without AVX2 and AVX-512": {
        "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
    },
    "BLAS for Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "BLAS for Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "Numba for any x86-64": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}


_ASK = "import json; from tests.fault.bytes import ask; print(json.dumps(ask()))"


def ask() -> list[list[tuple[str, float]]]:
    """Index some texts; return the hits of methods that compute with vectors."""
    from lexfield.search.index import Index
    from lexfield.text.corpus import Corpus

    index = Index(Corpus.read(sorted(TEXTS.glob("*-sea.txt"))))
    return [
        [(hit.id, hit.score) for hit in index.search("a boat before the storm", method, 10)]
        for method in ("ideas", "wmd", "mean", "best", "bm25")
    ]


def ask_with(setting: str) -> list[list[tuple[str, float]]]:
    """Return the same hits of a process with other settings of the processor."""
    done = subprocess.run(
        [sys.executable, "-c", _ASK],
        capture_output=True, text=True, check=False, env={**os.environ, **SETTINGS[setting]},
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [[(id, score) for id, score in one] for one in json.loads(done.stdout)]


def run(
    folder: Path, threads: int, names: Sequence[str], python: str = sys.executable
) -> dict[str, str]:
    """In a process of its own, with a folder, a hash seed and a number of threads of its own."""
    folder.mkdir()
    environment = {
        **os.environ, "LEXFIELD_THREADS": str(threads), "LEXFIELD_HOME": str(folder / "home"),
        "PYTHONHASHSEED": str(threads * 7 + len(folder.name)), **SETTINGS.get(folder.name, {}),
    }  # fmt: skip
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment[name] = str(threads)
    done = subprocess.run(
        [python, "-m", "tests.fault.bytes", str(folder), *names],
        capture_output=True, text=True, check=False, env=environment,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def compared(
    folder: Path, ways: Sequence[tuple[str, int]], names: Sequence[str] = ()
) -> dict[str, Any]:
    """All commands, or these, done in so many ways: where what they print or leave differs."""
    names = names or list(COMMANDS)
    results = {name: run(folder / name, threads, names) for name, threads in ways}
    first, *others = results.values()
    differ = [name for name in first if any(other[name] != first[name] for other in others)]
    return {"runs": [name for name, _ in ways], "digests": len(first), "differ": differ}


def long(folder: Path) -> dict[str, Any]:
    """Equal to the bit on any number of threads; on another processor, where they differ.

    LEXFIELD_PYTHONS names further interpreters that have lexfield, with colons between them.
    """
    found = compared(folder, (("one thread", 1), ("two", 2), ("two again", 2), ("three", 3)))
    found["settings"] = {}
    for name in SETTINGS:
        (folder / name[:5]).mkdir()
        other = compared(folder / name[:5], (("as it is", 1), (name, 1)))
        found["settings"][name] = other["differ"]
    for number, python in enumerate(
        filter(None, os.environ.get("LEXFIELD_PYTHONS", "").split(":"))
    ):
        other_results = run(folder / f"python{number}", 1, list(COMMANDS), python)
        own = run(folder / f"own{number}", 1, list(COMMANDS))
        found["settings"][python] = [name for name in own if own[name] != other_results[name]]
    return found


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    print(json.dumps(make(sys.argv[2:])))
