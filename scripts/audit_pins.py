"""Compare the pins with the advisories that the package safety-db holds, without any network.

    make audit

Its list ends in 2021, so it finds old faults only; ``pip-audit``, which asks a service, finds newer
ones. Prints what it finds and fails if that is anything.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

PINS = Path(__file__).parents[1] / "constraints.txt"


def main() -> None:
    found = importlib.util.find_spec("safety_db")
    assert found and found.origin, "pip install safety-db"
    known = json.loads((Path(found.origin).parent / "insecure_full.json").read_text("utf-8"))
    pins = [line.split("==") for line in PINS.read_text("utf-8").splitlines() if "==" in line]
    listed, faults = 0, 0
    for name, version in pins:
        advisories = known.get(name.lower().replace("_", "-"), [])
        listed += bool(advisories)
        for advisory in advisories:
            if any(Version(version) in SpecifierSet(spec) for spec in advisory["specs"]):
                faults += 1
                print(f"{name} {version}: {advisory['advisory'][:200]} ({advisory['cve']})")
    print(f"{len(pins)} pins, {listed} of them with advisories in the list, {faults} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
