"""Coverage-guided fuzzing by atheris (libFuzzer) of every target, under limits.

    python -m tests.fault.fuzz TARGET RUNS SEED SECONDS

An input fails if it raises anything but an error of ours, takes more than a second of processor
time (and another for each 100 kB), or more memory than four times its size and a constant.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOM = 8 << 20  # bytes that any reader may take, however small its input
LONGEST = 8192  # bytes of an input


class OverLimitError(Exception):
    """Too much time or memory."""


def limited(read: Callable[[bytes], object], measured: int = 10) -> Callable[[bytes], None]:
    """A target under its limits; memory is measured for every ``measured``-th input, as it takes
    most of the time."""
    from lexfield.errors import LexfieldError

    seen = 0

    def one(data: bytes) -> None:
        nonlocal seen
        seen += 1
        taken = 0
        if measuring := seen % measured == 0:
            tracemalloc.start(1)
        start = time.process_time()
        try:
            read(data)
        except LexfieldError as error:
            if not error.message:
                raise
        finally:
            seconds = time.process_time() - start
            if measuring:
                taken = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
        if seconds > 1 + len(data) / 100_000:
            raise OverLimitError(f"{seconds:.1f} s for {len(data)} bytes")
        if taken > 4 * len(data) + ROOM:
            raise OverLimitError(f"{taken:,} bytes of memory for {len(data)}")

    return one


def main() -> None:
    name, runs, seed, seconds = sys.argv[1:5]
    import atheris

    with atheris.instrument_imports(include=["lexfield", "zipfile", "tarfile", "email"]):
        from tests.fault.targets import FOLDER, TARGETS, no_flushing
    from lexfield.text.normalise import Normalisation
    from lexfield.text.segment import split_words

    split_words(Normalisation()("e\u0301"))  # the patterns of Unicode are made at first use
    target = TARGETS[name]
    corpus = FOLDER / "corpus"
    corpus.mkdir()
    for number, data in enumerate(target.seeds()):
        (corpus / str(number)).write_bytes(data)
        limited_once(target.read, data)
    options = [
        f"-runs={runs}", f"-seed={seed}", f"-max_total_time={seconds}", f"-max_len={LONGEST}",
        "-timeout=20", "-rss_limit_mb=3000", "-print_final_stats=1", f"-artifact_prefix={FOLDER}/",
        str(corpus),
    ]  # fmt: skip
    with no_flushing():
        atheris.Setup([sys.argv[0], *options], limited(target.read))
        atheris.Fuzz()


def limited_once(read: Callable[[bytes], object], data: bytes) -> None:
    """Warm up: what is loaded at first use is no part of an input's memory."""
    from lexfield.errors import LexfieldError

    with contextlib.suppress(LexfieldError):
        read(data)


def fuzz(name: str, runs: int, seed: int = 1, seconds: int = 3600) -> dict[str, Any]:
    """One target in a process of its own: how many inputs, what was covered, what failed."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tests.fault.fuzz", name, str(runs), str(seed), str(seconds)],
        capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    said = done.stderr + done.stdout
    count = re.search(r"stat::number_of_executed_units: (\d+)", said)
    covered = re.findall(r"cov: (\d+) ft: (\d+)", said)
    failed = "" if done.returncode == 0 else "\n".join(said.splitlines()[-40:])[:4000]
    return {
        "inputs": int(count[1]) if count else 0,
        "covered": int(covered[-1][0]) if covered else 0,
        "at first": int(covered[0][0]) if covered else 0,
        "seconds": round(time.monotonic() - start),
        "failed": failed,
    }


def long(folder: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """All targets, or these; what is known of the others is kept."""
    from tests.fault.run import RESULTS
    from tests.fault.targets import TARGETS

    kept = RESULTS / "fuzz.json"
    found = json.loads(kept.read_text("utf-8"))["targets"] if names and kept.exists() else {}
    for name in names or TARGETS:
        found[name] = fuzz(name, TARGETS[name].runs)
        print(name, found[name], flush=True)
    found = {name: found[name] for name in TARGETS if name in found}
    return {"targets": found, "inputs": sum(one["inputs"] for one in found.values())}


if __name__ == "__main__":
    main()
