"""What lexfield runs on: versions, extras and the machine."""

from __future__ import annotations

import os
import platform
import re
import sys
from functools import lru_cache

from lexfield import __version__

_SHOWN = ("numpy", "scipy", "numba", "scikit-learn", "click", "msgspec")
_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"extra == ['\"](\w+)['\"]")
_NOT_FOR_USERS = ("all", "bench", "dev", "docs", "fault")


def describe_version() -> list[str]:
    """Return what a bug report needs: lexfield, Python, the machine, packages and extras."""
    found = ((name, find_version(name)) for name in _SHOWN)
    extras = [name for name, missing in list_extras().items() if not missing]
    return [
        f"lexfield {__version__}",
        f"Python {platform.python_version()} ({sys.executable})",
        f"{platform.platform()}, {os.cpu_count()} cores",
        ", ".join(f"{name} {number}" for name, number in found if number),
        f"extras: {', '.join(extras) or 'none'}",
    ]


def find_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed."""
    from importlib import metadata  # slow to import, and every command imports this module

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@lru_cache(1)
def list_extras() -> dict[str, list[str]]:
    """Return the packages that each extra lacks."""
    found: dict[str, list[str]] = {}
    for line in _list_requirements():
        requirement, _, marker = line.partition(";")
        extra, name = _EXTRA.search(marker), _NAME.match(requirement)
        if extra and name and extra[1] not in _NOT_FOR_USERS:
            missing = found.setdefault(extra[1], [])
            is_for_here = "win32" not in marker or sys.platform != "win32"
            if is_for_here and find_version(name[0]) is None:
                missing.append(name[0])
    return dict(sorted(found.items()))


def list_missing() -> list[str]:
    """Return the required packages that are not installed."""
    needed = [_NAME.match(line) for line in _list_requirements() if ";" not in line]
    return [name[0] for name in needed if name and find_version(name[0]) is None]


def _list_requirements() -> list[str]:
    from importlib import metadata

    try:
        return metadata.requires("lexfield") or []
    except metadata.PackageNotFoundError:  # run from its sources, without an installation
        return []
