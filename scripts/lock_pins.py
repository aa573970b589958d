"""Write locks/: the pins of constraints.txt with the SHA-256 of every file of each release.

    python scripts/lock_pins.py ADDRESS  # of a package index; all of constraints.txt is installed

``make`` installs these files in the order of ``STEPS``, each with what the earlier ones lack, and
pip refuses a file with another hash. They hold for the systems and Python versions named below.
"""

from __future__ import annotations

import re
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from itertools import product
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename

ROOT = Path(__file__).parents[1]
STEPS = {
    # Sources of stop-words and hnswlib are built with setuptools and pybind11; `pip install -e`
    # of hatchling asks for editables.
    "build": ["editables", "pybind11", "setuptools"],
    "base": ["lexfield"],
    "dev": ["lexfield[all,dev,docs]"],
    "bench": ["lexfield[bench]"],
    "fault": ["lexfield[fault]"],
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = {
    "linux": ("x86_64", "aarch64"), "darwin": ("x86_64", "arm64"), "win32": ("AMD64", "ARM64"),
}  # fmt: skip
ENVIRONMENTS = [
    {
        "python_version": python, "python_full_version": f"{python}.0", "sys_platform": system,
        "platform_machine": machine, "os_name": "nt" if system == "win32" else "posix",
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system],
        "implementation_name": "cpython", "platform_python_implementation": "CPython",
    }
    for python in PYTHONS
    for system, machines in SYSTEMS.items()
    for machine in machines
]  # fmt: skip
MARKERS = ["", *(
    f"{name} {how} '{value}'"
    for (name, values), how in product(
        {"sys_platform": SYSTEMS, "python_version": PYTHONS}.items(), ("==", "!=", "<", ">=")
    )
    for value in values
)]  # fmt: skip
_LINK = re.compile(r'href="[^"#]*/([^"/#]+)#sha256=([0-9a-f]{64})"')
_PLATFORM = re.compile(
    r"any|(manylinux|musllinux|macosx).*(x86_64|aarch64|arm64|universal2)|win_.*64"
)
_PYTHON = re.compile(r"py3\d*|cp31[1-4]")


def read_pins() -> dict[str, str]:
    """Return the version of each package of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def list_requirements(name: str, extras: set[str]) -> Iterator[tuple[Requirement, str]]:
    """Yield what a package requires with some extras, and the extra for which it does."""
    if name == "lexfield":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        groups = {"": project["dependencies"], **project["optional-dependencies"]}
        for extra in extras | {""}:
            yield from ((Requirement(line), extra) for line in groups[extra])
        return
    for line in distribution(name).requires or []:
        yield from ((Requirement(line), extra) for extra in extras | {""})


def resolve(wanted: list[str], environment: dict[str, str]) -> set[str]:
    """Return the packages that some requirements lead to."""
    found: set[tuple[str, str]] = set()
    open_ = [(Requirement(line), "") for line in wanted]
    while open_:
        requirement, extra = open_.pop()
        marker = requirement.marker
        if marker and not marker.evaluate({**environment, "extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        new = {one for one in (requirement.extras | {""}) if (name, one) not in found}
        found |= {(name, one) for one in new}
        if new:
            open_ += list_requirements(name, new - {""})
    return {name for name, _ in found} - {"lexfield"}


def choose_marker(needed: list[bool]) -> str:
    """Return the marker that holds in exactly the environments in which a package is needed."""
    for text in MARKERS:
        if [not text or Marker(text).evaluate(one) for one in ENVIRONMENTS] == needed:
            return f" ; {text}" if text else ""
    raise ValueError(f"no simple marker: {needed}")


def fits(file: str, version: str) -> bool:
    """Return whether a file is of this version and of use in one of our environments."""
    try:
        if not file.endswith(".whl"):
            return str(parse_sdist_filename(file)[1]) == version
        _, found, _, tags = parse_wheel_filename(file)
    except ValueError:  # of a time with other rules for names
        return False
    return str(found) == version and any(
        _PLATFORM.match(tag.platform)
        and (_PYTHON.fullmatch(tag.interpreter) or tag.abi == "abi3")
        and not tag.abi.endswith("t")
        for tag in tags
    )


def find_hashes(pin: tuple[str, str]) -> list[str]:
    """Return the SHA-256 of every file of a release."""
    name, version = pin
    with urllib.request.urlopen(f"{sys.argv[1].rstrip('/')}/{name}/", timeout=60) as answer:
        links = _LINK.findall(answer.read().decode())
    found = sorted({digest for file, digest in links if fits(file, version)})
    if not found:
        raise ValueError(f"no files of {name} {version}")
    return found


def main() -> None:
    pins = read_pins()
    with ThreadPoolExecutor(8) as pool:
        hashes = dict(zip(pins, pool.map(find_hashes, pins.items()), strict=True))
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    written: list[set[str]] = [set() for _ in ENVIRONMENTS]
    (ROOT / "locks").mkdir(exist_ok=True)
    for step, wanted in STEPS.items():
        more = build if step == "build" else []
        found = [resolve([*wanted, *more], one) for one in ENVIRONMENTS]
        lines = [f"# Written by scripts/lock_pins.py from constraints.txt: the step '{step}'."]
        for name in sorted(set().union(*found)):
            needed = [
                name in here and name not in old for here, old in zip(found, written, strict=True)
            ]
            if any(needed):
                marker = choose_marker(needed)
                sums = [f"    --hash=sha256:{digest}" for digest in hashes[name]]
                lines.append(" \\\n".join([f"{name}=={pins[name]}{marker}", *sums]))
        written = [old | here for old, here in zip(written, found, strict=True)]
        (ROOT / "locks" / f"{step}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    if spare := set(pins) - set().union(*written):
        print("in no step:", *sorted(spare), file=sys.stderr)


if __name__ == "__main__":
    main()
